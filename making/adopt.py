"""Put a model into the package in bfloat16, with its last run: python -m making.adopt MODEL RUN"""

import shutil
import sys
from pathlib import Path

import torch
from transformers import AutoModelForImageTextToText

from gnomon.pipeline.families import TINY

name, run = sys.argv[1:]
model = AutoModelForImageTextToText.from_pretrained(name, dtype=torch.bfloat16)
model.save_pretrained(TINY)
for file in ("recipe.yaml", "log.jsonl", "versions.json"):
    shutil.copy(Path(run) / file, TINY / file)
