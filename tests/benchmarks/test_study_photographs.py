"""The study on photographs: the plan's cells, outcomes that stay whole, and honest verdicts."""

import multiprocessing
import shutil
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.study.__main__ import main
from benchmarks.study.photographs import cell as cells
from benchmarks.study.photographs import figure, outcomes, plan, report, run
from benchmarks.study.photographs.cell import Place

CHOSEN = {"ce": 0.0, "ntil": 0.3, "ntil_ratio": 0.3, "smmd": 0.3, "crps": 1.0, "gaussian": 0.1,
          "spread": 0.8}  # fmt: skip
EASIER = {("smmd", 0.3), ("crps", 1.0), ("gaussian", 0.1), ("spread", 0.8)}


def test_the_cells_are_those_of_the_plan_in_its_order():
    study = list(plan.study_cells(CHOSEN))
    assert len(plan.choice_cells()) == 24
    assert len(study) == 2 * 8 * 7 + 8 * 3 * 7
    keys = [cell.key for cell in [*plan.choice_cells(), *study]]
    assert len(set(keys)) == len(keys)
    assert list(dict.fromkeys(cell.block.name for cell in study)) == [
        "dials_80", "dials_320", "dials_80_off", "dials_new", "dials_20", "digits_80",
        "digits_320", "digits_all", "bars", "boxes",
    ]  # fmt: skip
    assert [cell.method for cell in study[:7]] == list(plan.METHODS)
    assert {cell.seed for cell in study[:7]} == {11}
    page = (plan.HERE / "PLAN.md").read_text(encoding="utf-8")
    for block in plan.BLOCKS:
        assert f"| `{block.name}`" in page
    for _, digest in plan.MODELS.values():
        assert digest[:8] in page


def test_every_loss_is_one_that_a_recipe_takes():
    from gnomon.runs.resolve import resolve_values

    for cell in plan.block_cells(plan.BLOCKS[0], CHOSEN)[:7]:
        section = resolve_values({"data": [{"kind": "gauge"}], "loss": cell.loss}, name="x")
        assert section.recipe.loss.spread == (0.8 if cell.method == "spread" else 0)


def test_of_equal_strengths_the_smaller_is_chosen():
    distances = {(m, s): 0.5 for m, strengths in plan.STRENGTHS.items() for s in strengths}
    distances["crps", 1.0] = 0.4
    assert plan.choose_strengths(distances) == {
        **dict.fromkeys(("smmd", "gaussian"), 0.1), "crps": 1.0, "spread": 0.5, "ce": 0.0,
        "ntil": 0.3, "ntil_ratio": 0.3,
    }  # fmt: skip


def made_up(cell, rng, *, gain=0.0):
    """Outcome of ten groups of six pictures; crps reads nearer by `gain`."""
    seed = np.random.default_rng([cell.seed, *cell.block.name.encode()])
    base = seed.gamma(0.6, 0.5, 60) + np.repeat(np.linspace(0, 0.3, 10), 6)
    distances = np.clip(base + rng.normal(0, 0.05, 60), 0, 5)
    if cell.method == "crps":
        distances = np.clip(distances - gain, 0, 5)
    if cell.block.is_choice:
        distances += (cell.method, cell.strength) not in EASIER
    rules = ["greedy"] if cell.block.is_drawn else ["greedy", "mode", "median", "mean"]
    values = [round(float(value), 3) for value in distances]
    return {
        "key": cell.key,
        "groups": [place // 6 for place in range(60)],
        "distances": dict.fromkeys(rules, values),
        **({} if cell.block.is_drawn else {"nll": values}),
    }


def fill(*, gain, blocks=plan.BLOCKS, entropy=0):
    rng = np.random.default_rng(entropy)
    everything = plan.choice_cells()
    for block in blocks:
        everything += plan.block_cells(block, CHOSEN)
    return {cell.key: made_up(cell, rng, gain=gain) for cell in everything}


@pytest.mark.slow
def test_a_planted_gain_is_found_and_no_other(tmp_path):
    stored = fill(gain=0.1)
    assert report.strengths_of(stored) == CHOSEN
    text = report.text(stored)
    assert "of 56 trainings" not in text
    table = report.block_text(plan.BLOCKS[0], stored)
    verdicts = {line.split()[0]: line.split()[-1] for line in table.splitlines()[5:11]}
    assert verdicts == {**dict.fromkeys(set(plan.METHODS) - {"ce"}, "tied"), "crps": "better"}
    (line,) = [line for line in table.splitlines() if line.startswith("  crps")][:1]
    distances = {
        method: np.mean([
            stored[cell.key]["distances"]["greedy"]
            for cell in plan.block_cells(plan.BLOCKS[0], CHOSEN)
            if cell.method == method
        ])
        for method in ("ce", "crps")
    }  # fmt: skip
    assert f"{distances['crps'] - distances['ce']:+.3f} [" in line
    assert "better" not in report.block_text(plan.BLOCKS[2], stored)  # three seeds describe
    figure.draw(stored, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.slow
def test_false_alarms_are_rarer_than_one_in_twenty():
    block, alarms = plan.BLOCKS[0], 0
    for entropy in range(60):
        stored = fill(gain=0.0, blocks=[block], entropy=entropy)
        arms = {
            method: report.arm(block, stored, method, list(block.seeds), report.FIRST)
            for method in plan.METHODS
        }
        lines = report.compare(arms, plan.REFERENCE, report.FIRST)
        alarms += any(line.verdict != "tied" for line in lines)
    assert alarms <= 6  # P(more | 5 %) is 3 %


def test_a_verdict_waits_for_all_its_trainings_or_the_end():
    stored = fill(gain=0.1, blocks=plan.BLOCKS[:3])
    last = plan.block_cells(plan.BLOCKS[0], CHOSEN)[-1]
    del stored[last.key]
    waiting = report.block_text(plan.BLOCKS[0], stored)
    assert waiting == "80 dials\n55 of 56 trainings: no table of a verdict before all are there"
    stopped = report.block_text(plan.BLOCKS[0], stored, is_over=True)
    assert "55 of 56 trainings, 7 complete seeds" in stopped
    assert "better" in stopped
    few = {
        key: outcome
        for key, outcome in stored.items()
        if not key.startswith("dials_80/") or key.endswith(("-11", "-12", "-13", "-14"))
    }
    assert "tied" not in report.block_text(plan.BLOCKS[0], few, is_over=True)
    text = report.text(stored)
    assert "All 5,130 digits\n0 of 21 trainings" in text
    del stored[plan.choice_cells()[0].key]
    assert report.text(stored).endswith("23 of 24 trainings: nothing is chosen yet")


def test_committed_outcomes_are_cells_of_the_plan():
    stored = outcomes.read(plan.OUTCOMES)
    planned = {cell.key for cell in plan.choice_cells()}
    if planned <= stored.keys():
        planned |= {cell.key for cell in plan.study_cells(report.strengths_of(stored))}
    assert stored.keys() <= planned
    report.text(stored, is_over=True)


def test_outcomes_are_what_was_appended(tmp_path):
    file = tmp_path / "outcomes.jsonl.xz"
    assert outcomes.read(file) == {}
    some = [{"key": f"cell {n}", "distances": {"greedy": [0.1, n]}} for n in range(3)]
    for outcome in some:
        outcomes.append(file, outcome, tmp_path)
    assert list(outcomes.read(file).values()) == some


def _work(file, folder):
    run.work(file, Place(folder, folder), _fast)


def _fast(cell, place):
    with (place.work / "log").open("a") as log:
        log.write(f"{cell.key}\n")
    return made_up(cell, np.random.default_rng(0))


@pytest.mark.slow
def test_two_workers_run_every_cell_once_and_go_on_after_a_kill(tmp_path, monkeypatch):
    file = tmp_path / "outcomes.jsonl.xz"
    monkeypatch.setattr(run, "_PATIENCE", 0.1)
    kept = plan.choice_cells()[0]
    outcomes.append(file, made_up(kept, np.random.default_rng(0)), tmp_path)
    first = plan.block_cells(plan.BLOCKS[0], CHOSEN)[:14]
    monkeypatch.setattr(run, "study_cells", lambda _: first)
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=_work, args=(file, tmp_path)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    made = (tmp_path / "log").read_text().splitlines()
    assert len(made) == len(set(made)) == 24 - 1 + 14
    assert kept.key not in made
    assert len(outcomes.read(file)) == 24 + 14


def test_a_cell_that_another_process_has_is_left_to_it(tmp_path):
    with outcomes.claim(tmp_path / "a.lock") as is_ours:
        assert is_ours
        with outcomes.claim(tmp_path / "a.lock") as is_ours_too:
            assert not is_ours_too
    with outcomes.claim(tmp_path / "a.lock") as is_ours:
        assert is_ours


@pytest.fixture
def place(dials, tmp_path, monkeypatch):
    """Drawn dials by six cameras in the place of photographs, and weights as they ship."""
    shutil.copytree(dials, tmp_path / "needles")
    monkeypatch.setattr(plan, "LEAST", 2)
    monkeypatch.setattr(cells, "weights_of", lambda *_: None)
    return Place(tmp_path, tmp_path / "work", shorten=2)


def test_strengths_are_chosen_on_cameras_of_the_training(place):
    cell = plan.block_cells(plan.BLOCKS[0], CHOSEN)[0]
    place = replace(place, shorten=None)
    study, choice = cells.lab_of(cell, place), cells.lab_of(plan.choice_cells()[0], place)
    tested = {photograph.group for photograph in study.test}
    assert len(tested) == 3
    assert not tested & {photograph.group for photograph in study.train}
    assert not tested & {photograph.group for photograph in [*choice.train, *choice.test]}
    assert not {p.group for p in choice.train} & {p.group for p in choice.test}


@pytest.mark.slow
@pytest.mark.parametrize("block", [plan.BLOCKS[0], plan.BLOCKS[8], plan.BLOCKS[9]])
def test_a_cell_is_trained_and_measured(place, block):
    (cell,) = [c for c in plan.block_cells(block, CHOSEN) if c.method == "spread"][:1]
    outcome = cells.measure(cell, place)
    assert outcome["key"] == cell.key
    assert len(outcome["groups"]) == len(outcome["distances"]["greedy"]) == 2
    if not block.is_drawn:
        assert set(outcome["distances"]) == {"greedy", "mode", "median", "mean"}
        assert min(outcome["nll"]) >= 0
    assert not (place.work / "cells" / cell.key).exists()


def test_the_report_prints_what_there_is(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "OUTCOMES", tmp_path / "none.jsonl.xz")
    assert main(["report"]) == 0
    assert "0 of 24 trainings: nothing is chosen yet" in capsys.readouterr().out
