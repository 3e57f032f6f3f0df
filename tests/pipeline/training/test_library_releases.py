"""Where gnomon/pipeline/training/trainer.py leans on names inside TRL and transformers.

A release that moves one of them fails here with a sentence, before anything fails strangely.
"""

import inspect
import re
import sys
import tomllib
from dataclasses import make_dataclass
from importlib import import_module
from pathlib import Path

import pytest
import torch
import transformers
import trl
from packaging.requirements import Requirement
from packaging.version import Version
from pipeline_toys import UNEVEN, ours
from trl import GRPOTrainer, SFTTrainer

from gnomon.pipeline import NumericSFTTrainer
from gnomon.pipeline.families import releases
from gnomon.pipeline.families.releases import check_overrides
from gnomon.pipeline.training.grpo import RewardTrainer
from gnomon.pipeline.training.run_trainer import RunTrainer
from gnomon.pipeline.training.settings import CHECKPOINTING

HERE = "gnomon/pipeline/training/trainer.py stands on"
ROOT = Path(__file__).parents[3]


def test_the_two_latest_minor_releases_of_each_are_allowed():
    """`make test` runs under those of constraints.txt, `make test-matrix` under the oldest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needs = [Requirement(need) for need in project["optional-dependencies"]["train"]]
    allowed = {need.name: need.specifier for need in needs}
    pinned = dict(re.findall(r"(?m)^([\w-]+)==(\S+)", (ROOT / "constraints.txt").read_text()))
    for name in ("transformers", "trl", "peft", "bitsandbytes"):
        latest = Version(pinned[name])
        assert allowed[name].contains(latest), name
        assert allowed[name].contains(f"{latest.major}.{latest.minor - 1}.0"), name


@pytest.mark.parametrize(
    ("trainer", "theirs", "some"),
    [
        (NumericSFTTrainer, SFTTrainer, {"compute_loss", "get_batch_samples"}),
        (RunTrainer, SFTTrainer, {"_load_from_checkpoint", "_save_checkpoint"}),
        (RunTrainer, GRPOTrainer, {"_load_from_checkpoint", "_save_checkpoint"}),
        (RewardTrainer, GRPOTrainer, {"log", "evaluation_loop"}),
    ],
)
def test_everything_that_is_overridden_is_marked(trainer, theirs, some):
    own = {name for name, value in vars(trainer).items() if inspect.isfunction(value)}
    shared = {name for name in own if hasattr(theirs, name) and not name.startswith("__")}
    marked = {name for name in own if hasattr(getattr(trainer, name), "__override__")}
    assert some <= shared == marked
    check_overrides(trainer, theirs)


def test_releases_that_moved_a_method_are_refused_with_those_that_work():
    class Later(SFTTrainer):
        def compute_loss(self, model, batch):
            pass

    message = (
        r"Later\.compute_loss takes \(self, model, batch\), and gnomon overrides compute_loss\("
        rf"self, model, inputs, .*\): .*transformers {transformers.__version__}"
        rf" with trl {trl.__version__}: pip install"
    )
    with pytest.raises(ImportError, match=message):
        check_overrides(NumericSFTTrainer, Later)
    with pytest.raises(ValueError, match=r"object\.\w+ does not exist"):
        check_overrides(NumericSFTTrainer, object)


def test_they_are_refused_when_the_trainer_is_imported(monkeypatch):
    class Later(SFTTrainer):
        def get_batch_samples(self, epoch_iterator):
            pass

    monkeypatch.setattr(trl, "SFTTrainer", Later)
    monkeypatch.delitem(sys.modules, "gnomon.pipeline.training.trainer")
    with pytest.raises(ImportError, match="gnomon does not support transformers"):
        import_module("gnomon.pipeline.training.trainer")


def test_gemma4s_processor_is_imported_without_torchvision():
    """transformers before 5.21 imports two names from a module that needs it."""
    assert releases.processor_class("Gemma4Processor").__name__ == "Gemma4Processor"
    module = sys.modules.get("transformers.models.gemma4.image_processing_gemma4")
    assert module is None or "_pil_" not in module.__file__


@pytest.mark.parametrize(
    ("names", "key"),
    [
        (("gradient_checkpointing",), "gradient_checkpointing"),  # transformers before 5.23
        (("gradient_checkpointing", "activation_checkpointing"), "activation_checkpointing"),
    ],
)
def test_the_checkpointing_of_old_and_new_releases_is_called_by_name(names, key, monkeypatch):
    arguments = make_dataclass("Arguments", names)
    monkeypatch.setattr(transformers, "TrainingArguments", arguments)
    assert releases.checkpointing_key.__wrapped__() == key


def test_the_loss_that_a_config_of_trl_has_by_itself_is_accepted(tmp_path):
    """It is chunked_nll before TRL 1.15."""
    plain = trl.SFTConfig(str(tmp_path), use_cpu=True, bf16=False, **{CHECKPOINTING: False})
    assert plain.loss_type in releases.PLAIN_LOSSES


def test_keys_that_trl_adds_to_a_batch_do_not_reach_the_model(fresh, tmp_path):
    """TRL before 1.15 says so in an evaluation that it wants the loss alone."""
    trainer = ours(fresh, UNEVEN, tmp_path)
    names = set()
    trainer.model.register_forward_pre_hook(
        lambda _, positional, by_name: names.update(by_name), with_kwargs=True
    )
    batch = next(iter(trainer.get_train_dataloader()))
    trainer.compute_loss(trainer.model, {**batch, "_prediction_loss_only": True})
    assert "input_ids" in names
    assert "_prediction_loss_only" not in names


@pytest.mark.parametrize("rows", [1000, 2], ids=["at once", "in chunks"])
def test_a_head_that_selects_the_rows_gives_the_loss_of_a_mask(fresh, tmp_path, monkeypatch, rows):
    """transformers before 5.21 takes no mask; the head's own forward is there again afterwards."""
    trainer = ours(fresh, UNEVEN, tmp_path, numeric_loss="ntil")
    trainer.logits_at_once = rows * trainer._vocab_size
    batch = next(iter(trainer.get_train_dataloader()))
    losses = []
    for takes_masks in (releases.takes_masks(), False):
        monkeypatch.setattr(releases, "takes_masks", lambda answer=takes_masks: answer)
        losses.append(trainer.compute_loss(trainer.model, dict(batch)).item())
    assert losses[1] == pytest.approx(losses[0], rel=1e-6)
    assert "forward" not in vars(trainer.model.get_output_embeddings())


def test_a_mask_still_keeps_its_rows(fresh, tmp_path):
    """A mask [B, T] as logits_to_keep, or before 5.21 in the head, gives [P, V], row-major.

    TRL patches the forward; without fused_lm_head=True it must give logits as before.
    """
    ids = torch.arange(10).reshape(2, 5)
    mask = torch.tensor([[0, 1, 0, 1, 1], [1, 0, 0, 0, 0]], dtype=torch.bool)
    with torch.no_grad():
        whole = fresh.model(input_ids=ids).logits
        for model in (fresh.model, ours(fresh, UNEVEN, tmp_path).model):
            with releases.only_answer_rows(model.get_output_embeddings(), mask) as arguments:
                rows = model(input_ids=ids, **arguments, use_cache=False).logits
            assert rows.shape == (4, whole.shape[-1]), (
                f"{HERE} logits_to_keep as a boolean mask of [B, T], also after SFTTrainer took the"
                f" model over; transformers {transformers.__version__} and trl {trl.__version__}"
                f" answer it with logits of shape {tuple(rows.shape)}"
            )
            torch.testing.assert_close(rows, whole[mask], rtol=1e-4, atol=1e-5)


def test_tokens_are_still_counted_over_the_window(fresh, tmp_path):
    """num_items_in_batch is what the digits' and numbers' own counts are made to match."""
    trainer = ours(fresh, UNEVEN, tmp_path, numeric_loss="ntil")
    batches = list(trainer.get_train_dataloader())[:1]
    _, counted = trainer.get_batch_samples(iter(batches), 1, torch.device("cpu"))
    expected = (batches[0]["labels"][:, 1:] != -100).sum()
    assert counted is not None, (
        f"{HERE} Trainer.get_batch_samples counting the tokens of the accumulation window;"
        f" transformers {transformers.__version__} counts none for this model"
    )
    assert int(counted) == int(expected)


def test_what_the_trainer_reads_of_trls_is_still_there(fresh, tmp_path):
    trainer = ours(fresh, UNEVEN, tmp_path)
    metrics = getattr(trainer, "_metrics", None)
    stands_on = {
        "SFTTrainer._metrics['train'] and ['eval']": (
            isinstance(metrics, dict) and {"train", "eval"} <= metrics.keys()
        ),
        "SFTTrainer._tokenizer, the processor's": (
            getattr(trainer, "_tokenizer", None) is fresh.processor.tokenizer
        ),
        "get_tp_size, and average_tokens_across_devices being on": (
            trainer.get_tp_size() == 1 and trainer.args.average_tokens_across_devices is True
        ),
    }
    for name, is_there in stands_on.items():
        assert is_there, f"{HERE} {name}, which trl {trl.__version__} or transformers lacks"
