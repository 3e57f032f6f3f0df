import sys
from pathlib import Path

import pytest

from gnomon import generators

# Spawned workers import the toys by name, and find them by the path that they take over.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def toy_kind(monkeypatch):
    monkeypatch.setitem(generators.KINDS, "toy", "store_toys:Toy")


@pytest.fixture
def load_dataset(tmp_path, monkeypatch):
    """As datasets has it, without a network."""
    for name in ("HF_HOME", "HF_DATASETS_CACHE", "HF_HUB_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    return lambda *what, **options: datasets.load_dataset(
        *map(str, what), cache_dir=str(tmp_path / "cache"), **options
    )


@pytest.fixture
def hub(monkeypatch):
    """Put columns of rows where the hub's library would find them."""
    datasets = pytest.importorskip("datasets")

    def put(features=None, splits=("train",), **rows):
        data = datasets.Dataset.from_dict(rows, features and datasets.Features(features(datasets)))
        monkeypatch.setattr(datasets, "load_dataset", lambda _: dict.fromkeys(splits, data))

    return put
