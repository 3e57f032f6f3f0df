"""Small samples of every kind, and a trainer that can be looked at."""

import copy
from decimal import Decimal

import datasets
import torch
from PIL import Image
from torch.nn import functional
from transformers import TrainerCallback
from trl import SFTConfig, SFTTrainer
from trl.trainer import utils as trl_utils

from gnomon import generators
from gnomon.pipeline.collate import Collator
from gnomon.pipeline.load import Loaded
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.pipeline.training.settings import CHECKPOINTING
from gnomon.pipeline.training.trainer import NumericSFTTrainer
from gnomon.recipe import Model, Train
from gnomon.sample import Box, Number, Sample, Time

BLANK = Model(name="gnomon-tiny-blank", load_in_4bit=False, dtype="float32")
"""The embedded model's architecture, its weights drawn from the seed."""
CLOCKS = generators.create("clock", size=84, split_by="none")
SUMS = generators.create("arithmetic")


def boxed(index=0, size=(100, 90), box=(10.0, 20.0, 60.0, 80.0)):
    picture = Image.new("RGB", size, (200, 30 * index % 256, 90))
    return Sample(f"box/{index}", picture, "Where is the text? Give its box.", Box(*box))


def clock(time, index=0):
    """One of the pictures, with the answer that the test needs."""
    drawn = CLOCKS[index]
    return Sample(f"clock/{index}", drawn.image, drawn.question, time)


def total(value, index=0):
    return Sample(f"sum/{index}", None, f"What is {value} + 0?", Number(Decimal(value)))


UNEVEN = [
    clock(Time(10 * 3600 + 8 * 60), 0),
    total(7, 1),
    total(-1234, 2),
    clock(Time(3 * 3600 + 59 * 60 + 7, shows_seconds=True), 3),
    total(88, 4),
    total("0.5", 5),
    clock(Time(12 * 3600 - 60), 6),
    total(123456, 7),
]
"""Answers of 2 to 9 tokens, with one, two or three numbers each; with and without pictures."""


class PlainLogProbs:
    """What TRL before 1.16 has in Triton alone, in torch: its own loss then runs on a CPU."""

    @staticmethod
    def apply(hidden, weight, bias, targets, temperature, chunk, softcap, scale, outputs):
        logits = functional.linear(hidden, weight, bias) * scale  # [N, V]
        if softcap is not None:
            logits = softcap * (logits / softcap).tanh()
        every = (logits / temperature).log_softmax(-1)
        said = every.gather(-1, targets[:, None])[:, 0]
        entropy = -(every.exp() * every).sum(-1)
        return said, entropy, None, None, logits.argmax(-1) == targets


if getattr(trl_utils, "_ChunkedLogProbFunction", PlainLogProbs) is None:
    trl_utils._ChunkedLogProbFunction = PlainLogProbs


def rows(samples):
    return [{"sample": sample} for sample in samples]


def batch_of(loaded, samples):
    """What a training step is given for these samples."""
    return Collator(loaded.family, loaded.processor)(rows(samples))


def lora_trainer(loaded, samples, out, *, kind=NumericSFTTrainer, train=None, sft=None, **options):
    """A trainer of adapters, by default those of the language part."""
    return trainer_of(
        kind,
        loaded,
        samples,
        out,
        sft={"per_device_train_batch_size": 4, **(sft or {})},
        peft_config=prepare_parts(loaded, train or Train(lora_r=4)),
        **options,
    )


def dataset_of(samples):
    """What TRL wants, each sample handed over when asked for."""

    def give(asked):
        return {"sample": [samples[i] for i in asked["index"]]}

    return datasets.Dataset.from_dict({"index": range(len(samples))}).with_transform(give)


def settings(out, **changes):
    """Plain gradient descent of one process, in order, without a word."""
    return SFTConfig(
        **{
            "output_dir": str(out),
            "bf16": False,
            "report_to": "none",
            "max_length": None,
            "remove_unused_columns": False,
            "dataset_kwargs": {"skip_prepare_dataset": True},
            "dataloader_pin_memory": False,
            "train_sampling_strategy": "sequential",
            "optim": "sgd",
            "learning_rate": 0.1,
            "lr_scheduler_type": "constant",
            "max_grad_norm": 0.0,
            "max_steps": 1,
            "logging_steps": 1,
            "save_strategy": "no",
            "disable_tqdm": True,
            CHECKPOINTING: False,
            **changes,
        }
    )


def trainer_of(kind, loaded, samples, out, *, sft=None, **options):
    """A trainer over these samples, TRL's own or ours, both with our collator."""
    return kind(
        model=loaded.model,
        args=settings(out, **(sft or {})),
        train_dataset=dataset_of(samples),
        data_collator=Collator(loaded.family, loaded.processor),
        processing_class=loaded.processor,
        **options,
    )


def ours(loaded, samples, out, **options):
    return trainer_of(NumericSFTTrainer, loaded, samples, out, **options)


def stock(loaded, samples, out, **options):
    return trainer_of(SFTTrainer, loaded, samples, out, **options)


class Gradients(TrainerCallback):
    """Keeps what the optimizer is about to use."""

    def __init__(self):
        self.found = []

    def on_pre_optimizer_step(self, args, state, control, model=None, **kwargs):
        self.found.append(
            {
                name: parameter.grad.clone()
                for name, parameter in model.named_parameters()
                if parameter.grad is not None
            }
        )


def copied(loaded):
    return Loaded(copy.deepcopy(loaded.model), loaded.processor, loaded.family)


def trained(make, loaded, out, window, *, samples=UNEVEN, sft=None, **options):
    """The losses that are logged, the gradients, and the trainer after its steps."""
    size, windows = window
    trainer = make(
        copied(loaded),
        samples,
        out,
        sft={
            "per_device_train_batch_size": size,
            "gradient_accumulation_steps": windows,
            **(sft or {}),
        },
        **options,
    )
    return *grad_steps(trainer), trainer


def grad_steps(trainer):
    """Train; the log's lines with a loss, and each step's gradients."""
    gradients = Gradients()
    trainer.add_callback(gradients)
    trainer.train()
    lines = [line for line in trainer.state.log_history if "loss" in line]
    return lines, gradients.found


def norm(gradient):
    return torch.stack([g.norm() for g in gradient.values()]).norm()


def assert_close(found, expected, tolerance=1e-5):
    """As far apart as that, relative to the whole gradient."""
    assert found.keys() == expected.keys()
    apart = norm({name: found[name] - expected[name] for name in expected})
    assert norm(expected) > 0.1
    assert apart / norm(expected) < tolerance
