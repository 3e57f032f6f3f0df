"""The versions of packages and kinds that a run records."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gnomon import files, generators, jsons
from gnomon import recipe as recipes
from gnomon.recipe import Source
from gnomon.store.reading.run_folder import RunFolder
from gnomon.version import __version__


def stored_kinds(run: Path) -> dict[str, int] | None:
    """Return the versions of the kinds that the run drew, or None without the file."""
    file = RunFolder(run).versions
    if not file.is_file():
        return None
    values = jsons.loads(files.read_bytes(file, "versions"), file)
    return recipes.validate(_Versions, values, name=str(file)).kinds


def kind_versions(sources: Iterable[Source]) -> dict[str, int]:
    """Return the version of each kind that sources draw, the parts of mixtures among them."""
    kinds: dict[str, int] = {}
    for source in sources:
        if source.kind is None:
            continue
        # A mixture draws by other generators, whose versions matter as much as its own.
        pending = [generators.create(source.kind, **(source.options or {}))]
        while pending:
            generator = pending.pop()
            kinds[generator.kind] = generator.version
            pending += [member for member in generator.members if member is not generator]
    return dict(sorted(kinds.items()))


@dataclass(frozen=True)
class _Versions:
    """The part of versions.json that must stay the same. Packages may differ."""

    kinds: dict[str, int]


def versions(*more: str) -> dict[str, str]:
    """Return the versions of Python and of the packages that are installed, `more` among them."""
    numbers = {"python": platform.python_version(), "gnomon": __version__}
    usual = ("torch", "transformers", "trl", "peft", "bitsandbytes", "numpy")
    for package in (*usual, *more):
        # The base install has no torch.
        try:
            numbers[package] = version(package)
        except PackageNotFoundError:
            continue
    return numbers
