"""Whatever is read, one message: short, with the file and the place, and never a traceback."""

from __future__ import annotations

import pytest
from bad_inputs import INPUTS
from workflow_toys import gnomon


@pytest.mark.parametrize("bad", INPUTS, ids=lambda bad: bad.name)
def test_a_bad_input_is_told_in_one_short_message(tmp_path, monkeypatch, capsys, bad):
    monkeypatch.chdir(tmp_path)
    for path, data in bad.files.items():
        place = tmp_path / path
        if data is None:
            place.mkdir(parents=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    for words in bad.commands:
        assert gnomon(*words) in (1, 2), words
        said = "".join(capsys.readouterr())
        assert bad.told in said, words
        assert len(said.encode()) < 2048, words
        assert "Traceback" not in said, words


def test_there_are_many_kinds_of_them():
    assert len({bad.name.partition(" ")[2] for bad in INPUTS}) == len(INPUTS) > 200
