"""Questions on disk come back the same, or are refused by file, line and field."""

import json

import pytest
from eval_toys import boxes, clock_texts, clocks, exam, numbers, predict

from gnomon.eval import score
from gnomon.eval.scoring import question_file
from gnomon.eval.scoring.question_file import Question, QuestionFile
from gnomon.eval.scoring.score import pair_answers
from gnomon.sample import Text


@pytest.fixture
def file(tmp_path):
    return tmp_path / "new" / "a.asked.jsonl"


def record(file, samples):
    assert list(question_file.record(samples, file)) == list(samples)


def ids(file):
    return [question.id for question in QuestionFile(file)]


def test_predictions_wait_only_until_their_sample_comes():
    """Files are in windows of longest first: what is held is a window, not the file."""
    samples = clocks(5000)
    answers = predict(samples, ["10:08"] * 5000)
    held, most = 0, 0

    def coming():
        nonlocal held, most
        for start in range(0, 5000, 50):
            for answer in reversed(answers[start : start + 50]):
                held += 1
                most = max(most, held)
                yield answer

    for answer, sample in pair_answers(coming(), samples):
        held -= 1
        assert answer.sample_id == sample.id
    assert most <= 50


def test_a_question_is_written_before_it_can_be_answered(file):
    for n, _ in enumerate(question_file.record(clocks(3), file), start=1):
        assert len(ids(file)) == n


def test_questions_come_back_and_score_as_they_were_asked(file):
    samples = [*clocks(120, picture=True), *numbers(range(30)), *boxes(20)]
    texts = [*clock_texts(samples[:120], 0.6), *map(str, range(5, 35))]
    answers = predict(samples, [*texts, *["[0.1, 0.2, 0.5, 0.8]"] * 20], size=(64, 48))
    record(file, samples[:5])
    record(file, samples[3:])  # a killed run asked two of them again
    assert len(file.read_text().splitlines()) == len(samples)
    assert list(QuestionFile(file)) == [Question.of(sample) for sample in samples]
    assert score(answers, QuestionFile(file)) == score(answers, samples)
    assert question_file.question_path(file.with_name("a.jsonl")) == file
    chosen = exam(Text("yes", ("yes", "no")))
    record(file.with_name("t.asked.jsonl"), chosen)
    assert list(QuestionFile(file.with_name("t.asked.jsonl"))) == [Question.of(chosen[0])]


def test_a_question_that_a_kill_cut_short_was_asked_again(file):
    record(file, clocks(3))
    file.write_text(file.read_text()[:-20])
    record(file, clocks(4)[2:])
    assert ids(file) == [f"clock-{i}" for i in range(4)]


def test_questions_are_drawn_again_only_where_the_file_lacks_one(file):
    answers, samples = file.with_name("a.jsonl"), clocks(4)
    asked = [Question.of(sample) for sample in samples]
    assert question_file.load(answers, samples, 4) == asked
    record(file, samples[:3])
    assert list(question_file.load(answers, samples, 4)) == asked
    record(file, samples[3:])
    stored = question_file.load(answers, iter(()), 4)
    assert list(stored) == list(stored) == asked


SOUND = {
    "id": "a-0",
    "target": {"type": "number", "value": "5", "unit": "", "within": "0"},
    "size": [9, 9],
    "picture": "a.png",
    "question": "?",
    "facts": {"n": 5, "share": 0.5, "word": "a", "yes": True, "none": None},
}


def read(file, *rows):
    """Read the questions in lines of JSON; a text is a piece of a line."""
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(r if isinstance(r, str) else json.dumps(r) + "\n" for r in rows))
    return list(QuestionFile(file))


def test_facts_keep_their_types_and_half_a_line_is_left_out(file):
    (question,) = read(file, json.dumps(SOUND)[:40] + "\n", "\n", SOUND, SOUND)
    assert (question.id, question.size) == ("a-0", (9, 9))
    assert repr(question.facts) == repr(SOUND["facts"])
    old = {key: SOUND[key] for key in ("id", "target", "size", "picture")}
    assert read(file, old)[0].question == ""


@pytest.mark.parametrize("value", [5, True, [], ["a"], {}, {"a": [1]}, None, "a"])
@pytest.mark.parametrize("key", SOUND)
def test_another_shape_is_told_by_file_line_and_field(file, key, value):
    allowed = {"id": ["a"], "picture": ["a"], "question": ["a"], "facts": [{}], "size": [None]}
    if value in allowed.get(key, []) and not isinstance(value, bool):
        assert read(file, SOUND | {key: value})
        return
    with pytest.raises(ValueError, match=rf"asked.jsonl, line 2: not a question .*({key}|target)"):
        read(file, SOUND, SOUND | {key: value})


@pytest.mark.parametrize("row", [5, [], [1], None, {}, {"id": "a"}])
def test_what_is_no_question_is_told(file, row):
    with pytest.raises(ValueError, match=r"asked.jsonl, line 1: not a question by gnomon"):
        read(file, row)
