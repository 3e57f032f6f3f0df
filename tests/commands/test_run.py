"""generate → train → predict → score → report, for the embedded model in 4 bits."""

import csv
import html
import json
import math
import re
import shutil
from datetime import date

import pytest
from command_toys import gnomon, gnomon_process, small
from huggingface_hub import ModelCard
from PIL import Image

from gnomon import store
from gnomon.answers.registry import TYPES
from gnomon.generators import KINDS, load
from gnomon.generators.clock import Clock
from gnomon.sample import prediction_from_json


def rows_of(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_run_leaves_all_that_it_was(run):
    for name in ("recipe.yaml", "versions.json", "log.jsonl", "report.html"):
        assert (run / name).stat().st_size > 0
    scores = json.loads((run / "report.json").read_text())["runs"]
    parts = {f"{run}: {kind}" for run in ("before", "after") for kind in ("clock", "arithmetic")}
    assert set(scores) == {"before", "after", *parts}
    page = (run / "report.html").read_text()
    for end in ("csv", "json", "png"):
        assert f'href="report.{end}"' in page
    with Image.open(run / "report.png") as picture:
        assert picture.width == 1200
    answered = date.fromtimestamp((run / "predictions" / "after.jsonl").stat().st_mtime)
    assert re.search(f"Answered (on|from [-0-9]+ to) {answered.isoformat()}", page)
    with (run / "report.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["run"] for row in rows} == {"before", "after"}
    dials = {row["fact.style.dial"] for row in rows if row["fact.source"] == "clock"}
    assert dials
    assert "" not in dials
    assert {"ce", "emd", "relative", "magnitude"} <= set(rows_of(run / "log.jsonl")[0])


@pytest.mark.slow
def test_the_hub_s_own_library_reads_the_card_of_what_was_trained(run):
    """Each figure of the card is one of the report."""
    card = ModelCard.load(run / "adapter" / "README.md")
    data = card.data
    assert (data.license, data.base_model, data.library_name, data.pipeline_tag) == (
        "apache-2.0", "gnomon-tiny", "peft", "image-text-to-text",
    )  # fmt: skip
    assert {"gnomon", "lora"} <= set(data.tags)
    scores = json.loads((run / "report.json").read_text())["runs"]
    values = {
        (kind, line["name"]): line["estimate"]["value"]
        for source in ("clock", "arithmetic")
        for kind, summary in scores[f"after: {source}"].items()
        for line in summary["results"]
    }
    kinds = {TYPES[kind].title: kind for kind, _ in values}
    assert {result.dataset_name for result in data.eval_results} == {"clock", "arithmetic"}
    for result in data.eval_results:
        scale = 100 if result.metric_name.endswith("(%)") else 1
        value = values[kinds[result.task_name], result.metric_type]
        assert result.metric_value == pytest.approx(scale * value, abs=1e-4)
    (code,) = re.findall(r"```python\n(.*?)```", card.text, re.DOTALL)
    gnomon_process("--version", before=code, cwd=run).check_returncode()


@pytest.mark.slow
def test_running_again_changes_nothing(run, tmp_path):
    again = tmp_path / "run"
    shutil.copytree(run, again)
    assert gnomon("run", small(tmp_path), "--out", again, "--workers", 1) == 0
    for name in ("adapter/adapter_model.safetensors", "predictions/after.jsonl", "report.html"):
        assert (again / name).read_bytes() == (run / name).read_bytes(), name


def test_another_recipe_never_takes_the_directory(run, tmp_path, capsys):
    before = (run / "recipe.yaml").read_bytes()
    assert gnomon("train", small(tmp_path), "train.max_steps=3", "--out", run) == 2
    assert "train.max_steps: 4 there, 3 here" in capsys.readouterr().err
    words = ("train.max_steps=9", "train.learning_rate=1e-4")
    assert gnomon("train", small(tmp_path), *words, "--out", run) == 2
    assert (run / "recipe.yaml").read_bytes() == before


@pytest.mark.slow
def test_more_steps_and_more_questions_extend_a_finished_run(run, tmp_path, capsys):
    longer = tmp_path / "run"
    shutil.copytree(run, longer)
    words = ("train.max_steps=6", "eval.samples=14", "--out", longer, "--workers", 1)
    assert gnomon("run", small(tmp_path), *words) == 0
    note = "goes on (train.max_steps: 4 there, 6 here; eval.samples: 12 there, 14 here)"
    assert note in capsys.readouterr().err
    # What the shorter run left stays under the number of its steps.
    for old, new in (
        ("adapter/adapter_model.safetensors", "adapter-4/adapter_model.safetensors"),
        ("predictions/after.jsonl", "predictions/after-4.jsonl"),
    ):
        assert (longer / new).read_bytes() == (run / old).read_bytes()
        assert (longer / old).read_bytes() != (run / old).read_bytes()
    before, log = rows_of(run / "predictions/before.jsonl"), rows_of(run / "log.jsonl")
    assert rows_of(longer / "predictions/before.jsonl")[:12] == before
    assert [line["step"] for line in rows_of(longer / "log.jsonl") if "ce" in line][-1] == 6
    steps = [line for line in log if "ce" in line]
    assert rows_of(longer / "log.jsonl")[: len(steps)] == steps
    for name in ("before", "after"):
        assert len(rows_of(longer / f"predictions/{name}.jsonl")) == 14
    assert store.open(longer / "data", "test").length == 14
    assert gnomon("score", longer / "predictions/after-4.jsonl", "--out", tmp_path / "4.html") == 0


@pytest.mark.slow
def test_a_finished_run_is_scored_and_compared_whatever_its_kinds_draw_by_now(
    run, tmp_path, monkeypatch, capsys
):
    """From the stored questions and its own pictures; without these, from the questions alone."""
    monkeypatch.setattr(Clock, "version", 99)
    out = tmp_path / "report.html"
    assert gnomon("score", run, "--out", out) == 0
    assert out.read_bytes() == (run / "report.html").read_bytes()
    other = tmp_path / "other"
    shutil.copytree(run, other, ignore=shutil.ignore_patterns("data"))
    assert "missing" not in capsys.readouterr().err
    assert gnomon("compare", other, run, "-o", out) == 0
    for text in (capsys.readouterr().err, out.read_text()):
        assert "The pictures are missing: since they were asked about, clock or" in text
    scores = json.loads(out.with_suffix(".json").read_text())["runs"]
    after = json.loads((run / "report.json").read_text())["runs"]["after"]
    assert scores["other"] == scores["run"] == after
    rows = rows_of(other / "predictions" / "after.asked.jsonl")
    questions = {row["question"] for row in rows if row["id"].startswith("clock")}
    assert any(question in html.unescape(out.read_text()) for question in questions)


@pytest.mark.slow
def test_compare_lays_runs_beside_each_other(run, tmp_path):
    before = run / "predictions" / "before.jsonl"
    report = tmp_path / "both.html"
    assert gnomon("compare", before, run, "-o", report) == 0
    runs = json.loads(report.with_suffix(".json").read_text())["runs"]
    kinds = {f"{name}: {kind}" for name in ("before", "run") for kind in ("clock", "arithmetic")}
    assert set(runs) == {"before", "run", *kinds}


def test_launched_in_several_processes_it_names_what_to_launch(tmp_path, capsys, monkeypatch):
    """They were told that another process was writing there, and to wait until it ends."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert gnomon("run", small(tmp_path), "--out", tmp_path / "runs" / "a") == 2
    assert "2 were launched: launch `gnomon train`" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
    assert gnomon("selftest", "--out", tmp_path / "runs" / "a") == 2


RECIPE = """
data: [{{kind: {kind}, options: {options}}}]
loss: {{name: {loss}}}
train: {{samples: 16, per_device_train_batch_size: 4, learning_rate: 1e-3, save_steps: 2, \
logging_steps: 1, max_steps: 3}}
eval: {{samples: 8, batch_size: 4, max_new_tokens: 16}}
"""
MORE = {
    "arithmetic": {"working": True},
    "chart": {"size": 224, "degrade": "light"},  # smaller, its text cannot be read
    "counter": {"size": 160},
    "gauge": {"size": 160},
    "mixture": {"parts": [{"kind": "scene", "options": {"size": 112}}, {"kind": "word_problem"}]},
    "scene": {"size": 112},
    "text_spotting": {"size": 224},
}
OTHERS = sorted(KINDS.keys() - {"clock"})


@pytest.mark.long
@pytest.mark.parametrize("kind", OTHERS)
def test_every_other_kind_runs_from_its_recipe_to_its_report(kind, tmp_path):
    options = load(kind).every_question | MORE.get(kind, {})
    loss = ("ntil", "smmd")[OTHERS.index(kind) % 2]
    recipe, run = tmp_path / "road.yaml", tmp_path / "run"
    recipe.write_text(RECIPE.format(kind=kind, options=json.dumps(options), loss=loss))
    assert gnomon("run", recipe, "--out", run, "--workers", 1) == 0
    losses = [row["loss"] for row in rows_of(run / "log.jsonl") if "loss" in row]
    assert len(losses) == 3
    assert all(map(math.isfinite, losses))
    for name in ("before", "after"):
        answers = map(prediction_from_json, rows_of(run / "predictions" / f"{name}.jsonl"))
        assert len({answer.sample_id for answer in answers}) == 8
        scores = json.loads((run / "report.json").read_text())["runs"][name]
        assert sum(part["n"] for part in scores.values()) == 8
    assert "<table" in (run / "report.html").read_text()
