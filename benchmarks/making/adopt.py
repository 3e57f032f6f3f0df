"""Put a run's model into the package in bfloat16: python -m benchmarks.making.adopt RUN [FOLDER]"""

import shutil
import sys
from pathlib import Path

import torch
from transformers import AutoModelForImageTextToText

from gnomon.pipeline.families import TINY

run, folder = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else TINY
model = AutoModelForImageTextToText.from_pretrained(run / "model", dtype=torch.bfloat16)
model.save_pretrained(folder)
(folder / "model.safetensors").chmod(0o644)
for file in ("recipe.yaml", "log.jsonl", "versions.json"):
    if (run / file).is_file():
        shutil.copy(run / file, folder / file)
