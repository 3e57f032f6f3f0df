"""The printer: nothing steers the terminal, and no encoding of the output is too poor."""

import io
import json
import os
import subprocess
import sys
import unicodedata

import pytest
from command_toys import gnomon, on_a_terminal
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from reply_server import answer, reply_server

from gnomon import terminal

ENCODINGS = ("ascii", "latin-1", "cp1252", "utf-8", "gbk")
TEXTS = st.text(st.characters(categories=None) | st.sampled_from("\x1b\x9b\u202e\udcff−…é三\r"))
STEERS = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def printed(monkeypatch, do, encoding):
    """The bytes that reach a strict standard output of this encoding."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        do()
        stream.flush()
    return stream.buffer.getvalue()


@given(text=TEXTS, encoding=st.sampled_from(ENCODINGS))
def test_any_text_is_printed_in_any_encoding_and_steers_nothing(text, encoding):
    with pytest.MonkeyPatch.context() as monkeypatch:
        output = printed(monkeypatch, lambda: terminal.show(text), encoding).decode(encoding)
    assert {unicodedata.category(c) for c in set(output) - {*"\n\t\u200c\u200d"}}.isdisjoint(STEERS)
    assert encoding != "utf-8" or all(c in output for c in text if c.isprintable())


@given(value=st.recursive(TEXTS, st.lists), encoding=st.sampled_from(ENCODINGS))
def test_json_is_the_same_value_in_any_encoding(value, encoding):
    with pytest.MonkeyPatch.context() as monkeypatch:
        output = printed(monkeypatch, lambda: terminal.show_json(value), encoding).decode(encoding)
    assert json.loads(output) == json.loads(json.dumps(value))
    assert not any(c in output for c in "\x1b\x9b\u202e")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    "words", [("ls",), ("ls", "--help"), ("stats", "arithmetic", "--n", "3", "--workers", "1")]
)
def test_whatever_gnomon_says_itself_has_words_in_every_encoding(monkeypatch, words, encoding):
    codes = []
    output = printed(monkeypatch, lambda: codes.append(gnomon(*words)), encoding).decode(encoding)
    assert codes == [0]
    assert len(output) > 200
    assert "\\u" not in output
    assert "\\x" not in output


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_plan_is_printed_by_a_process_with_a_poor_encoding(encoding):
    words = ["plan", "demo", "--config-only", "--memory", "4"]
    done = subprocess.run(
        [sys.executable, "-m", "gnomon", *words],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"memory" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("stats", "\x1b[31mred\udcff"),
        ("stats", "demo", "--\x1b[31mred"),
        ("verify", "\x9b2J\u202e"),
    ],
)
def test_what_was_typed_is_quoted_without_its_control_characters(capsys, words):
    assert gnomon(*words) != 0
    error = capsys.readouterr().err
    assert "\\x1b[31mred" in error or "\\x9b2J\\u202e" in error
    assert not set(error) & {*"\x1b\x9b\u202e"}


def test_an_undecodable_byte_of_a_name_is_shown_as_that_byte():
    assert terminal.printable(os.fsdecode(b"b\xff.png")) == "b\\xff.png"


PLAIN = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
NAME = os.fsdecode("\x1b[31mred\x9bK\u202e\n-é.png".encode()[:-4] + b"\xff.png")
SAID = "\x1b]0;mine\x07\x1b[2J10:08 \u202e\x9b3J é — \ud83d"


@pytest.mark.slow
@pytest.mark.parametrize("environment", [PLAIN, {"LC_ALL": "C.UTF-8"}], ids=["ASCII", "UTF-8"])
@pytest.mark.parametrize("status", [200, 400])
def test_no_name_answer_or_refusal_steers_a_real_terminal(tmp_path, environment, status):
    """Not even where Python writes ASCII, and what a file is called is shown byte by byte."""
    (tmp_path / "p").mkdir()
    Image.new("RGB", (20, 20)).save(tmp_path / "p" / NAME, "PNG")
    reply = answer(SAID) if status == 200 else (status, SAID.encode("utf-8", "replace"))
    with reply_server(reply) as server:
        words = ("predict", "m", f"p/{NAME}", "--question", "Red?", "--server", server.url)
        words = (*words, "--out", "answers.csv")
        code, output = on_a_terminal(*words, cwd=tmp_path, env=os.environ | environment)
    assert code == (0 if status == 200 else 1), output
    assert b"10:08" in output
    assert b"\\x1b[2J" in output
    text = output.decode("ascii" if environment is PLAIN else "utf-8")
    moves = ("\r", "\n", "\t", "\x1b[A")  # of tqdm's bars
    for move in moves:
        text = text.replace(move, "")
    assert not [c for c in text if unicodedata.category(c) in STEERS]
    if status == 200:
        assert "\\x1b[31mred" in text
        assert (tmp_path / "answers.csv").read_text("utf-8").count("10:08") == 1
