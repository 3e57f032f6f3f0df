"""The comparison of answers with and without steps: its plan, its measure and its table."""

import numpy as np
import pytest

from benchmarks.observe import cells, report
from benchmarks.observe.kinds import KINDS
from benchmarks.study.photographs import outcomes as outcomes_file
from gnomon.pipeline.families import TINY


def test_the_plan_has_five_seeds_of_every_kind_and_way():
    planned = cells.cells()
    assert len(planned) == len({cell.key for cell in planned}) == 90
    assert {cell.seed for cell in planned[:18]} == {41}  # whole seeds first


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_both_forms_of_an_answer_are_about_the_same_picture(kind):
    direct, steps = kind.drawings("value"), kind.drawings("steps")
    for index in range(3):
        short, long = direct[index], steps[index]
        assert short.image.tobytes() == long.image.tobytes()
        assert short.question == long.question
        assert short.target == long.target
        assert long.rationale
        assert not short.rationale


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_an_answer_is_right_as_far_as_the_plan_says(kind):
    sample = kind.drawings("value", "test")[0]
    edge = kind.within
    assert kind.is_share == (kind.name in ("gauges", "bars"))
    if kind.is_share:
        axis = sample.facts.get("axis") or sample.facts
        edge *= float(axis["high"]) - float(axis["low"])
    measure = "deviation" if kind.name == "clocks" else "error"
    assert kind.is_right(sample, {"unread": 0.0, measure: edge})
    assert not kind.is_right(sample, {"unread": 0.0, measure: edge * 1.01})
    assert not kind.is_right(sample, {"unread": 1.0})


def test_eyes_are_kept_while_the_language_model_learns(monkeypatch, tmp_path):
    """A training changes the language model alone, and the same seed gives the same weights.

    Pictures of digits have several shapes.
    """
    monkeypatch.setattr(cells, "WORK", tmp_path)
    monkeypatch.setattr(cells, "PICTURES", 2 * cells.BATCH)
    kind = KINDS[2]
    assert kind.model.name == "gnomon-tiny"
    seen = cells.drawings(kind)
    assert len(set(seen.shapes)) > 1
    areas = [wide * high // 28**2 for wide, high in seen.shapes]
    assert [tokens.shape for tokens in seen.tokens] == [(area, 192) for area in areas]
    assert all(long.endswith(short) for short, long in zip(*seen.answers.values(), strict=True))
    states = []
    for _ in range(2):
        loaded = cells.start(kind)
        before = {name: w.clone() for name, w in loaded.model.state_dict().items()}
        tokens = cells.teach(loaded, seen, "steps", 2, seed=1)
        after = loaded.model.state_dict()
        changed = {name for name in before if not before[name].equal(after[name])}
        assert changed
        assert not [name for name in changed if "visual" in name]
        assert tokens > 64 * 40
        states.append(after)
    assert all(states[0][name].equal(states[1][name]) for name in states[0])
    assert TINY.is_dir()


def test_the_table_compares_with_direct_answers():
    rng = np.random.default_rng(0)
    outcomes = {}
    for cell in cells.cells()[:18]:
        outcomes[cell.key] = {
            "right": rng.integers(0, 2, 50).tolist(), "unread": [0] * 49 + [1],
            "tokens": 1000, "cpu_seconds": 7, "seconds": 0.0123,
        }  # fmt: skip
    text = report.text(outcomes)
    assert text.startswith("18 of 90 trainings are finished")
    block = text.split("\n\n")[1].splitlines()
    direct, steps = (np.mean(outcomes[f"clocks-{arm}-41"]["right"]) for arm in cells.ARMS[:2])
    assert f"{100 * direct:.1f} [" in block[1]
    assert f"{100 * (steps - direct):+.1f} [" in block[2]
    assert "2.0" in block[1].split()


def test_the_page_has_the_table_as_soon_as_answers_are_kept():
    kept = outcomes_file.read(cells.OUTCOMES)
    page = report.PAGE.read_text(encoding="utf-8")
    assert (report.text(kept) in page) == bool(kept)
