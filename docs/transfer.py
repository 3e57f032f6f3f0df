"""Draws docs/transfer/: a sheet of every foreign renderer, its last row worn.

python docs/transfer.py [RENDERER ...]   # needs what `make transfer` installs, and Chromium
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.transfer.renderers import RENDERERS
from benchmarks.transfer.worn import worn
from gnomon.generators.drawing.sheet import contact_sheet
from gnomon.sample import Sample

HERE = Path(__file__).parent / "transfer"
COLUMNS, ROWS = 6, 2
"""Columns and rows of pictures as they were drawn. A row of worn pictures follows below."""


def main() -> None:
    """Write the sheets, of the renderers that are named or of all."""
    HERE.mkdir(exist_ok=True)
    for name in sys.argv[1:] or RENDERERS:
        renderer = RENDERERS[name]
        if renderer.missing:
            sys.exit(renderer.missing)
        plain = [renderer.draw(index) for index in range(COLUMNS * ROWS)]
        aged = [
            (worn(image, renderer.kind, index), *asked)
            for index, (image, *asked) in enumerate(plain[:COLUMNS])
        ]
        shown = [Sample(str(place), *drawn) for place, drawn in enumerate(plain + aged)]
        largest = 200 if renderer.kind == "clock" else 260
        sheet = contact_sheet(shown, title=renderer.title, columns=COLUMNS, largest=largest)
        sheet.save(HERE / f"{name}.webp", quality=66, method=6)


if __name__ == "__main__":
    main()
