"""Mistakes as people type them: each message names the word and what to type in its place."""

import re

import pytest
from case_tables import table
from PIL import Image

VAGUE = re.compile(
    r"Traceback|input should|unable to|invalid literal|NoneType|KeyError|\bErrno|invalid \w+ value"
)


@pytest.fixture
def folder(here):
    """A folder with a table of two rows, answers of another program, and pictures."""
    Image.new("RGB", (9, 9)).save(here / "photo.png")
    (here / "photo.heic").touch()
    (here / "empty").mkdir()
    (here / "labels.csv").write_text("image,answer\nphoto.png,5\nphoto.png,5\n")
    (here / "said.csv").write_text("id,text\na,5\nb,5\nc,5\nd,5\n")
    return here


@table(__file__, "mistakes")
def test_a_message_says_what_to_type(folder, capsys, row):
    from command_toys import gnomon

    assert gnomon(*row["words"].split()) in (1, 2)
    output = capsys.readouterr()
    message = output.err or output.out
    assert row["message"] in message
    assert not VAGUE.search(message)
