"""Lists of names, read from the source code so that losses are listed without torch."""

import ast
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib.util import find_spec
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from gnomon import dialect, generators, losses, recipe
from gnomon.answers import registry
from gnomon.answers.reading.steps import STEPS_PATTERN
from gnomon.answers.unreadable.answer import WORD
from gnomon.generators.base import Generator
from gnomon.names import check, load_class
from gnomon.pipeline import families
from gnomon.recipe import RecipeError
from gnomon.runs import shipped
from gnomon.store.benchmarks import BENCHMARKS

_FACES = "gnomon.generators.faces"
# The keys of a description of an instrument, and the parts of its face.
PARTS = {
    "description": f"{_FACES}.description:FaceHead",
    "body": f"{_FACES}.description:Body",
    "track": f"{_FACES}.track:Track",
    "pointer": f"{_FACES}.pointer:Pointer",
    "window": f"{_FACES}.window:Window",
    "card": f"{_FACES}.card:Card",
    "plate": f"{_FACES}.printed:Plate",
    "mark": f"{_FACES}.mark:Mark",
    "text": f"{_FACES}.printed:Caption",
    "subface": f"{_FACES}.description:SubFace",
}
_LISTS = {
    "generators": generators.KINDS,
    "losses": losses.KINDS,
    "families": families.FAMILIES,
    "configs": {},
    "recipe": {},
    "metrics": registry.metric_import_paths(),
    "benchmarks": BENCHMARKS,
    "parts": PARTS,
    "answers": {
        name: f"{target.__module__}:{target.__name__}" for name, target in registry.TARGETS.items()
    },
}


def table(what: str | None = None) -> str:
    """Return a page of all names, a list, or an entry of a list, each with its first sentence.

    Options are printed below a generator, and all keys below a recipe.
    """
    if what is None:
        rows = [(name, ", ".join(_names(name))) for name in _LISTS]
        return _aligned("gnomon ls NAME explains a list, or a name in it", rows)
    if generators.is_kind(what):
        return _aligned(what, _rows("generators", {what: generators.KINDS.get(what, what)}))
    if what in _LISTS:
        return _aligned(what, _entries(what))
    names = dict.fromkeys(name for title in _LISTS for name in _names(title))
    check((*_LISTS, "schema", *names), what, what="name", command="gnomon ls")
    parts = []
    for title in _LISTS:
        if what in _names(title):
            entries = iter(_entries(title))
            entry = [next(row for row in entries if row[0] == what)]
            entry += takewhile(lambda row: row[0].startswith(("  ", f"{what}.")), entries)
            if title == "parts":
                part = load_class(PARTS[what])
                entry = [(what, " ".join((part.__doc__ or "").split())), *_part_keys(part)]
            parts.append(_aligned(title, entry))
    return "\n".join(parts)


def _names(title: str) -> list[str]:
    """Return the names in a list. The names in a recipe are its sections."""
    if title == "configs":
        return [name for name, _ in _recipes()]
    if title == "recipe":
        return [field.name for field in fields(recipe.Recipe)]
    first = [losses.CE] if title == "losses" else []  # it is part of every loss, so it has no class
    return [*first, *sorted(_LISTS[title])]


def _entries(title: str) -> list[tuple[str, str]]:
    """Pair the entries of a list with their descriptions."""
    if title == "configs":
        return _recipes()
    return _keys(recipe.Recipe) if title == "recipe" else _rows(title, _LISTS[title])


def answer_form(name: str, *words: str, as_schema: bool, family: str | None) -> str:
    """Return the regular expression or JSON Schema of answers to a column of type `name`.

    `words` are keys of the column, for example `columns.unit=kWh`.
    """
    check(registry.COLUMN_TARGETS, name, what="type of answer", command="gnomon ls answers")
    values = recipe.override({"columns": {"kind": name}}, words)
    # `override` would set any key, but only keys of the column describe answers.
    others = [word for word in words if not word.startswith("columns.")]
    if others:
        raise RecipeError(f"{others[0]!r}: give keys of a column, such as columns.unit=kWh")
    columns = recipe.validate(recipe.Columns, values["columns"], name="columns")
    spoken = dialect.create(families.create(family).dialect if family else "plain")
    form = registry.TARGETS[name].form_of_labels(columns)
    if as_schema:
        # Only boxes are written as JSON by some families; a time's JSON form no column can hold.
        schema = {"box": spoken.box_schema, "boxes": spoken.list_schema}.get(name)
        if schema is None:
            raise RecipeError(f"{name}: these answers are not JSON: use --pattern")
        return json.dumps(schema)
    pattern = form.pattern(spoken)
    if pattern is None:
        raise RecipeError(
            f"{name}: any text may be an answer: list them, as in 'columns.choices=[open, closed]'"
        )
    pattern = f"({pattern}|{WORD})" if columns.unreadable else pattern
    return STEPS_PATTERN + pattern if columns.steps else pattern


def _recipes() -> list[tuple[str, str]]:
    """Pair the recipes with their first comments. The recipes of all models share a row."""
    files = {name.removesuffix(".yaml"): file for name, file in recipe.configs().items()}
    ends = "|".join(shipped.MEMORIES)
    files |= {f"{base}-MODEL-{ends}": file for base, file in shipped.bases().items()}
    rows = [(name, _comment(file)) for name, file in files.items()]
    return [*rows, ("MODEL", ", ".join(shipped.models()))]


def _rows(title: str, places: Mapping[str, str]) -> list[tuple[str, str]]:
    """Pair each name of a list with its first sentence, and what belongs below it."""
    rows = []
    for name, place in sorted(places.items()):
        if title == "generators":
            kind = generators.load(name)  # a user's own class may lie anywhere: it is imported
            node = _definition(f"{kind.__module__}:{kind.__name__}")
            rows += [(name, _sentence(node)), *((f"  {k}", text) for k, text in _options(kind))]
            continue
        node = _definition(place)
        rows.append((name, _sentence(node)))
        if title == "benchmarks":
            rows.append(("  layout", _layout(node)))
        if title == "families":
            rows += [(f"  {fact}", text) for fact, text in _facts(name)]
    if title == "losses":
        rows.insert(0, (losses.CE, "The cross-entropy alone."))
    return rows


def _definition(path: str) -> ast.ClassDef | ast.FunctionDef:
    """Parse the class or function at "module:Name" without importing it.

    A class that a function creates is not in the source: return an empty class.
    """
    module, _, name = path.partition(":")
    for node in _parse(module).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return node
    return ast.parse("class Unknown: pass").body[0]  # type: ignore[return-value]  # as written


def _parse(module: str) -> ast.Module:
    """Parse a module's source. An extension module has no source, and is empty."""
    # Finds the file without running it; its packages are imported, which are light.
    spec = find_spec(module)
    source = Path(spec.origin or "") if spec else Path()
    if not source.is_file():
        return ast.parse("")
    return ast.parse(source.read_bytes())


def _keys(section: type, path: str = "") -> list[tuple[str, str]]:
    """Pair every key of a recipe with its description and default, including keys of sections."""
    rows = []
    for key, text in _options(section):
        inner, choices = recipe.section(section, key), recipe.choices(section, key)
        if choices:
            text = f"{' | '.join(map(str, choices))}: {text}"
        # A section's default is a whole object; its keys below have theirs.
        rows.append((path + key, text.rpartition(" [")[0] if inner else text))
        if inner and path != "eval.":  # whose sources have the keys of data
            rows += _keys(inner, f"{path}{key}.")
    return rows


def _part_keys(part: type, path: str = "  ") -> list[tuple[str, str]]:
    """Pair every key of a part with its values, its description and its default."""
    texts, rows = docstrings(part), []
    for field in fields(part):
        if not field.init:
            continue
        text, words = texts.get(field.name, ""), recipe.choices(part, field.name)
        if words:
            text = f"{' | '.join(map(str, words))}. {text}".rstrip()
        inner = recipe.section(part, field.name)
        if field.default is not MISSING:
            text = f"{text} [{_as_yaml(field.default)}]".lstrip()
        elif field.default_factory is MISSING:
            text = f"{text} It must be given.".lstrip()
        rows.append((path + field.name, text))
        rows += _part_keys(inner, f"{path}{field.name}.") if inner else []
    return rows


def _as_yaml(default: Any) -> str:
    """Write a default as a description has it, such as [0, 0.4] or null."""
    if isinstance(default, tuple):
        return f"[{', '.join(map(_as_yaml, default))}]"
    if isinstance(default, float):
        return f"{default:g}"
    words = {None: "null", True: "true", False: "false"}
    return words[default] if default is None or isinstance(default, bool) else str(default)


def _layout(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Return the layout of a benchmark's files: its docstring after the first sentence."""
    return " ".join((ast.get_docstring(node) or "").partition("\n")[2].split())


def _sentence(node: ast.ClassDef | ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]


def docstrings(dataclass_type: type) -> dict[str, str]:
    """Return the docstrings under the fields of a dataclass and of its bases, the bases' first.

    Python drops these strings, so they are read from the source.
    """
    names = {field.name for field in fields(dataclass_type)}
    texts = {}
    # Bases first: a kind's text of an option replaces its base's text.
    for base in filter(is_dataclass, reversed(dataclass_type.__mro__)):
        for field, below in pairwise(_definition(f"{base.__module__}:{base.__name__}").body):
            # A field's docstring is the bare string right below it.
            if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
                name = ast.unparse(field.target)
                if name in names:
                    texts[name] = " ".join(str(ast.literal_eval(below.value)).split())
    return texts


def _options(dataclass_type: type) -> list[tuple[str, str]]:
    """Pair each option with its docstring and default. Split and seed are left out."""
    texts = docstrings(dataclass_type)
    common = (
        {field.name for field in fields(Generator)} if issubclass(dataclass_type, Generator) else ()
    )
    rows = []
    for field in fields(dataclass_type):
        if field.name in texts and field.name not in common:
            default: object = field.default
            if isinstance(default, tuple):  # as a recipe would have it
                default = ", ".join(map(str, default))
            rows.append((field.name, f"{texts[field.name]} [{default}]"))
    return rows


def _facts(name: str) -> list[tuple[str, str]]:
    """Pair what a user wants to know of a family before downloading weights with its values."""
    family = families.create(name)
    rows = [
        ("model_type", ", ".join(family.model_types)),
        ("boxes", f"the {family.dialect} dialect" if family.vision else ""),
        ("digits", f"{family.digits} a token"),
        ("such as", ", ".join(family.sizes)),
        ("hub check", family.hub_check_date if family.sizes else ""),
    ]
    return [(title, text) for title, text in rows if text]


def _comment(file: Path) -> str:
    """Return the first sentence of the comment that a recipe begins with."""
    (comment,) = re.findall(r"\A((?:#.*\n)*)", file.read_text(encoding="utf-8"))
    text = " ".join(re.sub("^#", "", comment, flags=re.MULTILINE).split())
    return f"{text.partition('. ')[0].removesuffix('.')}."


def _aligned(title: str, rows: list[tuple[str, str]]) -> str:
    """Write rows as two columns under a title, folded to the width of a terminal."""
    indent = 4 + max((len(name) for name, _ in rows), default=0)
    lines = [f"  {name:<{indent - 4}}  {text}".rstrip() for name, text in rows]
    if sys.stdout.isatty():  # files and pipes get one line per entry, for grep
        width = shutil.get_terminal_size().columns
        fold = textwrap.TextWrapper(
            max(width, indent + 30), subsequent_indent=" " * indent, break_on_hyphens=False
        )
        lines = [fold.fill(line) for line in lines]
    return "\n".join([f"{title}:", *lines])
