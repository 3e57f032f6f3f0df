"""Contact sheets of samples, as they are or as a recipe's model sees them."""

from io import BytesIO
from pathlib import Path

from gnomon.atomic import put_bytes
from gnomon.commands._parser import Few, Picture, Split
from gnomon.terminal import show


def preview(
    what: str,
    *overrides: str,
    out: Picture,
    n: Few = 16,
    split: Split | None = None,
    seed: int | None = None,
    beside: Path | None = None,
) -> None:
    """Draw a contact sheet of samples, for a recipe as its model sees and learns them.

    Examples:
        gnomon preview clock -o sheet.png rotation=10
        gnomon preview demo -o demo.png
        gnomon preview labels.csv -o sheet.png columns.answer=time
        gnomon preview my-gauge.yaml -o sheet.png --beside photo.jpg

    what KIND|RECIPE|DATA: a kind (`gnomon ls generators`), a recipe (`gnomon ls configs`), a
        dataset, your own .csv or folder, or your description of an instrument
    overrides key=value: options of the kind or recipe, such as size=112, or how your own file is
        read, such as columns.answer=time
    out PNG: the picture
    n N: number of samples (16)
    beside PHOTO: a photograph to compare with the drawings
    """
    from PIL import Image

    from gnomon.generators.drawing.sheet import beside_photograph
    from gnomon.runs.resolve import resolve
    from gnomon.runs.sheets import sheet_of
    from gnomon.runs.table_warnings import row_counts, warn_of_mistakes

    resolved = resolve(what, overrides)
    recipe = resolved.check_for_drawing()
    for line in row_counts(recipe.data):
        show(line)
    warn_of_mistakes(recipe)
    # Drawn into memory first, so a failure does not leave half a picture.
    buffer = BytesIO()
    sheet = sheet_of(what, resolved, split=split, seed=seed, n=n)
    if beside is not None:
        sheet = beside_photograph(beside, sheet)
    sheet.save(buffer, Image.registered_extensions()[out.suffix.lower()])
    put_bytes(out, buffer.getvalue())
    show(out)
