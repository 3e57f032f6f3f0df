"""The demo as a user runs it; minutes, so `make test-long`."""

from __future__ import annotations

import json

import pytest
from workflow_toys import gnomon


@pytest.mark.long
# PEFT asks transformers by the old name.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_the_deviation_falls_to_a_quarter_or_less(tmp_path):
    assert gnomon("demo", "--out", tmp_path / "demo") == 0
    scores = json.loads((tmp_path / "demo" / "report.json").read_text())
    before, after = (
        next(
            line["estimate"]["value"]
            for line in scores[name]["summaries"]["time"]["results"]
            if line["name"] == "deviation"
        )
        for name in ("before", "after")
    )
    assert after <= before / 4
