"""Charts of a report as inline SVG, in the colours of the page's style sheet."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from gnomon.answers.registry import TYPES
from gnomon.eval.scoring.runs import RunResult, ScoredAnswer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gnomon.eval.scoring.belief import Bin


UNREAD = "not read"
# Minutes in a turn of the hour hand. Only such dials are drawn.
_DIAL = 720


def error_histogram(runs: Sequence[RunResult], type_name: str) -> Markup:
    """Draw the share of answers in each class of error, with a bar for each run."""
    tallies = [Counter(map(error_class, run.scores.of_type(type_name))) for run in runs]
    names = [*TYPES[type_name].error_histogram.names, UNREAD]
    counts = [[tally[name] for name in names] for tally in tallies]
    return histogram(names, counts, f"{type_name}: {TYPES[type_name].error_histogram.title}")


def error_class(item: ScoredAnswer) -> str:
    """Return the name of the class of an answer's error in `error_histogram`."""
    if item.value is None:
        return UNREAD
    bins = TYPES[item.type_name].error_histogram
    side = bisect_right if bins.more_is_better else bisect_left  # IoU 0.5 is 0.5–0.75
    error = item.measures.get(bins.measure, 0 if item.correct else math.inf)
    return bins.names[side(bins.edges, error)]


def truth_scatter(run: RunResult, index: int, type_name: str) -> Markup | None:
    """Draw answers against truths.

    Returns None for types whose values are not points on an axis, such as boxes. On a circular
    scale, an answer is drawn on the nearer side of its truth: 9.9 for a truth of 0.0 is a tenth
    below 0.0, and not at the other end.
    """
    answer_type = TYPES[type_name]
    if answer_type.axis is None:
        return None
    per = answer_type.axis.per
    items = [item for item in run.scores.of_type(type_name) if item.value is not None]
    if not items:
        return None
    truths = [answer_type.position(answer_type.value_of(item.truth)) for item in items]
    ends = (0.0, answer_type.axis.end) if answer_type.axis.end else _ends([t / per for t in truths])
    points = []
    for item, truth in zip(items, truths, strict=True):
        position = answer_type.position(item.value)
        if period := item.truth.answer_form.period:
            nearer = truth + (position - truth + period / 2) % period - period / 2
            # If the nearer place is far beyond the ends of the axis, the answer stays.
            is_beyond = not ends[0] <= nearer / per <= ends[1]
            position = position if is_beyond and abs(nearer - truth) > period / 4 else nearer
        points.append((truth / per, position / per))
    label = f"{type_name} of {run.name}: answers against truths"
    return scatter(points, ends, colour(index), names=answer_type.axis.names, label=label)


def error_dials(run: RunResult, index: int, type_name: str) -> Markup | None:
    """Draw the share of wrong answers by hour hand and by minute hand.

    Returns None unless the dial has 12 hours.
    """
    answer_type = TYPES[type_name]
    if answer_type.axis is None or answer_type.axis.period != _DIAL:
        return None
    items = run.scores.of_type(type_name)
    # Sectors show shares of their questions, because rare hours would otherwise look easy.
    wrong = np.array([not item.correct for item in items])
    minutes = np.array(
        [int(answer_type.position(answer_type.value_of(item.truth))) for item in items]
    )
    sectors = {"by the hour hand": minutes // 60, "by the minute hand": minutes % 60 // 5}
    shares = {}
    for caption, sector in sectors.items():
        n_questions = np.bincount(sector, minlength=12)
        # A sector without a question gets 0.
        shares[caption] = 100 * np.bincount(sector, wrong, 12) / np.maximum(n_questions, 1)
    return dials(shares, colour(index), f"{run.name}: percent of wrong answers by sector")


def _ends(truths: Sequence[float]) -> tuple[float, float]:
    """Return the range of the truths with some margin. Outlying answers do not widen it."""
    low, high = min(truths), max(truths)
    room = 0.05 * (high - low) or abs(high) or 1.0
    return low - room, high + room


def histogram(classes: Sequence[str], counts: Sequence[Sequence[int]], label: str) -> Markup:
    """Draw `counts[run][class]` as horizontal bars of each run's share of answers."""
    chart = new_axes(360, len(classes) * (12 * len(counts) + 10) + 12)
    height = 0.8 / len(counts)
    rows = np.arange(len(classes))
    for index, counts_of_run in enumerate(counts):
        shares = 100 * np.array(counts_of_run) / max(1, sum(counts_of_run))
        bars = chart.barh(rows + index * height, shares, 0.9 * height, color=paint(colour(index)))
        labels = [f"{share:.1f} %" if share else "0" for share in shares]
        chart.bar_label(bars, labels, padding=3, fontsize=9.5, color=paint("soft"))
    chart.set_yticks(rows + height * (len(counts) - 1) / 2, classes)
    chart.invert_yaxis()
    chart.margins(x=0.15, y=0.01)
    chart.xaxis.set_visible(False)
    chart.grid(visible=False)
    return to_svg(chart, label)


def dials(shares: Mapping[str, NDArray[np.float64]], css: str, label: str) -> Markup:
    """Draw a dial for each caption, side by side and on one scale. `shares` are percent."""
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

    figure = Figure((5, 3), layout="constrained")
    turns = np.arange(12) * np.pi / 6
    # At least 10 percent: two errors must not look like fifty.
    largest = max(10.0, *(float(shares_of_dial.max()) for shares_of_dial in shares.values()))
    for position, (caption, shares_of_dial) in enumerate(shares.items(), 1):
        chart = figure.add_subplot(1, len(shares), position, projection="polar")
        assert isinstance(chart, PolarAxes)
        style_axes(chart)
        chart.set_theta_zero_location("N")
        chart.set_theta_direction(-1)
        chart.bar(turns, shares_of_dial, np.pi / 6, align="edge", color=paint(css))
        # Minutes are labelled in fives, and hours begin at 12.
        names = range(0, 60, 5) if "minute" in caption else [12, *range(1, 12)]
        chart.set(xticks=turns, xticklabels=names, ylim=(0, largest), xlabel=caption)
        chart.set_yticks([largest / 2, largest], [f"{largest / 2:.0f}", f"{largest:.0f}"])
        chart.tick_params(axis="y", labelsize=9, labelcolor=paint("soft"))
        chart.spines[:].set_color(paint("rule"))
    return to_svg(chart, label)


# Largest number of dots on a scatter chart. Of more points, an even selection is drawn.
_MOST_DOTS = 1000


def scatter(
    points: Sequence[tuple[float, float]],
    ends: tuple[float, float],
    css: str,
    *,
    names: tuple[str, str],
    label: str,
) -> Markup:
    """Draw (truth, answer) points on one scale. Answers beyond `ends` are drawn on the border."""
    chart = square(ends, names)
    dots = np.reshape(points[:: -(-len(points) // _MOST_DOTS) or 1], (-1, 2))
    # Many dots are drawn small, to show clusters.
    size = 36 if len(dots) <= _MOST_DOTS / 4 else 14
    # An outlying answer is drawn on the border, to keep it visible.
    answers = np.clip(dots[:, 1], *ends)
    chart.scatter(dots[:, 0], answers, size, paint(css), alpha=0.55, linewidths=0, clip_on=False)
    return to_svg(chart, label)


def square(ends: tuple[float, float], names: tuple[str, str]) -> Axes:
    """Create square axes with the same scale, the axis labels `names`, and a diagonal."""
    chart = new_axes(360, 340)
    chart.set(xlim=ends, ylim=ends, xlabel=names[0], ylabel=names[1], aspect="equal")
    if not ends[0]:  # hours of a dial or percent: divide them into four parts
        chart.set(xticks=np.linspace(*ends, 5), yticks=np.linspace(*ends, 5))
    chart.plot(ends, ends, color=paint("soft"), linestyle="--", linewidth=1)
    return chart


def reliability(bins: list[Bin], label: str) -> Markup:
    """Draw a reliability diagram: accuracy against confidence.

    On the diagonal, confidence equals accuracy. Larger dots mean more answers.
    """
    chart = square((0, 100), ("confidence, in percent", "exactly right, in percent"))
    confidence = [100 * bin_.confidence for bin_ in bins]
    accuracy = [100 * bin_.accuracy for bin_ in bins]
    n = sum(bin_.n for bin_ in bins)
    color = paint(colour(0))
    chart.plot(confidence, accuracy, color=color)
    chart.scatter(
        confidence, accuracy, [12 + 100 * bin_.n / n for bin_ in bins], color, clip_on=False
    )
    return to_svg(chart, label)


def risk(pairs: Sequence[tuple[float, bool]], label: str) -> Markup:
    """Draw a risk-coverage curve: the share of wrong answers among the most confident answers.

    `pairs` are confidence and correctness.
    """
    # Answers of the same confidence are one point of the curve.
    ordered = sorted(pairs, key=lambda pair: -pair[0])
    n = len(ordered)
    wrong = np.cumsum([not right for _, right in ordered])
    last = [i for i in range(n) if i + 1 == n or ordered[i][0] != ordered[i + 1][0]]
    shares = [100 * (i + 1) / n for i in last]
    errors = [100 * float(wrong[i]) / (i + 1) for i in last]
    chart = new_axes(360, 340)
    chart.set(xlim=(0, 100), ylim=(0, max(5.0, 1.1 * max(errors))))
    chart.set(
        xlabel="answered, most confident first, in percent", ylabel="wrong among them, in percent"
    )
    chart.plot(shares, errors, color=paint(colour(0)))
    chart.scatter(shares[-1:], errors[-1:], 36, paint(colour(0)), clip_on=False, zorder=3)
    return to_svg(chart, label)


Log: TypeAlias = Sequence[Mapping[str, Any]]

# Columns that TRL adds to the log. All other numbers are parts of the loss.
_NOT_A_PART = frozenset(
    (
        *("step", "epoch", "learning_rate", "grad_norm", "mean_token_accuracy", "num_tokens"),
        *("entropy", "completions/mean_length"),
    )
)
# One point per pixel of the chart's width.
_MOST_POINTS = 400


def curves(logs: Mapping[str, Log]) -> dict[str, Markup]:
    """Draw the loss and its parts over the steps of each log, and return the charts by log name.

    All charts have the same axes, for comparison. Logs with fewer than two rows of loss are left
    out.
    """
    series_by_name = {
        name: series for name, log in logs.items() if len((series := _series(log))["loss"]) > 1
    }
    points = [
        point for series in series_by_name.values() for line in series.values() for point in line
    ]
    values = [value for _, value in points]
    # On a linear axis, the end of a loss that falls by a factor of 20 would not be visible.
    logarithmic = bool(values) and min(values) > 0 and max(values) > 20 * min(values)
    parts = list(dict.fromkeys(part for series in series_by_name.values() for part in series))
    pictures = {}
    for name, series in series_by_name.items():
        chart = new_axes(400, 260)
        # Invisible points of all logs give every chart the same axes.
        chart.plot(*zip(*points, strict=True), alpha=0)
        for part, line in series.items():
            colour_of_part = paint(colour(parts.index(part)))
            chart.plot(*zip(*line[:: -(-len(line) // _MOST_POINTS)], strict=True),
                       color=colour_of_part, label=part)  # fmt: skip
        chart.set(xlabel="step", yscale="log" if logarithmic else "linear")
        chart.legend(frameon=False, fontsize=11)
        pictures[name] = to_svg(chart, f"{name}: loss by step")
    return pictures


def _series(log: Log) -> dict[str, list[tuple[float, float]]]:
    """Collect (step, value) points of the loss and of its parts from the training rows of a log."""
    series: dict[str, list[tuple[float, float]]] = {"loss": []}
    for row in log:
        if "step" not in row or "loss" not in row:
            continue  # an evaluation's row, or the summary at the end
        for name, value in {**row, **row.get("parts", {})}.items():
            is_part = name not in _NOT_A_PART and isinstance(value, int | float)
            if is_part and math.isfinite(value):
                series.setdefault(name, []).append((row["step"], value))
    return series


COLOURS = 8
"""Number of colours, which people with most kinds of colour blindness can tell apart."""
_VARIABLES = ("ink", "soft", "rule", "good", "bad", *(f"run{i}" for i in range(COLOURS)))
# Near-black colours for matplotlib, one for each variable. `to_svg` finds them by their hex code.
_PAINTS = {name: f"#0000{number:02x}" for number, name in enumerate(_VARIABLES)}
_REMOVED = re.compile(
    r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->"
    r'|(?<=<g) id="[^"]*"'  # the same in every chart
    r'| font-family: [^;"]*;?| transform="rotate\(-0[^"]*"'
    r"|(?<=\.\d)\d+(?=[^<>]*>)",  # a tenth of a pixel is enough, but texts keep their digits
    re.DOTALL,
)


def colour(index: int) -> str:
    """Return the style sheet's name of the colour for the run or line at this index."""
    return f"run{index % COLOURS}"


def paint(name: str) -> str:
    """Return a colour for matplotlib. `to_svg` replaces it by the page's colour `name`."""
    return _PAINTS[name]


def new_axes(width: float, height: float) -> Axes:
    """Create an empty chart with pale grid lines. The size is in pixels."""
    from matplotlib.figure import Figure

    # At 72 dpi an SVG's points are pixels.
    figure = Figure((width / 72, height / 72), layout="constrained")
    chart = figure.add_subplot()
    style_axes(chart)
    chart.spines[:].set_visible(False)
    return chart


def style_axes(chart: Axes) -> None:
    """Give axes the page's font size and grid lines."""
    chart.set_axisbelow(True)
    chart.grid(color=paint("rule"), linewidth=1)
    chart.tick_params(length=0, labelsize=11)


def to_svg(chart: Axes, label: str) -> Markup:
    """Render a chart as SVG that scales with the page. Screen readers read `label`."""
    from matplotlib import rc_context

    figure, file = chart.get_figure(root=True), StringIO()
    assert figure is not None
    # The salt differs by picture, because ids of clipping paths must be unique on a page.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": label}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    # Remove metadata, fonts, and digits below a tenth of a pixel.
    text = _REMOVED.sub("", file.getvalue().partition("<svg")[2])
    for name, hexadecimal in _PAINTS.items():
        # Variables follow the page's light or dark scheme.
        text = text.replace(hexadecimal, f"var(--{name})")
    tag = f'<svg role="img" aria-label="{escape(label)}"'
    # The SVG holds numbers, and texts that matplotlib has escaped.
    return Markup(tag + re.sub(r"\s*\n\s*", " ", text))  # noqa: S704
