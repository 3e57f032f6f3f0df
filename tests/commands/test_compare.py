"""gnomon compare: seeds together, other questions refused, published figures beside."""

import json
import random

import pytest
from command_toys import finished_run, gnomon
from quick import quick

from gnomon import recipe
from gnomon.dialect import Dialect

N = 40


def made(folder, *, skill, seed=0, settings=None, overrides=()):
    """A run whose answers are right as often as `skill` says."""
    values = {"data": [{"kind": "clock", "options": {"size": 84}}], "eval": {"samples": N}}
    recipe.override(values, [f"seed={seed}", *overrides])
    rng = random.Random(f"{skill} {seed}")

    def answer(sample):
        return Dialect().write(sample.target) if rng.random() < skill else "06:31"

    return finished_run(folder, values, {"after": answer}, settings=settings)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two recipes of three seeds."""
    folder = tmp_path_factory.mktemp("runs")
    return {
        (loss, seed): made(
            folder / f"{loss}-s{seed}", skill=skill, seed=seed, overrides=[f"loss.name={loss}"]
        )
        for loss, skill in (("ce", 0.3), ("ntil", 0.8))
        for seed in range(3)
    }


def test_the_users_own_files_beside_answers_are_left(runs, here, capsys):
    for end in (".jsonl", ".about.json"):
        answers = runs["ce", 0] / "predictions" / f"after{end}"
        (here / f"gpt{end}").write_bytes(answers.read_bytes())
    (here / "gpt.csv").write_text("file,answer\n")
    before = sorted(here.iterdir())
    assert gnomon("score", "gpt.jsonl") == 1
    assert "gpt.csv: a report would be written here, and gnomon did" in capsys.readouterr().err
    assert sorted(here.iterdir()) == before
    assert gnomon("score", "gpt.jsonl", "--out", "scores.html") == 0
    assert (here / "gpt.csv").read_text() == "file,answer\n"


@pytest.mark.slow
def test_lines_at_fault_are_told_and_the_other_answers_are_kept(tmp_path, capsys):
    run = made(tmp_path / "run", skill=0.5)
    file = run / "predictions" / "after.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines, *lines]))  # of two processes
    with pytest.warns(UserWarning, match="dropped 40 lines that repeat an earlier one"):
        assert gnomon("score", run) == 0
    whole = (run / "report.json").read_bytes()
    other = lines[0].replace(json.loads(lines[0])["text"], "11:59")
    spoilt = {
        lines[1][:30] + "\n": "after.jsonl, line 2: no answer of gnomon's",
        other: "is answered twice",
        lines[2].replace("clock", "nobody"): "is not among the questions",
    }
    for line, fault in spoilt.items():
        file.write_text("".join([lines[0], line, *lines[1:]]))
        for verb in ("predict", "score"):  # predict before it opens the model
            assert gnomon(verb, run) == 1
            assert fault in capsys.readouterr().err
    file.write_text("".join(lines))
    assert gnomon("score", run) == 0
    assert (run / "report.json").read_bytes() == whole
    file.write_text("".join(lines[:-1]))
    assert gnomon("score", run) == 1
    assert "1 of 40 questions have no answer yet" in capsys.readouterr().err
    about = file.with_name("after.about.json")
    about.write_text(about.read_text().replace('"samples": 40', '"samples": 1000000000'))
    assert gnomon("score", run) == 1  # as many would be drawn, one by one
    assert "999,999,961 of 1,000,000,000 questions have no answer" in capsys.readouterr().err


@pytest.mark.slow
def test_runs_that_differ_in_the_seed_alone_are_one_group(runs, tmp_path, capsys):
    report = tmp_path / "it.html"
    assert gnomon("compare", *runs.values(), "-o", report) == 0
    output = capsys.readouterr().out
    assert "ce: seeds 0, 1, 2; loss.name=ce" in output
    assert "ntil: seeds 0, 1, 2; loss.name=ntil" in output
    assert "ntil is better than ce" in output
    whole = json.loads(report.with_suffix(".json").read_text())
    (comparison,) = whole["comparisons"]
    assert comparison["seeds"] == [[0, 1, 2], [0, 1, 2]]
    assert [row["seed"] for row in comparison["differences"][0]["by_seed"]] == [0, 1, 2]
    assert len(whole["runs"]) == 6
    page = report.read_text()
    assert "ntil minus ce" in page
    assert "seed 2" in page


@pytest.mark.slow
def test_other_runs_are_groups_of_their_own(runs, tmp_path, capsys):
    """Single runs, bare answers, and the same recipe and seed once more."""
    again = made(tmp_path / "again", skill=0.3, seed=0, overrides=["loss.name=ce"])
    answers = runs["ntil", 0] / "predictions" / "after.jsonl"
    for compared, *sentences in (
        ([runs["ce", 0], runs["ntil", 0]], "ntil-s0 is better than ce-s0", "McNemar's exact test"),
        ([runs["ce", 0], runs["ce", 1], answers], "ce: seeds 0, 1", "after is better than ce"),
        ([runs["ce", 0], again], "again and ce-s0 are tied"),
    ):
        assert gnomon("compare", *compared, "-o", tmp_path / "it.html") == 0
        output = capsys.readouterr().out
        for sentence in sentences:
            assert sentence in output


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"overrides": ["eval.seed=1"]}, "data.seed: 0 in ce-s0, 1 in other"),
        ({"overrides": ["eval.samples=9"]}, "data.samples: 40 in ce-s0, 9 in other"),
        ({"overrides": ["data.0.options.size=112"]}, "data.options.size: 84 in ce-s0, 112 in"),
        ({"settings": {"max_new_tokens": 8}}, "generation.max_new_tokens: 32 in ce-s0, 8 in other"),
        ({"settings": {"temperature": 0.5}}, "generation.temperature: None in ce-s0, 0.5 in other"),
    ],
)
def test_runs_that_were_asked_otherwise_are_refused(runs, tmp_path, capsys, changes, message):
    other = made(tmp_path / "other", skill=0.5, **changes)
    assert gnomon("compare", runs["ce", 0], other, "-o", tmp_path / "it.html") == 1
    error = capsys.readouterr().err
    assert message in error
    assert "their questions or settings differ" in error
    assert not (tmp_path / "it.html").exists()


@pytest.mark.slow
def test_another_model_may_be_compared(runs, tmp_path):
    other = made(tmp_path / "other", skill=0.5, settings={"name": "b", "server": "http://x"})
    assert gnomon("compare", runs["ce", 0], other, "-o", tmp_path / "it.html") == 0


@pytest.mark.parametrize("table", quick(["ntil-clock", "ntil-box", "ntil-text"], "ntil-clock"))
def test_published_figures_stand_beside_with_the_set_ups_above(runs, tmp_path, capsys, table):
    report = tmp_path / "it.html"
    assert gnomon("compare", runs["ntil", 1], "--beside", table, "-o", report) == 0
    above, below = capsys.readouterr().out.split("Model ", 1)
    for words in ("As published", "arXiv 2505.13077", "Set-ups differ", "own training and test"):
        assert words in above
    assert "Qwen2-VL-2B" in below
    assert "ntil-s1" in below
    page = report.read_text()
    assert "As published: Fei et al. 2025" in page
    if table == "ntil-clock":
        assert "98.3 %" in below
        assert "24.66 min" in page


def test_answers_given_with_two_settings_are_not_scored_as_one_run(tmp_path, capsys):
    run = made(tmp_path / "run", skill=0.3)
    file = run / "predictions" / "after.jsonl"
    head, *rows = file.read_text().splitlines(keepends=True)
    file.write_text("".join([head.replace('"max_new_tokens": 32', '"max_new_tokens": 8'), *rows]))
    assert gnomon("score", run) != 0
    assert "{'max_new_tokens': 32}, not {'max_new_tokens': 8}" in capsys.readouterr().err


def refused(constant):
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.slow
def test_scores_and_comparisons_as_json_are_json_alone(runs, tmp_path, capsys):
    report = tmp_path / "it.html"
    assert gnomon("compare", *runs.values(), "-o", report, "--json") == 0
    output = json.loads(capsys.readouterr().out, parse_constant=refused)
    assert output["groups"][0]["runs"] == ["ce-s0", "ce-s1", "ce-s2"]
    (comparison,) = output["comparisons"]
    assert comparison["differences"][0]["verdict"] == "better"
    assert output["report"] == str(report)
    assert gnomon("score", runs["ntil", 1], "--out", report, "--json") == 0
    output = json.loads(capsys.readouterr().out, parse_constant=refused)
    page = json.loads(report.with_suffix(".json").read_text())
    assert output["runs"]["after"] == page["runs"]["after"]


@pytest.mark.slow
def test_answers_made_elsewhere_beside_a_run(runs, tmp_path, capsys):
    """The run says what was asked; how the others were generated is not known."""
    run = runs["ce", 0]
    lines = (run / "predictions" / "after.jsonl").read_text().splitlines()
    answers = [row for row in map(json.loads, lines) if "sample_id" in row]
    rows = [{"id": row["sample_id"], "answer": row["text"]} for row in answers]
    (tmp_path / "other.json").write_text(json.dumps(rows))
    words = ("compare", run, tmp_path / "other.json", "-o", tmp_path / "it.html", "--data")
    assert gnomon(*words, run / "recipe.yaml") == 0
    assert "other and ce-s0 are tied" in capsys.readouterr().out
    assert gnomon(*words, run / "recipe.yaml", "eval.seed=1") == 1
    assert "have an id that none of the 40 questions has" in capsys.readouterr().err
    assert gnomon("compare", run, *words[3:], run / "recipe.yaml") == 2
    assert "each of these says what it was asked; leave --data out" in capsys.readouterr().err
