"""Where a long text may be cut: no answer reaches over such a place, so what follows it is enough.

Reading all of a long text for its last answer would take ten times as long as reading its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Container

END = 600
"""Characters at the end of a text that are looked at first."""


def last_cut(text: str, cut: re.Pattern[str], words: Container[str]) -> int:
    """The first place in the text's end that `cut` finds, 0 where there is none or it is short.

    The first group of `cut`, if it matched, is the word that follows; the place is no cut if that
    word is one of `words`, which answers are made of.
    """
    if len(text) <= 2 * END:
        return 0
    for match in cut.finditer(text, len(text) - END):
        if match[1] is None or match[1].lower() not in words:
            return match.start()
    return 0
