"""A model behind a server answers as it does here; busy servers are asked again, keys kept."""

import base64
import csv
import io
import os
import re
import subprocess
import sys
import threading
import tomllib
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from answer_files import ask_server
from PIL import Image
from pipeline_toys import UNEVEN
from reply_server import answer, reply_server

from gnomon.commands import main
from gnomon.eval.scoring import predictions
from gnomon.pipeline.answering import server as client
from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.answering.server import Server
from gnomon.pipeline.load import load
from gnomon.recipe import Model


@contextmanager
def serving(reply):
    """A server on this machine; `reply` makes a reply of a request and of its number, from 1."""
    lock, numbers = threading.Lock(), count(1)

    def reply_in_turn(asked):
        with lock:
            return reply(asked, next(numbers))

    with reply_server(reply_in_turn) as server:
        yield server.url, server.requests


def asked_of(samples, url, out, **options):
    settings = {"name": "tiny", "server": url}
    given = {"n_parallel": 2, "max_new_tokens": 8, "dialect": "plain"} | options
    ask_server(Server(url, "tiny"), samples, out, total=len(samples), settings=settings, **given)
    return {p.sample_id: p for p in predictions.read(out)}


@pytest.fixture
def waits(monkeypatch):
    """The seconds that would have been waited."""
    seconds = []
    monkeypatch.setattr(client.time, "sleep", seconds.append)
    return seconds


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """An empty folder beside which a command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    return tmp_path / "photos"


@pytest.fixture(scope="module")
def tiny():
    return load(Model(load_in_4bit=False, dtype="float32"))


def test_a_served_model_answers_as_it_does_here(tiny, tmp_path):
    def reply(asked, _):
        (message,) = asked["messages"]
        pictures = [p["image_url"]["url"] for p in message["content"] if p["type"] == "image_url"]
        image = None
        if pictures:
            image = Image.open(io.BytesIO(base64.b64decode(pictures[0].partition(",")[2])))
        text = message["content"][-1]["text"]
        question = replace(UNEVEN[0], image=image and image.convert("RGB"), question=text)
        return answer(generate_texts(tiny, [question], max_new_tokens=asked["max_tokens"])[0])

    with serving(reply) as (url, seen):
        found = asked_of(UNEVEN, url, tmp_path / "a.jsonl")
    for sample in UNEVEN:
        assert found[sample.id].text == generate_texts(tiny, [sample], max_new_tokens=8)[0]
        assert found[sample.id].size == (sample.image.size if sample.image else None)
    assert {path for path, *_ in seen} == {"/v1/chat/completions"}
    assert all(asked["temperature"] == 0 and asked["model"] == "tiny" for *_, asked in seen)


def test_what_is_answered_is_not_asked_again(tmp_path):
    with serving(lambda *_: answer("10:08")) as (url, seen):
        asked_of(UNEVEN[:2], url, tmp_path / "a.jsonl")
        asked_of(UNEVEN[:4], url, tmp_path / "a.jsonl")
        assert len(seen) == 4
        with pytest.raises(ValueError, match="was answered with"):
            asked_of(UNEVEN[:4], url, tmp_path / "a.jsonl", max_new_tokens=9)


def test_a_busy_server_is_asked_again_after_as_long_as_it_says(tmp_path, waits):
    def reply(_, count):
        if count == 1:
            return 429, {"Retry-After": "7"}, {}
        return (503, {}) if count < 4 else answer("10:08")

    with serving(reply) as (url, _):
        found = asked_of(UNEVEN[:1], url, tmp_path / "a.jsonl")
    assert waits == [7, 2, 4]
    assert found[UNEVEN[0].id].text == "10:08"


def test_a_connection_that_breaks_is_tried_again(tmp_path, waits):
    def reply(_, count):
        if count == 1:
            raise ConnectionAbortedError  # the server hangs up without a word
        return (200, {"Content-Length": "900"}, b"{") if count == 2 else answer("10:08")

    with serving(reply) as (url, seen):
        found = asked_of(UNEVEN[:1], url, tmp_path / "a.jsonl")
    assert len(seen) == 3
    assert found[UNEVEN[0].id].text == "10:08"


@pytest.mark.parametrize("reply", [b"<html>", {"choices": []}, [], b"[" * 100_000])
def test_one_malformed_reply_costs_one_retry_and_all_are_told(tmp_path, waits, reply):
    """commands/bad_inputs.jsonl has more of them."""
    replies = {2: (200, reply)}
    with serving(lambda _, count: replies.get(count, answer("10:08"))) as (url, seen):
        found = asked_of(UNEVEN[:3], url, tmp_path / "a.jsonl", n_parallel=1)
    assert len(seen) == 4
    assert {answer.text for answer in found.values()} == {"10:08"}
    with (
        serving(lambda *_: (200, reply)) as (url, _),
        pytest.raises(ValueError, match="answered with a reply that holds no answer"),
    ):
        asked_of(UNEVEN[3:4], url, tmp_path / "b.jsonl")


def test_half_an_emoji_in_an_answer_is_written_as_text(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    out = tmp_path / "a.csv"
    with serving(lambda *_: answer("\ud83d 10:08")) as (url, _):
        words = ["--question", "Which time?", "--server", url, "--out", str(out)]
        assert main(["predict", "m", str(tmp_path), *words]) == 0
    assert out.read_text().splitlines()[1] == "a.png,? 10:08"


def test_a_server_that_stays_busy_or_away_is_named(tmp_path, waits):
    with (
        serving(lambda *_: (500, b"out of memory")) as (url, _),
        pytest.raises(ValueError, match="refused 'tiny' with 500: out of memory"),
    ):
        asked_of(UNEVEN[:1], url, tmp_path / "a.jsonl")
    with pytest.raises(ValueError, match="cannot be reached"):
        asked_of(UNEVEN[:1], "http://127.0.0.1:9/v1", tmp_path / "a.jsonl")
    with (
        serving(lambda *_: (400, {"error": "room temperature"})) as (url, seen),
        pytest.raises(ValueError, match=r"refused 'tiny' with 400: .*room temperature"),
    ):
        asked_of(UNEVEN[:1], url, tmp_path / "a.jsonl")
    assert len(seen) == 1
    assert not (tmp_path / "a.jsonl").exists()


def test_the_key_goes_to_the_server_and_nowhere_else(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1234")
    with serving(lambda *_: answer("10:08")) as (url, seen):
        asked_of(UNEVEN[:1], url, tmp_path / "a.jsonl")
    assert seen[0][1]["Authorization"] == "Bearer sk-secret-1234"
    for file in tmp_path.rglob("*"):
        assert b"secret" not in file.read_bytes()
    with (
        serving(lambda *_: (401, b"bad key")) as (url, _),
        pytest.raises(ValueError, match=r"401 \(the key in OPENAI_API_KEY was refused\): bad key"),
    ):
        asked_of(UNEVEN[1:2], url, tmp_path / "b.jsonl")


@pytest.mark.slow
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(tmp_path, monkeypatch, code):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1234")
    with serving(lambda *_: answer("10:08")) as (elsewhere, followed):
        to = elsewhere.replace("//", "//me:sesame-open@") + "?token=sesame-open"
        with (
            serving(lambda *_: (code, {"Location": to}, b"")) as (url, _),
            pytest.raises(ValueError, match=rf"{code}: redirects are not followed") as told,
        ):
            asked_of(UNEVEN[:1], url, tmp_path / "a.jsonl")
    assert not followed
    assert "sesame" not in str(told.value)


def echo(code, text):
    """A server that says in its reply how it was asked."""
    how = "{0.headers[Authorization]} {0.path}"
    return lambda *_: (code, lambda asked: text.format(how.format(asked)).encode())


ANSWER = '{{"choices": [{{"message": {{"content": "10:08 {}"}}}}]}}'


@pytest.mark.slow
@pytest.mark.parametrize("key", ["sk-secret-1234", "sk-secret-1234\n", "  sk-secret-1234\r\n"])
@pytest.mark.parametrize(
    "reply",
    [(401, "bad key {}"), (500, "{} " * 999), (200, "<html>{}"), (200, "x" * 480 + " {}"),
     (200, '{{"error": "{}"}}'), (200, ANSWER)],
    ids=["refused", "busy", "no json", "where it is cut", "no choices", "answered"],
)  # fmt: skip
def test_a_server_that_echoes_the_key_does_not_get_it_printed(
    tmp_path, photos, monkeypatch, capsys, waits, key, reply
):
    """Run as a user runs it: neither the screen nor any file shows what was sent in secret."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    Image.new("RGB", (8, 8)).save(photos / "a.png")
    code, text = reply
    with serving(echo(code, text)) as (url, seen):
        sources = {"a.jsonl": ["clock"], "a.csv": ["photos", "--question", "Which time?"]}
        codes = [
            main(["predict", "m", *what, "--server", url, "--out", out, "eval.samples=2"])
            for out, what in sources.items()
        ]
    assert codes == [int(text != ANSWER)] * 2
    assert {headers["Authorization"] for _, headers, _ in seen} == {"Bearer sk-secret-1234"}
    held = [file.read_text() for file in tmp_path.rglob("a.*") if file.suffix != ".png"]
    assert any("10:08" in text for text in held) == (text == ANSWER)
    for shown in (*capsys.readouterr(), *held):
        assert "secret" not in shown


@pytest.mark.parametrize("key", ["sk-se cret", "sk-se\ncret", "sk-s\u00e9cret", "sk-\x00secret"])
def test_a_key_that_no_header_can_carry_is_refused_before_the_first_request(
    tmp_path, monkeypatch, capsys, key
):
    monkeypatch.setattr("gnomon.redact.os.environ", {"OPENAI_API_KEY": key})
    with serving(lambda *_: answer("10:08")) as (url, seen):
        out = str(tmp_path / "a.jsonl")
        assert main(["predict", "m", "clock", "--server", url, "--out", out]) == 1
    told = capsys.readouterr().err
    assert "OPENAI_API_KEY contains a space, a line break or a non-ASCII character" in told
    assert "cret" not in told
    assert not seen


@pytest.mark.parametrize(
    "url",
    ["me:sesame@host/v1", "http://me:sesame/1@host/v1", "http://me:sesame@/v1", "http://me:sesame@h"
     " ost/v1", "http://me:sesame@a..b/v1", "ftp://me:sesame@host", "http://me:s\u00e9same@host",
     "http://host/v1?api_key=sesame", "http://me:sesame@host/v1", "http://[sesame/v1",
     "'http://me: sesame@host"],
)  # fmt: skip
def test_a_url_that_is_none_is_refused_without_being_shown(tmp_path, capsys, url):
    out = str(tmp_path / "a.jsonl")
    for words in (["--server", url], [f"model.server={url}"]):
        assert main(["predict", "m", "clock", *words, "--out", out]) == 2
        assert "same" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        # As hosts send it whose models think first.
        ([{"type": "thinking"}, {"type": "text", "text": "no"}, {"type": "text", "text": "on"}],
         "noon"),
    ],
    ids=["empty", "in parts"],
)  # fmt: skip
def test_an_answer_may_be_empty_or_in_parts(tmp_path, content, text):
    with serving(lambda *_: answer(content)) as (url, _):
        assert asked_of(UNEVEN[:1], url, tmp_path / "a.jsonl")[UNEVEN[0].id].text == text


def test_a_host_that_wants_other_words_is_refused_by_once(tmp_path, capsys):
    def reply(asked, _):
        if "max_tokens" in asked:
            told = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        elif "temperature" in asked:
            told = "Unsupported value: 'temperature' does not support 0 with this model."
        else:
            assert asked["max_completion_tokens"] == 8
            return answer("noon")
        return 400, {"error": {"message": told}}

    with serving(reply) as (url, seen):
        found = asked_of(UNEVEN, url, tmp_path / "a.jsonl", n_parallel=1)
        assert {answer.text for answer in found.values()} == {"noon"}
        assert len(seen) == len(UNEVEN) + 1
    assert (
        "does not accept a temperature, so its answer to the same question may change"
        in capsys.readouterr().err
    )


def test_answers_without_a_word_are_told(tmp_path, capsys):
    """A model that thinks first spends all its tokens on it, and nothing else looks amiss."""
    with serving(lambda _, count: answer("" if count < 3 else "noon")) as (url, _):
        asked_of(UNEVEN, url, tmp_path / "a.jsonl", n_parallel=1)
    assert "2 answers are empty: a model that thinks first" in capsys.readouterr().err


WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from gnomon.commands import main

sys.exit(max(main(verb) or 0 for verb in {verbs!r}))
"""


def test_a_folder_of_photographs_is_asked_of_a_server(photos, capsys):
    """It was asked of the model of that name here."""
    for shade in range(3):
        Image.new("RGB", (8, 8), (shade,) * 3).save(photos / f"{shade}.png")

    def reply(asked, _):
        url = asked["messages"][0]["content"][0]["image_url"]["url"]
        picture = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
        return answer(f"{asked['model']} {picture.getpixel((0, 0))[0]}")

    with serving(reply) as (url, _):
        words = ["--server", url, "--question", "How late is it?", "eval.batch_size=2"]
        # One alone needs no file.
        assert main(["predict", "owner/m", "photos/2.png", *words]) == 0
        assert capsys.readouterr().out == "2.png: owner/m 2\n"
        assert os.listdir() == ["photos"]
        assert main(["predict", "owner/m", "photos", *words]) == 0
        answers = Path("answers.csv").read_text().splitlines()
        assert answers == ["file,answer", *(f"{shade}.png,owner/m {shade}" for shade in range(3))]
        # They may be all there is of another model: they are replaced only by name.
        assert main(["predict", "owner/other", "photos", *words]) == 2
        assert Path("answers.csv").read_text().splitlines() == answers
        assert "answers.csv already exists" in (error := capsys.readouterr().err)
        assert "--out photos.csv, or replace it with --out answers.csv" in error
        assert main(["predict", "owner/other", "photos", *words, "--out", "answers.csv"]) == 0
    assert Path("answers.csv").read_text().startswith("file,answer\n0.png,owner/other 0")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_photographs_with_any_names_are_answered(photos, capsys):
    """The CSV could not be written when all had been answered."""
    for name in (b"a.png", b"b\xff.png", b"c\x1b[31m.png", b"d\nd.png"):
        Image.new("RGB", (8, 8)).save(photos / os.fsdecode(name), "PNG")
    (photos / os.fsdecode(b"e\xff.png")).write_bytes(b"")
    out = os.fsdecode(b"\xff.csv")
    with serving(lambda *_: answer("noon")) as (url, _):
        command = ["predict", "m", "photos", "--server", url, "--out", out]
        assert main([*command, "--question", "What time is it?"]) == 0
    with Path(out).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    names = ["a.png", "b\\udcff.png", "c\x1b[31m.png", "d\nd.png"]
    assert rows == [["file", "answer"], *([name, "noon"] for name in names)]
    printed = capsys.readouterr()
    assert "\\xff.csv: 4 answers" in printed.out
    assert "left out: e\\xff.png is not a picture" in printed.err


@pytest.mark.slow
def test_the_base_install_draws_stores_asks_and_scores(tmp_path):
    """Nothing of what gnomon[train] brings is there."""
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    names = {re.split("[>=]", line)[0] for line in project["optional-dependencies"]["train"]}
    assert {"torch", "transformers", "trl", "peft"} <= names
    with serving(lambda *_: answer("It shows ten past ten.")) as (url, _):
        verbs = [
            ["generate", "clock", "--n", "3", "--workers", "1", "--out", "clocks"],
            ["verify", "clocks"],
            ["preview", "clock", "--n", "2", "-o", "sheet.png"],
            ["predict", "owner/vlm-7b", "clock", "eval.samples=4", "--server", url],
            ["score", "predictions/vlm-7b-clock.jsonl"],
        ]
        code = WITHOUT.format(names=names, verbs=verbs)
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr
    assert "Exactly right" in done.stdout
