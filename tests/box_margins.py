"""Truths set between the inner and the outer box of a margin."""


def is_between(ends, truth, slack):
    """True if the truth lies in the outer box and holds the inner one, as far as there is one."""
    inner, outer = ends
    if outer is None:
        return False
    return _holds(outer, truth, slack) and (inner is None or _holds(truth, inner, slack))


def _holds(box, other, slack):
    near = all(a <= b + slack for a, b in zip(box[:2], other[:2], strict=True))
    return near and all(a >= b - slack for a, b in zip(box[2:], other[2:], strict=True))
