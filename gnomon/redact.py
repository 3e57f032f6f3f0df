"""Remove secrets from messages and files (keys, logins, queries of URLs), and names and folders
from published texts."""

import os
import re
import socket
from pathlib import Path

KEY = "OPENAI_API_KEY"
_SECRET = 8
"""Smallest length of a secret key. Servers without a key are given EMPTY or 0, and removing such a
text would change answers."""
_URL = re.compile(
    r"https?://(\[[\da-f:]+\]|[\w-]+(\.[\w-]+)*)(:[1-9]\d{0,4})?(/[\w.~%/-]*)?", re.ASCII
)
# The bounds of 500 keep a hostile page of a server from taking quadratic time.
_LOGIN = re.compile(r"(https?://)[^\s/?#]{0,500}@", re.IGNORECASE)
_QUERY = re.compile(r"(https?://[^\s?#'\"]{0,500})[?#][^\s'\")\]]*", re.IGNORECASE)
# Keys of Hugging Face, OpenAI and GitHub, by their documented beginnings.
_TOKEN = re.compile(r"\b(?:hf_|sk-|gh[a-z]_|github_pat_)[\w-]{8,}")
_FOLDERS = re.compile(r"(?<![\w./])(?!(?<=:)//)(?:file://|~)?(?:/[^\s/'\"`,;:()<>|]+)*/(?=[^\s/])")
"""Folders of an absolute path, without its last part. Neither a URL's path nor a ratio like 5/8."""
_NAMED = re.compile(r"(?:.*_)?(?:KEY|PASSWORD|SECRET|TOKEN)")
"""Environment variables that contain a secret."""


def server_key() -> str:
    """Return the server's key, or "". A key that does not fit into an HTTP header is refused."""
    key = _key_of_environment()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ValueError(
            f"{KEY} contains a space, a line break or a non-ASCII character: set it to"
            " the key alone"
        )
    return key


def check_url(url: str) -> None:
    """Refuse anything but a server's URL. The message does not quote it, because it may contain a
    password."""
    if not _URL.fullmatch(url):
        raise ValueError(
            "server: give a URL such as http://localhost:8000/v1, without user:password@ and"
            f" without a query; a key is read from {KEY}"
        )


def strike_secrets(text: str, *secrets: str) -> str:
    """Replace the server's key and other secrets in a text, if they are long enough to be
    secrets."""
    for secret in (_key_of_environment(), *secrets):
        if len(secret) >= _SECRET:
            text = text.replace(secret, "…")
    return text


def redact(text: str) -> str:
    """Remove the server's key from a message, and shorten its URLs to host and path."""
    return _QUERY.sub(r"\1", _LOGIN.sub(r"\1", strike_secrets(text)))


def anonymize(text: str) -> str:
    """Redact a message for a bug report: no tokens, no folders, no name of this machine."""
    # Whatever the variable, because a message may quote the key of another service.
    secrets = [value for name, value in os.environ.items() if _NAMED.fullmatch(name)]
    text = _TOKEN.sub("…", strike_secrets(redact(text), *secrets))
    for private, short in ((Path.cwd(), "."), (Path.home(), "~"), (socket.gethostname(), "…")):
        if len(str(private)) > 1:  # not the root, of which every path has some
            text = re.sub(rf"(?<!\w){re.escape(str(private))}(?!\w)", short, text)
    return _FOLDERS.sub("…/", text)


def _key_of_environment() -> str:
    return os.environ.get(KEY, "").strip()
