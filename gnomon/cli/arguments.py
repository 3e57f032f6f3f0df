"""The words that each verb takes, and its help: verbs.toml has them."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gnomon.answers.dialect import DIALECTS
from gnomon.cli import verbs
from gnomon.store.writing.formats import FORMATS


def parser() -> argparse.ArgumentParser:
    """Of the whole command line."""
    from gnomon import __version__

    whole = argparse.ArgumentParser(
        prog="gnomon",
        description="Teach vision-language models to read numbers: draw, fine-tune, evaluate.",
        epilog="Start with: gnomon demo",
    )
    whole.add_argument("--version", action="version", version=f"gnomon {__version__}")
    parsers = whole.add_subparsers(title="verbs", dest="verb", metavar="VERB")
    table = tomllib.loads(Path(__file__).with_name("verbs.toml").read_text(encoding="utf-8"))
    for name, words in table["verbs"].items():
        does, example = words.pop("does"), words.pop("example")
        verb = parsers.add_parser(
            name,
            help=does,
            description=f"{does[0].upper()}{does[1:]}.",
            epilog=f"example: {example}",
        )
        verb.set_defaults(run=getattr(verbs, name.replace("-", "_")))
        groups: dict[str, Any] = {"": verb}
        for word, about in (table["every"] | words).items():
            _add(verb, groups, word, table["shared"].get(word, {}) | about)
    return whole


def _add(
    verb: argparse.ArgumentParser, groups: dict[str, Any], word: str, about: dict[str, Any]
) -> None:
    """One word of a verb, in its group of the help."""
    names = [about.pop("short"), word] if "short" in about else [word]
    if (title := about.pop("group", "")) not in groups:
        either = title == "either"
        groups[title] = (
            verb.add_mutually_exclusive_group(required=True)
            if either
            else verb.add_argument_group(title)
        )
    if "type" in about:
        about["type"] = _TYPES[about["type"]]
    if isinstance(known := about.get("choices"), str):
        about["choices"] = _CHOICES[known]
    if "help" in about:
        about["help"] = about["help"].replace("{dialects}", ", ".join(DIALECTS))
    groups[title].add_argument(*names, **about)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: give a whole number, 1 or more")
    return int(text)


def _picture(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg", ".webp"):
        raise argparse.ArgumentTypeError(f"{text}: a picture is called something.png")
    return path


def _html(text: str) -> Path:
    """Never a recipe or answers, in whose place a report would stand."""
    path = Path(text)
    if path.suffix.lower() not in (".html", ".htm"):
        raise argparse.ArgumentTypeError(f"{text}: a report is called something.html")
    return path


_TYPES: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "path": Path,
    "positive": _positive,
    "picture": _picture,
    "html": _html,
}
_CHOICES: dict[str, Sequence[str]] = {"dialects": sorted(DIALECTS), "formats": tuple(FORMATS)}
