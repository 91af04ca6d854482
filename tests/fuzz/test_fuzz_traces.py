"""Hostile traces with a fixed seed: a hundredth of what ``run_traces.py`` is meant for."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
import trace_fuzz

SEED = 20261121
CASES = 120


@pytest.fixture(autouse=True)
def _limits(monkeypatch):
    """``warm_up`` sets the limits for this process too: put them back."""
    monkeypatch.setenv("GPUREPLAY_LIMITS", trace_fuzz.LIMITS)


def test_hostile_traces_end_in_frames_or_clear_errors(tmp_path: Path) -> None:
    outcomes = list(trace_fuzz.run_cases(SEED, range(CASES), tmp_path))
    assert sorted(outcome.number for outcome in outcomes) == list(range(CASES))
    findings = [outcome for outcome in outcomes if outcome.is_finding]
    assert not findings, "\n".join(f"case {o.number} ({o.kind}): {o.what}: {o.detail}" for o in findings[:5])
    # The cases reach what they are meant to reach.
    counts = Counter(outcome.what for outcome in outcomes)
    assert min(counts["frames"], counts["gl error"], counts["tool error"]) > CASES // 20
    assert {outcome.kind for outcome in outcomes} == set(trace_fuzz.KINDS)


def test_a_case_is_a_function_of_seed_and_number(tmp_path: Path) -> None:
    for number in range(40):
        assert trace_fuzz.make_case(5, number, tmp_path) == trace_fuzz.make_case(5, number, tmp_path)
    assert trace_fuzz.make_case(5, 1, tmp_path).data != trace_fuzz.make_case(6, 1, tmp_path).data


@pytest.mark.parametrize(("fault", "what"), [("raise", "KeyError"), ("crash", "crash"), ("hang", "hang")])
def test_faults_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, what: str) -> None:
    """The harness itself: an exception, a dead process and one that does not end are told apart, and it goes on."""
    from traceformat.gles.tracker import Tracker

    execute = Tracker.execute

    def faulty(tracker: Tracker, call: object) -> object:
        if (tmp_path / "armed").exists():
            (tmp_path / "armed").unlink()
            if fault == "raise":
                raise KeyError("fault")
            if fault == "crash":
                import os
                import signal

                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)
        return execute(tracker, call)  # type: ignore[arg-type]

    def arming(folder: Path) -> None:
        warm_up(folder)
        (tmp_path / "armed").touch()

    warm_up = trace_fuzz.warm_up
    monkeypatch.setattr(trace_fuzz, "warm_up", arming)
    monkeypatch.setattr(trace_fuzz, "HANG_SECONDS", 3.0)
    monkeypatch.setattr(Tracker, "execute", faulty)
    outcomes = list(trace_fuzz.run_cases(1, range(6), tmp_path))
    assert len(outcomes) == 6
    assert [outcome.what for outcome in outcomes if outcome.is_finding] == [what]
