"""The table "to add / touch" of CONTRIBUTING.md: each row is done as it says, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gnomon

ROOT = Path(gnomon.__file__).parents[1]
PAGE = (ROOT / "docs" / "howto" / "kind.md").read_text(encoding="utf-8")
DICE = re.search(r'```python title="dice.py"\n(.*?)```', PAGE, re.DOTALL)[1]
OWN = '''
from collections.abc import Mapping
from typing import ClassVar

from torch.nn.functional import huber_loss

from gnomon.losses.base import NumericLoss
from gnomon.pipeline.families.tiny import GnomonTiny


class Huber(NumericLoss):
    """Huber's loss of the expected value of each digit."""

    parts = {"huber": "digits"}

    def terms(self, scores, spans):
        v, y = self.vocab.values_at(spans, scores.dtype)
        return {"huber": huber_loss((v * scores.softmax(-1)).sum(-1), y, reduction="none")}


class Polite(GnomonTiny):
    """The embedded model under another name."""

    name: ClassVar[str] = "polite"
'''
RECIPE = """
data: [{kind: "dice:Dice", options: {size: 32, dice: 2}}]
model: {name: gnomon-tiny, family: "own:Polite"}
loss: {name: "own:Huber"}
train: {samples: 8, per_device_train_batch_size: 4, max_steps: 2}
eval: {samples: 4}
"""


def ran(*words, cwd, path=ROOT, code=0):
    """What a command of a tree printed, in a process of its own."""
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env={"PYTHONPATH": str(path), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.mark.slow
def test_a_generator_a_loss_and_a_family_of_ones_own_are_trained_with(tmp_path):
    """Named in the recipe; a stored run may not name code, unless it is allowed."""
    (tmp_path / "dice.py").write_text(DICE)
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "my.yaml").write_text(RECIPE)
    command = ("-W", "ignore", "-m", "gnomon")
    told = ran(*command, "run", "my.yaml", "--out", "run", "--workers", 1, cwd=tmp_path)
    assert "report: run/report.html" in told
    log = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert any("huber" in line for line in log)
    told = ran(*command, "predict", "run", cwd=tmp_path, code=2)
    places = ("dice:Dice", "own:Polite", "own:Huber")
    assert f"run/recipe.yaml names code outside gnomon: {', '.join(places)}" in told
    allowed = [word for place in places for word in ("--plugins", place)]
    assert f"name it as a plug-in: {' '.join(allowed)}" in told
    ran(*command, "predict", "run", *allowed, cwd=tmp_path)
    listed = ran(*command, "ls", "dice:Dice", cwd=tmp_path)
    assert "Number of dice; 1 to 6. [3]" in listed
    told = ran(*command, "preview", "dice:Nope", "-o", "x.png", cwd=tmp_path, code=2)
    assert "'dice:Nope' cannot be imported: module 'dice' has no attribute 'Nope'" in told


@pytest.fixture
def tree(tmp_path):
    """A copy of the package, to add to."""
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "gnomon", tree / "gnomon", ignore=shutil.ignore_patterns("__pycache__"))
    return tree


def line(tree, file, before, added):
    """What the table calls a line, put into a file of the tree."""
    text = (tree / file).read_text()
    assert text.count(before) == 1
    (tree / file).write_text(text.replace(before, before + added))


@pytest.mark.slow
def test_the_contract_of_all_generators_holds_of_the_dice(tmp_path):
    shared = ("tests/conftest.py", "tests/quick.py", "pyproject.toml")
    for part in ("gnomon", "tests/generators", *shared):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        (tmp_path / part).parent.mkdir(exist_ok=True)
        copy(ROOT / part, tmp_path / part)
    folder = tmp_path / "gnomon/generators/dice"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "generator.py").write_text(DICE)
    registered = '    "dice": "gnomon.generators.dice.generator:Dice",\n'
    line(tmp_path, "gnomon/generators/registry.py", "KINDS = {\n", registered)
    (solved,) = re.findall('    "dice": lambda .*\n', (ROOT / "CONTRIBUTING.md").read_text())
    line(tmp_path, "tests/generators/solvers.py", "SOLVERS = {\n", solved)
    # Three dice have 216 throws: another seed shows some of them again.
    chosen = ("-m", "not long", "-k", "dice and not other_seeds")
    told = ran(
        *("-m", "pytest", "-q", "tests/generators/test_contract.py", *chosen),
        cwd=tmp_path,
        path=tmp_path,
    )
    passed = re.search(r"(\d+) passed", told)
    assert int(passed[1]) >= 15


ANSWER = '''"""A temperature, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gnomon.answers.base.target import AnswerForm, Size, Target


@dataclass(frozen=True, slots=True)
class TemperatureForm(AnswerForm):
    """Form of a temperature."""

    name: ClassVar[str] = "temperature"

    def read_back(
        self, text: str, dialect: Any = None, size: Size | None = None
    ) -> Temperature | None:
        number = text.removesuffix(" °C")
        return Temperature(int(number)) if number.lstrip("-").isdigit() else None

    def to_json(self) -> dict[str, Any]:
        return {"degrees": 0}


@dataclass(frozen=True, slots=True)
class Temperature(Target):
    """Degrees Celsius."""

    name: ClassVar[str] = "temperature"
    form_type: ClassVar[type[AnswerForm]] = TemperatureForm

    degrees: int

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        return f"{self.degrees} °C"
'''
MEASURE = '''"""Metrics of temperatures."""

from operator import eq

from gnomon.answers.base.answer_type import AnswerType
from gnomon.answers.base.answer_type import ErrorHistogram, Metric
from gnomon.answers.reading.base import Reading
from gnomon.answers.temperature.answer import Temperature


def degrees_off(prediction: int, target: int) -> float:
    """|p − t| in degrees."""
    return float(abs(prediction - target))


class TemperatureType(AnswerType):
    """Degrees are whole."""

    target = Temperature
    title = "Temperature"
    metrics = (
        Metric("exact", "Exactly right", eq, headline=True),
        Metric("off", "Degrees off", degrees_off, "mean", "read", "°C", "lower", headline=True),
        Metric("unread", "Could not be read", better="lower", headline=True),
    )
    cost_measure = "off"
    error_histogram = ErrorHistogram("Right or wrong", "exact", (1,), ("wrong", "right"))

    def read(self, text, form, *, which, dialect, size):
        found = form.read_back(text.strip())
        return Reading(found.degrees, (0, len(text)), "degrees") if found else None

    def value_of(self, truth):
        return truth.degrees

    def display(self, value):
        return f"{value} °C"


TYPES = {"temperature": TemperatureType()}
'''
BENCHMARK = '''"""A benchmark of fevers."""

from gnomon.answers.temperature.answer import Temperature
from gnomon.store.benchmarks import split_of_file
from gnomon.store.user_data.table import UserRow


def rows(line, raw, file):
    """One temperature a row.

    Fever charts (made up), JSONL of `question` and `degrees`.
    """
    asked = raw["question"]
    yield UserRow(line, None, asked, Temperature(raw["degrees"]), asked, split_of_file(file))
'''
FORMAT = '''"""Parquet in a file of another name."""

from gnomon.store.formats.parquet import Parquet


class Columns(Parquet):
    """The same bytes as Parquet."""

    name = "columns"
    suffix = ".columns"
'''
USE = """
from pathlib import Path

from gnomon import store
from gnomon.commands import main
from gnomon.eval import METRICS, RunResult, score, table, write_report
from gnomon.recipe import Source
from gnomon.sample import Prediction, target_from_json, target_to_json
from gnomon.store.writing.census import Census

rows = "\\n".join(f'{{"question": "Fever of patient {n}?", "degrees": {n}}}' for n in range(35, 42))
Path("fever.jsonl").write_text(rows)
asked = store.mixture((Source(path="fever.jsonl", benchmark="fever"),), split="test", seed=0)
assert [target_from_json(target_to_json(s.target)) for s in asked] == [s.target for s in asked]
said = ["35 °C", "40 °C", "cold", *(f"{n} °C" for n in range(38, 42))]
answers = [Prediction(s.id, text, None, "plain") for s, text in zip(asked, said, strict=True)]
run = RunResult("before", score(answers, asked), answers)
print(table([run]))
write_report("report.html", [run], samples={s.id: s for s in asked})
store.write(asked, Path("data"), n=7, split="test", workers=1, format="columns")
print([s.target.degrees for s in store.open(Path("data"), "test")])
print(METRICS["degrees_off"], METRICS["signed_error"])
for what in ("metrics", "benchmarks"):
    main(["ls", what])
"""


@pytest.mark.slow
def test_an_answer_type_a_metric_a_benchmark_and_a_format_touch_what_the_table_names(
    tmp_path, tree
):
    assert (ANSWER + MEASURE).count("    def ") <= 8
    folder = tree / "gnomon/answers/temperature"
    folder.mkdir()
    for name, text in {"answer": ANSWER, "measure": MEASURE}.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "__init__.py").write_text("")
    line(
        tree,
        "gnomon/answers/registry.py",
        '    "gnomon.answers.table.measure:TYPES",\n',
        '    "gnomon.answers.temperature.measure:TYPES",\n',
    )
    (tree / "gnomon/store/benchmarks/fever.py").write_text(BENCHMARK)
    line(tree, "gnomon/store/benchmarks/__init__.py", 'BENCHMARKS = {\n',
         '    "fever": "gnomon.store.benchmarks.fever:rows",\n')  # fmt: skip
    (tree / "gnomon/store/formats/columns.py").write_text(FORMAT)
    line(
        tree,
        "gnomon/store/formats/__init__.py",
        "FORMATS = {\n",
        '    "columns": "gnomon.store.formats.columns:Columns",\n',
    )
    signed = '''def signed_error(prediction: Numeric, target: Numeric) -> float:
    """p − t."""
    return float(prediction) - float(target)


_error ='''
    number = tree / "gnomon/answers/number/measure.py"
    number.write_text(number.read_text().replace("_error =", signed, 1))
    line(
        tree,
        "gnomon/answers/number/measure.py",
        '    _error("error", "Mean absolute error (MAE)", absolute_error),\n',
        '    _error("bias", "Mean signed error", signed_error),\n',
    )
    told = ran("-c", USE, cwd=tmp_path, path=tree)
    assert "Temperature" in told
    assert re.search(r"Degrees off +0\.67 °C", told)
    assert "[35, 36, 37, 38, 39, 40, 41]" in told
    assert "gnomon.answers.temperature.measure:degrees_off" in told
    assert "signed_error" in told
    assert "Fever charts (made up)" in told
    page = (tmp_path / "report.html").read_text()
    assert "Temperature" in page
    assert "40 °C" in page


VERB = '''"""Greetings."""

from gnomon.commands._parser import Few
from gnomon.terminal import show


def greet(name: str, *, times: Few = 1) -> None:
    """Greet somebody.

    Example: gnomon greet Ada --times 2

    name NAME: a person
    times N: number of greetings (1)
    """
    show(*[f"Hello, {name}"] * times)
'''


@pytest.mark.slow
def test_a_verb_is_one_file_and_one_line(tmp_path, tree):
    (tree / "gnomon/commands/greet.py").write_text(VERB)
    line(tree, "gnomon/commands/_parser.py", "VERBS = (\n", '    "greet",\n')
    command = ("-m", "gnomon")
    assert re.search(r"greet +greet somebody\n", ran(*command, "--help", cwd=tmp_path, path=tree))
    told = ran(*command, "greet", "--help", cwd=tmp_path, path=tree)
    assert re.search(r"--times N +number of greetings \(1\)", told)
    assert "Example: gnomon greet Ada --times 2" in told
    told = ran(*command, "greet", "Ada", "--times", 2, cwd=tmp_path, path=tree)
    assert told == "Hello, Ada\nHello, Ada\n"
    told = ran(*command, "greet", "Ada", "--times", 0, cwd=tmp_path, path=tree, code=2)
    assert "argument --times: 0: give a whole number, 1 to 1,024" in told
