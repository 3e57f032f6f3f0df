"""Secrets are struck out of what people read, and nothing else is."""

from __future__ import annotations

import pytest

from gnomon.redact import redacted, struck


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("http://me:pass@host:80/v1 is away", "http://host:80/v1 is away"),
        ("HTTPS://me@host", "HTTPS://host"),
        ("http://me:p@ss@host/v1?key=abc#d, and more", "http://host/v1 and more"),
        ("'http://host/v1?key=abc' is", "'http://host/v1' is"),
        ("a@b.c and http://host/a@b", "a@b.c and http://host/a@b"),
        ("see http://host/v1", "see http://host/v1"),
    ],
)
def test_urls_are_cut_to_host_and_path(text, told):
    assert redacted(text) == told


def test_a_key_that_is_no_secret_changes_no_answer(monkeypatch):
    for key, told in (("0", "10:08"), ("EMPTY", "10:08"), ("sk-1234567", "10:08")):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        assert struck("10:08") == told
    assert struck("sk-1234567 and long-enough", "long-enough", "") == "… and …"


def test_a_token_is_told_to_nobody():
    assert redacted("hf_abcdefghijkl is no key") == "… is no key"
