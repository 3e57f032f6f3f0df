"""gnomon compare: seeds together, other questions refused, published figures beside."""

import json
import random
import re
import shutil

import pytest
from command_toys import finished_run
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


def test_the_users_own_files_beside_answers_are_left(runs, here, cli):
    for end in (".jsonl", ".about.json"):
        answers = runs["ce", 0] / "predictions" / f"after{end}"
        (here / f"gpt{end}").write_bytes(answers.read_bytes())
    (here / "gpt.csv").write_text("file,answer\n")
    before = sorted(here.iterdir())
    refusal = cli("score", "gpt.jsonl", code=1).err
    assert "gpt.csv: the report would replace this, which gnomon did" in refusal
    assert sorted(here.iterdir()) == before
    cli("score", "gpt.jsonl", "--out", "scores.html")
    assert (here / "gpt.csv").read_text() == "file,answer\n"


@pytest.mark.slow
def test_runs_that_differ_in_the_seed_alone_are_one_group(runs, tmp_path, cli):
    report = tmp_path / "it.html"
    output = cli("compare", *runs.values(), "-o", report).out
    for line in ("ce: seeds 0, 1, 2; loss.name=ce", "ntil: seeds 0, 1, 2; loss.name=ntil",
                 "ntil is better than ce"):  # fmt: skip
        assert line in output
    whole = json.loads(report.with_suffix(".json").read_text())
    (comparison,) = whole["comparisons"]
    assert comparison["seeds"] == [[0, 1, 2], [0, 1, 2]]
    assert [row["seed"] for row in comparison["differences"][0]["by_seed"]] == [0, 1, 2]
    assert len(whole["runs"]) == 6
    page = report.read_text()
    assert "ntil minus ce" in page
    assert "seed 2" in page
    # As JSON it is JSON alone.
    output = cli("compare", *runs.values(), "-o", report, "--json").out
    whole = json.loads(output, parse_constant=pytest.fail)
    assert whole["groups"][0]["runs"] == ["ce-s0", "ce-s1", "ce-s2"]
    assert whole["comparisons"][0]["differences"][0]["verdict"] == "better"
    assert whole["report"] == str(report)
    output = cli("score", runs["ntil", 1], "--out", report, "--json").out
    page = json.loads(report.with_suffix(".json").read_text())
    assert json.loads(output, parse_constant=pytest.fail)["runs"]["after"] == page["runs"]["after"]


@pytest.mark.slow
def test_other_runs_are_groups_of_their_own(runs, tmp_path, cli):
    """Single runs, bare answers, the same recipe and seed once more, and another model."""
    again = made(tmp_path / "again", skill=0.3, seed=0, overrides=["loss.name=ce"])
    other = made(tmp_path / "other", skill=0.5, settings={"name": "b", "server": "http://x"})
    answers = runs["ntil", 0] / "predictions" / "after.jsonl"
    for compared, *sentences in (
        ([runs["ce", 0], runs["ntil", 0]], "ntil-s0 is better than ce-s0", "McNemar's exact test"),
        ([runs["ce", 0], runs["ce", 1], answers], "ce: seeds 0, 1", "after is better than ce"),
        ([runs["ce", 0], again], "again and ce-s0 are tied"),
        ([runs["ce", 0], other], "ce-s0"),
    ):
        output = cli("compare", *compared, "-o", tmp_path / "it.html").out
        assert all(sentence in output for sentence in sentences)


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
def test_runs_that_were_asked_otherwise_are_refused(runs, tmp_path, cli, changes, message):
    other = made(tmp_path / "other", skill=0.5, **changes)
    error = cli("compare", runs["ce", 0], other, "-o", tmp_path / "it.html", code=1).err
    assert message in error
    assert "their questions or settings differ" in error
    assert not (tmp_path / "it.html").exists()


@pytest.mark.parametrize("table", quick(["ntil-clock", "ntil-box", "ntil-text"], "ntil-clock"))
def test_published_figures_stand_beside_with_the_set_ups_above(runs, tmp_path, cli, table):
    report = tmp_path / "it.html"
    output = cli("compare", runs["ntil", 1], "--beside", table, "-o", report).out
    above, below = output.split("Model ", 1)
    for words in (
        "As published",
        "arXiv 2505.13077",
        "Set-ups differ",
        "training and test pictures",
    ):
        assert words in above
    assert "Qwen2-VL-2B" in below
    assert "ntil-s1" in below
    page = report.read_text()
    assert "As published: Fei et al. 2025" in page
    if table == "ntil-clock":
        assert "98.3 %" in below
        assert "24.66 min" in page


def test_scalebenchs_figures_have_the_training_of_the_models(runs, tmp_path, cli):
    output = cli("compare", runs["ce", 0], "--beside", "scalebench", "-o", tmp_path / "it.html").out
    above, _, below = output.partition("\nModel ")
    assert "Jin et al. 2026" in above
    assert re.match(r" +Training +Accuracy\n", below)
    assert re.search(r"Qwen2.5-VL-7B +LoRA, published +38.39 %", below)
    assert re.search(r"people +none, published +97.4 %", below)


def test_a_run_whose_training_is_not_over_is_refused(runs, tmp_path, cli):
    """Its answers are the untrained model's, and stood as the loss's own."""
    shutil.copytree(runs["ntil", 0], run := tmp_path / "ntil")
    (run / "predictions" / "after.jsonl").rename(run / "predictions" / "before.jsonl")
    about = run / "predictions" / "after.about.json"
    about.rename(about.with_name("before.about.json"))
    words = ("compare", runs["ce", 0], run, "-o", tmp_path / "it.html")
    refusal = cli(*words, code=2).err
    assert f"{run} has no answers after its training" in refusal
    cli("compare", runs["ce", 0], run / "predictions" / "before.jsonl", "-o", tmp_path / "it.html")


def test_runs_may_follow_the_options(runs, tmp_path, cli):
    output = cli("compare", runs["ce", 0], "-o", tmp_path / "it.html", runs["ntil", 0]).out
    assert "ntil-s0 is better than ce-s0" in output


def test_a_comparison_over_groups_says_so(tmp_path, cli):
    """Twelve of twelve against none is no difference that two cameras could show."""
    rows = [{"question": "?", "answer": i, "cam": "ab"[i % 2]} for i in range(12)]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    for name, texts in (("good", range(12)), ("bad", [99] * 12)):
        answers = [{"answer": str(text)} for text in texts]
        (tmp_path / f"{name}.json").write_text(json.dumps(answers))
    output = cli("compare", tmp_path / "bad.json", tmp_path / "good.json", "--data",
                 tmp_path / "t.json", "-o", tmp_path / "it.html", "columns.kind=number",
                 "columns.group=cam", "columns.image=null").out  # fmt: skip
    assert "are tied in this: exactly right" in output
    assert "Confidence intervals are over 2 groups (by cam), as for new groups" in output
    assert "too few items" in output


def test_answers_given_with_two_settings_are_not_scored_as_one_run(tmp_path, cli):
    run = made(tmp_path / "run", skill=0.3)
    file = run / "predictions" / "after.jsonl"
    file.write_text(file.read_text().replace('"max_new_tokens": 32', '"max_new_tokens": 8', 1))
    assert "{'max_new_tokens': 32}, not {'max_new_tokens': 8}" in cli("score", run, code=1).err


@pytest.mark.slow
def test_answers_made_elsewhere_beside_a_run(runs, tmp_path, cli):
    """The run says what was asked; how the others were generated is not known."""
    run = runs["ce", 0]
    lines = (run / "predictions" / "after.jsonl").read_text().splitlines()
    answers = [row for row in map(json.loads, lines) if "sample_id" in row]
    rows = [{"id": row["sample_id"], "answer": row["text"]} for row in answers]
    (tmp_path / "other.json").write_text(json.dumps(rows))
    data = ("-o", tmp_path / "it.html", "--data", run / "recipe.yaml")
    words = ("compare", run, tmp_path / "other.json", *data)
    assert "other and ce-s0 are tied" in cli(*words).out
    refusal = cli(*words, "eval.seed=1", code=1).err
    assert "have an id that is not among the 40 questions" in refusal
    refusal = cli("compare", run, *data, code=2).err
    assert "all of these record their questions: leave --data out" in refusal
