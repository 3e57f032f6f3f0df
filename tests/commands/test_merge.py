"""gnomon merge: one model of the base and what was trained, uploaded only where one says so."""

import re
import shutil

import pytest
from command_toys import gnomon, gnomon_process

from gnomon.generators import create


@pytest.mark.slow
def test_merge_writes_a_model_that_says_where_it_comes_from(run, tmp_path, capsys):
    out = tmp_path / "whole"
    assert gnomon("merge", run, out, "--samples", 4) == 0
    assert "of 4 answers the same" in capsys.readouterr().out
    card = (out / "README.md").read_text()
    for words in (
        "base_model: gnomon-tiny",
        "of 4 answers the same",
        "Exactly right",
        "name: ntil",
    ):
        assert words in card
    create("clock", size=84)[0].image.save(tmp_path / "0.png")
    shutil.copy(tmp_path / "0.png", tmp_path / "picture.png")
    (code,) = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    assert '{"type": "text", "text": ' in code
    # Its very lines, from the directory that holds the model:
    gnomon_process("--version", before=code, cwd=tmp_path).check_returncode()
    for model in (run, out):  # and the merged one asks what the run does
        assert gnomon("predict", model, tmp_path / "0.png", "--out", tmp_path / "read.csv") == 0
        question = '1 answer to "What time does the clock show? Answer HH:MM."'
        assert question in capsys.readouterr().out
    assert gnomon("merge", run, out) == 1
    assert "nothing was merged" in capsys.readouterr().err
    assert gnomon("merge", tmp_path, tmp_path / "other") == 2


@pytest.mark.slow
def test_merge_uploads_only_where_it_was_told_to(run, tmp_path, monkeypatch):
    calls = []
    for verb in ("create_repo", "upload_folder"):
        monkeypatch.setattr(
            f"huggingface_hub.HfApi.{verb}",
            lambda self, *words, verb=verb, **options: calls.append((verb, words, options)),
        )
    assert gnomon("merge", run, tmp_path / "a", "--samples", 2) == 0
    assert calls == []
    words = ("--samples", 2, "--push-to-hub", "someone/clocks")
    assert gnomon("merge", run, tmp_path / "b", *words) == 0
    assert [verb for verb, *_ in calls] == ["create_repo", "upload_folder"]
    assert calls[0][1:] == (("someone/clocks",), {"private": True, "exist_ok": True})


def test_a_merged_model_of_a_calibrated_run_has_no_intervals(run, tmp_path, monkeypatch, capsys):
    own = tmp_path / "run"
    shutil.copytree(run, own)
    monkeypatch.setattr("gnomon.pipeline.exporting.merge.merge", lambda *_, **__: "all the same")
    assert gnomon("merge", own, tmp_path / "a", "--samples", 2) == 0
    assert "no intervals" not in capsys.readouterr().err
    (own / "calibration.json").write_text("{}")
    assert gnomon("merge", own, tmp_path / "b", "--samples", 2) == 0
    assert f"{own} is calibrated, and {tmp_path / 'b'} is not" in capsys.readouterr().err
