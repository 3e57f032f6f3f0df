import subprocess
import sys

import pytest

import gnomon.losses
import gnomon.pipeline
from gnomon.commands._parser import VERBS

HEAVY = ("torch", "transformers", "matplotlib", "albumentations", "datasets", "scipy")
ROOMS = (
    "gnomon.recipe",
    "gnomon.generators",
    "gnomon.losses",
    "gnomon.eval",
    "gnomon.store",
    "gnomon.pipeline",
    "gnomon.pipeline.families",
    *(f"gnomon.commands.{verb}" for verb in VERBS),
)


def loaded_by(statement):
    script = f"import sys; {statement}; print(*sorted({set(HEAVY)} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return out.stdout.split()


def test_importing_all_rooms_loads_nothing_heavy():
    assert loaded_by("import " + ", ".join(ROOMS)) == []


def test_checking_names_loads_nothing_heavy():
    """`gnomon ls` and a recipe's check come before anything that takes seconds to import."""
    assert (
        loaded_by(
            "from gnomon import recipe, losses; from gnomon.pipeline import families;"
            " families.load('qwen2-vl'); families.locate('gnomon-tiny'); losses.check('ntil');"
            " recipe.configs()"
        )
        == []
    )


@pytest.mark.parametrize("room", [gnomon.losses, gnomon.pipeline])
def test_an_unknown_name_is_an_attribute_error(room):
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = room.Nothing
