"""The kind `chart`: its options, its levels, and the table and question of each sample."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import printable
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from gnomon.generators.base import LATER, among, quick_split, read_levels, within
from gnomon.generators.chart import catalog, short_questions, spacing
from gnomon.generators.chart import chart_questions as phrasing
from gnomon.generators.chart import scene as plans
from gnomon.generators.chart import steps as chart_steps
from gnomon.generators.chart import style as styling
from gnomon.generators.chart import table as tables
from gnomon.generators.chart.catalog import TYPES
from gnomon.generators.drawing.colours import series_palette_name
from gnomon.generators.drawing.picture_generator import PictureGenerator
from gnomon.generators.looks.page import PAGE_COARSENESS, PAGE_LOOKS, PageColours, show_on_page
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile
from gnomon.sample import Box, Boxes, Number, Sample, Size, Table, Target, Text

LOOKS = ("flat", *PAGE_LOOKS)
SCALES = ("zero", "truncated", "negative", "log")
_NUMERIC = ("retrieve", "count", "difference", "ratio", "sum", "mean", "median", phrasing.MISMATCH)


class Scope(NamedTuple):
    """Values of a level for one picture size, with the possible questions of each type."""

    rows: tuple[int, int]
    series: tuple[int, int]
    value_labels: float
    scales: tuple[str, ...]
    near_ties: float
    missing: float
    pixels: Size = (0, 0)
    rows_are_given: bool = False
    """True if the user gave the number of rows, so it must not be reduced."""

    def series_of(self, chart: str) -> tuple[int, int]:
        """Return the smallest and largest number of series of a type."""
        low, high = TYPES[chart].series
        return max(low, min(self.series[0], high)), max(low, min(self.series[1], high))

    def rows_of(self, chart: str, series: int) -> tuple[int, int]:
        """Return the smallest and largest number of rows. If there is not enough room, the first is
        larger."""
        most = plans.max_rows(chart, self.pixels, series)
        few, (low, high) = TYPES[chart].fewest, self.rows
        if self.rows_are_given:
            return max(few, low), min(high, most)
        return max(few, min(low, most)), max(few, min(high, most))

    def scales_of(self, chart: str) -> tuple[str, ...]:
        """Return the kinds of value axes that a type allows."""
        return tuple(scale for scale in self.scales if scale in TYPES[chart].scales)

    def needs_labels(self, chart: str, question: str) -> bool:
        """Return True if the question needs values written at the marks."""
        return question == "table" or (TYPES[chart].only_labelled and question in _NUMERIC)

    def asks(self, chart: str, question: str) -> bool:
        """Return True if some charts of this type determine the answer to the question."""
        never, (fewest, most) = TYPES[chart].never, self.series_of(chart)
        if question in short_questions.CHARTS:
            return chart in short_questions.CHARTS[question] and fewest == 1
        if question in never or (question == phrasing.MISMATCH and "table" in never):
            return False
        if question == "crossing" or (chart, question) == ("area", "box"):
            return most > 1
        if (chart, question) in (("area", "trend"), ("area", "table"), ("line", "table")):
            return fewest == 1 and (question == "trend" or self.value_labels > 0)
        if self.needs_labels(chart, question):
            space, (rows, _) = plans.plot_room(chart, self.pixels), self.rows_of(chart, most)
            fits = {
                "grouped": plans.fits_upright(space, rows, fewest),
                # Short values over the bars and the total.
                "waterfall": plans.label_width(space, 4) <= space.width / (rows + 1),
            }
            return fits.get(chart, True) and self.value_labels > 0
        whole = question in ("sum", "mean", "median", "ratio", phrasing.MISMATCH)
        return not whole or self.scales_of(chart) != ("log",)

    def choices(
        self, charts: Sequence[str], questions: Sequence[str]
    ) -> dict[str, tuple[str, ...]]:
        """Return the questions by type of chart. Types without questions or without room are left
        out."""
        choices = {}
        for chart in charts:
            low, high = self.rows_of(chart, self.series_of(chart)[1])
            answerable = tuple(name for name in questions if self.asks(chart, name))
            if self.scales_of(chart) and low <= high and answerable:
                choices[chart] = answerable
        return choices


LEVELS = read_levels(__file__, Scope)


CHARTS = tuple(TYPES)
DEFAULT_CHARTS = tuple(name for name, kind in TYPES.items() if kind.in_mix)
_TRIES = 1000
# Pixels of a degraded picture that show as much as one pixel of a clean picture.
_COARSENESS = {"off": 1.0, "light": 1.25, "heavy": 2.0}
# Shorter side in pixels from which letters survive the degradation.
_LEGIBLE = {"off": plans.SMALLEST, "light": plans.SMALLEST, "heavy": 336}
# Questions that a name in the chart answers.
_NAMED_ANSWERS = ("extreme", "compare", "table")
# Letters that a font must have. É has the height of a line.
_LETTERS = catalog.ALL.replace("\n", "") + printable.strip() + "É"
# Pixels of the shorter side per letter of the longest name.
_LETTER = 22
# Attempts at values for one frame before another frame is drawn.
_VALUES = 25


@dataclass(frozen=True, kw_only=True, repr=False)
class Chart(PictureGenerator):
    """Charts of twenty types with questions about the displayed table."""

    kind: ClassVar[str] = "chart"
    version: ClassVar[int] = 4
    targets: ClassVar[tuple[type[Target], ...]] = (Box, Boxes, Number, Table, Text)
    every_question: ClassVar[dict[str, Any]] = {"questions": (*phrasing.QUESTIONS, "boxes")}
    asks_for_steps: ClassVar[tuple[str, ...]] = chart_steps.QUESTIONS
    levels: ClassVar[dict[str, Scope]] = LEVELS

    size: int | tuple[int, int] | tuple[tuple[int, int], ...] = (448, 336)
    """Width and height in pixels, the side of a square, or several pairs, equally frequent; 224 to
    2048."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: 3 to 5 rows, mostly labelled; medium: 4 to 8, axes that do not start at zero; hard: 6
    to 14 with up to 4 series, logarithmic axes, near ties, few written values."""
    charts: Annotated[tuple[str, ...], among(TYPES)] = DEFAULT_CHARTS
    """Types of charts to draw, equally frequent. Six more are not in the default: waterfall,
    funnel, candlestick, bullet, treemap and map."""
    questions: Annotated[tuple[str, ...], among(phrasing.FUNCTIONS)] = phrasing.QUESTIONS
    """Forms of questions, asked if a chart allows them. Five more are not in the default. mismatch:
    which number of a table in a second picture differs from the chart; boxes: the boxes of all
    marks of a series or beyond a limit, possibly none; nth, peak and named: short questions for the
    n-th, the highest or lowest, and a named value of charts with one series."""
    rows: Annotated[tuple[int, int] | None, within(3, 16)] = None
    """Smallest and largest number of values in a series, from 3 to 16. It overrides the level, and
    depends on the room in the picture."""
    series: Annotated[tuple[int, int] | None, within(1, 4)] = None
    """Smallest and largest number of series, in charts with several (1 to 4)."""
    value_labels: Annotated[float | None, within(0, 1)] = None
    """Share of charts with values written at the marks, if these fit."""
    scales: Annotated[tuple[str, ...] | None, among(SCALES)] = None
    """Kinds of axes: zero, truncated, negative (reaching below zero), log."""
    near_ties: Annotated[float | None, within(0, 1)] = None
    """Share of tables with a second value close to the greatest value, but visibly smaller."""
    missing: Annotated[float | None, within(0, 1)] = None
    """Share of tables with a missing value. Questions ask for other values."""
    ood: bool = False
    """Draw the styles, palettes and fonts that are held out otherwise."""
    looks: Annotated[tuple[str, ...], among(LOOKS)] = field(default=("flat",), metadata=LATER)
    """Looks of the picture, equally frequent: flat, the chart alone; screenshot, slide or dashboard
    with other things around the chart; scan or photo of a printed page. Looks other than flat need
    sides of at least 336 pixels, and wear the picture themselves: leave `degrade` out."""
    styles: Annotated[tuple[str, ...] | None, among(styling.NAMES)] = field(
        default=None, metadata=LATER
    )
    """Styles by name, equally frequent. None: all except the held-out styles and the house styles
    broadsheet, spreadsheet, tile, night, handout, plotter, graphpaper, ledger and sketch, which is
    drawn by hand."""
    layouts: Annotated[tuple[str, ...], among(spacing.LAYOUTS)] = field(
        default=("even",), metadata=LATER
    )
    """Layouts, equally frequent: even; or free, as other programs lay charts out: the axis ends
    beyond its last number, numbers are close together or far apart, letters are smaller, bars are
    pale, and pies start anywhere."""
    numbers: Annotated[tuple[str, ...], among(tables.NUMBERS)] = field(
        default=("plain",), metadata=LATER
    )
    """Forms of numbers in the chart, equally frequent: plain, 1234.5; comma, 1.234,5; space,
    1 234,5; apostrophe, 1'234.5; or english, 1,234.5. Questions and answers stay plain."""
    names: Annotated[tuple[str, ...], among(tables.NAME_FORMS)] = field(
        default=("whole",), metadata=LATER
    )
    """Forms of names below upright marks, equally frequent: whole; turned by 45°; or cut after some
    letters, except in questions that a name answers."""
    backgrounds: tuple[str, ...] = field(default=("plain",), metadata=LATER)
    """Ground around the plot: plain, the page of the style; or photographs, by file or folder."""
    palettes: tuple[str, ...] | None = field(default=None, metadata=LATER)
    """Colours of series and parts, by name, such as tab10; or by file or folder. None: all palettes
    except the held-out palettes, or only the held-out palettes with `ood`. Heat maps have their own
    colour maps."""
    fonts: tuple[str, ...] | None = field(default=None, metadata=LATER)
    """sans, serif, stix; or font files, by file or folder. None: as for the palettes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        least, sides = _LEGIBLE[self.degrade], [side for size in self.sizes for side in size]
        if not sides or not all(least <= side <= 2048 for side in sides):
            reason = f", degrade={self.degrade!r}: its letters would be lost" if least > 224 else ""
            raise ValueError(f"size={self.size!r}{reason}: give sides of {least} to 2048 pixels")
        if in_world := [look for look in self.looks if look != "flat"]:
            if self.degrade != "off":
                raise ValueError(f"looks={in_world} wear the picture themselves: leave degrade out")
            if min(sides) < _LEGIBLE["heavy"]:
                raise ValueError(
                    f"size={self.size!r}, looks={in_world}: letters would be lost: give sides of"
                    f" {_LEGIBLE['heavy']} pixels or more"
                )
        self.materials.check_fonts(_LETTERS)
        for scope, choices in self._scopes:
            if not choices:
                raise self._refusal(scope)

    def _refusal(self, scope: Scope) -> ValueError:
        return ValueError(
            f"charts={list(self.charts)}, rows={list(scope.rows)}, scales={list(scope.scales)}: in"
            f" {scope.pixels} pixels no such chart has room for {list(self.questions)}; give a"
            " larger size, fewer rows, or other questions, charts or scales"
        )

    @property
    def built_in(self) -> dict[str, tuple[str, ...]]:
        """Palettes and fonts: the held-out ones if `ood` is set, otherwise the rest."""
        return {
            "backgrounds": ("plain",),
            "palettes": styling.PALETTES_HELD_OUT if self.ood else styling.PALETTES,
            "fonts": styling.FONTS_HELD_OUT if self.ood else styling.FONTS,
        }

    def palette_name(self, file: UserFile) -> str:
        """Name a palette file by its colours, which must be distinguishable."""
        name = series_palette_name(file)
        styling.check_palette(name, file.path)
        return name

    def key(self, index: int) -> str:
        """Return the table, the type of chart and the question."""
        _, plan, question = self._meaning(index)
        table = _names_key(plan.frame) + repr(plan.cells)
        gap = f"|{plan.missing}" if plan.missing else ""
        return f"{plan.chart}|{plan.has_labels}{gap}|{table}|{question.name}|{question.about}"

    def draw(self, index: int) -> Sample:
        """Draw a chart and ask a question about it."""
        from gnomon.generators.chart import draw as drawing

        rng, plan, question = self._meaning(index)
        text = phrasing.question_text(plan, question, rng)
        frame = plan.frame
        if question.name in _NAMED_ANSWERS and frame.names == "cut":
            plan = plan._replace(frame=frame._replace(names="whole"))
        look = styling.random_look(
            rng, self.materials.names("palettes"), self.materials.names("fonts"), self._style_names
        )
        board = drawing.draw_chart(plan, look, rng, self.background_photograph(index))
        image, moved = board.pen.image(), None
        if self.degrade != "off":
            stroke = max(1, round(plan.room.text / 10))
            keep = drawing.ink_corners(board)
            image, moved = self.degrade_picture(index, image, keep, stroke=stroke)
        if (world := self._choice("looks", index)) != "flat":
            style = look.style
            page, ink, accent = map(styling.levels, (style.page, style.ink, look.colours[0]))
            with_key = (*catalog.COLOURED, *catalog.LEGENDS, "treemap")
            is_coloured = plan.chart in with_key or TYPES[plan.chart].legend
            colours = PageColours(page, ink, accent, is_coloured)
            image, moved = show_on_page(image, world, colours, Rng(self.name, "page", index))
        facts = drawing.chart_facts(board, question, moved)
        if self.looks != ("flat",):
            facts["look"] = world
        answer = phrasing.FUNCTIONS[question.name][1]
        target = drawing.target_of_marks(facts) if answer is None else answer(plan, question.about)
        more = []
        if question.name == phrasing.MISMATCH:
            more.append(drawing.table_picture(plan, question.about, look))
        sample = Sample(self.id(index), image, text, target, facts, more_images=tuple(more))
        return self.with_steps(index, sample, lambda: chart_steps.steps(facts))

    def _choice(self, option: str, index: int) -> str:
        """Choose a value of an option that was added later, by a random stream of its own."""
        values: tuple[str, ...] = getattr(self, option)
        return values[0] if len(values) == 1 else Rng(self.name, option, index).choice(values)

    @property
    def _style_names(self) -> tuple[str, ...]:
        return self.styles or tuple(styling.STYLES_HELD_OUT if self.ood else styling.STYLES)

    @property
    def has_several_pictures(self) -> bool:
        return phrasing.MISMATCH in self.questions

    @property
    def sizes(self) -> tuple[Size, ...]:
        """Width and height of each size."""
        match self.size:
            case int(side):
                return ((side, side),)
            case (int(width), int(height)):
                return ((width, height),)
        return tuple((width, height) for width, height in self.size)

    def _meaning(self, index: int) -> tuple[Rng, plans.ChartPlan, phrasing.ChartQuestion]:
        """Draw tables until one belongs to the split and answers a question.

        At least one table in ten belongs to the split. Most tables answer most questions of their
        type. A test checks that every pair of type and question occurs.
        """
        # Each attempt continues with the same random draws, so a picture depends only on its
        # index.
        rng = self.rng(index)
        numbers, names = self._choice("numbers", index), self._choice("names", index)
        is_free = self._choice("layouts", index) == "free"
        is_flat = self._choice("looks", index) == "flat"
        coarseness = _COARSENESS[self.degrade] if is_flat else PAGE_COARSENESS
        free = Rng(self.name, "spacing", index)
        scope, choices = rng.choice(self._scopes)
        for _ in range(_TRIES):
            chart = rng.choice(tuple(choices))
            name = rng.choice(choices[chart])
            frame, has_labels, tie = self._frame(rng, scope, chart)
            frame = frame._replace(numbers=numbers, names=names)
            missing = None
            if rng.chance(scope.missing) and TYPES[chart].gaps and name in phrasing.PARTIAL:
                missing = rng.choice(frame.cells)
            cells = self._values_of_split(rng, frame, tie, missing)
            if cells is None:
                continue
            has_labels = has_labels or scope.needs_labels(chart, name)
            plan = plans.plan_chart(
                frame, cells, scope.pixels, missing, has_labels=has_labels, coarseness=coarseness,
                spacing=spacing.free_spacing(free, chart) if is_free else spacing.EVEN,
            )  # fmt: skip
            # Points that would hide each other are not moved. Another table is drawn.
            if plan.is_crowded:
                continue
            if (question := phrasing.ask_question(name, plan, rng)) is not None:
                return rng, plan, question
        raise self._refusal(scope)

    def _values_of_split(
        self, rng: Rng, frame: tables.Frame, tie: int, missing: tables.Cell | None
    ) -> tables.Cells | None:
        """Draw values until the table belongs to the split. None after about fifty tables."""
        names = _names_key(frame)
        for _ in range(_VALUES):
            values = tables.random_values(rng, frame, tie)
            # The stages of a funnel have an order, and so have the bars of a waterfall.
            is_staged = frame.chart in catalog.STAGED
            for cells in (values,) if is_staged else (values, values[::-1]):
                cells = tables.blank_out(cells, missing, frame.low)
                if quick_split(self.kind, names + repr(cells)) == self.split:
                    return cells
        return None

    def _frame(self, rng: Rng, scope: Scope, chart: str) -> tuple[tables.Frame, bool, int]:
        """Draw the frame of a table, whether values are written, and the distance of the two
        nearest values."""
        series = rng.within(scope.series_of(chart))
        rows = rng.within(scope.rows_of(chart, series))
        longest = min(scope.pixels) // _LETTER
        frame = tables.random_frame(
            rng, chart, rng.choice(scope.scales_of(chart)), rows, series, longest
        )._replace(short=rng.chance(0.5))
        has_labels, tied = rng.chance(scope.value_labels), rng.chance(scope.near_ties)
        if not (tied and TYPES[chart].tied):
            return frame, has_labels, 0
        room = plans.plot_room(chart, scope.pixels)
        pixel = (frame.high - min(frame.low, 0)) / (room.width if chart == "barh" else room.height)
        apart = rng.uniform(3, 8) * _COARSENESS[self.degrade]
        return frame, has_labels, max(1, round(pixel * apart))

    @cached_property
    def _scopes(self) -> tuple[tuple[Scope, dict[str, tuple[str, ...]]], ...]:
        """Values of the level for each size, with the questions of each type."""
        scopes = (
            self.settings._replace(pixels=s, rows_are_given=self.rows is not None)
            for s in self.sizes
        )
        return tuple((s, s.choices(self.charts, self.questions)) for s in scopes)


def _names_key(frame: tables.Frame) -> str:
    return f"{frame.topic.measure}/{','.join(frame.rows)}/{','.join(frame.columns)}/"
