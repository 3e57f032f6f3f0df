"""Copies of the recipes and the descriptions of instruments that come with gnomon."""

from pathlib import Path

from gnomon.atomic import check_is_free, create_file
from gnomon.terminal import show


def cp(config: str, dest: Path | None = None) -> None:
    """Copy a recipe, or a description of an instrument, that comes with gnomon.

    Examples:
        gnomon cp demo my-clocks.yaml
        gnomon cp face my-gauge.yaml

    config CONFIG: the name of a recipe, such as demo (`gnomon ls configs`), of a description, such
        as dial_indicator (`gnomon ls face`), or face for a description to start from
    dest DEST: a file or directory (default: the current directory)
    """
    from gnomon import recipe
    from gnomon.generators.registry import description_to_copy
    from gnomon.runs import shipped

    description = description_to_copy(config)
    if description is None:
        source, text = shipped.read(config)
        recipe.parse(text, name=source)  # refuses files that are not recipes
    else:
        source, text = f"{config}.yaml", description.read_text(encoding="utf-8")
    # A folder takes the recipe under its own name, as cp does.
    path = dest or Path(Path(source).name)
    file = path / Path(source).name if path.is_dir() else path
    check_is_free(file)
    if description is None:
        text = recipe.with_schema_line(text, file)
    create_file(file, text.encode())
    show(file)
