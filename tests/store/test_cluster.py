"""Real Ray on this machine: the same bytes, whatever dies on the way."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from cluster_toys import QUIET, SMALL, Deadly, square, told
from store_toys import Listed, Toy, toys, tree

from gnomon import store
from gnomon.store.writing.cluster import installed, run

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra gnomon[ray]"),
]


def deadly(folder, lives):
    folder.mkdir()
    for life in range(lives):
        (folder / str(life)).touch()
    return Deadly(Toy(), folder)


def write(samples, out, **options):
    options = {"engine": "ray", "n": 120, "shards": 12, "workers": 2} | options
    return store.write(samples, out, progress=False, **options)


@pytest.fixture(scope="module", autouse=True)
def importable():
    """Ray's workers are no children of ours: they find the toys by the path alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
        yield


@pytest.fixture
def local(tmp_path):
    """What the local engine writes."""
    write(toys(), tmp_path / "local" / "out", engine="local", workers=1)
    return tree(tmp_path / "local" / "out")


def gnomon(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "gnomon", *map(str, words)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_verb_starts_a_ray_of_its_own(tmp_path):
    words = ["generate", "clock", "size=84", "--n", 40, "--out"]
    assert gnomon(*words, tmp_path / "local" / "out", "--workers", 1).returncode == 0
    found = gnomon(*words, tmp_path / "ray" / "out", "--engine", "ray")
    assert (found.returncode, found.stdout) == (0, f"{tmp_path / 'ray' / 'out'}\n")
    assert found.stderr == ""
    assert tree(tmp_path / "ray") == tree(tmp_path / "local")


def test_an_address_where_nobody_answers_is_one_line(monkeypatch):
    """Ray's own message stands first on several; a real one comes after three minutes."""

    def refuse(address, **options):
        raise ConnectionError(f"Could not reach {address}.\nNow what?")

    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    monkeypatch.setattr(installed(), "init", refuse)
    with pytest.raises(
        ConnectionError, match=r"^RAY_ADDRESS=head:6379: Could not reach head:6379.$"
    ):
        run(square, [0], workers=1, done=print)


def test_a_driver_outside_of_the_cluster_is_told_where_to_start(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "ray://head:10001")
    with pytest.raises(ValueError, match=r"RAY_ADDRESS=ray://head:10001: start it on a machine of"):
        run(square, [0], workers=1, done=print)


def test_a_machine_that_dies_takes_nothing_along(local, tmp_path):
    script = Path(__file__).with_name("cluster_toys.py")
    subprocess.run([sys.executable, script, tmp_path / "out"], check=True, timeout=300)
    assert tree(tmp_path / "out") == local


@pytest.fixture(scope="module")
def ray(importable):
    """Two cores, connected as a user's script may be."""
    found = installed()
    found.init("local", num_cpus=2, include_dashboard=False, **SMALL, **QUIET)
    yield found
    found.shutdown()


@pytest.mark.parametrize("workers", [None, 1])
def test_every_number_is_done_once(ray, workers):
    results = []
    run(square, range(9), workers=workers, done=lambda *pair: results.append(pair))
    assert sorted(results) == [(n, n * n) for n in range(9)]


def test_workers_report_to_nobody_and_are_where_the_user_is(ray, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = {}
    run(told, [0], workers=None, done=results.__setitem__)
    assert results == {0: ("0", str(tmp_path))}


def test_ray_writes_the_local_engines_bytes(ray, local, tmp_path):
    write(toys(), tmp_path / "out")
    assert tree(tmp_path / "out") == local
    assert ray.is_initialized()  # the script's own connection stays


@pytest.mark.parametrize("form", ["imagefolder", "webdataset"])
def test_every_format_is_written(ray, tmp_path, form):
    for engine in ("local", "ray"):
        write(toys(), tmp_path / engine / "out", engine=engine, format=form)
    assert tree(tmp_path / "ray") == tree(tmp_path / "local")


def test_a_directory_named_from_where_the_user_is(ray, local, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(toys(), "out")
    assert tree(tmp_path / "out") == local


@pytest.mark.parametrize("lives", [1, 3])
def test_a_shard_whose_worker_is_killed_is_drawn_again(ray, local, tmp_path, lives):
    samples = deadly(tmp_path / "lives", lives)
    write(samples, tmp_path / "out")
    assert not list(samples.lives.iterdir())
    assert tree(tmp_path / "out") == local  # and nothing half-written


def test_a_shard_that_kills_every_worker_ends_the_run_and_what_is_whole_is_kept(
    ray, local, tmp_path
):
    samples = deadly(tmp_path / "lives", 99)
    with pytest.raises(ChildProcessError, match=r"died 4 times .* run it again to go on"):
        write(samples, tmp_path / "out")
    kept = tree(tmp_path / "out")
    assert not [file for file in kept if file.endswith(".tmp")]
    assert {file: found for file, found in kept.items() if file.startswith("data/")}.items() < (
        local.items()
    )
    write(toys(), tmp_path / "out", engine="local")
    assert tree(tmp_path / "out") == local


def test_an_error_of_the_drawing_keeps_its_own_message(ray, tmp_path):
    broken = Listed((ValueError("no such dial"),))
    with pytest.raises(ValueError, match=r"^no such dial$"):
        write(broken, tmp_path, n=1, shards=1)
    assert tree(tmp_path).keys() == {"manifest.json"}


def test_a_package_that_workers_lack_is_named(ray, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def job(number): return number\n")
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    with pytest.raises(
        ValueError, match=r"No module named 'only_here': install the same on all machines"
    ):
        run(only_here.job, [0], workers=1, done=print)
