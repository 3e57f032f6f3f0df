"""Public name of `gnomon.answers.base.dialect`: targets as a model family writes and reads them."""

from gnomon import names
from gnomon.answers.base.dialect import ANSWER as ANSWER
from gnomon.answers.base.dialect import DIALECTS as DIALECTS
from gnomon.answers.base.dialect import Dialect as Dialect
from gnomon.answers.base.dialect import final as final
from gnomon.answers.base.dialect import worked as worked


def create(name: str) -> Dialect:
    """Return the dialect of that name; an unknown one is refused with the names near it."""
    names.check(DIALECTS, name, what="dialect", listing="gnomon score --help")
    return DIALECTS[name]
