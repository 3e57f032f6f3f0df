"""Secrets kept out of messages and files: keys and tokens, logins and queries of URLs."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

KEY = "OPENAI_API_KEY"
_SECRET = 8
"""Characters from which a key is a secret: servers that want none are given EMPTY, or 0, and
striking that out would change answers."""
_LOGIN = re.compile(r"(https?://)[^\s/?#]{0,500}@", re.IGNORECASE)
_QUERY = re.compile(r"(https?://[^\s?#'\"]{0,500})[?#][^\s'\")\]]*", re.IGNORECASE)
_TOKEN = re.compile(r"\b(?:hf_|sk-|gh[a-z]_|github_pat_)[\w-]{8,}")


def key() -> str:
    """The server's key, empty where there is none; one that no header can carry is refused."""
    found = _key()
    if not (found.isascii() and found.isprintable()) or " " in found:
        raise ValueError(
            f"{KEY} holds a blank, a line break or a letter beyond ASCII: set it to the key alone"
        )
    return found


def check_url(url: str) -> None:
    """Refuse what is no server's URL, without showing a login that it may hold."""
    try:
        where = urlsplit(url)
        host = (where.hostname or "").encode("idna")
        good = where.scheme in ("http", "https") and bool(host) and where.port != 0
    except ValueError:  # such as a port that is no number, or a host of empty labels
        good = False
    if not good or not (url.isascii() and url.isprintable()) or " " in url:
        raise ValueError(
            "server: give a URL such as http://localhost:8000/v1 (in a user:password@ before the"
            " host, a / is written %2F and an @ %40)"
        )


def struck(text: str, *secrets: str) -> str:
    """An answer without the server's key and these other secrets, as far as they are long."""
    for secret in (_key(), *secrets):
        if len(secret) >= _SECRET:
            text = text.replace(secret, "…")
    return text


def redacted(text: str, *secrets: str) -> str:
    """A message without keys, tokens and these other secrets, its URLs cut to host and path."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "…")
    return _TOKEN.sub("…", _QUERY.sub(r"\1", _LOGIN.sub(r"\1", struck(text))))


def _key() -> str:
    return os.environ.get(KEY, "").strip()
