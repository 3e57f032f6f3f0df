"""Printing on standard output and standard error. Other modules do not print.

File names, answers and servers' messages come from outside. Their control characters are escaped,
so a text cannot control the terminal. Signs that the output's encoding lacks are spelled out.
"""

import json
import sys
import unicodedata
from typing import Any, TextIO

_JOINERS = "\u200c\u200d"
"""Zero-width joiners, which some scripts and emoji need. They do not move anything."""
_UNPRINTABLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories of control characters (escape sequences), format characters (right-to-left
overrides), surrogates (file names that are not UTF-8) and line separators."""
_SPELLED_OUT = {
    **dict.fromkeys("−–—‑", "-"),
    **dict.fromkeys("█▉▊▋▌▍", "#"),
    **dict.fromkeys("▎▏", "|"),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”", '"'),
    "…": "...",
    "×": "x",
    "·": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "½": "1/2",
    "²": "^2",
    "³": "^3",
    "ᵀ": "^T",
    "₁": "_1",
    "₂": "_2",
    "₃": "_3",
    "√": "sqrt",
    "Σ": "sum",
    "∝": "~",
    "‖": "||",
    "°": " degrees",
    "α": "alpha",
    "σ": "sigma",
    "τ": "tau",
    "Φ": "Phi",
}


def show(*texts: object) -> None:
    """Print results on standard output, each on separate lines."""
    _print("\n".join(map(str, texts)), sys.stdout)


def show_json(value: Any) -> None:
    """Print plain values on standard output as readable JSON."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # JSON has its own escapes, which a reader of the output turns back.
    lacking = {*filter(_steers, text), *_lacking(text, sys.stdout)} - {"\n"}
    _write(text.translate({ord(c): json.dumps(c)[1:-1] for c in lacking}), sys.stdout)


def tell(text: str) -> None:
    """Print a line about the work on standard error."""
    _print(text, sys.stderr)


def printable(text: str) -> str:
    """Escape characters that control a terminal. Line ends and tabs stay."""
    if text.isascii() and text.isprintable():  # nearly always, and 300 times faster
        return text
    return "".join(_escaped(c) if _steers(c) else c for c in text)


def encodable(text: str, stream: TextIO) -> str:
    """Spell out, or otherwise escape, the characters that the stream's encoding lacks."""
    # The stream's own error handler may raise, or print "?" for all of them.
    lacking = _lacking(text, stream)
    return text.translate({ord(c): _SPELLED_OUT.get(c) or _escaped(c) for c in lacking})


def _print(text: str, stream: TextIO) -> None:
    _write(encodable(printable(text), stream), stream)


def _write(text: str, stream: TextIO) -> None:
    """Write a text and a line end, above a progress bar if there is one."""
    tqdm = sys.modules.get("tqdm")  # not imported for this: that takes a quarter of a second
    if tqdm:
        tqdm.tqdm.write(text, file=stream)
    else:
        stream.write(f"{text}\n")


def _steers(character: str) -> bool:
    if character in "\n\t" or character in _JOINERS:
        return False
    return unicodedata.category(character) in _UNPRINTABLE


def _escaped(character: str) -> str:
    """Escape a character in Python's notation. A surrogate that stands for a byte becomes that
    byte."""
    code = ord(character)
    # os.fsdecode puts the bytes of a name that is not UTF-8 there (PEP 383).
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return (
        f"\\x{code:02x}" if code < 256 else character.encode("ascii", "backslashreplace").decode()
    )


def _lacking(text: str, stream: TextIO) -> set[str]:
    """Return the characters of a text that the stream's encoding does not have."""
    encoding = getattr(stream, "encoding", None)
    if text.isascii() or encoding is None:
        return set()
    return {c for c in set(text) if not c.encode(encoding, "ignore")}
