"""The room is light until asked, and has a name for every function that users call."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import gnomon.eval
from gnomon import answers
from gnomon.answers import registry

PUBLIC = gnomon.eval._EXPORTS | registry.metric_import_paths() | registry.reader_import_paths()


def loaded_after(code):
    names = ["scipy", "numpy", "matplotlib", "jinja2", "torch", "PIL", "pydantic"]
    program = f"import sys; {code}; print(*[n for n in {names} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_names_cost_nothing():
    assert loaded_after("from gnomon.eval import METRICS, parse_time, parse_box, iou") == set()


@pytest.mark.slow
def test_scoring_needs_no_torch_and_draws_nothing():
    assert loaded_after("from gnomon.eval import score, table") <= {"scipy", "numpy"}
    assert "torch" not in loaded_after("from gnomon.eval import write_report")


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_there_and_hidden_by_no_module(name):
    """`import gnomon.eval.x` sets gnomon.eval.x: no module may have a public function's name."""
    assert callable(getattr(gnomon.eval, name))
    with pytest.raises(ModuleNotFoundError):
        __import__(f"gnomon.eval.{name}")


def test_no_public_reader_of_an_answer_type_is_missing():
    public = set()
    for file in Path(answers.__file__).parent.glob("*/read.py"):
        module = import_module(f"gnomon.answers.{file.parent.name}.read")
        public |= {
            name
            for name, value in vars(module).items()
            if callable(value)
            and not isinstance(value, type)
            and not name.startswith("_")
            and value.__module__ == module.__name__
        }
    assert set(registry.reader_import_paths()) == public
