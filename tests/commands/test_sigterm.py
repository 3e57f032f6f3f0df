"""SIGTERM ends a verb as Ctrl-C does: in seconds, files whole, with a line on how to go on."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from command_toys import gnomon, small
from PIL import Image
from reply_server import answer, reply_server
from second_process import wait_for

GOES_ON = "gnomon: terminated; the same command resumes from what was saved"


def started(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "gnomon", *map(str, words)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background job ignores Ctrl-C, and its children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def ended(process, number=signal.SIGTERM, kill=os.kill):
    """What a process says that a signal has reached, alone or with all that it started."""
    try:
        kill(process.pid, number)
        _, told = process.communicate(timeout=30)
    finally:
        process.kill()
    return told


def gone(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@contextmanager
def silent():
    """A server that never answers."""
    asked, over = threading.Event(), threading.Event()

    def reply(_):
        asked.set()
        over.wait(60)
        return answer("too late")

    with reply_server(reply) as server:
        try:
            yield server.url, asked
        finally:
            over.set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "kill", "code"),
    [(signal.SIGTERM, os.kill, 143), (signal.SIGINT, os.killpg, 130)],
    ids=["SIGTERM", "Ctrl-C"],
)
def test_generate_ends_with_all_its_workers(tmp_path, number, kill, code):
    """Of whom none says a word."""
    out = tmp_path / "set"
    words = ("generate", "clock", "--n", 100_000, "--out", out, "--workers", 2, "size=84")
    process = started(*words)
    wait_for(lambda: list(out.glob("data/.*.tmp")))
    told = ended(process, number, kill)
    assert process.returncode == code
    assert told.splitlines()[-1].endswith("the same command resumes from what was saved")
    assert "KeyboardInterrupt" not in told
    wait_for(lambda: gone(process.pid))
    left = {file.name for file in out.rglob("*") if file.is_file()}
    assert not [name for name in left if name.startswith(".")]
    assert "manifest.json" in left


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "number", "code", "line"),
    [("clock", signal.SIGTERM, 143, GOES_ON), ("photos", signal.SIGTERM, 143, GOES_ON),
     ("clock", signal.SIGINT, 130, GOES_ON.replace("terminated", "interrupted"))],
)  # fmt: skip
def test_no_server_is_waited_for_nor_asked_by_two_at_once(
    tmp_path, capsys, what, number, code, line
):
    (tmp_path / "photos").mkdir()
    Image.new("L", (8, 8)).save(tmp_path / "photos" / "a.png")
    data = tmp_path / what if what == "photos" else what
    question = ("--question", "What does it show?") if what == "photos" else ()
    out = tmp_path / ("a.csv" if what == "photos" else "a.jsonl")
    with silent() as (url, asked):
        words = ("predict", "m", data, "--server", url, "--out", out, *question)
        process = started(*words)
        assert asked.wait(60)
        assert gnomon(*words) == 1
        refused = f"gnomon: {out} is being written by process {process.pid} on "
        assert capsys.readouterr().err.startswith(refused)
        told = ended(process, number)
    assert process.returncode == code
    assert told.splitlines()[-1] == line


# The signal's error may land inside the library between a socket's opening and its `with`.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.slow
def test_train_ends_with_its_data_loader(tmp_path, capfd):
    """In this process, where torch is loaded: a verb hears the signal, and then nobody does."""
    out = tmp_path / "run"
    before = signal.getsignal(signal.SIGTERM)
    earlier = set(multiprocessing.active_children())  # of tests that ran here before

    def end():
        wait_for(lambda: (out / "log.jsonl").exists() and (out / "log.jsonl").read_text())
        assert signal.getsignal(signal.SIGTERM) != before
        os.kill(os.getpid(), signal.SIGTERM)

    sender = threading.Thread(target=end)
    sender.start()
    words = ("train.max_steps=5000", "train.dataloader_num_workers=2", "--out", out)
    assert gnomon("train", small(tmp_path), *words) == 143
    sender.join()
    assert GOES_ON in capfd.readouterr().err.splitlines()  # a loader's process may add its own
    assert signal.getsignal(signal.SIGTERM) == before
    gc.collect()
    wait_for(lambda: not set(multiprocessing.active_children()) - earlier)
    assert not (out / "adapter").exists()
    # No step is lost: the next save would have been at step 500.
    (checkpoint,) = (out / "checkpoints").glob("checkpoint-*")
    assert (checkpoint / "trainer_state.json").exists()


VERB = """
import os, signal, sys, time
from gnomon.commands import main
from gnomon.runs import name_lists as listing

def wait():
    "A minute in slices: one long sleep would go on if a signal came just before it."
    for _ in range(600):
        time.sleep(0.1)

def table(what):
    "A verb that forks, as data loaders do."
    hears, says = os.pipe()
    child = os.fork()
    if not child:
        os.write(says, b"here")
        wait()
        os._exit(0)
    os.read(hears, 4)
    os.kill(child, signal.SIGTERM)
    try:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        wait()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)  # at once again, as timeout does

listing.table = table
sys.exit(main(sys.argv[1:]))
"""


def test_a_second_signal_and_one_to_a_forked_process():
    process = subprocess.Popen(
        [sys.executable, "-c", VERB, "ls"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == f"{-signal.SIGTERM}\n"
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 143
    assert told.strip() == "gnomon: terminated"  # `ls` only looks: nothing was saved
