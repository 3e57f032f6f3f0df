"""Coordinate spaces of boxes: `--boxes`, which names or finds one, and the warning of a wrong one.

What a form says of its own space is in tests/answers/cases/box.jsonl.
"""

import random
from dataclasses import replace

import pytest
from eval_toys import blank, clocks, numbers, predict
from eval_toys import run as score_run

from gnomon.dialect import DIALECTS, Dialect, create
from gnomon.eval import score
from gnomon.eval.scoring.spaces import FEWEST, read_in_space, space_warning
from gnomon.names import UnknownNameError
from gnomon.runs.report_output import report
from gnomon.sample import Box, Boxes, LabelledBox, Sample, Spot, Spots

SIZE = (640, 480)
THOUSAND = (1000, 1000)


def questions(n=60, *, corner=1.0, spots=False):
    """Boxes anywhere, or small ones in the upper left part of the picture."""
    rng = random.Random(0)
    result = []
    for i in range(n):
        x, y = (rng.uniform(0, 0.6) * corner * side for side in SIZE)
        wide, tall = (rng.uniform(0.1, 0.4) * corner * side for side in SIZE)
        box = Box(x, y, x + wide, y + tall)
        target = Spots((Spot("EXIT", box),)) if spots else box
        result.append(Sample(f"box-{i}", blank(i, SIZE), "Where?", target))
    return result


def in_space(samples, space, form="{:.0f}"):
    """Write each true box in the space of a picture of that size, as a model with that habit."""
    boxes = [sample.target.scaled(SIZE, space).corners for sample in samples]
    return ["[" + ", ".join(form.format(c) for c in box) + "]" for box in boxes]


def run(samples, texts, dialect="plain"):
    return score_run("after", samples, texts, size=SIZE, dialect=dialect)


@pytest.mark.parametrize("name", DIALECTS)
def test_the_space_is_found_on_a_part_that_is_not_scored(name):
    """The answers are lists of numbers in the space of one dialect; the run says another."""
    samples, spoken = questions(), create(name)
    numbers = [spoken._numbers(sample.target.corners, SIZE) for sample in samples]
    texts = [f"I see it at [{', '.join(f'{n:g}' for n in four)}]." for four in numbers]
    predictions = predict(samples, texts, size=SIZE)
    answers, remaining, message = read_in_space(predictions, samples, "auto")
    assert len(answers) == len(remaining) == 60 - FEWEST
    result = create(answers[0].dialect)
    assert (result.far or 0, result.y_first) == pytest.approx(
        (spoken.far or 0, spoken.y_first), abs=24
    )
    assert result.square == spoken.square
    assert f"in the space of {result.name}, which was chosen on {FEWEST} of 60 answers" in message
    assert answers[0].settings["boxes"] == message
    assert score(answers, remaining).estimate("box", "iou").value > 0.95


def test_one_in_ten_is_set_apart_of_many_and_other_questions_are_all_kept():
    samples = [*questions(400), *clocks(3)]
    texts = [create("qwen3-vl").write(s.target, SIZE) for s in samples[:400]] + ["10:08"] * 3
    _, remaining, message = read_in_space(predict(samples, texts, size=SIZE), samples, "auto")
    assert len(remaining) == 403 - 40
    assert "chosen on 40 of 400 answers" in message


@pytest.mark.parametrize("lost", ["The heart is at the top left.", "[1, 1, 2, 2]"])
def test_nothing_is_found_where_no_space_fits(lost):
    predictions = predict(questions(), [lost] * 60, size=SIZE)
    with pytest.raises(ValueError, match=r"no space fits the 20 selected .* IoU is 0.0"):
        read_in_space(predictions, questions(), "auto")


def test_texts_with_their_boxes_are_looked_at_too():
    samples = questions(50, spots=True)
    texts = [create("qwen3-vl").write(s.target, SIZE) for s in samples]
    predictions = predict(samples, texts, size=SIZE, dialect="qwen2.5-vl")
    answers, _, message = read_in_space(predictions, samples, "auto")
    assert create(answers[0].dialect).far == 1000
    assert "Mean IoU: qwen2-vl" in message
    assert "fits far better" in space_warning(run(samples, texts, "qwen2.5-vl"))


def test_pictures_with_nothing_to_find_say_nothing_of_the_space():
    samples = questions(40, spots=True)
    boxes = [Boxes((LabelledBox("mug", s.target.items[0].box),)) for s in samples]
    empty = [replace(s, id=f"none-{s.id}", target=Boxes()) for s in samples]
    samples = [replace(s, target=box) for s, box in zip(samples, boxes, strict=True)] + empty
    texts = [create("qwen3-vl").write(s.target, SIZE) for s in samples]
    predictions = predict(samples, texts, size=SIZE, dialect="qwen2.5-vl")
    _, remaining, message = read_in_space(predictions, samples, "auto")
    assert len(remaining) == 80 - FEWEST
    assert f"on {FEWEST} of 40 answers" in message
    assert "fits far better" in space_warning(run(samples, texts, "qwen2.5-vl"))
    assert space_warning(run(empty, texts[40:], "qwen2.5-vl")) is None


def test_the_runs_own_space_wins_a_tie():
    samples = questions(40)
    for own in ("qwen3-vl", "internvl"):
        predictions = predict(samples, in_space(samples, THOUSAND), size=SIZE, dialect=own)
        assert read_in_space(predictions, samples, "auto")[0][0].dialect == own


def test_too_few_boxes_and_unknown_spaces_are_refused():
    samples = questions(2 * FEWEST - 1)
    predictions = predict(samples, ["[1, 2, 3, 4]"] * len(samples), size=SIZE)
    with pytest.raises(
        ValueError, match=r"--boxes auto: 39 answers with boxes are too few.*pixels"
    ):
        read_in_space(predictions, samples, "auto")
    with pytest.raises(UnknownNameError, match=r"unknown dialect 'pixel'.*pixels"):
        read_in_space(predictions, samples, "pixel")
    answers, remaining, message = read_in_space(predictions, samples, "pixels")
    assert {a.dialect for a in answers} == {"pixels"}
    assert (len(answers), len(remaining), message) == (39, 39, "")


@pytest.mark.parametrize(
    ("spoken", "space", "form", "fits"),
    [
        ("qwen2.5-vl", (1, 1), "{:.3f}", "plain"),
        ("qwen2-vl", (1, 1), "{:.3f}", "plain"),
        ("qwen3-vl", SIZE, "{:.0f}", "pixels"),
        ("plain", SIZE, "{:.0f}", "pixels"),
        ("llava", THOUSAND, "{:.0f}", "qwen2-vl"),
    ],
)
@pytest.mark.parametrize("corner", [1.0, 0.2])
def test_the_space_that_fits_is_named(spoken, space, form, fits, corner):
    """Also where all things are in the upper left corner."""
    samples = questions(20, corner=corner)
    message = space_warning(run(samples, in_space(samples, space, form), spoken))
    assert f"--boxes {fits}" in message


@pytest.mark.parametrize("corner", [1.0, 0.1])
@pytest.mark.parametrize("name", DIALECTS)
def test_right_boxes_are_not_warned_of_wherever_they_are(name, corner):
    """Small things that truly lie in the upper left corner among them."""
    samples = questions(20, corner=corner)
    texts = [create(name).write(sample.target, SIZE) for sample in samples]
    assert space_warning(run(samples, texts, name)) is None


TURNED = [Dialect().write(s.target, SIZE) for s in (*questions()[7:], *questions()[:7])]
UNWARNED = {
    "wrong boxes in the right space": (questions(), ["[0.1, 0.1, 1.3, 1.2]"] * 10 + TURNED[10:]),
    "no boxes": (clocks(9), ["[700, 800, 900, 950]"] * 9),
    "numbers": (numbers(range(9)), ["[700, 800, 900, 950]"] * 9),
    "few boxes": (questions(4), ["[700, 800, 900, 950]"] * 4),
}


@pytest.mark.parametrize(("samples", "texts"), UNWARNED.values(), ids=UNWARNED)
def test_nothing_else_is_warned_of(samples, texts):
    """Among them a few boxes that leave the picture."""
    assert space_warning(run(samples, texts)) is None


def test_the_warning_is_on_stderr_and_in_the_report(tmp_path, capsys):
    samples = questions(20)
    wrong = run(samples, in_space(samples, THOUSAND), "qwen2.5-vl")
    assert wrong.scores.estimate("box", "iou_50").value < 0.5  # nothing is read otherwise for it
    message = space_warning(wrong)
    assert message.startswith("after: its boxes were read in the space of qwen2.5-vl (mean IoU 0.")
    for piece in ("qwen2-vl fits far better (1.00)", "model.family", "--boxes qwen2-vl"):
        assert piece in message
    assert "\n" not in message
    report([wrong], tmp_path / "report.html", {})
    out, err = capsys.readouterr()
    assert "boxes were read in the space of qwen2.5-vl" in err
    assert "read in the space" not in out
    page = (tmp_path / "report.html").read_text()
    assert "boxes were read in the space of qwen2.5-vl" in page
