"""Groups of runs: who belongs together, their names, and refusals."""

from dataclasses import replace

import pytest
from case_tables import table as case_table
from eval_toys import clock_run

from gnomon.eval import table, write_report
from gnomon.eval.comparing.groups import check_same_exam, compare_groups, group_runs
from gnomon.eval.report.differences import IntervalMark, forest, group_marks, seed_charts
from gnomon.eval.report.text_tables import differences


def run(name, *, seed=0, loss="ce", skill=0.5, **about):
    recipe = f"data:\n- kind: clock\nloss: {{name: {loss}, weight: 0.3}}\nseed: {seed}\n"
    return clock_run(name, skill, seed=100 + seed, recipe_yaml=recipe, **about)


def test_seeds_are_put_together_in_any_order():
    result = group_runs([run("b-1", seed=1, loss="ntil"), run("a-0"), run("b-0", loss="ntil")])
    assert [(g.name, tuple(g.by_seed)) for g in result] == [("b", (1, 0)), ("a-0", (0,))]
    assert result[0].differs == {"loss.name": "ntil"}
    assert result[0].sentence == "b: seeds 1, 0; loss.name=ntil"
    assert result[1].sentence == "a-0: seed 0; loss.name=ce"


@case_table(__file__, "group_names")
def test_a_group_is_called_what_its_runs_share(row):
    (group,) = group_runs([run(name, seed=i) for i, name in enumerate(row["runs"])])
    assert group.name == row["group"]


def test_two_groups_never_share_a_name():
    runs = [run(f"it-{i}", seed=i % 2, loss=("ce", "ntil")[i // 2]) for i in range(4)]
    assert [g.name for g in group_runs(runs)] == ["it-0", "it-2"]
    without_recipes = [clock_run("a", 0.5), clock_run("b", 0.5)]
    assert [g.name for g in group_runs(without_recipes)] == ["a", "b"]


def test_runs_asked_the_same_are_alike():
    check_same_exam([run("a"), run("b", seed=1)])
    other = run("b", asked={"kind": "clock", "options": {"size": 84}})
    with pytest.raises(ValueError, match=r"data.options.size: None in a, 84 in b"):
        check_same_exam([run("a"), other])
    many = run("b", asked={str(i): i for i in range(20)})
    with pytest.raises(ValueError, match="… 8 more"):
        check_same_exam([run("a"), many])


def with_settings(name, **settings):
    """Make a run whose answers were generated with the settings."""
    made = run(name)
    predictions = [replace(p, settings=settings) for p in made.predictions]
    return replace(made, predictions=predictions)


def test_runs_may_differ_in_views_and_cropping():
    plain = with_settings("plain", max_new_tokens=32)
    cropping = {"views": 3, "find": "Where is the clock?", "margin": 0.06}
    check_same_exam([plain, with_settings("cropped", max_new_tokens=32, **cropping)])
    with pytest.raises(ValueError, match=r"generation.max_new_tokens: 32 in plain, 8 in short"):
        check_same_exam([plain, with_settings("short", max_new_tokens=8)])


@pytest.mark.slow
def test_text_charts_and_report_have_the_seeds_behind_each_mean(tmp_path):
    runs = [run(f"ce-{s}", seed=s, skill=0.2 + s / 10) for s in range(3)]
    runs += [run(f"ntil-{s}", seed=s, loss="ntil", skill=0.9) for s in range(3)]
    groups = group_runs(runs)
    comparisons, refused = compare_groups(groups)
    text = differences(groups, comparisons)
    assert refused == []
    assert text.count("  seed ") == 3
    assert "ntil is better than ce" in text
    assert max(map(len, text.splitlines()[:12])) < 170
    charts = dict(seed_charts(groups, "time"))
    assert list(charts) == [
        "Exactly right (%)", "Within 1 minute (%)", "Within 5 minutes (%)",
        "Mean deviation, unread as 360 min (min)", "Could not be read (%)",
    ]  # fmt: skip
    assert ">ce<" in charts["Exactly right (%)"]
    _, (ce, _) = next(group_marks(groups, "time"))
    shares = [r.scores.estimate("time", "exact").value for r in runs[:3]]
    assert ce.seeds == pytest.approx([100 * share for share in shares])
    assert ce.value == pytest.approx(sum(ce.seeds) / 3)
    assert ce.text.startswith(f"{ce.value:.1f} % [")
    page = write_report(tmp_path / "r.html", runs).read_text()
    assert page.index("Differences</h2>") < page.index("Time on a 12-hour dial</h2>")
    for piece in ("ntil, seed 0", "ce: seeds 0, 1, 2", "the mean over seeds with its interval"):
        assert piece in page
    assert "ntil-2" in table(runs)


@pytest.mark.slow
def test_groups_of_one_run_have_its_own_interval_and_no_charts(tmp_path):
    runs = [run("a"), run("b", loss="ntil")]
    groups = group_runs(runs)
    assert seed_charts(groups, "time") == []
    _, (a, _) = next(group_marks(groups, "time"))
    share = runs[0].scores.estimate("time", "exact")
    interval = f"[{100 * share.low:.1f}, {100 * share.high:.1f}]"
    assert a.text == f"{100 * share.value:.1f} % {interval}"
    page = write_report(tmp_path / "r.html", runs).read_text()
    assert page.index("Differences</h2>") > page.index("Time on a 12-hour dial</h2>")


def test_a_forest_holds_what_has_no_interval_and_what_has_no_end():
    open_mark = IntervalMark("<none>", 0.0, None, ())
    wild = IntervalMark("wild", 1.0, (-1.0, 3.0), (0.5, 1.5), detectable=float("inf"))
    drawn = forest([open_mark, wild], "label")
    assert "&lt;none&gt;" in drawn
    assert "nan" not in drawn
    assert "inf" not in drawn
    assert forest([open_mark], "label")
