"""Budgets: what a file may say, what is over, growth over a baseline, and how verdicts are written."""

from __future__ import annotations

import tomllib
from xml.etree import ElementTree

import pytest
from compare_documents import document, draw, frame

from gpumodel.budgets.judge import judge, judge_growth
from gpumodel.budgets.layout import annotation_lines, junit_of, text_of
from gpumodel.budgets.schema import Budget, read_budgets
from gpumodel.budgets.update import first_budgets, updated_text
from gpumodel.compare.comparison import compare
from gpumodel.compare.figures import side_of
from traceformat.errors import ConfigError, UsageError


def run(*frames):
    return side_of(document(*frames))


#: 1,000 pixels, 400 MHz; frames of 500, 500 and 2,600 cycles for the hero.
SIDE = run(
    *(frame(k, draw("sky"), draw("hero/body", cycles__raster_units=cost)) for k, cost in enumerate((800, 800, 5000)))
)


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ({"metric": "cycles"}, 3100),
        ({"metric": "ms"}, 3100 / 400e3),
        ({"metric": "mj"}, 3.1e6 / 1e9),
        ({"metric": "cycles", "statistic": "mean"}, 1700),
        ({"metric": "cycles", "statistic": "p50"}, 1000),
        ({"metric": "fragments_per_pixel"}, 2),
        ({"metric": "dram_bytes"}, 1280),
        ({"metric": "fragments.shaded"}, 2000),
        ({"metric": "cycles", "object": "hero"}, 2600),
        ({"metric": "cycles", "object": "hero/body"}, 2600),
        ({"metric": "share", "object": "hero"}, 2600 / 3100),
        ({"metric": "draws", "object": "sky"}, 1),
        ({"metric": "instructions_per_fragment", "object": "sky"}, 10),
        ({"metric": "instructions_per_fragment", "program": "p0"}, 10),
        ({"metric": "texels"}, 0),
    ],
)
def test_a_limit_is_kept_up_to_itself(given, limit):
    kept = judge(Budget(at_most=limit * (1 + 1e-12), **given), SIDE)
    assert kept.failure == ""
    if limit:
        over = judge(Budget(at_most=limit * 0.99, **given), SIDE)
        assert over.name in over.failure
        assert "+1.0%" in over.failure


def test_the_frame_and_the_offender_are_named():
    verdict = judge(Budget(metric="cycles", object="hero", at_most=2000), SIDE)
    assert verdict.failure == "`hero` cycles is 2,600, the budget 2,000 (+30.0%) in frame 2"
    named = judge(Budget(metric="cycles", at_most=1, statistic="mean", name="frame time"), SIDE)
    assert named.failure.startswith("frame time is 1,700, the budget 1")
    assert named.failure.endswith("(mean of 3 frames)")


def test_a_name_that_is_nowhere_is_no_kept_limit():
    assert "nothing of this name" in judge(Budget(metric="ms", object="heroes", at_most=9), SIDE).failure
    assert "no frame" in judge(Budget(metric="ms", at_most=9), run()).failure


def test_draws_are_needed_for_objects():
    given = document(frame(0, draw("sky")))
    del given["runs"][0]["frames"][0]["attribution"]
    side = side_of(given)
    assert judge(Budget(metric="ms", at_most=9), side).failure == ""
    with pytest.raises(UsageError, match="--attribution"):
        judge(Budget(metric="ms", object="sky", at_most=9), side)


def grown(first, second, tolerance=0.02, smallest=0.0005):
    verdicts = judge_growth(compare(run(*first), run(*second)), tolerance, smallest)
    return [verdict.failure for verdict in verdicts if verdict.failure]


def test_growth_of_one_object_is_found():
    """5 % of one object, 0.4 % of the frame, and no total beyond the tolerance."""
    others = [draw(f"house {k}", cycles__raster_units=2000) for k in range(12)]
    before = [frame(0, *others, draw("hero", cycles__raster_units=1800))]
    after = [frame(0, *others, draw("hero", cycles__raster_units=1900))]
    failures = grown(before, after)
    assert len(failures) == 1
    assert failures[0].startswith("`hero` costs 0.00263 ms instead of 0.0025")
    assert "time +5.0%" in failures[0]
    assert grown(before, before) == []
    assert grown(after, before) == []
    assert grown(before, after, tolerance=0.06) == []
    assert grown(before, after, smallest=0.01) == []


def test_new_and_missing_things():
    failures = grown([frame(0, draw("sky"))], [frame(0, draw("sky"), draw("rain"))])
    assert any("`rain` is new" in failure for failure in failures)
    assert any("time" in failure for failure in failures)
    missing = grown([frame(0, draw("sky")), frame(1, draw("sky"))], [frame(0, draw("sky"))])
    assert missing == ["1 frames of the baseline are not there"]


def written(tmp_path, text):
    path = tmp_path / "budgets.toml"
    path.write_text(text)
    return str(path)


def test_every_mistake_is_named_with_the_nearest_name(tmp_path):
    path = written(
        tmp_path,
        """
[[budget]]
metrik = "ms"
at_most = 1
[[budget]]
metric = "fragments.shadet"
at_most = -3
statistic = "p101"
[[budget]]
metric = "ms"
at_most = "much"
[[budget]]
metric = "m"
at_most = 1
object = "a"
program = "b"
statistic = "median"
""",
    )
    with pytest.raises(ConfigError) as found:
        read_budgets(path)
    text = "\n".join(found.value.problems)
    for part in (
        "budget 1: unknown key 'metrik'; did you mean 'metric'?",
        "budget 1: metric is missing",
        "budget 2: at_most = -3",
        "budget 3: at_most = 'much'",
        "budget 4: metric = 'm': no such figure",
        "statistic = 'median': not each",
        "object and program: one of them",
    ):
        assert part in text
    with pytest.raises(ConfigError, match=r"'fragments\.shaded'"):
        read_budgets(written(tmp_path, "[[budget]]\nmetric = 'fragments.shadet'\nat_most = 1\n"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no [[budget]]"),
        ("budget = []", "budget"),
        ("presets = ['tbr-fdh']\n[[budget]]\nmetric = 'ms'\nat_most = 1", "did you mean 'tbr-fhd'?"),
        ("preset = 'a'\n[[budget]]\nmetric = 'ms'\nat_most = 1", "did you mean 'presets'?"),
        ("[[budget]]\nmetric = 'ms'\nat_most = inf", "at_most"),
        ("[[budget]", "no TOML"),
        ("\x00", "no TOML"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, told):
    with pytest.raises((ConfigError, UsageError)) as found:
        read_budgets(written(tmp_path, text))
    assert told in str(found.value)


def test_update_keeps_what_is_written(tmp_path):
    text = """# ours
presets = ["mali450-vro"]

[[budget]]  # the frame
metric = "cycles"
at_most = 5  # no more

[[budget]]
metric = "cycles"
object = "hero"
name = "at_most = 7"
at_most = 1e3
"""
    path = written(tmp_path, text)
    new = updated_text(read_budgets(path), [("mali450-vro", SIDE)], 0.1)
    assert new == text.replace("at_most = 5 ", "at_most = 3410.0 ").replace("at_most = 1e3", "at_most = 2860.0")
    quoted = read_budgets(written(tmp_path, text.replace("at_most = 5", "'at_most' = 5")))
    with pytest.raises(UsageError, match="a line of its own"):
        updated_text(quoted, [("mali450-vro", SIDE)], 0.1)
    inline = read_budgets(written(tmp_path, "budget = [{metric = 'ms', at_most = 1}]"))
    with pytest.raises(UsageError, match=r"\[\[budget\]\]"):
        updated_text(inline, [("mali450-vro", SIDE)], 0.1)


def test_first_budgets_are_kept_by_their_run(tmp_path):
    side = run(frame(0, draw("sky"), draw('a "b"\\', cycles__raster_units=9000), draw("", program="x")))
    for slack in (0.0, 0.25):
        path = written(tmp_path, first_budgets([("mali450-vro", side), ("tbr-fhd", side)], slack))
        budgets = read_budgets(path)
        assert {budget.object for budget in budgets.limits} == {None, "sky", 'a "b"\\'}
        assert budgets.all_presets == ["mali450-vro", "tbr-fhd"]
        assert all(judge(budget, side).failure == "" for budget in budgets.limits)
        limits = [entry["at_most"] for entry in tomllib.loads(budgets.text)["budget"]]
        assert limits[0] == pytest.approx(side.frames[0].totals["cycles"] / 400e3 * (1 + slack), rel=1e-3)


def test_verdicts_are_written(tmp_path):
    path = written(tmp_path, "\n[[budget]]\nmetric = 'cycles'\nat_most = 3\n[[budget]]\nmetric = 'ms'\nat_most = 3\n")
    budgets = read_budgets(path)
    verdicts = [judge(one, SIDE, line) for one, line in zip(budgets.limits, budgets.lines, strict=True)]
    assert "over  frame cycles is 3,100" in text_of(verdicts)
    assert "1 of 2 limits are kept" in text_of(verdicts)
    suite = ElementTree.fromstring(junit_of(verdicts, "a<b>.gltrace"))[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [len(case) for case in suite] == [1, 0]
    told = annotation_lines(verdicts, "a,b.toml").splitlines()
    assert len(told) == 1
    assert told[0].startswith("::error file=a%2Cb.toml,line=2,title=over budget%3A frame cycles::frame cycles is 3,100")
    assert told[0].endswith("%25) in frame 2")
