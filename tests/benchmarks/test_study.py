"""The study of the losses: its page is what the committed outcomes say, and its cells run."""

import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from benchmarks.study import outcomes, page, report, run
from benchmarks.study.photographs import outcomes as photographs
from benchmarks.study.photographs import plan as photographs_plan
from benchmarks.study.plan import LOSSES, OUTCOMES, PARTS, WEIGHTED, Cell
from gnomon.eval import score
from gnomon.sample import Number, Prediction, Sample, target_from_json

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
COMMITTED = sorted(OUTCOMES.rglob("*.json.xz"))


def test_the_page_is_what_the_committed_outcomes_say():
    stored = photographs.read(photographs_plan.OUTCOMES)
    for name, table in page.tables(stored, is_over=False).items():
        assert page.put(PAGE, name, table) == PAGE, name


def test_committed_outcomes_are_cells_of_the_plan():
    for part in PARTS.values():
        here = {file for file in COMMITTED if file.relative_to(OUTCOMES).parts[0] == part.name}
        planned = {OUTCOMES / part.name / cell.file for cell in [*part.pilots, *part.choosing]}
        if planned <= here:
            cells = part.cells(report.weights_of(part))
            planned |= {OUTCOMES / part.name / cell.file for cell in cells}
        assert here <= planned


def test_committed_answers_are_measured_as_gnomon_measures_them():
    for file in COMMITTED[::10]:
        found = outcomes.read(file)
        for source in found["sources"].values():
            samples = [
                Sample(i, None, "", target_from_json(truth), {})
                for i, truth in zip(source["ids"], source["truths"], strict=True)
            ]
            said = [
                Prediction(i, text, None, "plain")
                for i, text in zip(source["ids"], source["answers"], strict=True)
            ]
            assert outcomes.columns(score(said, samples)) == source


def test_numeric_losses_are_ahead_early_as_the_page_says():
    part = PARTS["clocks_all"]
    curves = {
        (cell.loss, cell.seed): {
            line["step"]: line["ce"]
            for line in outcomes.read(OUTCOMES / part.name / cell.file)["curve"]
        }
        for cell in part.cells(report.weights_of(part))
    }

    def lower(first, last):
        return [
            ce < curves["ce", seed][step]
            for (loss, seed), curve in curves.items()
            for step, ce in curve.items()
            if loss != "ce" and first <= step <= last
        ]

    assert (sum(lower(15, 40)), len(lower(15, 40))) == (239, 240)
    assert (sum(lower(5, 10)), len(lower(5, 10))) == (1, 80)


def test_wrong_answers_are_off_by_a_ten_or_an_hour_as_the_page_says():
    def errors(name):
        part = PARTS[name]
        for cell in part.cells(report.weights_of(part)):
            for source in outcomes.read(OUTCOMES / name / cell.file)["sources"].values():
                yield from source["measures"]["charged"]

    sums = list(errors("sums"))
    assert sum(error == 10 for error in sums) / len(sums) == pytest.approx(1 / 7, abs=0.01)
    wrong = [error for error in errors("clocks") if error > 1]
    about_an_hour = [error for error in wrong if 50 <= error <= 70]
    assert len(about_an_hour) / len(wrong) == pytest.approx(0.9, abs=0.02)


@pytest.fixture
def made_up(tmp_path):
    """Outcomes of a small part: ntil is right more often than ce in every seed, no other is."""
    part = replace(PARTS["sums"], seeds=(11, 12, 13, 14, 15), weights=(0.3, 1.0), questions=60)
    rng = np.random.default_rng(0)
    easy = rng.random(60)
    for cell in [*part.pilots, *part.choosing, *part.cells(dict.fromkeys(WEIGHTED, 1.0))]:
        level = 0.8 if cell.loss == "ntil" else 0.4
        level += 0.15 * (cell.weight == 1.0 and cell.stage == "weights")
        right = easy + rng.normal(0, 0.03, 60) < level
        outcomes.write(tmp_path / part.name / cell.file, outcome_of(cell, right))
    return part, tmp_path


def outcome_of(cell: Cell, right):
    samples = [Sample(f"sum-{n:03}", None, "", Number(Decimal(n)), {}) for n in range(len(right))]
    said = [
        Prediction(sample.id, str(n if right[n] else n + 7), None, "plain")
        for n, sample in enumerate(samples)
    ]
    curve = [{"step": step, "loss": 2 / step, "ce": 1 / step} for step in (1, 2, 3)]
    source = outcomes.columns(score(said, samples))
    return {"seed": cell.seed, "curve": curve, "sources": {"arithmetic": source}}


def test_the_table_shows_what_there_is_to_see(made_up):
    part, folder = made_up
    assert report.weights_of(part, folder) == dict.fromkeys(WEIGHTED, 1.0)
    cells = part.cells(dict.fromkeys(WEIGHTED, 1.0))
    found = {cell: outcomes.read(folder / part.name / cell.file) for cell in cells}
    right = {
        loss: np.mean([
            found[cell]["sources"]["arithmetic"]["measures"]["exact"]
            for cell in cells
            if cell.loss == loss
        ])
        for loss in LOSSES
    }  # fmt: skip
    comparisons = {c.candidate: c.differences[0] for c in report.compared(part, found)}
    assert comparisons.keys() == set(LOSSES) - {"ce"}
    for loss, difference in comparisons.items():
        assert difference.n_tests == 4
        assert difference.estimate.value == pytest.approx(right[loss] - right["ce"])
        assert difference.verdict == ("better" if loss == "ntil" else "tied")
    said = report.text(part, folder)
    assert said.count(" better") == 3  # of ntil: exactly right, within 5 %, the charged error
    assert f"{100 * right['ntil']:.1f} %" in said


def test_a_part_that_leaves_no_room_is_not_studied(made_up):
    part, folder = made_up
    assert "% right" in report.pilots(part, folder)
    with pytest.raises(report.NoRoomError, match="change the recipe's length or its tasks"):
        run.run(replace(part, room=(0.9, 1.0), pretrained=False), folder, jobs=1)


def test_a_part_of_a_plan_gets_no_verdict(made_up):
    part, folder = made_up
    last = part.cells(dict.fromkeys(WEIGHTED, 1.0))[-1]
    (folder / part.name / last.file).unlink()
    said = report.text(part, folder)
    assert said.endswith("24 of 25 cells are finished: no verdict before all are")
    assert "better" not in said


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_a_cell_can_be_run_and_a_finished_one_is_left(tmp_path):
    from benchmarks.study.cell import measured

    part = run.tiny(PARTS["clocks"])
    cell = part.cells(dict.fromkeys(WEIGHTED, 0.3))[1]
    found = json.loads(json.dumps(measured(part, cell)))
    (source,) = found["sources"].values()
    assert len(source["ids"]) == part.questions
    assert [line["step"] for line in found["curve"]] == [1, 2]
    assert outcomes.scores_of(source).items[0].measures.keys() == set(outcomes.MEASURES["time"])
    for one in [*part.pilots, *part.choosing, *part.cells(dict.fromkeys(WEIGHTED, 0.3))]:
        outcomes.write(tmp_path / part.name / one.file, found)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.xz")}
    run.run(part, tmp_path, jobs=1)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.xz")} == before


@pytest.mark.long
def test_the_smoke_run_goes_through_every_part():
    words = [sys.executable, "benchmarks/study/run.py", "--smoke"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    assert all(PARTS[name].title in done.stdout for name in PARTS)
    assert "tied" in done.stdout
