"""The JSON Schema of recipes takes what a recipe may say, and marks what would be refused."""

import json
import re
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from shtab import main as shtab

from gnomon import recipe
from gnomon.commands._parser import parser
from gnomon.runs import shipped
from gnomon.runs.recipe_schema import recipe_schema

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def schema():
    Draft202012Validator.check_schema(whole := recipe_schema())
    return Draft202012Validator(whole)


def wrong(schema, raw):
    """The dotted paths of what is wrong."""
    return [".".join(map(str, error.absolute_path)) for error in schema.iter_errors(raw)]


@pytest.mark.parametrize(
    "name",
    [
        "day-clock",
        "demo",
        "tiny-base",
        *(f"{base}-qwen2.5-vl-7b-24gb" for base in sorted(shipped.bases())),
    ],
)
def test_the_recipes_that_come_with_gnomon_are_right(schema, name):
    file, text = shipped.read(name)
    assert wrong(schema, recipe.parse(text, name=file)) == []


def test_what_readme_shows_and_what_a_run_stores_are_right(schema):
    (shown,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    raw = recipe.parse(shown, name="README")
    assert wrong(schema, raw) == []
    stored = json.loads(json.dumps(asdict(recipe.validate(recipe.Recipe, raw))))
    assert wrong(schema, stored) == []


@pytest.mark.parametrize(
    ("override", "place"),
    [
        ("train.lr=1e-4", "train"),
        ("train.samples=many", "train.samples"),
        ("loss.name=ntli", "loss.name"),
        ("model.family=qwen", "model.family"),
        ("eval.split=train", "eval.split"),
        ("data.0.kind=cuckoo", "data.0.kind"),
        ("data.0.options.seize=84", "data.0.options"),
        ("data.0.options.level=harder", "data.0.options"),
        ("data.0.options.seed=1", "data.0.options"),
    ],
)
def test_what_a_recipe_refuses_is_marked(schema, override, place):
    raw = {"data": [{"kind": "clock"}]}
    assert wrong(schema, recipe.override(raw, [override])) == [place]
    own = ["data.0.kind=dice:Dice", "data.0.options.dice=3", "loss.name=own:Huber",
           "model.family=own:Polite"]  # fmt: skip
    assert wrong(schema, recipe.override({"data": [{"kind": "clock"}]}, own)) == []


def test_every_key_has_what_ls_says_of_it():
    parts = recipe_schema()["$defs"]
    undescribed = {
        f"{part}.{key}"
        for part, about in parts.items()
        for key, value in about["properties"].items()
        if not value.get("description")
    }
    assert not undescribed
    assert parts["Train"]["properties"]["learning_rate"] == {
        "default": 2e-4,
        "title": "Learning Rate",
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 10**6,
        "description": "Maximum of the learning-rate schedule.",
    }  # fmt: skip


def test_recipes_written_beside_a_schema_name_it_to_the_editor(here, monkeypatch, cli):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    cli("cp", "demo", "before.yaml")
    assert "yaml-language-server" not in Path("before.yaml").read_text()
    Path("recipe.schema.json").write_text(cli("ls", "schema").out)
    cli("cp", "demo", "mine.yaml")
    line = "# yaml-language-server: $schema=recipe.schema.json\n"
    assert Path("mine.yaml").read_text() == line + Path("before.yaml").read_text()
    header = f"{line}# Planned for 9.0 GiB: before.\n"
    Path("mine.yaml").write_text(header + shipped.read("demo")[1])
    few = ("train.samples=4", "--memory", 1.3, "--config-only")
    cli("plan", "mine.yaml", *few, "--write", "planned.yaml")
    planned = Path("planned.yaml").read_text()
    assert planned.startswith(f"{line}# Planned for 1.3 GiB")
    assert planned.count(line) == planned.count("# Planned for") == 1
    checked = Draft202012Validator(json.loads(Path("recipe.schema.json").read_text()))
    assert wrong(checked, recipe.parse_file(Path("planned.yaml"))) == []


def test_a_shell_can_complete_the_verbs(capsys):
    shtab.main(["--shell", "bash", "gnomon.commands._parser.parser"])
    script = capsys.readouterr().out
    verbs = re.search(r"_subparsers=\(([^)]*)\)", script)[1].split()
    assert verbs == list(parser()._subparsers._group_actions[0].choices)
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
