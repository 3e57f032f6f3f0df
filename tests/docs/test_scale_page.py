"""The page on large datasets: its job for SLURM and its script for Ray, in small."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon import store
from gnomon.generators import create
from gnomon.store.records import to_record

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/scale.md").read_text()
N = 60


def shown(title):
    """Return the block of that title, with a small number of samples."""
    (text,) = re.findall(rf'^```\w+ title="{title}"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE)
    return text.replace("1000000", str(N)).replace("1_000_000", str(N))


@pytest.fixture
def environment(tmp_path):
    """Environment in which `gnomon` and python are those of the tests."""
    gnomon = tmp_path / "bin" / "gnomon"
    gnomon.parent.mkdir()
    gnomon.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gnomon "$@"\n')
    gnomon.chmod(0o755)
    path = f"{gnomon.parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def files(root):
    return {f.relative_to(root): f.read_bytes() for f in root.rglob("*") if f.is_file()}


@pytest.mark.slow
def test_the_jobs_of_an_array_write_what_one_command_writes(tmp_path, environment):
    job = shown("clocks.sbatch").replace("--workers 8", "--workers 1")
    (last,) = re.findall('--wrap "(.*)"', shown("submit.sh"))
    assert "#SBATCH --array=1-10\n" in job
    for number in (2, 1):
        task = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_TASK_COUNT": "2"}
        subprocess.run(["bash", "-c", job], cwd=tmp_path, env=environment | task, check=True)
    assert not (tmp_path / "clocks/manifest.json").exists()
    for command in (last, last.replace("--out clocks", "--out one")):
        subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, check=True)
    assert files(tmp_path / "clocks") == files(tmp_path / "one")
    assert store.verify(tmp_path / "clocks") == []


@pytest.mark.slow
def test_two_workers_of_ray_write_the_rows_of_generate(tmp_path, environment):
    pytest.importorskip("ray", reason="ray is not installed: pip install 'ray[data]'")
    import datasets

    two = f"import ray\nray.init(num_cpus=2, include_dashboard=False)\n{shown('clocks_ray.py')}"
    script = two.replace("batch_size=500", "batch_size=30")
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True)
    written = sorted(map(str, tmp_path.glob("clocks-ray/*.parquet")))
    assert len(written) == 2
    rows = datasets.load_dataset(
        "parquet", data_files=written, split="train", cache_dir=tmp_path / "cache"
    )
    assert rows[0]["image"].size == (224, 224)
    encoded = rows.cast_column("image", datasets.Image(decode=False))
    by_id = {row["id"]: row for row in encoded}
    clocks = create("clock", seed=1)
    assert [by_id[clocks.id(index)] for index in range(N)] == [
        to_record(clocks[index]) for index in range(N)
    ]
