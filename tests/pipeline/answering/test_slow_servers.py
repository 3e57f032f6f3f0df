"""A server in another process that is slow in every way: each answer has a deadline, waits are
announced."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from pipeline_toys import UNEVEN

from gnomon import progress
from gnomon.pipeline.answering import server as client
from gnomon.pipeline.answering.server import Server, ask_all


@pytest.fixture(scope="module")
def url():
    command = [sys.executable, str(Path(__file__).parent / "slow_server.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.kill()


@pytest.mark.parametrize("how", ["drip", "drip-headers", "silent"])
def test_no_server_holds_a_question_for_ever(url, monkeypatch, how):
    """The timeout was for each read, so a byte now and then was enough."""
    monkeypatch.setattr(client, "_WAITS", (0.1,) * 5)
    began = time.monotonic()
    with pytest.raises(
        ValueError, match=r"only \d of the 2 s for an answer are left \(.*answer_seconds\)"
    ):
        Server(url, how, seconds=1.5).ask("?", (), max_tokens=9)
    assert 1 < time.monotonic() - began < 10


def test_a_wait_is_announced_once_for_all_questions_that_wait(url, monkeypatch, capsys):
    """The clock stands still, and nobody asks again before all have been refused."""
    everyone, waits = threading.Barrier(8), []

    def sleep(seconds):
        waits.append(seconds)
        everyone.wait(timeout=60)

    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: 100.0, sleep=sleep))
    samples = UNEVEN[:1] * 8
    found = ask_all(Server(url, "busy-2"), samples, n_parallel=8, max_tokens=9)
    assert {reply.text for _, reply in found} == {"10:08"}
    assert waits == [2] * 8
    # Another test's threads may still be waiting for a server of their own that is gone.
    lines = capsys.readouterr().err.splitlines()
    said = [line for line in lines if "again" in line and url in line]
    assert said == [f"{url} refused 'busy-2' with 429: slow down\\x1b[31m; asked again in 2 s"]


def test_quiet_leaves_the_announcement_out(url, monkeypatch, capsys):
    monkeypatch.setattr(progress, "quiet", True)
    monkeypatch.setattr(client.time, "sleep", lambda _: None)
    with pytest.raises(ValueError, match="with 429"):
        Server(url, "always-1").ask("?", (), max_tokens=9)
    assert capsys.readouterr().err == ""


def test_a_wait_may_end_at_a_time_of_day(url, capsys):
    began = time.monotonic()
    assert Server(url, "busy-date").ask("?", (), max_tokens=9).text == "10:08"
    assert 1 < time.monotonic() - began < 30
    assert "asked again in" in capsys.readouterr().err


@pytest.mark.parametrize(("how", "wait"), [("always-86400", 86400), ("always-300", 300)])
def test_a_wait_beyond_the_deadline_is_not_begun(url, monkeypatch, how, wait):
    """300 seconds were waited for five times without a word."""
    slept = []
    monkeypatch.setattr(client.time, "sleep", slept.append)
    with pytest.raises(
        ValueError, match=f"would be in {wait} s, and only 299 of the 299 s for an answer"
    ):
        Server(url, how, seconds=299).ask("?", (), max_tokens=9)
    assert not slept


@pytest.mark.slow
def test_the_command_line_gives_up_in_time_and_says_why(url, tmp_path):
    words = ["predict", "drip", "arithmetic", "--server", url, "--out", "a.jsonl"]
    words += ["eval.samples=3", "eval.answer_seconds=3"]
    done = subprocess.run(
        [sys.executable, "-m", "gnomon", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    *waits, error = done.stderr.splitlines()
    assert waits[0].endswith("did not finish its answer within 1 s; asked again in 1 s")
    assert "of the 3 s for an answer" in error
