"""The demo: its words on a run of one step, and in full as a user runs it (`make test-long`)."""

import json
import shlex

import pytest
from command_toys import gnomon
from PIL import Image

from gnomon.commands._parser import parser
from gnomon.commands.demo import NEXT


@pytest.mark.slow
def test_three_pictures_and_what_to_type_next_end_it(tmp_path, capsys):
    out = tmp_path / "demo"
    few = ["train.samples=8", "train.max_steps=1", "eval.samples=4"]
    small = ["train.per_device_train_batch_size=8", "train.warmup_steps=0"]
    assert gnomon("demo", *few, *small, "--out", out, "--workers", 1) == 0
    with Image.open(out / "three.png") as three:
        assert three.width > 3 * 224
    said = capsys.readouterr().out
    assert said.endswith(
        f"three of the speedometers, with both answers: {out / 'three.png'}\n{NEXT}\n"
    )
    for line in NEXT.splitlines()[1:]:
        parser().parse_args(shlex.split(line, comments=True)[1:])


@pytest.mark.long
def test_the_error_falls_to_a_quarter_or_less(tmp_path, capsys):
    assert gnomon("demo", "--out", tmp_path / "demo") == 0
    assert "never seen a car's speedometer" in capsys.readouterr().err
    scores = json.loads((tmp_path / "demo" / "report.json").read_text())["runs"]
    before, after = (
        next(
            line["estimate"]["value"]
            for line in scores[name]["reading"]["results"]
            if line["name"] == "error"
        )
        for name in ("before", "after")
    )
    assert after <= before / 4
