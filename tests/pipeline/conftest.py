import copy
import sys
from functools import cache
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))

import gnomon.pipeline._bitsandbytes  # noqa: F401 - before the toys import PEFT

# isort: split
from pipeline_toys import BLANK
from small_models import FAMILIES, build

from gnomon.pipeline.load import Loaded, load
from gnomon.recipe import Model

THIRD_PARTY = [
    # PEFT asks whether the model checkpoints its activations by the name that transformers renamed.
    "ignore:`is_gradient_checkpointing` is deprecated:FutureWarning",
    # transformers 5.18 names an argument of its own layer so.
    "ignore:`hidden_state` is deprecated and will be removed in version v5.20:FutureWarning",
    # bitsandbytes 0.49 asks torch for a check that newer ones no longer want.
    "ignore:_check_is_size will be removed:FutureWarning",
]
"""Warnings that are not ours to mend; every other one is an error."""


QUICK = ("qwen2-vl", "qwen3.5", "mllama", "internvl")
"""Families that every test is of: by their positions, recurrent layers, cross-attention and tiles
they are the furthest apart. What a test holds of the others is slow."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            for line in THIRD_PARTY:
                item.add_marker(pytest.mark.filterwarnings(line))
            name = getattr(item, "callspec", None) and item.callspec.params.get("name")
            if name in FAMILIES and name not in QUICK:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Matrices this small only wait for one another on several; shared fixtures train, too."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True)
def the_same_seed():
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def blank():
    """The embedded model's architecture with weights drawn from the seed.

    Never give it to a trainer, which patches its forward: `copied` and `fresh` are for that.
    """
    return load(BLANK)


@pytest.fixture
def fresh(blank):
    """A copy of it that a test may train."""
    return Loaded(copy.deepcopy(blank.model), blank.processor, blank.family)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    """The same as a checkpoint on disk, which can be loaded in 4 bits."""
    folder, loaded = tmp_path_factory.mktemp("checkpoint"), load(BLANK)
    loaded.model.save_pretrained(folder)
    loaded.processor.save_pretrained(folder)  # of its own: who answers pads `blank`'s on the left
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """The folder of a family's or an architecture's small checkpoint, written when asked for."""
    return cache(lambda name: build(name, tmp_path_factory.mktemp(name)))


@pytest.fixture(scope="module", params=FAMILIES)
def name(request):
    """Every family that is registered."""
    return request.param


@pytest.fixture(scope="module")
def folder(name, small):
    return small(name)


@pytest.fixture(scope="module")
def exact(folder):
    """A family's small model in float32, not quantised; nothing may change it."""
    loaded = load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))
    loaded.model.eval()
    return loaded
