"""Public name of `gnomon.answers.base.dialect`: targets as a model family writes and reads them."""

from gnomon import names
from gnomon.answers.base.dialect import DIALECTS, Dialect, final_answer
from gnomon.answers.reading.steps import ANSWER, add_working

__all__ = ["ANSWER", "DIALECTS", "Dialect", "add_working", "create", "final_answer"]


def create(name: str) -> Dialect:
    """Return the dialect of that name; an unknown one is refused with the names near it."""
    names.check(DIALECTS, name, what="dialect", command="gnomon score --help")
    return DIALECTS[name]
