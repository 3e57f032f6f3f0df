"""Facts in classes, and figures by class: set beside a plain count."""

from __future__ import annotations

import json
import random
from collections import Counter, UserDict
from dataclasses import replace
from decimal import Decimal

import pytest
from eval_toys import blank, clock_text, predict

from gnomon.eval import RunResult, score, write_report
from gnomon.eval.report.facts import FEWEST, MOST, fact_classes, facts_heading, slices
from gnomon.eval.scoring import questions
from gnomon.eval.scoring.questions import Question, plain_facts
from gnomon.eval.stats.intervals import wilson
from gnomon.generators import create
from gnomon.sample import Number, Sample, Time

DIALS = ("round", "square", "oval")


def sample(place):
    """A clock of one of three dials, turned by an angle of its own."""
    facts = {
        "question": "read",
        "style": {"dial": DIALS[place % 3], "hands": f"hand {place}"},
        "rotation": (place * 37 % 101) / 7 - 5,
        "lens": None if place % 4 else 0.5,
        "tips": {"hour": [1.0, 2.0]},
        "things": [{"a": 1}] * (place % 2),
    }
    target = Time(60 * (place * 7 % 720))
    return Sample(f"clock-{place}", blank(place), "What time is it?", target, facts)


def run(name, skill, n=240, **about):
    """Square dials are read wrong, all others with that skill."""
    rng = random.Random(name)
    samples = [sample(place) for place in range(n)]
    texts = [
        clock_text(s.target.seconds // 60)
        if s.facts["style"]["dial"] != "square" and rng.random() < skill
        else "3:33"
        for s in samples
    ]
    answers = predict(samples, texts, size=(64, 48))
    return samples, RunResult(name, score(answers, samples), answers, **about)


def test_facts_are_plain_and_come_back_from_the_file(tmp_path):
    facts = plain_facts(sample(3).facts)
    assert facts == {
        "question": "read",
        "style.dial": "round",
        "style.hands": "hand 3",
        "rotation": -3.571,
        "lens": None,
        "things.count": 1,
    }
    assert plain_facts({"x": 1 / 3, "y": float("nan"), "z": "a" * 100, "n": 7}) == {
        "x": 0.3333,
        "n": 7,
    }
    file = tmp_path / "a.asked.jsonl"
    list(questions.record([sample(3)], file))
    assert list(questions.QuestionFile(file)) == [Question.of(sample(3))]
    row = json.loads(file.read_text())
    del row["facts"]  # as a file of before has none
    file.write_text(json.dumps(row))
    assert [question.facts for question in questions.QuestionFile(file)] == [{}]


@pytest.mark.parametrize("kind", ["clock", "chart", "gauge", "scene", "word_problem"])
def test_what_generators_draw_stays_small(kind):
    facts = plain_facts(create(kind, split="test")[1].facts)
    assert facts
    assert len(json.dumps(facts)) < 2000
    assert json.loads(json.dumps(facts)) == facts


def test_facts_have_classes():
    samples, done = run("a", 0.5)
    result = {c.name: c for c in fact_classes(done, {s.id: s for s in samples})["time"]}
    assert set(result) == {"style dial", "rotation", "lens", "things count"}
    assert result["style dial"].labels == ("oval", "round", "square")
    assert result["lens"].labels == ("0.5", "none")
    assert result["things count"].labels == ("0", "1")
    rotation = result["rotation"]
    assert [label.split()[0] for label in rotation.labels] == ["under", *map(str, rotation.edges)]
    assert rotation.labels[1] == f"{rotation.edges[0]} to {rotation.edges[1]}"
    assert rotation.labels[-1] == f"{rotation.edges[-1]} and over"
    counts = Counter(rotation.label_of(plain_facts(s.facts)["rotation"]) for s in samples)
    assert set(counts) == set(rotation.labels)
    assert min(counts.values()) > 240 / 4 - 10  # quarters, but for what is rounded
    assert (
        rotation.label_of(rotation.edges[0]) == rotation.labels[1]
    )  # an edge belongs to the bin above it
    assert rotation.label_of("no number") is None


def test_gauges_write_their_numbers_as_texts():
    samples = [
        Sample(f"n-{i}", None, "?", Number(Decimal(1)), {"value": f"{i / 4}", "name": f"n {i}"})
        for i in range(40)
    ]
    done = RunResult("n", score(predict(samples, ["1"] * 40), samples))
    (result,) = fact_classes(done, {s.id: s for s in samples})["number"]
    assert result.name == "value"
    assert len(result.labels) == 4
    few = fact_classes(
        RunResult("n", score(predict(samples[:MOST], ["1"] * MOST), samples[:MOST])),
        {s.id: s for s in samples},
    )
    assert [len(c.labels) for c in few["number"]] == [MOST, MOST]


def counted(done, samples, dial):
    """Right answers and all answers to that dial, counted one by one."""
    ids = {s.id for s in samples if s.facts["style"]["dial"] == dial}
    items = [item for item in done.scores.items if item.sample_id in ids]
    return sum(item.measures["exact"] for item in items), len(items)


def test_slices_are_a_plain_count_with_wilson_s_interval():
    samples, weak = run("weak", 0.4)
    _, strong = run("strong", 0.9)
    by_id = {s.id: s for s in samples}
    result = slices([weak, strong], by_id, fact_classes(strong, by_id))["time"]
    assert result["label"] == "Exactly right"
    assert len(result["facts"]) == 4
    dial = result["facts"][0]
    assert dial["name"] == "style dial"  # the largest gap
    assert dial["rows"][0][0] == "square"
    shares = {}
    for label, of_row, cells in dial["rows"]:
        for done, cell in zip((weak, strong), cells, strict=True):
            right, n = counted(done, samples, label)
            expected = wilson(int(right), n)
            ends = f"[{100 * expected.low:.1f}, {100 * expected.high:.1f}]"
            assert cell == (f"{100 * expected.value:.1f} %", ends)
            assert of_row == n
        shares[label] = expected.value
    assert dial["gap"] == f"{100 * (max(shares.values()) - min(shares.values())):.1f} points"
    gaps = [float(fact["gap"].split()[0]) for fact in result["facts"]]
    assert gaps == sorted(gaps, reverse=True)
    for fact in result["facts"]:
        values = [float(cells[-1][0].split()[0]) for _, _, cells in fact["rows"]]
        assert values == sorted(values)


def test_questions_of_the_run_say_what_the_samples_do():
    samples, done = run("a", 0.6)
    by_id = {s.id: s for s in samples}
    with_questions = replace(done, questions=[Question.of(s) for s in samples])
    known = fact_classes(done, by_id)
    assert fact_classes(with_questions, {}) == known
    assert slices([with_questions], {}, known) == slices([done], by_id, known)
    assert fact_classes(done, {}) == {"time": []}


def test_names_of_digits_are_no_quantities():
    """Groups of a user's rows are dates or meters: "under 2.02e+07" says nothing of them."""
    samples, done = run("a", 0.6)
    for place, one in enumerate(samples):
        one.facts.update(group=f"202401{10 + place % 20}", picture=f"{place}", tilt=place)
        one.facts["file"] = f"{place % 2}"
    named = {
        fact.name: fact.labels for fact in fact_classes(done, {s.id: s for s in samples})["time"]
    }
    assert named["file"] == ("0", "1")
    assert len(named["tilt"]) == 4
    assert not {"group", "picture"} & named.keys()
    for place, one in enumerate(samples):
        one.facts["group"] = f"2024011{place % 3}"
    named = {
        fact.name: fact.labels for fact in fact_classes(done, {s.id: s for s in samples})["time"]
    }
    assert named["group"] == ("20240110", "20240111", "20240112")


def test_few_answers_and_facts_that_say_the_same_are_left_out():
    samples, done = run("a", 0.6)
    for place, one in enumerate(samples):
        one.facts["rare"] = "rare" if place < FEWEST - 1 else "usual"
        one.facts["shape"] = {"round": "circle"}.get(
            one.facts["style"]["dial"], "other " + one.facts["style"]["dial"]
        )
    by_id = {s.id: s for s in samples}
    result = slices([done], by_id, fact_classes(done, by_id))["time"]
    names = [fact["name"] for fact in result["facts"]]
    assert "rare" not in names  # one of its two rows has too few answers
    assert "shape" not in names  # parts them as the dial does
    assert "style dial" in names


def test_sources_are_a_fact():
    samples, done = run("a", 0.6)
    half = samples[:120]
    parts = {
        name: score([p for p in done.predictions if p.sample_id in {s.id for s in some}], some)
        for name, some in (("first", half), ("second", samples[120:]))
    }
    known = fact_classes(replace(done, sources=parts), {})
    assert [(c.name, c.labels) for c in known["time"]] == [("source", ("first", "second"))]


def test_samples_that_are_not_held_are_not_drawn_for_their_facts(tmp_path):
    samples, done = run("a", 0.6)
    drawn = []

    class Lazy(UserDict):
        def __getitem__(self, key):
            drawn.append(key)
            return super().__getitem__(key)

    lazy = Lazy({s.id: s for s in samples})
    write_report(tmp_path / "r.html", [done], samples=lazy, worst=3, right=2)
    assert len(set(drawn)) == 5


@pytest.mark.slow
def test_the_report_has_them(tmp_path):
    samples, done = run("a", 0.6)
    page = write_report(tmp_path / "r.html", [done], samples={s.id: s for s in samples}).read_text()
    assert "<h2>By the facts of each question</h2>" in page
    assert 'data-fact="style dial">square</th><td data-label="Answers">80</td>' in page
    assert '<th scope="col">Drawn</th>' in page
    assert '<label>Drawn <select name="fact">' in page
    assert "By the facts" not in write_report(tmp_path / "p.html", [done]).read_text()


def test_photographs_are_not_said_to_be_drawn(tmp_path):
    """Rows of a user's table have the facts that `gnomon.store.user_data.table` gives them."""
    samples, result = run("a", 0.6)
    for place, sample in enumerate(samples):
        sample.facts.clear()
        sample.facts.update(file="meters.csv", line=place + 2, group=f"{place % 3}")
    by_id = {sample.id: sample for sample in samples}
    page = write_report(tmp_path / "r.html", [result], samples=by_id).read_text()
    assert '<th scope="col">Fact</th>' in page
    assert '<label>Fact <select name="fact">' in page
    assert "Drawn" not in page
    assert "was drawn" not in page
    samples[0].facts.clear()
    samples[0].facts["style"] = {"dial": "round"}  # a drawn source beside the photographs
    assert facts_heading(result, by_id) == "Fact"
    assert facts_heading(result, {samples[0].id: samples[0]}) == "Drawn"
    assert facts_heading(result, {}) == "Fact"
