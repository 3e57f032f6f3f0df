"""Facts in classes, and figures by class: set beside a plain count."""

import json
import random
from collections import Counter, UserDict
from dataclasses import replace
from decimal import Decimal

import pytest
from eval_toys import blank, by_id, clock_text, page_of, scored
from eval_toys import run as score_run

from gnomon.eval import RunResult, score, write_report
from gnomon.eval.report.facts import FEWEST, MOST, fact_classes, facts_heading, slices
from gnomon.eval.scoring import question_file
from gnomon.eval.scoring.question_file import Question, plain_facts
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


def run(name, skill, n=240):
    """Square dials are read wrong, all others with that skill."""
    rng = random.Random(name)
    samples = [sample(place) for place in range(n)]
    texts = [
        clock_text(s.target.seconds // 60)
        if s.facts["style"]["dial"] != "square" and rng.random() < skill
        else "3:33"
        for s in samples
    ]
    return samples, score_run(name, samples, texts, size=(64, 48))


def labels(done, samples, kind="time"):
    """Labels of each fact's classes by its name."""
    return {fact.name: fact.labels for fact in fact_classes(done, by_id(samples))[kind]}


def test_facts_are_plain_and_come_back_from_the_file(tmp_path):
    facts = plain_facts(sample(3).facts)
    plain = {"question": "read", "style.dial": "round", "style.hands": "hand 3"}
    assert facts == plain | {"rotation": -3.571, "lens": None, "things.count": 1}
    others = {"x": 1 / 3, "y": float("nan"), "z": "a" * 100, "n": 7}
    assert plain_facts(others) == {"x": 0.3333, "n": 7}
    file = tmp_path / "a.asked.jsonl"
    list(question_file.record([sample(3)], file))
    assert list(question_file.QuestionFile(file)) == [Question.of(sample(3))]
    row = json.loads(file.read_text())
    del row["facts"]  # as a file of before has none
    file.write_text(json.dumps(row))
    assert [question.facts for question in question_file.QuestionFile(file)] == [{}]


@pytest.mark.parametrize("kind", ["clock", "chart", "gauge", "scene", "word_problem"])
def test_what_generators_draw_stays_small(kind):
    facts = plain_facts(create(kind, split="test")[1].facts)
    assert facts
    assert len(json.dumps(facts)) < 2000
    assert json.loads(json.dumps(facts)) == facts


def test_each_instrument_is_a_class():
    """A benchmark of many instruments is read for the figure of each."""
    names = [f"instrument-{place:02}" for place in range(33)]
    samples = [
        Sample(f"{place}", blank(place), "?", Time(0), {"instrument": names[place % 33], "other":
               f"word {place % 33}"})
        for place in range(66)
    ]  # fmt: skip
    done = score_run("a", samples, ["12:00"] * 66, size=(64, 48))
    assert labels(done, samples) == {"instrument": tuple(names)}


def test_facts_have_classes():
    samples, done = run("a", 0.5)
    result = {c.name: c for c in fact_classes(done, by_id(samples))["time"]}
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
    # An edge belongs to the bin above it.
    assert rotation.label_of(rotation.edges[0]) == rotation.labels[1]
    assert rotation.label_of("no number") is None


def test_gauges_write_their_numbers_as_texts():
    samples = [
        Sample(f"n-{i}", None, "?", Number(Decimal(1)), {"value": f"{i / 4}", "name": f"n {i}"})
        for i in range(40)
    ]
    result = labels(RunResult("n", scored(samples, ["1"] * 40)), samples, "number")
    assert list(map(len, result.values())) == [4]
    assert "value" in result
    few = samples[:MOST]
    result = labels(RunResult("n", scored(few, ["1"] * MOST)), samples, "number")
    assert list(map(len, result.values())) == [MOST, MOST]


def test_slices_are_a_plain_count_with_wilson_s_interval():
    samples, weak = run("weak", 0.4)
    _, strong = run("strong", 0.9)
    stored = by_id(samples)
    result = slices([weak, strong], stored, fact_classes(strong, stored))["time"]
    assert result["label"] == "Exactly right"
    assert len(result["facts"]) == 4
    dial = result["facts"][0]
    assert dial["name"] == "style dial"  # the largest gap
    assert dial["rows"][0][0] == "square"
    shares = {}
    for label, of_row, cells in dial["rows"]:
        for done, cell in zip((weak, strong), cells, strict=True):
            exact = [
                item.measures["exact"]
                for item in done.scores.items
                if stored[item.sample_id].facts["style"]["dial"] == label
            ]
            expected = wilson(int(sum(exact)), len(exact))
            ends = f"[{100 * expected.low:.1f}, {100 * expected.high:.1f}]"
            assert cell == (f"{100 * expected.value:.1f} %", ends)
            assert of_row == len(exact)
        shares[label] = expected.value
    assert dial["gap"] == f"{100 * (max(shares.values()) - min(shares.values())):.1f} points"
    gaps = [float(fact["gap"].split()[0]) for fact in result["facts"]]
    assert gaps == sorted(gaps, reverse=True)
    for fact in result["facts"]:
        values = [float(cells[-1][0].split()[0]) for _, _, cells in fact["rows"]]
        assert values == sorted(values)


def test_questions_of_the_run_say_what_the_samples_do():
    samples, done = run("a", 0.6)
    with_questions = replace(done, questions=[Question.of(s) for s in samples])
    known = fact_classes(done, by_id(samples))
    assert fact_classes(with_questions, {}) == known
    assert slices([with_questions], {}, known) == slices([done], by_id(samples), known)
    assert fact_classes(done, {}) == {"time": []}


def test_names_of_digits_are_no_quantities():
    """Groups of a user's rows are dates or meters: "under 2.02e+07" says nothing of them."""
    samples, done = run("a", 0.6)
    for place, one in enumerate(samples):
        one.facts.update(group=f"202401{10 + place % 20}", picture=f"{place}", tilt=place)
        one.facts["file"] = f"{place % 2}"
    named = labels(done, samples)
    assert named["file"] == ("0", "1")
    assert len(named["tilt"]) == 4
    assert not {"group", "picture"} & named.keys()
    for place, one in enumerate(samples):
        one.facts["group"] = f"2024011{place % 3}"
    assert labels(done, samples)["group"] == ("20240110", "20240111", "20240112")


def test_few_answers_and_facts_that_say_the_same_are_left_out():
    samples, done = run("a", 0.6)
    for place, one in enumerate(samples):
        one.facts["rare"] = "rare" if place < FEWEST - 1 else "usual"  # too few in one of its rows
        one.facts["shape"] = "shape " + one.facts["style"]["dial"]  # parts them as the dial does
    result = slices([done], by_id(samples), fact_classes(done, by_id(samples)))["time"]
    names = {fact["name"] for fact in result["facts"]}
    assert "style dial" in names
    assert not names & {"rare", "shape"}


def test_sources_are_a_fact():
    samples, done = run("a", 0.6)
    parts = {
        name: score([p for p in done.predictions if p.sample_id in by_id(some)], some)
        for name, some in (("first", samples[:120]), ("second", samples[120:]))
    }
    assert labels(replace(done, sources=parts), []) == {"source": ("first", "second")}


def test_samples_that_are_not_held_are_not_drawn_for_their_facts(tmp_path):
    samples, done = run("a", 0.6)
    drawn = []

    class Lazy(UserDict):
        def __getitem__(self, key):
            drawn.append(key)
            return super().__getitem__(key)

    write_report(tmp_path / "r.html", [done], samples=Lazy(by_id(samples)), worst=3, right=2)
    assert len(set(drawn)) == 5


@pytest.mark.slow
def test_the_report_has_them(tmp_path):
    samples, done = run("a", 0.6)
    page = page_of(tmp_path, [done], samples)
    assert "<h2>By the facts of each question</h2>" in page
    assert 'data-fact="style dial">square</th><td data-label="Answers">80</td>' in page
    assert '<th scope="col">Drawn</th>' in page
    assert '<label>Drawn <select name="fact">' in page
    assert "By the facts" not in page_of(tmp_path, [done])


def test_photographs_are_not_said_to_be_drawn(tmp_path):
    """Rows of a user's table have the facts that `gnomon.store.user_data.table` gives them."""
    samples, result = run("a", 0.6)
    for place, one in enumerate(samples):
        one.facts.clear()
        one.facts.update(file="meters.csv", line=place + 2, group=f"{place % 3}")
    page = page_of(tmp_path, [result], samples)
    assert '<th scope="col">Fact</th>' in page
    assert '<label>Fact <select name="fact">' in page
    assert "Drawn" not in page
    assert "was drawn" not in page
    samples[0].facts.clear()
    samples[0].facts["style"] = {"dial": "round"}  # a drawn source beside the photographs
    for stored, heading in ((samples, "Fact"), (samples[:1], "Drawn"), ([], "Fact")):
        assert facts_heading(result, by_id(stored)) == heading
