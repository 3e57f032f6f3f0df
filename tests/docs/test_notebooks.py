"""The notebooks run from top to bottom in a kernel of their own, with small budgets."""

import os
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

BOOKS = Path(__file__).parents[2] / "examples"
SMALL = {
    "first_hour": "PICTURES, STEPS = 240, 22",  # fewer steps are warned of, and more views
    "demo": "STEPS, QUESTIONS = 21, 4",  # more than the recipe's warm-up
    "losses": "STEPS = 5",
    "own_pictures": "MODEL, STEPS, PICTURES = 'gnomon-tiny', 1, 400",
}
"""What stands in for the values of the cell that is tagged `parameters`."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "losses" else pytest.mark.long) for name in SMALL],
)
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    book = nbformat.read(BOOKS / f"{name}.ipynb", as_version=4)
    (given,) = [cell for cell in book.cells if "parameters" in cell.metadata.get("tags", ())]
    given.source = SMALL[name]
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(BOOKS.parent))
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
        columns = ",low,high,confidence,refused" if name == "first_hour" else ""
        assert re.search(f"(?m)^file,answer{columns}\\r?$", said)
        assert "Could not be read" in said


def test_every_notebook_is_run_and_is_kept_without_outputs():
    books = {path.stem: nbformat.read(path, as_version=4) for path in BOOKS.glob("*.ipynb")}
    assert set(books) == set(SMALL)
    install = {book.cells[1].source for book in books.values()}
    assert len(install) == 1
    for book in books.values():
        nbformat.validate(book)
        assert not any(cell.get("outputs") for cell in book.cells)
