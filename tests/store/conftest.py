import sys
from pathlib import Path

import pytest

from gnomon import generators

# Spawned workers import the toys by name, and find them by the path that they take over.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def toy_kind(monkeypatch):
    monkeypatch.setitem(generators.KINDS, "toy", "store_toys:Toy")
