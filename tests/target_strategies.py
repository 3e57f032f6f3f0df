"""Targets as hypothesis draws them."""

from hypothesis import strategies as st

from gnomon.sample import Box, Boxes, LabelledBox, Number, Spot, Spots, Table, Text, Time

decimals = st.decimals(allow_nan=False, allow_infinity=False).filter(lambda d: d.adjusted() < 40)
units = st.sampled_from(["", "%", "€", "km/h", "m²", "°C", "5", "square metres"])
numbers = st.builds(Number, decimals, units, decimals.map(abs))
words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1)
lines = words.map(lambda text: " ".join(text.split())).filter(bool)
cells = lines.filter(lambda line: "|" not in line)


@st.composite
def times(draw, periods=(12, 24)):
    hours = draw(st.sampled_from(periods))
    if draw(st.booleans()):
        seconds, form = st.integers(0, hours * 3600 - 1), st.sampled_from(["digits", "json"])
        return Time(draw(seconds), hours, shows_seconds=True, form=draw(form))
    forms = ["digits", "json", "words"] if hours == 12 else ["digits", "json"]
    return Time(60 * draw(st.integers(0, hours * 60 - 1)), hours, form=draw(st.sampled_from(forms)))


@st.composite
def texts(draw):
    """A text, free or one of some choices."""
    text = draw(lines)
    if draw(st.booleans()):
        return Text(text)
    return Text(text, tuple(draw(st.permutations([text, *draw(st.lists(lines, max_size=3))]))))


@st.composite
def tables(draw):
    wide = draw(st.integers(1, 4))
    rows = st.lists(st.tuples(*[cells] * wide), max_size=4)
    return Table(draw(st.tuples(*[cells] * wide)), tuple(draw(rows)))


sizes = st.tuples(st.integers(28, 2000), st.integers(28, 2000))


@st.composite
def boxes_in(draw, size, least=2.0):
    """A box within a picture of that size, at least `least` pixels wide and high."""
    x1 = draw(st.floats(0, size[0] - least))
    y1 = draw(st.floats(0, size[1] - least))
    x2 = draw(st.floats(x1 + least, size[0]))
    y2 = draw(st.floats(y1 + least, size[1]))
    return Box(x1, y1, x2, y2)


any_box = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h),
    *[st.floats(-1e6, 1e6)] * 2,
    *[st.floats(0.001, 1e6)] * 2,
)
any_spots = st.lists(st.builds(Spot, lines, any_box), min_size=1, max_size=4).map(
    lambda items: Spots(tuple(items))
)
any_boxes = st.lists(st.builds(LabelledBox, lines | st.just(""), any_box), max_size=4).map(
    lambda items: Boxes(tuple(items))
)
targets = st.one_of(times(), numbers, any_box, any_boxes, texts(), any_spots, tables())
