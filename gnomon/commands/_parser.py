"""The parser, made of the signature and the docstring of each verb's function.

The verb `check-served` is the function `check_served` in the module of that name. A parameter is a
word on the command line, and a keyword-only parameter is an option. A docstring has a sentence,
examples, and `name METAVAR: help` for each parameter that needs help.

A verb's module imports its work within the function, so that `gnomon VERB --help` and a misspelled
option wait for no import of numpy or pydantic.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import typing
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NoReturn, TypeAlias

from gnomon.options import shell_options
from gnomon.terminal import encodable, printable

VERBS = (
    "ls",
    "cp",
    "preview",
    "generate",
    "verify",
    "stats",
    "export",
    "plan",
    "train",
    "calibrate",
    "predict",
    "score",
    "run",
    "demo",
    "compare",
    "merge",
    "check_served",
    "selftest",
)
"""Modules of this folder that are verbs, in the order of `gnomon --help`."""
_USUAL = """\
json: print only JSON
overrides key=value: keys of the recipe, such as train.max_steps=200
seed N: the seed of all drawing (default: the recipe's seed, or 0)
workers N: number of processes that draw, such as 4 (default: all cores)
"""
"""Help of parameters that a verb's own docstring leaves out."""


def _whole(largest: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from 1 to `largest`."""

    def number(text: str) -> int:
        is_short = text.isdecimal() and len(text) <= 20  # int() refuses 4,300 digits by itself
        if not is_short or not 1 <= int(text) <= largest:
            quoted = text if len(text) <= 40 else f"{text[:40]}…"
            raise argparse.ArgumentTypeError(f"{quoted}: give a whole number, 1 to {largest:,}")
        return int(text)

    return number


def _number(kind: type[int] | type[float]) -> Callable[[str], float]:
    """Return a parser of plain numbers whose message says what to give."""

    def number(text: str) -> float:
        try:
            return kind(text)
        except ValueError as error:
            what = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text}: give {what}") from error

    return number


def _part(text: str) -> tuple[int, int]:
    """Parse a part of a whole, such as 2/10. The first part is 1/10."""
    part, _, parts = text.partition("/")
    try:
        numbers = int(part), int(parts)
    except ValueError:
        numbers = 0, 0
    if not 1 <= numbers[0] <= numbers[1] <= 10_000:
        raise argparse.ArgumentTypeError(
            f"{text}: give a part and how many there are, such as 2/10"
        )
    return numbers


def _file(what: str, *suffixes: str) -> Callable[[str], Path]:
    """Return a parser of paths with a suffix, so a report cannot replace a recipe or answers."""

    def path(text: str) -> Path:
        if Path(text).suffix.lower() not in suffixes:
            raise argparse.ArgumentTypeError(f"{text}: the name of {what} ends in {suffixes[0]}")
        return Path(text)

    return path


# Annotated with the parser of the text, which the command line takes from the annotation.
Count: TypeAlias = Annotated[int, _whole(10**9)]
# Processes, threads or pictures of one sheet: more would exhaust handles or memory.
Few: TypeAlias = Annotated[int, _whole(1024)]
Part: TypeAlias = Annotated[tuple[int, int], _part]
Html: TypeAlias = Annotated[Path, _file("a report", ".html", ".htm")]
Picture: TypeAlias = Annotated[Path, _file("a picture", ".png", ".jpg", ".jpeg", ".webp")]
Split: TypeAlias = Literal["train", "val", "test"]
ExportFormat: TypeAlias = Literal["trl", "messages", "llava", "swift", "llama-factory", "lmms-eval"]


class _Parser(argparse.ArgumentParser):
    """A parser whose messages escape control characters, like all output of gnomon."""

    def error(self, message: str) -> NoReturn:
        """Refuse the user's words, and quote them."""
        super().error(printable(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        file = file or sys.stderr
        super()._print_message(encodable(message, file), file)


@cache
def parser(*verbs: str) -> argparse.ArgumentParser:
    """Return the parser of the command line, with the arguments of these verbs, or of all verbs."""
    from gnomon.version import __version__

    whole = _Parser(
        prog="gnomon",
        description="Teach vision-language models to read numbers: draw, fine-tune, evaluate.",
        epilog="Start with: gnomon demo",
    )
    whole.add_argument("--version", action="version", version=f"gnomon {__version__}")
    parsers = whole.add_subparsers(title="verbs", dest="verb", metavar="VERB")
    for module in VERBS:
        name, verb = module.replace("_", "-"), _function_of(module)
        # The paragraphs of a docstring are a sentence, examples, and the help of parameters.
        what, example, *more = (inspect.getdoc(verb) or "").split("\n\n")
        what = " ".join(what.split())
        parser = parsers.add_parser(
            name,
            help=f"{what[0].lower()}{what[1:-1]}",
            description=what,
            epilog=example,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if not verbs or name in verbs:
            parser.set_defaults(module=module)
            _add(parser, verb, more)
    return whole


def _function_of(module: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(import_module(f"gnomon.commands.{module}"), module)
    return function


def _add(parser: argparse.ArgumentParser, verb: Callable[..., Any], more: Sequence[str]) -> None:
    """Add the arguments of a verb's function to a parser. `more` holds the help of arguments."""
    parser.add_argument(
        "--quiet", action="store_true", help="print only results, warnings and errors"
    )
    parser.add_argument(
        "--debug", action="store_true", help="print an error's traceback, as with GNOMON_DEBUG=1"
    )
    # A file may name a user's class, but only the user may let it be imported: it runs code.
    parser.add_argument(
        "--plugins",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="a class of your own that a stored run or a dataset names (may be given again)",
    )
    texts = _parameter_help(_USUAL) | _parameter_help("\n".join(more))
    types = typing.get_type_hints(verb, include_extras=True)
    for name, parameter in inspect.signature(verb).parameters.items():
        words = _argument_type(types[name]) | texts.get(name, {})
        if parameter.kind is parameter.VAR_POSITIONAL:
            words |= {"nargs": "*", "default": ()}
            parser.set_defaults(rest=name)  # `main` adds overrides that follow an option
        elif parameter.default is not parameter.empty:
            words["default"] = parameter.default
        if parameter.kind is parameter.KEYWORD_ONLY:
            flags = ["-o", "--out"] if name == "out" else [f"--{name.replace('_', '-')}"]
            parser.add_argument(*flags, required="default" not in words, **words)
        else:
            parser.add_argument(name, **({"nargs": "?"} if "default" in words else {}) | words)


def call(options: argparse.Namespace) -> int:
    """Run the verb and return its exit code. None means success."""
    verb = _function_of(options.module)
    signature = inspect.signature(verb)
    # Arguments in the order of the signature: positional ones may not come as keywords.
    words = OrderedDict((name, getattr(options, name)) for name in signature.parameters)
    bound = inspect.BoundArguments(signature, words)
    with shell_options():
        return verb(*bound.args, **bound.kwargs) or 0


def _parameter_help(lines: str) -> dict[str, dict[str, str]]:
    """Parse lines `name METAVAR: help` to the keywords of add_argument."""
    keywords: dict[str, dict[str, str]] = {}
    # A line that is indented continues the help above it.
    for name, metavar, text in re.findall(r"^(\w+) ?(\S*): (.*(?:\n +.*)*)", lines, re.MULTILINE):
        keywords[name] = {"help": " ".join(text.split())}
        if metavar:
            keywords[name]["metavar"] = metavar
    return keywords


def _argument_type(hint: Any) -> dict[str, Any]:
    """Translate a parameter's type to keywords of add_argument."""
    inner = typing.get_args(hint)
    if NoneType in inner:  # `Path | None` is a Path; None is the default alone
        return _argument_type(inner[0])
    if hint is bool:
        return {"action": "store_true"}
    if typing.get_origin(hint) is list:
        return {"action": "append", "type": inner[0]}
    if typing.get_origin(hint) is Literal:
        return {"choices": inner}
    if (
        typing.get_origin(hint) is Annotated
    ):  # such as Count, whose second part parses and checks the text
        return {"type": inner[1]}
    if hint in (int, float):
        return {"type": _number(hint)}
    return {"type": _path if hint is Path else hint}


def _path(text: str) -> Path:
    """Refuse an empty path, such as "$OUT" if OUT is not set: it would mean this directory."""
    if not text:
        raise argparse.ArgumentTypeError("an empty path: name a place")
    return Path(text)
