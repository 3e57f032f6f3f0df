"""Contact sheets of samples, as they are or as a recipe's model sees them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.atomic import put_bytes
from gnomon.commands._parser import Few, Picture, Split
from gnomon.commands.resolve import Resolved, resolve, row_counts, warn_of_mistakes
from gnomon.progress import warn
from gnomon.store.reading.order import spread
from gnomon.store.user_data.opening import is_user_data
from gnomon.terminal import show

if TYPE_CHECKING:
    from PIL import Image


def preview(
    what: str,
    *overrides: str,
    out: Picture,
    n: Few = 16,
    split: Split | None = None,
    seed: int | None = None,
) -> None:
    """Draw a contact sheet; of a recipe, what its model will see and learn.

    Example: gnomon preview clock -o sheet.png rotation=10 | gnomon preview demo -o demo.png
    | gnomon preview labels.csv -o sheet.png columns.answer=time

    what KIND|RECIPE|DATA: `gnomon ls generators`, `ls configs`; a dataset, or your own .csv or
        folder
    overrides key=value: options of the kind or recipe, such as size=112, or how your own file is
        read, such as columns.answer=time
    out PNG: the picture
    n N: number of samples (16)
    """
    from PIL import Image

    resolved = resolve(what, overrides)
    for line in row_counts(resolved.checked_for_drawing.data):
        show(line)
    warn_of_mistakes(resolved.checked_for_drawing)
    # Drawn into memory first, so that a failure leaves no half a picture.
    buffer = BytesIO()
    sheet = sheet_of(what, resolved, split=split, seed=seed, n=n)
    sheet.save(buffer, Image.registered_extensions()[out.suffix.lower()])
    put_bytes(out, buffer.getvalue())
    show(out)


def sheet_of(
    title: str, resolved: Resolved, *, split: Split | None, seed: int | None, n: int
) -> Image.Image:
    """Draw a contact sheet; a recipe's has each picture as its model will see it, and its labels.

    Without a split it has any row of a user's own file, else samples of training; all of them
    where there are fewer than `n`, and some at random, with many labels, where there are more.
    """
    from gnomon.generators.drawing.sheet import contact_sheet
    from gnomon.pipeline.checkpoint import ModelNotHereError, open_processor

    recipe = resolved.checked_for_drawing
    # A user looks at a table to see whether it is read right, whatever split a row is in.
    is_table = resolved.form == "disk" and not recipe.data[0].benchmark and is_user_data(title)
    pool = resolved.samples(split or ("all" if is_table else "train"), seed)
    seed = recipe.seed if seed is None else seed
    samples = [pool[index] for index in spread(pool, n, seed=seed)]
    if resolved.form != "recipe":
        return contact_sheet(samples, title=Path(title).name)
    try:
        family, processor = open_processor(recipe.model)
        from gnomon.pipeline.planning.preview import sheet
    except (ModelNotHereError, ModuleNotFoundError) as error:
        warn(f"{error}; so the sheet shows the samples as they are")
        return contact_sheet(samples, title=title)
    return sheet(family, processor, samples, title=f"{title}: as {recipe.model.name} sees it")
