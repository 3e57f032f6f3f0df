"""JSON that others may have written."""

from __future__ import annotations

import json
from typing import Any


def loads(text: str | bytes, where: object) -> Any:
    """The value of a JSON text; a ValueError names the place where it is none."""
    try:
        return json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except RecursionError as error:
        raise ValueError(f"{where}: not JSON: nested too deeply") from error
    except ValueError as error:  # also of what is no UTF-8, and of an integer of 5,000 digits
        raise ValueError(f"{where}: not JSON: {error}") from error
