"""Engines by name; and what a machine that does not see the directory sends home."""

import pickle
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from store_toys import toys, tree

from gnomon import cli, store
from gnomon.names import UnknownNameError
from gnomon.store import manifest as manifests
from gnomon.store.layout import SplitPlan
from gnomon.store.writing import formats
from gnomon.store.writing.engines import create
from gnomon.store.writing.formats import FORMATS
from gnomon.store.writing.shard import write_shard
from gnomon.store.writing.transfer import Sent, put, writing_afar


@pytest.fixture(params=FORMATS)
def plan(tmp_path, request):
    (tmp_path / "home").mkdir()
    return planned(tmp_path / "home", request.param)


def planned(root, form):
    made = SplitPlan(toys(), root, "train", 20, 2, formats.create(form))
    (root / made.file(0)).parent.mkdir(parents=True)
    return made


@pytest.fixture
def expected(plan, tmp_path):
    """A shard's entry and the files, as they are written at home."""
    there = planned(tmp_path / "there", plan.format.name)
    return write_shard(there, 1), tree(there.root)


def afar(write, number):
    """On a machine to which the job was sent."""
    return pickle.loads(pickle.dumps(write))(number)


def test_a_machine_that_sees_the_directory_writes_there(plan, expected, monkeypatch):
    monkeypatch.chdir(plan.root.parent)
    with writing_afar(replace(plan, root=Path("home"))) as write:
        monkeypatch.chdir("/")
        assert afar(write, 1) == Sent(expected[0], {})
    assert tree(plan.root) == expected[1]


def test_one_that_does_not_sends_its_shard_home(plan, expected):
    with writing_afar(plan) as write:
        pass  # the file by which it knows the directory is gone
    sent = afar(write, 1)
    assert tree(plan.root) == {}
    assert put(plan.root, sent) == expected[0]
    assert tree(plan.root) == expected[1]


def test_a_machine_of_other_versions_is_refused(plan, monkeypatch):
    with writing_afar(plan) as write:
        versions = {**manifests.versions(), "pillow": "1.0"}
        monkeypatch.setattr(manifests, "versions", lambda: versions)
        with pytest.raises(ValueError, match=r'has other versions: pillow is ".*" there, "1\.0"'):
            afar(write, 1)


def test_an_unknown_engine_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UnknownNameError, match="unknown engine 'rays': did you mean ray"):
        store.write(toys(), tmp_path / "out", n=1, engine="rays")
    assert not (tmp_path / "out").exists()


def test_without_ray_the_extra_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install '\.\[ray\]' in gnomon's clone"):
        create("ray", None)
    words = ["generate", "clock", "--n", "1", "--engine", "ray", "--out", str(tmp_path / "out")]
    assert cli.main(words) == 1
    told = "gnomon: engine='ray': ray is not here: pip install '.[ray]' in gnomon's clone\n"
    assert capsys.readouterr().err == told
    assert not (tmp_path / "out").exists()


def test_no_number_of_workers_is_every_core(tmp_path, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    store.write(toys(), tmp_path, n=10, workers=None, progress=False)
    assert len(store.open(tmp_path)) == 10
