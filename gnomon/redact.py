"""Secrets kept out of messages and files: keys, logins and queries of URLs; names and folders out
of what is published."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

KEY = "OPENAI_API_KEY"
_SECRET = 8
"""Characters from which a key is a secret: servers that want none are given EMPTY, or 0, and
striking that out would change answers."""
_LOGIN = re.compile(r"(https?://)[^\s/?#]{0,500}@", re.IGNORECASE)
_QUERY = re.compile(r"(https?://[^\s?#'\"]{0,500})[?#][^\s'\")\]]*", re.IGNORECASE)
_TOKEN = re.compile(r"\b(?:hf_|sk-|gh[a-z]_|github_pat_)[\w-]{8,}")
_FOLDERS = re.compile(
    r"(?<![\w./])(?!(?<=:)//)(?:file://|~)?(?:/[^\s/'\"`,;:()<>|]+)*/(?=[^\s/])"
    r"|(?:\b[A-Za-z]:|\\)\\(?:[^\\\s'\"]+\\)*"
)
_LOGIN_NAME = re.compile(r"\b[\w.+-]+@[\w.-]+")
"""Of an absolute path, all but its last part; a URL's path and a ratio such as 5/8 are none."""


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
    """A message without the server's key and these other secrets, its URLs cut to host and path."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "…")
    return _QUERY.sub(r"\1", _LOGIN.sub(r"\1", struck(text)))


def anonymous(text: str) -> str:
    """A message for a bug report: redacted, without tokens, this machine's name and its folders."""
    named = re.compile(r"(?:.*_)?(?:KEY|PASSWORD|SECRET|TOKEN)")
    secrets = [v for name, v in os.environ.items() if named.fullmatch(name) and len(v) >= _SECRET]
    text = _TOKEN.sub("…", redacted(text, *secrets))
    for folder in (Path.cwd(), Path.home()):  # whole: a blank in one would end the pattern's match
        text = text.replace(f"{folder}/", "/") if folder.name else text
    if Path.home().name:
        text = text.replace(str(Path.home()), "~")
    text = _FOLDERS.sub("…/", text)
    text = _LOGIN_NAME.sub("…", text)
    host = socket.gethostname()
    return re.sub(rf"\b{re.escape(host)}\b", "…", text) if host else text


def _key() -> str:
    return os.environ.get(KEY, "").strip()
