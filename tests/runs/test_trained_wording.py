"""A model that knows few questions is asked these, and chooses options by its belief."""

import json
from dataclasses import replace
from decimal import Decimal
from math import exp

import pytest

import gnomon
from gnomon.answers.number.answer import NumberForm
from gnomon.answers.text.answer import ANY_TEXT
from gnomon.answers.time.answer import TimeForm
from gnomon.generators import create
from gnomon.runs.trained_wording import in_trained_words, option_values
from gnomon.sample import OPTIONS, Number, Sample, Text, Time

LETTERS = ("A", "B", "C", "D")
ASK = "What time does the clock show? Answer HH:MM."
KNOWN = {ASK: TimeForm(), "What does the dial read?": NumberForm(), "Which?": ANY_TEXT}


def with_options(*texts: str, right: str = "A", image=None) -> Sample:
    lines = [f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False)]
    question = "\n".join(["What is it?", *lines, "Answer with the letter."])
    return Sample("0", image, question, Text(right, LETTERS[: len(texts)]))


@pytest.mark.parametrize(
    ("texts", "question", "options"),
    [
        (("9:27:32", "12:03", "0:10"), ASK, ("09:27", "12:03", "12:10")),
        (("3:12", "3:5"), ASK, ("03:12", "03:05")),
        (("0.62", "0.6"), "What does the dial read?", ("0.62", "0.6")),
        (("9:27", "red"), None, ()),
        (("1min 5s", "5s"), None, ()),
    ],
)
def test_options_are_asked_for_in_the_words_of_the_training(texts, question, options):
    sample = with_options(*texts)
    asked = in_trained_words(sample, KNOWN)
    if question is None:
        assert asked is sample
        return
    assert asked.question == question
    assert asked.facts[OPTIONS] == dict(zip(LETTERS, options, strict=False))
    assert asked.target == sample.target


def test_an_open_question_is_replaced_only_if_one_trained_question_fits():
    time = Sample("0", None, "What is the time?", Time(600))
    assert in_trained_words(time, KNOWN).question == ASK
    assert OPTIONS not in in_trained_words(time, KNOWN).facts
    for sample, known in (
        (replace(time, question=ASK), KNOWN),
        (time, KNOWN | {"And what time?": TimeForm()}),
        (time, {"Which?": ANY_TEXT}),
        (time, {}),
        (Sample("0", None, "How far?", Number(Decimal(1), cycle=Decimal(10))), KNOWN),
    ):
        assert in_trained_words(sample, known) is sample


def test_lines_that_are_no_options_are_left_alone():
    form = Text("A", LETTERS[:2]).answer_form
    assert option_values("A. 1\nB. 2", form).keys() == {"A", "B"}
    for question in ("A. 1", "B. 2\nA. 1", "A. 1\nB. 2\nC. 3", "A or B?"):
        assert option_values(question, form) == {}
    assert option_values("A. 1\nB. 2", ANY_TEXT) == {}


@pytest.fixture(scope="module")
def clocks():
    drawn = create("clock", split="test", level="easy", dials=["round"], numerals=["arabic"])
    return [drawn[index] for index in range(8)]


def test_the_option_is_chosen_in_which_the_model_believes_most(clocks):
    reader = gnomon.load("gnomon-tiny", overrides={"eval.wording": "trained", "eval.belief": True})
    samples = []
    for number, clock in enumerate(clocks):
        minutes = clock.target.seconds // 60
        others = [Time((minutes + away) % 720 * 60).write() for away in (0, 97, 311, 500)]
        place = number % 4
        others[0], others[place] = others[place], others[0]
        sample = with_options(*others, right=LETTERS[place], image=clock.image)
        samples.append(replace(sample, id=str(number)))
    answers = {a.sample_id: a for batch in reader.predictions(samples) for a in batch}
    hits = [answers[sample.id].text == sample.target.text for sample in samples]
    assert sum(hits) >= 7
    for sample in samples:
        answer = answers[sample.id]
        assert answer.logprobs.keys() == set(LETTERS)
        assert answer.text == max(answer.logprobs, key=answer.logprobs.get)
        assert sum(map(exp, answer.logprobs.values())) <= 1.001
        assert answer.settings["wording"] == "trained"
    # The belief in an option is that in its time among all times.
    (whole,) = next(reader.predictions([replace(clocks[0], id="0")]))
    texts = in_trained_words(samples[0], reader.questions).facts[OPTIONS]
    for letter, text in texts.items():
        assert answers["0"].logprobs[letter] == pytest.approx(whole.logprobs[text], abs=0.05)


def test_as_given_a_model_is_asked_for_a_letter(clocks):
    reader = gnomon.load("gnomon-tiny")
    sample = with_options("1:00", "2:00", image=clocks[0].image)
    (answer,) = next(reader.predictions([sample]))
    assert "wording" not in answer.settings
    assert answer.text not in ("1:00", "2:00")


def test_a_benchmark_with_options_is_answered(clocks, tmp_path, cli):
    rows = []
    for number, clock in enumerate(clocks):
        clock.image.save(tmp_path / f"time-clock-{number}.png")
        time = clock.target.seconds // 60
        options = [Time((time + away) % 720 * 60).write() for away in (200, 0, 450)]
        rows.append({"image": f"time-clock-{number}.png", "question": "What is the time?",
                     "options": [f"{a}.{text}" for a, text in zip("ABC", options, strict=True)],
                     "answer": "B"})  # fmt: skip
    file = tmp_path / "test.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ("eval.wording=trained", "benchmark=scalebench")
    out = tmp_path / "answers.jsonl"
    cli("predict", "gnomon-tiny", file, "--out", out, *words)
    answers = {
        row["sample_id"]: row["text"] for row in map(json.loads, out.read_text().splitlines())
    }
    chosen = [text for name, text in answers.items() if name.endswith("options")]
    read = [text for name, text in answers.items() if name.endswith("open")]
    assert len(chosen) == len(read) == len(rows)
    assert chosen.count("B") >= len(rows) - 1
    truths = {clock.target.write() for clock in clocks}
    assert len(truths & set(read)) >= len(truths) - 2
