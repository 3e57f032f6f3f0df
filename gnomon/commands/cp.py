"""Copies of the recipes that come with gnomon."""

from pathlib import Path

from gnomon import recipe
from gnomon.atomic import check_is_free, create_file
from gnomon.runs import shipped
from gnomon.terminal import show


def cp(config: str, dest: Path | None = None) -> None:
    """Copy a recipe that comes with gnomon.

    Example: gnomon cp demo my-clocks.yaml

    config CONFIG: its name, such as demo; `gnomon ls configs`
    dest DEST: a file or directory; default: here
    """
    source, text = shipped.read(config)
    recipe.parse(text, name=source)  # no file is copied that is no recipe
    # A folder takes the recipe under its own name, as cp does.
    path = dest or Path(Path(source).name)
    file = path / Path(source).name if path.is_dir() else path
    check_is_free(file)
    create_file(file, recipe.with_schema_line(text, file).encode())
    show(file)
