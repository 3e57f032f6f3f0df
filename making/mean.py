"""The mean of two runs' weights, into OUT/model: python -m making.mean RUN RUN OUT."""

import shutil
import sys
from pathlib import Path

import torch
from transformers import AutoModelForImageTextToText

one, other, out = (Path(argument) / "model" for argument in sys.argv[1:])
model, second = (
    AutoModelForImageTextToText.from_pretrained(run, dtype=torch.float32) for run in (one, other)
)
weights = second.state_dict()
model.load_state_dict({name: (w + weights[name]) / 2 for name, w in model.state_dict().items()})
shutil.copytree(one, out, dirs_exist_ok=True)
model.save_pretrained(out)
