"""Samples drawn while torch's loaders, TRL's and transformers' trainers read them."""

import re
from functools import partial
from itertools import islice, product
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from pipeline_toys import SUMS, copied, settings
from torch.utils.data import DataLoader
from transformers import Trainer

from gnomon import generators
from gnomon.pipeline import Stream, drawn
from gnomon.sample import Sample, Time

PAGE = (Path(__file__).parents[3] / "docs" / "streaming.md").read_text(encoding="utf-8")
IDS = [SUMS.id(i) for i in range(64)]


def ids(samples):
    return [sample.id for sample in samples]


def batches_of(stream, workers, batch_size=4):
    """As a training reads them: ids by batch."""
    return DataLoader(stream, batch_size, collate_fn=ids, num_workers=workers)


def in_batches(ids, size=4):
    return [ids[start : start + size] for start in range(0, len(ids), size)]


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_the_batches_are_the_same_with_any_number_of_workers(workers):
    """The last batch is a short one, and workers end at different times."""
    stream = Stream(SUMS, n=23, batch_size=4)
    assert list(batches_of(stream, workers)) == in_batches(IDS[:23])


@pytest.mark.parametrize("workers", [0, 2])
def test_an_endless_stream_goes_on_after_three_batches(workers):
    """Whatever the workers had drawn ahead; with another number of them."""
    seen = list(islice(batches_of(Stream(SUMS, batch_size=4), workers), 3))
    after = Stream(SUMS, batch_size=4, start=12)
    assert seen + list(islice(batches_of(after, 2 - workers), 5)) == in_batches(IDS[:32])


def test_each_sample_comes_once_without_the_loaders_batch_size_too():
    found = [one for batch in batches_of(Stream(SUMS, n=30), 2) for one in batch]
    assert sorted(found) == IDS[:30]


def test_two_processes_of_two_workers_share_the_batches_in_turn(monkeypatch):
    for rank, worker in product(range(2), range(2)):
        info = SimpleNamespace(id=worker, num_workers=2)
        monkeypatch.setattr(
            "gnomon.pipeline.training.stream.get_worker_info", lambda info=info: info
        )
        share = ids(Stream(SUMS, n=24, batch_size=4, rank=rank, world_size=2))
        assert in_batches(share) == in_batches(IDS[:24])[2 * worker + rank :: 4]


class Noting(torch.nn.Module):
    """A model of one weight, whose batches hold numbers instead of ids."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))

    def forward(self, number, labels=None):
        return {"loss": (self.weight - number.float()).square().mean()}


def numbered(seen, samples):
    seen.append([int(sample.id.rpartition("-")[2]) for sample in samples])
    return {"number": torch.tensor(seen[-1])}


def train(out, steps, seen, resume=None):
    trainer = Trainer(
        Noting(),
        settings(
            out,
            per_device_train_batch_size=4,
            max_steps=8,
            save_strategy="steps",
            save_steps=steps,
            use_cpu=True,
        ),
        data_collator=partial(numbered, seen),
        train_dataset=Stream(SUMS, batch_size=4),
    )
    trainer.train(resume_from_checkpoint=resume)
    return trainer.model.weight


@pytest.mark.slow
def test_a_trainer_resumes_an_endless_stream_where_it_was(tmp_path):
    """transformers reads past what was seen, and trains on what comes then."""
    whole = train(tmp_path, 5, [])
    seen = []
    again = train(tmp_path, 5, seen, resume=str(tmp_path / "checkpoint-5"))
    assert torch.equal(again, whole)
    assert seen[:8] == in_batches(list(range(32)))


def test_rows_are_columns_of_what_was_asked_for_and_nothing_else_is_drawn():
    """A trainer that resumes skips what was seen without drawing it."""
    read = []

    class Watched(list):
        def __getitem__(self, index):
            read.append(index)
            return super().__getitem__(index)

    samples = Watched(Sample(f"s-{i}", None, "?", Time(60 * i)) for i in range(4))
    rows = drawn(samples, 3, lambda sample: {"id": sample.id, "asked": sample.question})
    assert len(rows) == 3
    assert read == []
    assert rows[1:3] == {"id": ["s-1", "s-2"], "asked": ["?", "?"]}
    assert rows[0] == {"id": "s-0", "asked": "?"}
    assert read == [1, 2, 0]


def test_the_pages_loop_goes_on_where_it_was():
    """Read by two processes' places in turn; started again after two of their four steps."""
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    trained = {0: [], 1: []}
    for rank, steps in trained.items():
        given = {"rank": rank, "world_size": 2, "collate": ids, "train_on": steps.append}
        exec(code.replace("64", "32"), given | {"seen": 0})
        exec(code, given | {"seen": 32})
    clocks = generators.create("clock", size=112)
    dealt = [batch for step in zip(*trained.values(), strict=True) for batch in step]
    assert dealt == in_batches([clocks.id(i) for i in range(64)], 8)


@pytest.mark.slow
def test_the_page_trains_by_trls_own_trainer(blank, tmp_path):
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    model = copied(blank).model
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    given = {
        "model": model,
        "processor": blank.processor,
        "settings": {
            "output_dir": str(tmp_path),
            "max_steps": 2,
            "per_device_train_batch_size": 2,
            "bf16": False,
            "report_to": "none",
            "max_length": None,
            "dataloader_pin_memory": False,
            "activation_checkpointing": False,
        },
    }
    exec(code, given)
    assert given["trainer"].state.global_step == 2
    assert any(not torch.equal(w, before[name]) for name, w in model.named_parameters())
