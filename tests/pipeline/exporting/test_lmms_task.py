"""A task for lmms-eval: opened as lmms-eval opens it, scored as gnomon scores."""

import importlib.util
import json
import shutil
from functools import partial
from pathlib import Path

import datasets
import numpy as np
import pytest
import yaml
from pipeline_toys import boxed

from gnomon import eval as evaluation
from gnomon.commands import main
from gnomon.eval.lmms import median, p90
from gnomon.generators import create
from gnomon.pipeline import families
from gnomon.pipeline.exporting.export import export
from gnomon.sample import Prediction

CLOCKS = [create("clock", size=84, split="test")[i] for i in range(6)]
SAID = ["Answer: 10:08", "no idea", "3:30", "12:00", "it is five past six", "9.15"]
MIXED = [
    *CLOCKS[:2],
    boxed(7, (100, 90), (10.0, 20.0, 60.0, 80.0)),
    *(create("arithmetic")[i] for i in range(2)),
]


def opened(folder):
    """The YAML with its functions, as lmms_eval.utils.load_yaml_config reads it."""

    class Loader(yaml.FullLoader):
        pass

    def function(loader, node):
        module, _, name = loader.construct_scalar(node).rpartition(".")
        spec = importlib.util.spec_from_file_location(module, folder / f"{module}.py")
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return getattr(found, name)

    Loader.add_constructor("!function", function)
    (file,) = folder.glob("*.yaml")
    return yaml.load(file.read_text(), Loader)


def rows_of(folder, task):
    """Its test split, with data_files beside the YAML."""
    files = {
        split: str(folder / name) for split, name in task["dataset_kwargs"]["data_files"].items()
    }
    return datasets.load_dataset(task["dataset_path"], data_files=files)[task["test_split"]]


def aggregated(task, rows, said):
    """What lmms-eval makes of the answers: it strips them, and gathers what each row returns."""
    gathered = {}
    for row, text in zip(rows, said, strict=True):
        for name, value in task["process_results"](row, [text.strip()]).items():
            gathered.setdefault(name, []).append(value)
    by = {metric["metric"]: metric["aggregation"] for metric in task["metric_list"]}
    own = {"mean": lambda values: sum(values) / len(values)}
    return {name: own.get(by[name], by[name])(values) for name, values in gathered.items()}


def test_the_figures_are_those_of_gnomon_score(tmp_path):
    out = export(CLOCKS, 6, families.create("qwen2-vl"), "lmms-eval", tmp_path / "my clocks")
    task = opened(out)
    assert task["task"] == "gnomon_my_clocks"
    found = aggregated(task, rows_of(out, task), SAID)
    given = [Prediction(s.id, t, None, "plain") for s, t in zip(CLOCKS, SAID, strict=True)]
    summary = evaluation.score(given, CLOCKS).summaries["time"]
    expected = {f"time_{r.name}": r.estimate.value for r in summary.results}
    assert found == pytest.approx(
        {name: value for name, value in expected.items() if name in found}
    )
    assert set(found) == set(expected)
    assert found["time_unread"] == pytest.approx(1 / 6)


def test_all_kinds_are_asked_and_measured(tmp_path):
    family = families.create("qwen2-vl")
    out = export(MIXED, len(MIXED), family, "lmms-eval", tmp_path / "mixed")
    task = opened(out)
    rows = rows_of(out, task)
    named = {metric["metric"] for metric in task["metric_list"]}
    assert {"time_exact", "box_iou_50", "number_exact"} <= named
    for sample, row in zip(MIXED, rows, strict=True):
        assert task["doc_to_text"](row) == sample.question
        assert row[task["doc_to_target"]]
        shown = task["doc_to_visual"](row)
        assert [p.size for p in shown] == ([sample.image.size] if sample.image else [])
        measured = task["process_results"](row, [row["answer"]])
        kind = next(iter(measured)).partition("_")[0]
        assert measured[{"box": "box_iou_50"}.get(kind, f"{kind}_exact")] == 1
        assert set(measured) <= named


def test_what_no_one_can_read_costs_what_scoring_charges(tmp_path):
    sums = [create("arithmetic", split="test")[i] for i in range(5)]
    out = export(sums, 5, families.create("llama"), "lmms-eval", tmp_path / "sums")
    task = opened(out)
    found = aggregated(task, rows_of(out, task), ["?"] * 5)
    truths = [float(s.target.value) for s in sums]
    assert found["number_charged"] == pytest.approx(
        np.mean([max(abs(t - other) for other in truths) for t in truths])
    )


def test_the_folder_can_be_moved(tmp_path):
    out = export(CLOCKS, 6, families.create("qwen2-vl"), "lmms-eval", tmp_path / "here")
    there = Path(shutil.move(out, tmp_path / "there"))
    task = opened(there)
    assert task["doc_to_visual"](rows_of(there, task)[0])[0].size == (84, 84)
    assert "here" not in (there / "utils.py").read_text()


def test_the_middle_is_that_of_the_sorted_values():
    assert median([9, 1, 2]) == 2
    assert p90(range(11)) == 9


def test_the_command_exports_what_is_held_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = partial(main, ["export", "clock", "--to", "lmms-eval", "--family", "qwen2-vl",
                          "--out", "held", "--n", "2", "size=84"])  # fmt: skip
    assert told() == 0
    rows = [json.loads(line) for line in (tmp_path / "held/data.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [s.id for s in CLOCKS[:2]]
    assert told() == 1
