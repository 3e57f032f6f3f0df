"""Parameters of which a few stand for all in `make test`; `make test-slow` runs the others."""

import pytest


def quick(values, *those):
    """The values as parameters, all but those marked slow."""
    return [pytest.param(v, marks=() if v in those else pytest.mark.slow) for v in values]


strengths = pytest.mark.parametrize("degrade", quick(["light", "heavy"], "heavy"))
