"""Whatever file is being written when the process is killed, a reader finds it whole."""

from dataclasses import replace

import pytest
from second_process import kill_at_each_opening

from gnomon import atomic
from gnomon.eval import RunResult, score, write_report
from gnomon.eval.scoring import predictions
from gnomon.runs.answer_table import AnswerTable
from gnomon.runs.directory import write_json
from gnomon.sample import Prediction, Sample, Time
from gnomon.store.formats import manifest

SAMPLES = [Sample(f"s{i}", None, "When?", Time(60 * i)) for i in range(4)]
ANSWERS = [Prediction(sample.id, "00:01", None, "plain") for sample in SAMPLES]


def report(folder):
    write_report(folder / "a.html", [RunResult("a", score(ANSWERS, SAMPLES), ANSWERS)])


def answers_of_a_folder(folder):
    files = [folder / f"{sample.id}.png" for sample in SAMPLES]
    answers = [replace(found, sample_id=f"{found.sample_id}.png") for found in ANSWERS]
    (folder / ".part").unlink(missing_ok=True)
    predictions.append(folder / ".part", answers)
    AnswerTable(folder / "a.csv")._write(
        folder / ".part", files, has_cuts=False, has_findings=False, has_belief=True
    )


WRITERS = {
    "report": report,
    "answers": lambda folder: predictions.append(folder / "a.jsonl", ANSWERS[:1]),
    "answers of a folder": answers_of_a_folder,
    "text": lambda folder: atomic.put_text(folder / "a.html", "new"),
    "what a run stands on": lambda folder: write_json(folder / "a.json", {"a": 1}),
    "manifest": lambda folder: manifest.save(folder, manifest.empty()),
}
"""Others are struck by test_crash.py."""


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_is_as_it_was_or_as_it_will_be_wherever_its_writer_is_killed(tmp_path, writer):
    for name in ("a.json", "a.jsonl", "manifest.json"):
        (tmp_path / name).write_text("{}\n")
    # No other page, and no other table, is written over.
    (tmp_path / "a.html").write_text('<meta name="generator" content="gnomon">\n')
    (tmp_path / "a.csv").write_text("file,answer\n")
    kill_at_each_opening(tmp_path, lambda: WRITERS[writer](tmp_path))
