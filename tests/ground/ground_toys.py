"""Targets as hypothesis draws them."""

from hypothesis import strategies as st

from gnomon.sample import Box, Number, Time

decimals = st.decimals(allow_nan=False, allow_infinity=False).filter(lambda d: d.adjusted() < 40)
units = st.sampled_from(["", "%", "€", "km/h", "m²", "°C", "5", "square metres"])
numbers = st.builds(Number, decimals, units)


@st.composite
def times(draw):
    hours = draw(st.sampled_from([12, 24]))
    if draw(st.booleans()):
        return Time(draw(st.integers(0, hours * 3600 - 1)), hours, shows_seconds=True)
    return Time(60 * draw(st.integers(0, hours * 60 - 1)), hours)


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
targets = st.one_of(times(), numbers, any_box)
