import ast
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import get_type_hints

import pytest
import yaml
from case_tables import rows, table
from hypothesis import given
from hypothesis import strategies as st

from gnomon import recipe
from gnomon.recipe import Eval, Loss, Model, Recipe, RecipeError, Source, Train, flatten

ROOT = Path(__file__).parents[2] / "configs"
# What lies in configs/accelerate is accelerate's own; overlays.yaml is laid over the others.
CONFIGS = sorted(
    set(ROOT.rglob("*.yaml"))
    - {*(ROOT / "accelerate").rglob("*.yaml"), ROOT / "bases" / "overlays.yaml"}
)
CLOCKS = {"data": [{"kind": "clock"}]}
DATACLASSES = (Source, Model, Loss, Train, Eval, Recipe)


@pytest.fixture
def write(tmp_path):
    def written(text):
        file = tmp_path / "recipe.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    return written


def load(path, overrides=()):
    """A recipe's file or shipped name, with overrides, validated."""
    file = recipe.find(path)
    return recipe.validate(
        Recipe, recipe.override(recipe.parse_file(file), overrides), name=str(file)
    )


def complaint(raw):
    with pytest.raises(RecipeError) as told:
        recipe.validate(recipe.Recipe, raw)
    return str(told.value)


def test_defaults_come_back_from_yaml(write):
    opened = recipe.validate(recipe.Recipe, CLOCKS)
    assert opened == Recipe(data=(Source(kind="clock"),))
    assert load(write(recipe.to_yaml(opened))) == opened


def test_every_default_is_written_out():
    # YAML 1.1 reads the key `on` as true.
    plain = recipe.parse(recipe.to_yaml(recipe.validate(recipe.Recipe, CLOCKS)), name="all")
    for section, kind in (("model", Model), ("loss", Loss), ("train", Train), ("eval", Eval)):
        assert list(plain[section]) == [f.name for f in fields(kind)]


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
options = st.dictionaries(st.text(min_size=1), scalars | st.lists(scalars, max_size=3), max_size=3)
words = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.builds(
        Recipe,
        data=st.lists(
            st.builds(Source, kind=words, weight=st.floats(1e-9, 1e9)), min_size=1, max_size=3
        ).map(tuple),
        model=st.builds(Model, name=words, max_pixels=st.none() | st.integers(1, 10**8)),
        loss=st.builds(Loss, weight=st.floats(0, 1e9)),
        train=st.builds(Train, learning_rate=st.floats(1e-12, 1), lr_scheduler_type=words),
        eval=st.builds(Eval, samples=st.integers(1, 10**8)),
        seed=st.integers(0, 2**32 - 1),
    )
)
def test_any_recipe_comes_back_from_yaml(tmp_path_factory, opened):
    file = tmp_path_factory.mktemp("yaml") / "recipe.yaml"
    file.write_text(recipe.to_yaml(opened), encoding="utf-8")
    assert load(file) == opened


@pytest.mark.parametrize("word", ["1e3", "2e-5", "no", "null", "0x10", "2024-10-05", "~", "1_000"])
def test_a_name_that_looks_like_a_value_stays_a_name(write, word):
    opened = replace(recipe.validate(recipe.Recipe, CLOCKS), model=Model(name=word))
    assert load(write(recipe.to_yaml(opened))).model.name == word


def test_a_gauge_with_a_number_of_parts_has_no_steps():
    gauge = Source(kind="gauge", options={"scales": ["km/h 0 220 20 5"], "parts": 5})
    assert not gauge.has_steps
    parts = [{"kind": "clock", "options": {"answer": "steps"}}]
    assert Source(kind="mixture", options={"parts": parts}).has_steps


def test_readers_of_yaml_1_1_take_no_key_or_text_for_a_boolean():
    opened = recipe.validate(recipe.Recipe, CLOCKS)
    named = replace(opened, model=replace(opened.model, name="no"))
    read = yaml.safe_load(recipe.to_yaml(named))
    assert read["loss"]["on"] == "answer"
    assert read["model"]["name"] == "no"


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_every_config_loads_and_comes_back(file, write):
    opened = load(file)
    assert load(write(recipe.to_yaml(opened))) == opened


def test_configs_are_found_by_name():
    assert CONFIGS
    for name, file in recipe.configs().items():
        for way in (name, name.removesuffix(".yaml"), f"configs/{name}"):
            assert recipe.find(way).samefile(file)


COMMENTED = """\
# Above.
data:
  - kind: clock   # of the list
    options: {size: 84}
model:
  name: gnomon-tiny  # last of its section

# Before train.
train:
  samples: 40
  sft:
loss: {}
"""


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("train.samples=80", "  samples: 80"),
        ("train.sft={optim: adafactor}", "  sft:\n    optim: adafactor\n"),
        ("train.max_steps=9", "# Before train.\ntrain:\n  samples: 40\n  max_steps: 9\n  sft:\n"),
        ("model.name=gnomon-tiny-blank", "name: gnomon-tiny-blank # last of its section"),
        (
            "model.max_pixels=9",
            "model:\n  max_pixels: 9\n  name: gnomon-tiny  # last of its section",
        ),
        ("model={name: gnomon-tiny-blank}", "model:\n  name: gnomon-tiny-blank\n"),
        ("loss={name: ce}", "loss:\n  name: ce\n"),
        ("data.0.options.size=112", "options: {size: 112}"),
        ("data.0.options.rotation=5", "options: {rotation: 5, size: 84}"),
        ("eval.samples=9", "  sft:\neval:\n  samples: 9\nloss: {}\n"),
    ],
)
def test_an_edited_text_says_what_is_laid_over_it_and_keeps_its_comments(override, line):
    text = recipe.edit(COMMENTED, [override])
    assert line in text
    assert text.startswith("# Above.\ndata:\n  - kind: clock   # of the list\n")
    wanted = recipe.override(recipe.parse(COMMENTED, name="it"), [override])
    assert recipe.parse(text, name="it") == wanted


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_every_key_can_be_written_into_any_text(file):
    text = file.read_text(encoding="utf-8")
    overrides = [f"train.{key}={json.dumps(value)}" for key, value in asdict(Train()).items()]
    wanted = recipe.override(recipe.parse(text, name="it"), overrides)
    assert recipe.parse(recipe.edit(text, overrides), name="it") == wanted


@pytest.mark.parametrize("block", ["|2-\n\u2028    no", ">\n    no\n    \t#"])
def test_an_edited_text_has_the_values_of_the_text(block):
    # Texts in which ruamel.yaml writes other blanks.
    text = f"model:\n  name: {block}\nseed: 1\n"
    values = recipe.parse(text, name="it")
    assert recipe.parse(recipe.edit(text, ["seed=2"]), name="it") == values | {"seed": 2}


def test_yaml_1_1s_surprises_are_texts():
    text = "[no, on, 10:30, 010, 0o10, 1_000, .5, 1e3]"
    assert recipe.parse(f"a: {text}", name="it")["a"] == [
        "no", "on", "10:30", "010", 8, 1000, 0.5, 1000.0
    ]  # fmt: skip


@pytest.mark.parametrize("kind", DATACLASSES, ids=lambda kind: kind.__name__)
def test_every_field_has_a_docstring_under_it(kind):
    (tree,) = ast.parse(inspect.getsource(kind)).body
    for statement, below in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign):
            told = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            assert told, f"{kind.__name__}.{statement.target.id} has no docstring under it"
            assert isinstance(below.value.value, str)


REFUSALS = rows(__file__, "refusals")
"""Values, overrides and fields of TRL, each with what is said of it."""


@pytest.mark.parametrize("row", [row for row in REFUSALS if "values" in row], ids=str)
def test_a_wrong_key_or_value_is_told_with_its_path(row):
    assert row["message"] in complaint(row["values"])


def numbers_of(kind: type, path: str = "") -> Iterator[str]:
    """The dotted keys of a section that take a number."""
    for key, taken in get_type_hints(kind).items():
        if inner := recipe.section(kind, key):
            yield from numbers_of(inner, f"{path}{key}{'.0' * (key == 'data')}.")
        elif "dict" in str(taken):
            if "Any" not in str(taken):
                yield f"{path}{key}.language"
        elif re.search(r"\b(int|float)\b", str(taken)) and "BeforeValidator" not in str(taken):
            yield path + key


@pytest.mark.parametrize("key", sorted(set(numbers_of(Recipe))))
def test_no_number_is_too_large_to_be_refused(key):
    """In the libraries it would overflow, fill the memory or never end."""
    sources = [f"{place}=[{{kind: clock}}]" for place in ("data", "eval.data")]
    for value in (10**20, 2**63, 10**12, -(10**20), "1e308", "9" * 5000):
        if key.endswith("within") and value in (10**12, 10**20, 2**63):
            continue  # some labels may be as far off
        with pytest.raises(RecipeError) as error:
            recipe.validate(recipe.Recipe, recipe.override({}, [*sources, f"{key}={value}"]))
        assert re.search(rf"\b{re.escape(key)}(: |=)", str(error.value))
        assert len(str(error.value)) < 300


def test_a_step_holds_no_more_than_memory():
    told = complaint(
        CLOCKS
        | {"train": {"per_device_train_batch_size": 65536, "gradient_accumulation_steps": 65536}}
    )
    assert "4,294,967,296 samples per step" in told


def test_numbers_are_taken_where_texts_are_meant():
    columns = {"kind": "text", "choices": [0, 1, 2.5, "many"]}
    opened = recipe.validate(
        recipe.Recipe, {"data": [{"path": "a.csv", "columns": columns}], "eval": {"belief": [7]}}
    )
    assert opened.data[0].columns.choices == ("0", "1", "2.5", "many")
    assert opened.eval.belief == ("7",)
    columns["choices"] = [True, "no"]
    told = complaint({"data": [{"path": "a.csv", "columns": columns}]})
    assert "data.0.columns.choices: true is not a text: put yes, no, on, off" in told


def test_everything_wrong_is_told_at_once_each_with_the_file(write):
    file = write("data: [{kind: clock}]\ntrain: {lr: 1, samples: x}\nsead: 1\n")
    with pytest.raises(RecipeError) as told:
        load(file)
    lines = str(told.value).splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"{file}: ") for line in lines)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2e-5", 2e-5), ("1e3", 1e3), ("1E-3", 1e-3), ("2.5e-4", 2.5e-4), (".5e-2", 0.005),
     ("1", 1.0), ("1.0e-6", 1e-6), ("+1e-1", 0.1)],
)  # fmt: skip
def test_numbers_as_people_write_them_are_numbers(write, text, value):
    file = write(f"data: [{{kind: clock}}]\ntrain:\n  learning_rate: {text}\n")
    assert load(file).train.learning_rate == value
    file = write("data: [{kind: clock}]")
    assert load(file, [f"train.learning_rate={text}"]).train.learning_rate == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("data: [", "not YAML"),
        ("{[a]: b}", "keys must be str"),
        ("- a\n", "a mapping"),
        ("", "a mapping"),
        ("seed: 1\nseed: 2\n", "not YAML: the key 'seed' is given twice"),
        ("train:\n  samples: 1\n  samples: 1\n", "the key 'samples' is given twice"),
        ("data:\n  - options: {size: 84, size: 112}\n", "the key 'size' is given twice"),
    ],
)
def test_what_is_no_mapping_or_has_a_key_twice_is_refused(write, text, told):
    with pytest.raises(RecipeError, match=told):
        load(write(text))


def test_a_file_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(RecipeError, match=r"no recipe 'tiny-bse'.* mean tiny-base.*`gnomon ls con"):
        load("tiny-bse")
    with pytest.raises(RecipeError, match=r"no recipe '/nowhere/tiny-base\.yaml'"):
        load("/nowhere/tiny-base.yaml")


TWO = """
data:
  - {kind: clock, options: {size: 84, dials: [round, square]}}
  - {kind: arithmetic}
"""


def overridden(write, *overrides):
    return load(write(TWO), overrides)


@table(__file__, "overrides")
def test_overrides_reach_everywhere_and_options_stay_as_yaml_has_them(write, row):
    opened = json.loads(json.dumps(asdict(overridden(write, *row["overrides"]))))
    for path, expected in row["values"].items():
        value = opened
        for key in path.split("."):
            value = value[int(key) if key.isdigit() else key]
        assert value == expected


@pytest.mark.parametrize("row", [row for row in REFUSALS if "override" in row], ids=str)
def test_a_bad_override_is_told(write, row):
    with pytest.raises(RecipeError) as error:
        overridden(write, row["override"])
    assert row["message"] in str(error.value)


def test_keys_lie_flat_as_overrides_name_them():
    assert flatten({"a": [1, {"b": None}], "c": {}}) == {"a.0": 1, "a.1.b": None}


@pytest.mark.parametrize("row", [row for row in REFUSALS if "sft" in row], ids=str)
def test_trls_fields_that_are_gnomons_are_refused_with_the_way_to_say_them(row):
    """Before a model is loaded, and without what was given, which may be a token."""
    message = complaint(CLOCKS | {"train": {"sft": {"optim": "sgd", row["sft"]: "hf_secret"}}})
    assert message.startswith(f"recipe: train: sft.{row['sft']}: ")
    assert row["message"] in message
    assert "secret" not in message


def test_trls_other_fields_pass_through():
    passed = {"max_grad_norm": 0.5, "deepspeed": {"zero": 2}, "save_total_limit": None, "fsdp": "x"}
    assert recipe.validate(recipe.Recipe, CLOCKS | {"train": {"sft": passed}}).train.sft == passed


def test_an_alias_may_be_used_as_often_as_one_likes(write):
    sources = ", ".join(["{kind: clock, options: *o}"] * 200)
    opened = load(write(f"data: [{{kind: clock, options: &o {{size: 84}}}}, {sources}]"))
    assert len(opened.data) == 201
    assert opened.data[-1].options == {"size": 84}
