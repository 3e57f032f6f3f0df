"""Real processes, really killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from second_process import wait_for
from store_toys import toys, tree

from gnomon import store

SHARDS, ROWS, WHOLE = 20, 30, 3
SIZES = {"n": SHARDS * ROWS, "shards": SHARDS}
SCRIPT = f"""
import sys, time
from gnomon import store
from store_toys import Toy, toys

def draw(toy, index, drawn=Toy.draw):
    "Waits in the middle of each shard after the first few, with a part of it on the disk."
    if index >= {WHOLE * ROWS} and index % {ROWS} == 25:
        for _ in range(6000):  # one long sleep would go on if a signal came just before it
            time.sleep(0.1)
    return drawn(toy, index)

Toy.draw = draw

if __name__ == "__main__":
    out, workers, form = sys.argv[1:]
    store.write(toys(), out, **{SIZES}, workers=int(workers), format=form)
"""
FOUND_IN = (Path(__file__).parents[1], Path(store.__file__).parents[2])


@pytest.fixture
def start(tmp_path):
    """Starts the script in a process group of its own, and stops what is left of it."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    started = []

    def begin(out, workers, form="parquet"):
        process = subprocess.Popen(
            [sys.executable, script, out, str(workers), form],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, FOUND_IN))},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # A shell's background job ignores Ctrl-C, and its children would inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        wait_for(lambda: (len(shards(out)), len(begun(out))) == (WHOLE, workers))
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def shards(out):
    """The shards that the manifest has so far."""
    file = out / "manifest.json"
    if not file.exists():
        return []
    return [s for s in json.loads(file.read_text())["splits"]["train"]["shards"] if s]


def begun(out):
    """The shards that are being written."""
    return list(out.glob("*/.*.tmp"))


def runs(pid):
    """Whether the process is alive; one that nobody has waited for is not."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "form"), [(1, "parquet"), (2, "parquet"), (2, "imagefolder"), (1, "webdataset")]
)
def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path, start, workers, form):
    out = tmp_path / "killed"
    process = start(out, workers, form)
    drawing = [int(file.name.split(".")[-2]) for file in begun(out)]
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_for(lambda: not any(map(runs, drawing)))  # the workers leave with it

    kept = {out / s["file"]: (out / s["file"]).stat().st_mtime_ns for s in shards(out)}
    store.write(toys(), out, **SIZES)
    assert {file: file.stat().st_mtime_ns for file in kept} == kept

    whole = tmp_path / "whole"
    store.write(toys(), whole, **SIZES, workers=2, format=form)
    assert tree(out) == tree(tmp_path / "whole")


@pytest.mark.slow
def test_ctrl_c_stops_all_workers_and_leaves_whole_shards_only(tmp_path, start):
    process = start(tmp_path / "out", 2)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode != 0
    assert told.count("KeyboardInterrupt") == 1  # the workers say nothing
    files = tree(tmp_path / "out")
    assert not [file for file in files if file.endswith(".tmp")]
    assert {s["file"] for s in shards(tmp_path / "out")} <= files.keys()
