"""How long scoring and reporting takes, and how much memory, for many stored predictions.

python benchmarks/evaluation.py --n 10000 100000 1000000

Seconds are the processor's. Scoring is set beside reading the answers and their questions from the
disk, once, without looking at them. Each size has a process of its own, whose peak memory is that
of Python and its libraries, too.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.dialect import Dialect
from gnomon.eval import RunResult, score, write_report
from gnomon.eval.report.answers import write_csv
from gnomon.eval.scoring import predictions, question_file
from gnomon.sample import Prediction, Sample, Time

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = {"name": "toy", "dtype": "bfloat16", "load_in_4bit": True, "max_new_tokens": 32}


def asked(n: int) -> Iterator[Sample]:
    """Clocks at every time of the dial."""
    for i in range(n):
        yield Sample(f"clock-v1-00000000-test-0-{i:07}", None, "?", Time(i * 7919 % 720 * 60))


def write(n: int, file: Path) -> None:
    """Answers of which six in ten are right and one in fifty cannot be read, in batches."""
    rng, dialect = random.Random(0), Dialect()
    samples = asked(n)
    while batch := list(islice(samples, 5000)):
        batch = list(question_file.record(batch, question_file.question_path(file)))
        rng.shuffle(batch)
        predictions.append(file, [_answer(sample, rng, dialect) for sample in batch])


def _answer(sample: Sample, rng: random.Random, dialect: Dialect) -> Prediction:
    time_asked = sample.target if rng.random() < 0.6 else Time(rng.randrange(720) * 60)
    text = "no idea" if rng.random() < 0.02 else dialect.write(time_asked)
    return Prediction(sample.id, text, (224, 224), "plain", SETTINGS)


def measure(file: Path, out: Path) -> dict[str, float]:
    """Seconds of reading, of scoring, of reporting, of writing the table; MB at the peak."""
    before = time.process_time()
    for held in (
        predictions.PredictionFile(file),
        question_file.QuestionFile(question_file.question_path(file)),
    ):
        for _ in held:
            pass
    start = time.process_time()
    answers = predictions.PredictionFile(file)
    scores = score(answers, question_file.QuestionFile(question_file.question_path(file)))
    scored = time.process_time()
    write_report(out / "report.html", [RunResult("run", scores, answers)])
    reported = time.process_time()
    write_csv(out / "report.csv", [RunResult("run", scores, answers)])
    written = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "read": start - before,
        "score": scored - start,
        "report": reported - scored,
        "csv": written - reported,
        "peak": peak,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.measure.parent)))
        return
    heads = ("read s", "score s", "score/read", "report s", "CSV s", "peak MB")
    print(f"{'predictions':>12}" + "".join(f"{head:>12}" for head in heads))
    for n in given.n:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "predictions.jsonl"
            write(n, file)
            command = [sys.executable, __file__, "--measure", str(file)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout)
        found["ratio"] = found["score"] / found["read"]
        names = ("read", "score", "ratio", "report", "csv")
        figures = "".join(f"{found[name]:>12.{2 if name == 'read' else 1}f}" for name in names)
        print(f"{n:>12,}{figures}{found['peak']:>12.0f}", flush=True)


if __name__ == "__main__":
    main()
