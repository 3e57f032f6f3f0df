"""Steps of answers about counters: the figure at each place, with its turn."""

import math
from typing import Any

from gnomon.generators.faces.steps import figures


def steps(facts: dict[str, Any]) -> str:
    """State the figures, or between which figures the wheel stands that fills the picture."""
    if facts["question"] == "read":
        positions = [cell["position"] for cell in facts["cells"]]
        return figures(facts["face"], positions, facts["decimals"])
    figure = int(facts["digits"][-1])
    # Rounded half up, as the answer is.
    tenths = math.floor(10 * float(facts["turn"]) + 0.5 + 1e-9)
    return f"between {figure} and {(figure + 1) % 10}, {tenths} of 10"
