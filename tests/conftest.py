"""Paths, Hypothesis's profile, and a line at the end about the tests that were left out."""

import gc
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
# For real_tokenizers, which several rooms use; and for benchmarks, which is no installed package.
sys.path[:0] = [str(HERE), str(HERE.parent)]

# A busy machine is no defect: examples have no deadline. In CI, Hypothesis's own profile holds.
settings.register_profile(
    "gnomon", settings.get_profile(settings.get_current_profile_name()), deadline=None
)
settings.load_profile("gnomon")


@pytest.fixture(autouse=True)
def _kinds_as_before():
    """Forget the kinds of a user's that a test registers: others list all kinds."""
    registry = sys.modules.get("gnomon.generators.registry")
    before = dict(registry.KINDS) if registry else None
    yield
    registry = sys.modules.get("gnomon.generators.registry")
    if registry and before is not None and before != registry.KINDS:
        registry.KINDS.clear()
        registry.KINDS.update(before)


def pytest_collection_finish():
    """A trainer collects garbage when it ends: it need not look through all that was imported."""
    gc.collect()
    gc.freeze()


LEFT_OUT = pytest.StashKey[Counter]()
"""Tests that -m left out, by "slow FOLDER" or "long FOLDER"."""


def pytest_deselected(items):
    """Count them where they are collected: in each worker of xdist, else in the one process."""
    for item in items:
        counts = item.config.stash.setdefault(LEFT_OUT, Counter())
        folder = Path(item.location[0]).parts[1].removesuffix(".py")
        for mark in ("long", "slow"):  # what takes minutes may be marked slow as well
            if item.get_closest_marker(mark) and f"not {mark}" in item.config.option.markexpr:
                counts[f"{mark} {folder}"] += 1
                break
    if items and hasattr(items[0].config, "workeroutput"):
        items[0].config.workeroutput["left_out"] = dict(counts)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take the counts of a worker; all workers have collected the same."""
    node.config.stash[LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter, config):
    """Say what `make test` left out, and what runs it."""
    counts = config.stash.get(LEFT_OUT, Counter())
    for mark, what in WHAT_IS.items():
        folders = Counter({k.split()[1]: n for k, n in counts.items() if k.startswith(mark)})
        if total := folders.total():
            most = ", ".join(f"{folder} {n:,}" for folder, n in folders.most_common(4))
            terminalreporter.write_line(
                f"{total:,} {mark} tests ({what}; {most}) were left to `make test-{mark}`"
            )


WHAT_IS = {
    "slow": "more tokenizers, families and levels, two processes, kills",
    "long": "trainings of minutes, every page and notebook",
}
