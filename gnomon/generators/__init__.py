"""Pictures and prompts with exact labels. KINDS lists them, and a kind is loaded on first use."""

from typing import TYPE_CHECKING, Any

from gnomon import names
from gnomon.generators.registry import KINDS, create, is_description, is_kind, load

if TYPE_CHECKING:
    from gnomon.generators.arithmetic import Arithmetic as Arithmetic
    from gnomon.generators.base import Generator as Generator
    from gnomon.generators.chart import Chart as Chart
    from gnomon.generators.clock import Clock as Clock
    from gnomon.generators.counter import Counter as Counter
    from gnomon.generators.faces import Face as Face
    from gnomon.generators.gauge import Gauge as Gauge
    from gnomon.generators.mixture import Mixture as Mixture
    from gnomon.generators.scene import Scene as Scene
    from gnomon.generators.text_spotting import TextSpotting as TextSpotting
    from gnomon.generators.word_problem import WordProblem as WordProblem

__all__ = ["KINDS", "create", "is_description", "is_kind", "load"]
_EXPORTS = {place.partition(":")[2]: place for place in KINDS.values()}


def __getattr__(name: str) -> Any:
    return names.load_export(__name__, _EXPORTS, name)
