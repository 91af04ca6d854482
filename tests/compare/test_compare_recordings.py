"""Recordings of one program are equal whoever answers it, and a check finds 5 % in one object; few cases each.

``tests/fuzz/run_recordings.py`` has all of them.
"""

from __future__ import annotations

import pytest
from run_recordings import main


@pytest.mark.slow
@pytest.mark.parametrize("asked", [("--recaptures", "2"), ("--checks", "2")], ids=["recaptures", "checks"])
def test_recordings(asked, capsys):
    status = main(asked)
    assert status == 0, capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.gl
def test_a_sample_by_both_drivers(capsys):
    status = main(("--samples", "1"))
    assert status == 0, capsys.readouterr().out
