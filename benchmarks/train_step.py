"""What a training step costs: stock TRL beside NumericSFTTrainer, on one model and one batch.

python benchmarks/train_step.py
python benchmarks/train_step.py --answer 500      # as with rationales: answers go in chunks

LoRA on a backbone of 30 M parameters under the head of Qwen2-VL's vocabulary, random weights, on
the GPU where there is one. On a CPU it takes 5 GB of memory and some minutes.

Shapes: B batch, T tokens, V vocabulary, H hidden.
"""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import tempfile
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from datasets import Dataset
from peft import LoraConfig
from tokenizers import Tokenizer, models
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed
from trl import SFTConfig, SFTTrainer

from gnomon.pipeline.training.trainer import NumericSFTTrainer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

V, H, LAYERS = 151_936, 512, 7
OURS = "ours, CE"
STOCK = "stock TRL"
FUNC = "stock, compute_loss_func"


@dataclass(frozen=True)
class Cost:
    """Seconds of each measured step, and the most MB that a step holds at once."""

    seconds: list[float]
    mb: float
    loss: float

    @property
    def step(self) -> float:
        """The median."""
        return statistics.median(self.seconds)


def ce_of_logits(outputs: Any, labels: Tensor, num_items_in_batch: Tensor | None = None) -> Tensor:
    """The cross-entropy as `compute_loss_func` has to have it: of all the logits."""
    logits, targets = outputs.logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten()
    total = functional.cross_entropy(logits.float(), targets, reduction="sum")
    return total / num_items_in_batch


WAYS: dict[str, tuple[type[SFTTrainer], dict[str, Any]]] = {
    STOCK: (SFTTrainer, {}),
    FUNC: (SFTTrainer, {"compute_loss_func": ce_of_logits}),
    OURS: (NumericSFTTrainer, {}),
    "ours, CE + NTIL": (NumericSFTTrainer, {"numeric_loss": "ntil"}),
    "ours, CE + SMMD": (NumericSFTTrainer, {"numeric_loss": "smmd"}),
}


def tokenizer() -> PreTrainedTokenizerFast:
    """Words, ten of them digits; a semicolon, lest digits go on with a word."""
    words = {str(i) if i < 10 else f"word{i};": i for i in range(V)}
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(words, unk_token="word10;")),
        eos_token="word11;",
        pad_token="word12;",
    )


def model() -> Qwen2ForCausalLM:
    """The backbone, with the same random weights each time; head and embedding are tied."""
    set_seed(0)
    config = Qwen2Config(
        vocab_size=V,
        hidden_size=H,
        intermediate_size=2048,
        num_hidden_layers=LAYERS,
        num_attention_heads=8,
        num_key_value_heads=8,
        tie_word_embeddings=True,
    )
    return Qwen2ForCausalLM(config)


def batch_of(samples: int, tokens: int, answer: int) -> dict[str, Tensor]:
    """Random tokens of which the last are the answer, every fourth of those a digit."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(20, V, (samples, tokens), generator=generator)
    places = torch.arange(tokens - answer, tokens, 4)
    ids[:, places] = torch.randint(0, 10, (samples, len(places)), generator=generator)
    labels = torch.full_like(ids, -100)
    labels[:, -answer:] = ids[:, -answer:]
    return {"input_ids": ids, "labels": labels, "attention_mask": torch.ones_like(ids)}


def trainer_of(way: str, batch: dict[str, Tensor], out: str) -> SFTTrainer:
    """A trainer that is given the one batch at every step."""
    kind, options = WAYS[way]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # compute_loss_func is deprecated
        return kind(
            model=model(),
            args=SFTConfig(
                output_dir=out,
                max_length=None,
                report_to="none",
                bf16=torch.cuda.is_available(),
                use_cpu=not torch.cuda.is_available(),
                activation_checkpointing=False,
                dataset_kwargs={"skip_prepare_dataset": True},
                dataloader_pin_memory=False,
                remove_unused_columns=False,
            ),
            train_dataset=Dataset.from_dict({"nothing": [0]}),
            data_collator=lambda _: batch,
            processing_class=tokenizer(),
            peft_config=LoraConfig(target_modules="all-linear", task_type="CAUSAL_LM"),
            **options,
        )


def measured(way: str, batch: dict[str, Tensor], rounds: int) -> Cost:
    """A step is forward and backward, as the trainer does them; the first one warms the caches."""
    with tempfile.TemporaryDirectory() as out:
        trainer = trainer_of(way, batch, out)
        seconds = []
        for _ in range(rounds + 1):
            start = now()
            loss = step(trainer, batch)
            seconds.append(now() - start)
        return Cost(seconds[1:], peak_mb(trainer, batch), loss)


def step(trainer: SFTTrainer, batch: dict[str, Tensor]) -> float:
    """One training step without the optimizer, which is the same for all."""
    trainer.model.zero_grad(set_to_none=True)
    batches, tokens = trainer.get_batch_samples(iter([dict(batch)]), 1, trainer.args.device)
    loss: float = trainer.training_step(trainer.model, batches[0], tokens).item()
    return loss


def now() -> float:
    """The GPU's clock where there is one; else the thread's, lest others on the machine count."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
        return time.perf_counter()
    return time.process_time()


def peak_mb(trainer: SFTTrainer, batch: dict[str, Tensor]) -> float:
    """What a step holds at once beyond the model."""
    trainer.model.zero_grad(set_to_none=True)
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        step(trainer, batch)
        return (torch.cuda.max_memory_allocated() - before) / 2**20
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        step(trainer, batch)
    held = most = 0
    for event in recorded.profiler.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            most = max(most, held)
    return most / 2**20


def show(found: Mapping[str, Cost]) -> None:
    """Each way's step, and its ratio to stock's and to ours with the cross-entropy alone."""
    against = [name for name in (STOCK, FUNC, OURS) if name in found]
    heads = "".join(f"{'of ' + name.split(', ')[-1]:>24}" for name in against)
    print(f"{'':<26}{'s a step':>10}{'MB':>9}{'loss':>9}{heads}   (time, memory)")
    for name, cost in found.items():
        ratios = "".join(
            f"{f'{cost.step / found[a].step:.1%}, {cost.mb / found[a].mb:.1%}':>24}"
            for a in against
        )
        print(f"{name:<26}{cost.step:>10.2f}{cost.mb:>9.0f}{cost.loss:>9.3f}{ratios}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=1500, help="T (1500)")
    parser.add_argument("--answer", type=int, default=16, help="answer tokens (16)")
    parser.add_argument("--samples", type=int, default=1, help="B (1)")
    parser.add_argument("--rounds", type=int, default=2, help="steps that are measured (2)")
    given = parser.parse_args()
    torch.set_num_threads(1)
    batch = batch_of(given.samples, given.tokens, given.answer)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU, one thread"
    backbone = sum(p.numel() for p in model().model.layers.parameters()) / 1e6
    print(
        f"B={given.samples}, T={given.tokens:,}, {given.answer} answer tokens, V={V:,}, H={H},"
        f" backbone {backbone:.0f} M, LoRA, {device}; torch {torch.__version__}"
    )
    found = {}
    for way in WAYS:
        found[way] = measured(way, batch, given.rounds)
        gc.collect()
    show(found)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{most:.1f} GB at the most in the whole process")


if __name__ == "__main__":
    main()
