"""The notebooks run from top to bottom in a kernel of their own, with small budgets."""

import os
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import nbformat
import pytest
import torch
from IPython.core.inputtransformer2 import TransformerManager
from nbclient import NotebookClient

BOOKS = Path(__file__).parents[2] / "examples"
SMALL = {
    "first_hour": "PICTURES, STEPS = 240, 22",  # fewer steps are warned of, and more views
    "demo": "STEPS, QUESTIONS = 21, 4",  # more than the recipe's warm-up
    "losses": "STEPS = 5",
    "own_pictures": "STEPS, PICTURES = 1, 400",
}
"""What replaces the cell that is tagged `parameters`."""
ANSWERS = {
    "first_hour": r"(?m)^IMG_\d+\.png: .* to .*%",  # of the calibrated run
    "demo": r"(?m)^speedometer 2: .*km/h, and the true speed is \d",
    "own_pictures": r"(?m)^009\.jpg: .*\d:\d\d",
}
LARGEST = 4096
"""Bytes that the stored outputs of a notebook may take."""


def books():
    return {path.stem: nbformat.read(path, as_version=4) for path in BOOKS.glob("*.ipynb")}


def tagged(book, tag):
    (cell,) = (cell for cell in book.cells if tag in cell.metadata.get("tags", ()))
    return cell


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "losses" else pytest.mark.long) for name in SMALL],
)
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    book = books()[name]
    tagged(book, "parameters").source = SMALL[name]
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(BOOKS.parent))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # so that no model is downloaded
    NotebookClient(
        book, timeout=1200, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    said = "\n".join(
        output.get("text", "") for cell in book.cells for output in cell.get("outputs", ())
    )
    assert not re.search(r"(?m)^gnomon: |Traceback", said), said
    if name == "losses":
        assert said.count("on average") == 4
    else:
        assert re.search(ANSWERS[name], said), said
        assert "Could not be read" in said
        assert "chance" in said
        assert (tmp_path / "report.html").is_file()


def test_every_notebook_is_run_and_keeps_small_outputs():
    assert set(books()) == set(SMALL)
    for book in books().values():
        nbformat.validate(book)
        outputs = [cell.outputs for cell in book.cells if cell.cell_type == "code"]
        assert len(str([output for output in outputs if output])) < LARGEST


def test_every_notebook_begins_with_the_installation_and_the_model():
    for book in books().values():
        first, second, *_ = (cell for cell in book.cells if cell.cell_type == "code")
        assert (first, second) == (tagged(book, "install"), tagged(book, "model"))
    for tag in ("install", "model"):
        assert len({tagged(book, tag).source for book in books().values()}) == 1


@pytest.mark.parametrize("is_colab", [True, False])
def test_the_installation_runs_in_colab_only(is_colab, monkeypatch):
    if is_colab:
        monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    calls = []
    shell = SimpleNamespace(run_line_magic=lambda *words: calls.append(words))
    source = TransformerManager().transform_cell(tagged(books()["demo"], "install").source)
    exec(source, {"get_ipython": lambda: shell})  # as a notebook's kernel runs a cell
    assert [(magic, "gnomon-vlm[train] @ git+" in words) for magic, words in calls] == [
        ("pip", True)
    ] * is_colab


@pytest.mark.parametrize(
    ("has_gpu", "model"), [(True, "Qwen/Qwen2-VL-2B-Instruct"), (False, "gnomon-tiny")]
)
def test_a_gpu_gets_the_real_model(has_gpu, model, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_gpu)
    namespace = {}
    exec(tagged(books()["demo"], "model").source, namespace)
    assert namespace["MODEL"] == model
