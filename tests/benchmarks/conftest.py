import csv
import sys
from pathlib import Path

import pytest

from gnomon.generators import create

# For small_models, which stand for the true ones on a CPU.
sys.path.insert(0, str(Path(__file__).parents[1] / "pipeline"))


@pytest.fixture(scope="session")
def dials(tmp_path_factory):
    """Twenty-four drawn dials in six groups, as a folder with labels.csv."""
    folder = tmp_path_factory.mktemp("needles")
    generator = create("gauge", instruments=["dial"], size=160)
    with (folder / "labels.csv").open("w", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(["image", "value", "camera"])
        for index in range(24):
            sample = generator[index]
            sample.image.save(folder / f"{index}.png")
            rows.writerow([f"{index}.png", sample.target.write(), f"camera {index % 6}"])
    return folder
