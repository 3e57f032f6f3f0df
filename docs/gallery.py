"""Draws docs/gallery.md: a sheet of samples for each kind and level.

python docs/gallery.py
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from gnomon.generators import KINDS, create, load
from gnomon.generators.drawing.sheet import contact_sheet

HERE = Path(__file__).parent
SAMPLES = 8
LEVELS = ("easy", "medium", "hard")
MORE = {
    "clock": {
        "of a day": {"numerals": ["arabic-24"], "questions": ["read", "move", "zone"]},
        "in a mirror": {"mirror": 1.0, "level": "hard"},
        "in a row": {"clocks": [2, 3], "questions": ["later", "which", "read"], "size": 160},
        "with one hand": {"one_hand": 1.0, "warp": 0.1, "questions": ["read", "shift", "to_hour"]},
        "worn": {"degrade": "heavy", "level": "hard"},
        "photographed": {"look": "photo", "level": "medium", "questions": ["read"]},
    },
    "chart": {"of reports": {"charts": ["waterfall", "funnel", "candlestick", "bullet", "treemap",
                                        "map"], "level": "medium"},
              "worn": {"degrade": "heavy", "size": 448},
              "in the world": {"looks": ["screenshot", "dashboard", "slide", "scan", "photo"],
                               "level": "medium"},
              "in house styles": {
                  "styles": ["broadsheet", "spreadsheet", "tile", "night", "handout", "sketch"],
                  "numbers": ["comma", "space", "apostrophe", "english"],
                  "names": ["turned", "cut"], "level": "medium"},
              "with lists": {"questions": ["boxes"], "level": "medium"}},
    "counter": {"with lists": {"questions": ["boxes"], "level": "medium"},
                "photographed": {"look": "photo", "level": "medium", "questions": ["read"]},
                "wheels": {"look": "photo", "questions": ["wheel"]}},
    "face": {"photographed": {"look": "photo", "level": "medium", "size": 384,
                              "questions": ["read"]}},
    "gauge": {"photographed": {"look": "photo", "level": "medium", "questions": ["read"]},
              "dials photographed": {"instruments": ["dial"], "look": "photo", "level": "medium",
                                     "questions": ["read"]},
              "compasses and scales": {
                  "instruments": ["compass", "kitchen_scale", "bathroom_scale"], "size": 288,
                  "questions": ["read"]},
              "compasses and scales photographed": {
                  "instruments": ["compass", "kitchen_scale", "bathroom_scale"], "look": "photo",
                  "level": "medium", "questions": ["read", "find"]}},
    "scene": {"of clocks": {"things": ["clocks"], "size": 448},
              "of charts": {"things": ["charts"], "size": 672},
              "with lists": {"questions": ["find"], "level": "medium"}},
    "text_spotting": {"with lists": {"questions": ["boxes"], "level": "hard"}},
}  # fmt: skip
"""What the levels do not show."""


def main() -> None:
    """Write the sheets and the page."""
    (HERE / "gallery").mkdir(exist_ok=True)
    page = [
        "# Gallery\n\n",
        "Every kind at each level (`gnomon preview clock -o clock.png level=hard`), and some"
        " options.\n",
    ]
    for kind in KINDS:
        doc = " ".join((load(kind).__doc__ or "").partition("\n\n")[0].split())
        page.append(f"\n## {kind}\n\n{doc}\n")
        has_levels = any(field.name == "level" for field in fields(load(kind)))
        asked = load(kind).every_question | ({"size": 288} if kind == "clock" else {})
        shown = {level: asked | {"level": level} for level in LEVELS * has_levels}
        for name, options in ((shown or {"": asked}) | MORE.get(kind, {})).items():
            generator = create(kind, **options)
            title = f"{kind} {name}".strip()
            sheet = contact_sheet(
                [generator[i] for i in range(SAMPLES)], title=title, columns=4, largest=300
            )
            file = f"gallery/{title.replace(' ', '-')}.webp"
            sheet.save(HERE / file, quality=72, method=6)
            page.append(f"\n![{title}]({file})\n")
    (HERE / "gallery.md").write_text("".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
