"""Whatever is read, one message: short, with the file and the place, and never a traceback."""

import signal
from dataclasses import is_dataclass
from typing import Union, get_args, get_origin, get_type_hints

import pytest
from bad_inputs import ROWS, commands_of, files_of, lay, text
from command_toys import gnomon
from reply_server import reply_server

from gnomon.recipe import Recipe


@pytest.fixture(autouse=True)
def _patience():
    """A pipe that is waited for would hold up all tests."""

    def end(*_):
        raise AssertionError("not told within five minutes")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(300)  # what it imports first may take long
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def server():
    with reply_server() as server:
        yield server


def case(number, row):
    """Slow are those that import TRL, or open a model."""
    marks = [pytest.mark.slow] if row["name"].startswith(("train.sft:", "adapter:")) else []
    return pytest.param(row, id=f"{number:03} {row['name']}", marks=marks)


@pytest.mark.parametrize("row", [case(number, row) for number, row in enumerate(ROWS)])
def test_a_bad_input_is_told_in_one_short_message(tmp_path, monkeypatch, capsys, request, row):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gnomon.pipeline.answering.server._WAITS", (0.01,) * 5)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    url = ""
    if "reply" in row:
        server = request.getfixturevalue("server")
        server.reply = row.get("status", 200), text(row["reply"]).encode()
        url = server.url
    files = files_of(row)
    for path, content in files.items():
        lay(tmp_path / path, content)
    before = sorted(tmp_path.rglob("*"))
    for words in commands_of(row):
        code = gnomon(*(word.replace("SERVER", url) for word in words))
        assert code in row.get("code", (1, 2)), words
        message = "".join(capsys.readouterr())
        assert all(part in message for part in row["message"]), words
        assert len(message.encode()) < 2048, words
        assert not any(word in message for word in ("Traceback", "[Errno 2]", "key=value\n")), words
    assert not row.get("clean") or sorted(tmp_path.rglob("*")) == before
    for path, content in files.items():
        if isinstance(content, bytes):  # nothing of the user's is lost
            assert (tmp_path / path).read_bytes() == content, path


def numbers(section, path=""):
    """The keys of a recipe that hold a number, or None."""
    for name, kind in get_type_hints(section).items():
        if is_dataclass(kind):
            yield from numbers(kind, f"{path}{name}.")
        elif {int, float} & {kind, *get_args(kind)} and get_origin(kind) in (None, Union):
            yield f"{path}{name}"


NO_NUMBERS = ["-2", "1" + 20 * "0", "1e400", "-1e400", ".nan", ".inf", "ten", "''", "true", "[1]"]


@pytest.mark.parametrize("key", [*numbers(Recipe)])
def test_every_number_of_a_recipe_has_bounds(capsys, key):
    for number in NO_NUMBERS:
        assert gnomon("plan", "demo", f"{key}={number}", "--config-only") == 2, number
        message = capsys.readouterr().err
        assert f"{key}: " in message
        assert message.count("\n") == 1


def test_there_are_many_kinds_of_them():
    assert len({row["name"] for row in ROWS}) == len(ROWS) > 650
    assert len([*numbers(Recipe)]) > 25
