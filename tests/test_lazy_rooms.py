"""Importing a package, and checking names, loads nothing that takes seconds."""

import subprocess
import sys

import pytest

import gnomon.eval
import gnomon.losses
import gnomon.pipeline
from gnomon import store
from gnomon.commands._parser import VERBS

HEAVY = {"torch", "transformers", "matplotlib", "albumentations", "datasets", "scipy"}
ROOMS = ("recipe", "generators", "losses", "eval", "pipeline", "pipeline.families",
         *(f"commands.{verb}" for verb in VERBS))  # fmt: skip
STEPS = f"""
import sys

def check(heavy):
    print(heavy & {{*sys.modules}})

import gnomon.store
check({{"pyarrow", "cv2", "numpy"}})
import {", ".join(f"gnomon.{room}" for room in ROOMS)}
check({HEAVY})
from gnomon import recipe, losses
from gnomon.pipeline import families
families.load("qwen2-vl")
families.locate("gnomon-tiny")
losses.check("ntil")
recipe.configs()
check({HEAVY})
import gnomon.generators.chart, gnomon.runs.start_run
check({{"gnomon.generators.faces", "gnomon.runs.reader"}})
"""


def test_importing_rooms_and_checking_names_loads_nothing_heavy():
    """`gnomon ls` and a recipe's check come before anything that takes seconds to import."""
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, check=True)
    assert done.stdout == 4 * "set()\n"


@pytest.mark.parametrize("room", [gnomon.eval, gnomon.losses, gnomon.pipeline, store])
def test_an_unknown_name_is_an_attribute_error(room):
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = room.Nothing


def test_every_public_name_of_the_store_is_there_even_after_its_module_is_loaded():
    for name in store._EXPORTS:
        assert callable(getattr(store, name))
