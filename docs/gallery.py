"""Draws docs/gallery.md: a sheet of samples for each kind and level.

python docs/gallery.py
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from gnomon.generators import KINDS, create, load
from gnomon.generators.sheet import contact_sheet

HERE = Path(__file__).parent
SAMPLES = 8
LEVELS = ("easy", "medium", "hard")
ALL = {
    "arithmetic": {"tasks": ["all"]},
    "clock": {"questions": ["read", "shift", "to_hour", "angle", "valid", "where"]},
    "gauge": {"questions": ["read", "difference", "percent", "zone", "in_range", "where"]},
    "scene": {"questions": ["where", "count", "colour", "relation", "which"]},
    "text_spotting": {"questions": ["find", "read", "both"]},
}
"""Options that show more than the defaults do."""


def main() -> None:
    """Write the sheets and the page."""
    (HERE / "gallery").mkdir(exist_ok=True)
    page = ["# Gallery\n", "Every kind of sample at every level, by `python docs/gallery.py`.\n"]
    for kind in KINDS:
        doc = (load(kind).__doc__ or "").partition("\n")[0]
        page.append(f"\n## {kind}\n\n{doc}\n")
        has_levels = any(field.name == "level" for field in fields(load(kind)))
        for level in LEVELS if has_levels else ("",):
            options = ALL.get(kind, {}) | ({"level": level} if level else {})
            generator = create(kind, **options)
            title = f"{kind} {level}".strip()
            sheet = contact_sheet(
                [generator[i] for i in range(SAMPLES)], title=title, columns=4, largest=300
            )
            name = f"gallery/{title.replace(' ', '-')}.webp"
            sheet.save(HERE / name, quality=72, method=6)
            page.append(f"\n![{title}]({name})\n")
    (HERE / "gallery.md").write_text("".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
