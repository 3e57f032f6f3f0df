"""Two commands that would write the same place: the second is told which process does."""

import socket
import sys
from types import SimpleNamespace

import pytest
from command_toys import gnomon, small
from second_process import holding

from gnomon.eval.report.report_files import ReportFiles
from gnomon.runs.answer_file import answer_exam
from gnomon.runs.exam import Exam
from gnomon.runs.resolve import resolve
from gnomon.runs.training import train_run

VERBS = {
    "generate": ("set", ["generate", "clock", "--n", 4, "--out", "set", "size=84"]),
    "train": ("run", ["train", "small.yaml", "--out", "run"]),
    "run": ("run", ["run", "small.yaml", "--out", "run"]),
    "predict": ("a.jsonl", ["predict", "gnomon-tiny", "clock", "--out", "a.jsonl"]),
    "predict a folder": (
        "a.csv",
        ["predict", "gnomon-tiny", "photos", "--question", "?", "--out", "a.csv"],
    ),
    "score": ("a.html", ["score", "b.jsonl", "--out", "a.html"]),
    "compare": ("a.html", ["compare", "b.jsonl", "c.jsonl", "-o", "a.html"]),
    "merge": ("whole", ["merge", "run", "whole"]),
    "selftest": ("tested", ["selftest", "--out", "tested"]),
    "export": (
        "trl",
        ["export", "clock", "--n", 1, "--to", "trl", "--family", "qwen2-vl", "--out", "trl"],
    ),
}
"""What each verb writes, held as a file or as a folder that is filled, and the verb."""


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """A directory, and the process that holds in it what each verb would write."""
    folder = tmp_path_factory.mktemp("two")
    small(folder)
    (folder / "photos").mkdir()
    (folder / "photos" / "clock.png").touch()
    with holding(*sorted({folder / place for place, _ in VERBS.values()})) as process:
        yield folder, process.pid


@pytest.mark.parametrize("verb", VERBS)
def test_a_second_command_is_refused_and_told_which_process_writes(held, monkeypatch, capsys, verb):
    folder, process = held
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    place, words = VERBS[verb]
    assert gnomon(*words) == 1
    told = capsys.readouterr().err
    who = f"process {process} on {socket.gethostname()} since 20"
    assert f"gnomon: {place} is being written by {who}" in told
    assert sorted(folder.rglob("*")) == before


def test_a_report_is_held_with_all_that_is_written_beside_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clock.png").touch()
    with holding(*ReportFiles.of(tmp_path / "Z.html")):
        for words in (
            ["score", "b.jsonl", "--out", "Z.htm"],
            ["predict", "gnomon-tiny", "clock.png", "--question", "?", "--out", "Z.csv"],
        ):
            assert gnomon(*words) == 1
            assert "gnomon: Z.csv is being written by process" in capsys.readouterr().err


def test_processes_launched_together_share_one_training(held, monkeypatch):
    """The first of them holds the directory; were it refused, the launcher would end the others."""
    folder, _ = held
    resolved = resolve(folder / "small.yaml")
    trains = SimpleNamespace(fine_tune=lambda *_, **__: "trained")  # without torch
    monkeypatch.setitem(sys.modules, "gnomon.pipeline.training.train", trains)
    monkeypatch.setattr("gnomon.runs.locked_run.claim", lambda *_, **__: None)
    monkeypatch.setenv("RANK", "1")
    assert train_run(resolved, folder / "run") == "trained"
    monkeypatch.setenv("RANK", "0")
    with pytest.raises(ValueError, match="is being written by"):
        train_run(resolved, folder / "run")


def test_answers_of_a_run_are_asked_for_while_it_is_held(tmp_path, monkeypatch):
    """Another file is written, so `predict RUN` and `score RUN` may go on beside a training."""
    opened = resolve(small(tmp_path), ["eval.samples=2"]).recipe
    monkeypatch.setattr(
        "gnomon.runs.answer_file.AnswerFile._append", lambda self, *_: self.path.touch()
    )
    with holding(tmp_path / "run"):
        out = tmp_path / "run" / "predictions" / "after.jsonl"
        assert answer_exam(opened, Exam.of(opened), out) == out
    assert out.exists()
