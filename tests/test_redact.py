"""Secrets are struck out of what people read, and nothing else is."""

import socket
from pathlib import Path

import pytest

from gnomon.redact import anonymize, redact, strike_secrets


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
    assert redact(text) == told


def test_a_key_that_is_no_secret_changes_no_answer(monkeypatch):
    for key, told in (("0", "10:08"), ("EMPTY", "10:08"), ("sk-1234567", "10:08")):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        assert strike_secrets("10:08") == told
    assert strike_secrets("sk-1234567 and long-enough", "long-enough", "") == "… and …"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/mnt/al/my.x/a.json is away", "…/a.json is away"),
        ("no '/models' in path=/a/b:/c/d.so", "no '…/models' in path=…/b:…/d.so"),
        ("x:/mnt/al/b (~/c/d) file:///mnt/al/b", "x:…/b (…/d) …/b"),
        ("https://hub.co/a/b/c?token=1 of owner/name", "https://hub.co/a/b/c of owner/name"),
        ("5/8, and/or ./run/x / 2.00 GiB", "5/8, and/or ./run/x / 2.00 GiB"),
        ("hf_abcdefghijkl is no key", "… is no key"),
        ("a-long-secret of the environment", "… of the environment"),
    ],
)
def test_a_bug_report_names_no_folder_and_no_secret(monkeypatch, text, told):
    monkeypatch.setenv("MY_HUB_TOKEN", "a-long-secret")
    assert anonymize(text) == told


def test_a_bug_report_names_neither_this_machine_nor_its_folders(monkeypatch, tmp_path):
    monkeypatch.setattr(socket, "gethostname", lambda: "als-laptop")
    monkeypatch.setattr(Path, "home", lambda: Path("/home/al a smith"))
    (tmp_path / "of al").mkdir()
    monkeypatch.chdir(tmp_path / "of al")
    assert anonymize("process 3 on als-laptop") == "process 3 on …"
    assert anonymize("/home/al a smith/x/y and") == "…/y and"
    assert anonymize("/home/al a smith is full") == "~ is full"
    assert anonymize(f"{Path.cwd()}/run/a") == "./run/a"
