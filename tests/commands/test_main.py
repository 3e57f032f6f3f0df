"""What holds of every verb: light words, words for errors, help, and quiet where nobody watches."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from bad_inputs import sound_answers
from command_toys import gnomon, gnomon_process, loaded_by, on_a_terminal, small

from gnomon.commands._parser import VERBS
from gnomon.runs import name_lists as listing

HEAVY = {"torch", "transformers", "trl", "peft", "bitsandbytes", "matplotlib", "albumentations"}
NAMES = [verb.replace("_", "-") for verb in VERBS]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device"), "no space left on device"),
        (OSError(2, "No such file or directory", "/dev/gone"), "/dev/gone: no such file or dir"),
        (ValueError("it: <urlopen error [Errno 111] Connection refused>"), "it: <urlopen error C"),
        (FileExistsError("x already exists"), "x already exists"),
    ],
)
def test_an_error_of_the_system_is_told_in_words(monkeypatch, capsys, error, message):
    def table(_):
        raise error

    monkeypatch.setattr("gnomon.runs.name_lists.table", table)
    assert gnomon("ls") == 1
    assert capsys.readouterr().err.startswith(f"gnomon: {message}")


@pytest.mark.slow
def test_light_words_load_nothing_heavy():
    lines = ("--help", "ls", "train --help", "cp demo /dev/null",
             "train tiny-base loss.name=smdm", "train tiny-base model.name=nowhere")  # fmt: skip
    for line in lines:
        assert not loaded_by(*line.split()) & HEAVY, line


@pytest.mark.parametrize("line", ["--help", "train --help", "train --lr=1"])
def test_help_and_a_misspelled_option_wait_for_no_library(line):
    assert not loaded_by(*line.split()) & {
        *HEAVY,
        "numpy",
        "pydantic",
        "pyarrow",
        "ruamel",
        "httpx2",
    }


@pytest.mark.parametrize("verb", NAMES)
def test_every_verb_shows_a_sentence_and_examples_on_lines_of_their_own(capsys, verb):
    assert gnomon(verb, "--help") == 0
    output = capsys.readouterr().out
    assert "--quiet" in output
    _, sentence, *_ = output.split("\n\n")
    assert sentence.endswith(".")
    assert ". " not in sentence
    *_, examples = output.rstrip().split("\n\n")
    first, *others = examples.splitlines()
    if not others:
        assert first.startswith(f"Example: gnomon {verb}")
    else:
        assert first == "Examples:"
        assert all(line.startswith(f"    gnomon {verb}") for line in others)


@pytest.mark.slow
def test_without_the_training_extra_it_says_what_to_install(tmp_path):
    words = ("train", "demo", "--out", tmp_path / "run")
    done = gnomon_process(*words, before="sys.modules['datasets'] = None")
    assert done.returncode == 1
    message = "gnomon: datasets is not installed: pip install '.[train]' in gnomon's clone"
    assert done.stderr.strip() == message


@pytest.mark.slow
@pytest.mark.parametrize("words", [["ls"], ["ls", "losses"], ["stats", "clock", "--n", "2"]])
def test_a_reader_that_has_seen_enough_is_no_failure(words):
    command = [sys.executable, "-m", "gnomon", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        process.stdout.close()  # as head does once it has its lines
        assert "ipe" not in process.stderr.read()
    assert process.returncode == 141


def test_a_terminal_has_no_line_too_long(monkeypatch):
    for room in ("losses", "clock"):
        plain = listing.table(room)
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", "80")
            patch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
            folded = listing.table(room)
        assert max(map(len, folded.splitlines())) <= 80
        assert folded.split() == plain.split()


def silent_environment():
    """The environment without what main sets in this process."""
    bars = ("TQDM_DISABLE", "HF_HUB_DISABLE_PROGRESS_BARS")
    return {name: value for name, value in os.environ.items() if name not in bars}


@pytest.mark.slow
def test_without_a_terminal_a_training_prints_whole_lines_and_no_other_librarys_bars(tmp_path):
    """Each bar of each library was written over itself some hundred times, into the log."""
    words = ("train", small(tmp_path), "--out", tmp_path / "run")
    often = "from gnomon import progress\nprogress.EVERY = 1e-9"
    done = gnomon_process(*words, before=often, env=silent_environment(), text=False)
    assert done.returncode == 0
    assert b"\r" not in done.stderr + done.stdout
    lines = done.stderr.decode().splitlines()
    assert any(line.startswith("training: 4 of 4 [") and "loss=" in line for line in lines)
    assert not any("%|" in line for line in lines)


@pytest.mark.slow
def test_a_terminal_has_its_bar_and_quiet_has_none(tmp_path):
    words = ["export", "arithmetic", "--to", "llava", "--family", "qwen2-vl", "--n", 3]
    options = {"streams": ("stderr",), "env": silent_environment()}
    code, output = on_a_terminal(*words, "--out", tmp_path / "a", **options)
    assert code == 0
    assert b"export: 100%|" in output
    assert on_a_terminal(*words, "--out", tmp_path / "b", "--quiet", **options) == (0, b"")


def test_quiet_leaves_errors_and_results(capsys):
    assert gnomon("train", "demo", "train.lr=1", "--quiet") == 2
    assert "train.lr: no such key" in capsys.readouterr().err
    assert gnomon("stats", "arithmetic", "--n", 3, "--workers", 1, "--quiet") == 0
    output = capsys.readouterr()
    assert "arithmetic" in output.out
    assert output.err == ""


def test_a_plan_as_json_is_json_alone(capsys):
    assert gnomon("plan", "demo", "--config-only", "--memory", 0.5, "--json") == 1
    plan = json.loads(capsys.readouterr().out)
    assert plan["memory"]["there"] == 2**29 < plan["memory"]["total"]
    assert plan["fits"] is False
    assert [part["name"] for part in plan["parts"]] == ["language", "vision", "projector"]


@pytest.mark.slow
def test_quiet_still_says_what_was_dropped_from_the_answers(tmp_path):
    for name, data in sound_answers().items():
        (tmp_path / name).write_bytes(data)
    answers = tmp_path / "a.jsonl"
    answers.write_bytes(answers.read_bytes() + answers.read_bytes().splitlines(keepends=True)[0])
    done = gnomon_process("score", "a.jsonl", "--quiet", cwd=tmp_path, env=silent_environment())
    assert done.returncode == 0
    assert done.stderr == "gnomon: a.jsonl: dropped a line that repeats an earlier line\n"
