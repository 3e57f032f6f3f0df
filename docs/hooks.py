"""What `make docs` adds to the pages in docs/: README and its like, and pages made of the package.

Links are those of the repository, so that pages read the same on GitHub; here they are turned to
the site's own. A page that would load something from elsewhere is refused.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WHOLE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Files of the repository that are pages, and what these are called."""
RESULTS = "benchmarks/results/"
_LINK = re.compile(r"(\]\()([^)#:\s]+)(#[^)\s]*)?(\))")
_ELSEWHERE = re.compile(
    r"<(?:script|img|iframe|link|source)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//"
)


def pages() -> dict[str, str]:
    """The pages that are not in docs/, by their places in the site."""
    from gnomon.runs.recipe_schema import recipe_schema

    whole = recipe_schema()
    return {
        **{page: (ROOT / file).read_text(encoding="utf-8") for file, page in WHOLE.items()},
        "results.md": _results(),
        "reference/commands.md": _commands(),
        "reference/recipes.md": _recipes(whole),
        "reference/kinds.md": _kinds(whole),
        "reference/python.md": _python(),
        "recipe.schema.json": json.dumps(whole, ensure_ascii=False, indent=1),
    }


def linked(text: str, page: str) -> str:
    """A page's text with the repository's links turned to the site's."""
    file = next((file for file, name in WHOLE.items() if name == page), f"docs/{page}")

    def turned(found: re.Match[str]) -> str:
        start, to, anchor, end = found.groups(default="")
        there = posixpath.normpath(posixpath.join(posixpath.dirname(file), to))
        place, anchor = _in_site(there, anchor)
        return f"{start}{posixpath.relpath(place, posixpath.dirname(page) or '.')}{anchor}{end}"

    return _LINK.sub(turned, text)


def _in_site(file: str, anchor: str) -> tuple[str, str]:
    if file.startswith(RESULTS):
        return "results.md", f"#{Path(file).stem}"
    return WHOLE.get(file, file.removeprefix("docs/")), anchor


def _results() -> str:
    said = ["# Printed figures", "What each benchmark prints, as it lies in the repository."]
    for file in sorted((ROOT / RESULTS).glob("*.txt")):
        text = file.read_text(encoding="utf-8").rstrip()
        said += [f"## {file.stem} {{ #{file.stem} }}", f"```text\n{text}\n```"]
    return "\n\n".join(said)


def _commands() -> str:
    from gnomon.commands._parser import parser

    whole = parser()
    (verbs,) = (a for a in whole._actions if isinstance(a, argparse._SubParsersAction))
    said = [
        "# Commands",
        "What `gnomon VERB --help` prints. Every verb takes `--quiet`, which leaves results,"
        " warnings and errors; `stats`, `plan`, `score` and `compare` print JSON with `--json`."
        " Where standard error is no terminal, progress is a line every 30 seconds. Exit codes:"
        " 0 done, 1 failed, 2 wrong use.",
    ]
    for name, verb in verbs.choices.items():
        said += [f"## {name}", f"```text\n{verb.format_help().rstrip()}\n```"]
    return "\n\n".join(said)


def _recipes(schema: dict[str, Any]) -> str:
    from gnomon.recipe import Recipe

    said = [
        "# Recipes",
        "Every key, as `gnomon ls recipe` lists them. Their [JSON Schema](../recipe.schema.json) is"
        " what [editors](../howto/editor.md) read.",
    ]
    for path, part in _parts(Recipe):
        said += _section(path or "A recipe", schema["$defs"][part.__name__], path)
    return "\n\n".join(said)


def _parts(root: type, path: str = "") -> Iterator[tuple[str, type]]:
    """The dataclasses of a recipe by the key under which each stands."""
    from gnomon.recipe import section

    yield path, root
    for field in fields(root):
        if (part := section(root, field.name)) and path != "eval":  # whose sources are data's
            yield from _parts(part, f"{path}.{field.name}".lstrip("."))


def _kinds(schema: dict[str, Any]) -> str:
    parts = schema["$defs"]
    said = [
        "# Options of each kind",
        "What `data: [{kind: …, options: {…}}]` takes; `gnomon ls clock`"
        " lists one kind's with all defaults. Without a default the level says it.",
    ]
    for part, name in _kinds_of(parts).items():
        said += _section(name, parts[part])
    return "\n\n".join([*said, *_section("mixture, a part", parts["MixturePart"])])


def _kinds_of(parts: dict[str, Any]) -> dict[str, str]:
    """The definitions that are the options of a kind, and the kinds' names."""
    return {
        rule["then"]["properties"]["options"]["anyOf"][0]["$ref"].rpartition("/")[2]: rule["if"][
            "properties"
        ]["kind"]["const"]
        for rule in parts["Source"]["allOf"]
    }


def _section(title: str, part: dict[str, Any], path: str = "") -> Iterator[str]:
    yield f"## {title}"
    yield part.get("description", "")
    rows = ["| key | default | |", "|---|---|---|"]
    for key, value in part["properties"].items():
        default = value.get("default")
        shown = json.dumps(default, ensure_ascii=False)
        held = isinstance(default, dict) or default is None
        said = "" if held else "many" if len(shown) > 40 else f"`{shown}`"
        rows.append(
            f"| `{path}{'.' if path else ''}{key}` | {said} | {_cell(value['description'])} |"
        )
    yield "\n".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _python() -> str:
    """The public names, each documented where it is defined."""
    from gnomon import generators, losses

    listed: dict[str, Iterable[str]] = {
        "The whole job": (
            "gnomon.runs.loading:load", "gnomon.runs.reader:Reader", "gnomon.runs.answer:Answer",
            "gnomon.runs.training:train", "gnomon.runs.run:Run", "gnomon.runs.evaluating:evaluate",
            "gnomon.runs.evaluating:calibrate", "gnomon.runs.evaluating:score",
            "gnomon.runs.report:Report",
        ),
        "Generators": ("gnomon.generators.registry:create", "gnomon.generators.base:Generator"),
        "Kinds": generators.KINDS.values(),
        "Samples": ("gnomon.sample:Sample", "gnomon.sample:Prediction"),
        "Losses": ("gnomon.losses.numbers.vocab:NumericVocab", "gnomon.losses.base:NumericLoss",
                   "gnomon.losses.objective:Objective", *dict.fromkeys(losses.KINDS.values())),
        "Training": ("gnomon.pipeline.training.trainer:NumericSFTTrainer",
                     "gnomon.pipeline.training.stream:Stream",
                     "gnomon.pipeline.training.stream:drawn",
                     "gnomon.pipeline.checkpoint:processor_of"),
    }  # fmt: skip
    said = [
        "# Python",
        "The whole job is imported from `gnomon` itself, as `gnomon.load`; all else from"
        " its package, as `from gnomon.losses import NTILLoss`.",
    ]
    for title, places in listed.items():
        # The options of kinds have a page of their own.
        bare = "\n    options:\n      members: false" if title == "Kinds" else ""
        said += [f"## {title}", *(f"::: {place.replace(':', '.')}{bare}" for place in places)]
    return "\n\n".join(said)


def on_config(config: Any) -> None:
    """The search's shim from here, where the plug-in names it elsewhere; the project's address."""
    config.extra["polyfills"] = ["assets/iframe-worker.js"]
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    config.repo_url = urls.get("Repository")
    config.site_url = urls.get("Documentation") or ""


def on_files(files: Any, config: Any) -> None:
    """The pages that are made here."""
    from mkdocs.structure.files import File

    for place, text in pages().items():
        files.append(File.generated(config, place, content=text))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Its links turned."""
    return linked(markdown, page.file.src_uri)


def on_post_page(output: str, page: Any, **_: Any) -> None:
    """Nothing is loaded from elsewhere."""
    if found := _ELSEWHERE.search(output):
        raise ValueError(f"{page.file.src_uri} loads from elsewhere: {found[0]}")
