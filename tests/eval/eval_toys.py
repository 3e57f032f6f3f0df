"""Small runs with invented answers."""

import csv
import random
from decimal import Decimal

from PIL import Image

from gnomon.eval import RunResult, score, write_report
from gnomon.eval.report.answers import write_csv
from gnomon.sample import Box, Number, Prediction, Sample, Time


def clocks(n, *, picture=False):
    """Make n questions about clocks, with truths spread evenly over the dial."""
    return [
        Sample(f"clock-{i}", blank(i) if picture else None, "What time is it?", Time(minute * 60))
        for i, minute in ((i, i * 7919 % 720) for i in range(n))
    ]


def blank(i, size=(64, 48)):
    """Make a picture of its own for each number: items that share one are not independent."""
    return Image.new("RGB", size, (i % 256, i // 256 % 256, 255))


def numbers(values, unit=""):
    return [
        Sample(f"sum-{i}", None, "How much?", Number(Decimal(str(value)), unit))
        for i, value in enumerate(values)
    ]


def boxes(n, size=(100, 100)):
    return [
        Sample(f"box-{i}", blank(i, size), "Where?", Box(10 + i % 7, 20, 50 + i % 7, 80))
        for i in range(n)
    ]


def exam(*targets):
    """Make a question about each target, without a picture."""
    return [Sample(str(place), None, "?", target) for place, target in enumerate(targets)]


def by_id(samples):
    return {sample.id: sample for sample in samples}


def predict(samples, texts, *, size=None, dialect="plain", logprobs=None):
    """Make one prediction per sample."""
    return [
        Prediction(sample.id, text, size, dialect, {"model": "toy"}, logprobs)
        for sample, text in zip(samples, texts, strict=True)
    ]


def run(name, samples, texts, *, size=None, dialect="plain", **about):
    """Score one text per sample."""
    predictions = predict(samples, texts, size=size, dialect=dialect)
    return RunResult(name, score(predictions, samples), predictions, **about)


def scored(samples, texts):
    return score(predict(samples, texts), samples)


def clock_text(minutes):
    hour, minute = divmod(minutes % 720, 60)
    return f"{hour or 12:02}:{minute:02}"


def true_texts(samples, late=0):
    """Right answers about clocks, or answers that are so many minutes late."""
    return [clock_text(sample.target.seconds // 60 + late) for sample in samples]


def clock_texts(samples, skill, *, seed=0, unread="no idea"):
    """Answer right with probability `skill`, now and then unreadably, else by a uniform guess."""
    rng = random.Random(seed)
    texts = []
    for text in true_texts(samples):
        if rng.random() >= skill:
            text = unread if rng.random() < 0.1 else clock_text(rng.randrange(720))
        texts.append(text)
    return texts


def clock_run(name, skill, *, n=60, seed=0, **about):
    samples = clocks(n, picture=True)
    return run(name, samples, clock_texts(samples, skill, seed=seed), size=(64, 48), **about)


def page_of(folder, runs, samples=(), **options):
    """Write the report of runs and return its text."""
    samples = samples if hasattr(samples, "keys") else by_id(samples)
    page = write_report(folder / "page.html", runs, samples=samples, **options)
    return page.read_text(encoding="utf-8")


def csv_rows(folder, runs):
    """Write the CSV of runs and return its rows by column."""
    file = folder / "new" / "a.csv"
    write_csv(file, runs)
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
