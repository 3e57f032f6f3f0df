"""Charts as others draw them with matplotlib: pandas' plot, seaborn's themes, style sheets."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image

from benchmarks.transfer.asked import Table, cell, rng_of, table

if TYPE_CHECKING:
    from random import Random

    from matplotlib.axes import Axes

    from benchmarks.transfer.asked import Drawn


def draw(index: int) -> Drawn:
    """Habit after habit."""
    rng = rng_of("chart_seaborn", index)
    design = DESIGNS[index % len(DESIGNS)]
    shown = table(rng, several=design in ("pandas grouped", "seaborn hue"),
                  ordered=design in ("default line", "fivethirtyeight line"))  # fmt: skip
    image, ends = _figure(rng, design, shown)
    return image, *cell(rng, shown, ends)


def _figure(rng: Random, design: str, shown: Table) -> tuple[Image.Image, tuple[float, float]]:
    """Draw a chart. Return it with both ends of its value axis."""
    from matplotlib import style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    sheet, plot = _DESIGNS[design]
    names = sheet.split() if sheet else ["default"]
    with style.context(["default", *names]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas and seaborn on matplotlib's newer ways
        figure = Figure(
            figsize=rng.choice(((6.4, 4.8), (5, 4), (8, 5), (7, 4))), dpi=rng.choice((60, 72, 100))
        )
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        plot(rng, axes, shown)
        png = BytesIO()
        figure.savefig(png, bbox_inches="tight")
        ends = axes.get_xlim() if design == "pandas barh" else axes.get_ylim()
    return Image.open(png).convert("RGB"), ends


def _frame(shown: Table) -> Any:
    import pandas

    return pandas.DataFrame(
        dict(zip(shown.series, shown.columns(), strict=True)),
        index=pandas.Index(shown.names, name=shown.over),
    )


def _pandas_bar(rng: Random, axes: Axes, shown: Table) -> None:
    """`series.plot.bar()`: names on end, a legend-less title if any."""
    _frame(shown)[""].plot.bar(
        ax=axes,
        color=rng.choice((None, "steelblue", "C1", "teal")),
        rot=rng.choice((90, 90, 0, 45)),
    )
    axes.set_ylabel(_label(shown))
    if rng.random() < 0.5:
        axes.set_title(f"{shown.measure} by {shown.over}".capitalize())


def _pandas_barh(rng: Random, axes: Axes, shown: Table) -> None:
    _frame(shown)[""].plot.barh(
        ax=axes, edgecolor="black", color=rng.choice(("lightgrey", "salmon", "C0"))
    )
    axes.set_xlabel(_label(shown))
    if rng.random() < 0.5:
        axes.invert_yaxis()


def _pandas_grouped(rng: Random, axes: Axes, shown: Table) -> None:
    _frame(shown).plot.bar(
        ax=axes, rot=rng.choice((0, 90)), colormap=rng.choice((None, "viridis", "Set2", "coolwarm"))
    )
    axes.set_ylabel(_label(shown))
    _room_for_legend(axes)
    axes.grid(rng.random() < 0.5, axis="y", linestyle="--", alpha=0.6)


def _default_line(rng: Random, axes: Axes, shown: Table) -> None:
    """`plt.plot(x, y, "o-")` and little else: the axis begins where it likes."""
    (values,) = shown.columns()
    axes.plot(shown.names, values, rng.choice(("o-", "s--", "b^-", "k.-", "r-o")))
    axes.set_ylabel(_label(shown))
    axes.set_xlabel(shown.over)
    if rng.random() < 0.7:
        axes.grid(True)


def _annotated(rng: Random, axes: Axes, shown: Table) -> None:
    """A dark slide with the values over the bars."""
    (values,) = shown.columns()
    bars = axes.bar(
        shown.names,
        values,
        color=rng.choice(("#00adb5", "#ff9f1c", "#c77dff")),
        width=rng.uniform(0.5, 0.8),
    )
    axes.bar_label(bars, padding=2)
    axes.set_title(_label(shown), fontsize=14)
    axes.spines[["top", "right"]].set_visible(False)


def _seaborn_bar(rng: Random, axes: Axes, shown: Table) -> None:
    import seaborn

    (values,) = shown.columns()
    names = list(shown.names)
    palette = rng.choice(("deep", "muted", "pastel", "rocket", "crest"))
    seaborn.barplot(x=names, y=values, hue=names, palette=palette, ax=axes, legend=False)
    axes.set(xlabel=shown.over, ylabel=_label(shown))
    seaborn.despine(ax=axes)


def _seaborn_hue(rng: Random, axes: Axes, shown: Table) -> None:
    import seaborn

    long = _frame(shown).melt(ignore_index=False, var_name="kind", value_name="value").reset_index()
    seaborn.barplot(
        long,
        x=shown.over,
        y="value",
        hue="kind",
        palette=rng.choice(("Set2", "mako", "deep")),
        ax=axes,
    )
    axes.set_ylabel(_label(shown))
    _room_for_legend(axes)


def _thick_line(rng: Random, axes: Axes, shown: Table) -> None:
    (values,) = shown.columns()
    axes.plot(range(len(values)), values, marker="o", markersize=rng.choice((0, 6, 9)))
    axes.set_xticks(range(len(values)), shown.names)
    axes.set_ylim(0)
    axes.set_title(_label(shown))


_DESIGNS = {
    "pandas bar": ("", _pandas_bar),
    "pandas barh": ("", _pandas_barh),
    "pandas grouped": ("", _pandas_grouped),
    "default line": ("", _default_line),
    "dark annotated": ("dark_background", _annotated),
    "seaborn bar": ("seaborn-v0_8-whitegrid", _seaborn_bar),
    "seaborn hue": ("seaborn-v0_8-darkgrid", _seaborn_hue),
    "ggplot bar": ("ggplot", _pandas_bar),
    "fivethirtyeight line": ("fivethirtyeight", _thick_line),
}
DESIGNS = tuple(_DESIGNS)


def _room_for_legend(axes: Axes) -> None:
    """Above the bars, so that it hides none."""
    axes.set_ylim(0, 1.4 * axes.get_ylim()[1])
    axes.legend(loc="upper right", ncols=3)


def _label(shown: Table) -> str:
    return f"{shown.measure} ({shown.unit})"
