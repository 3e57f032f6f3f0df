"""Datasets and collators that are TRL's own: ours takes all that SFTTrainer takes."""

import datasets
import pytest
from pipeline_toys import CLOCKS, assert_close, copied, grad_steps, settings
from trl import SFTTrainer

from gnomon.pipeline.training.trainer import NumericSFTTrainer

TEXTS = datasets.Dataset.from_dict(
    {
        "prompt": ["What is 2 + 2?", "What is 30 * 41?", "Say 0.5.", "What is 7?"],
        "completion": [" 4", " 1230", " 0.5", " seven"],
    }
)
PICTURES = datasets.Dataset.from_list(
    [
        {
            "image": CLOCKS[i].image,
            "prompt": [{"role": "user", "content": "What time is it?"}],
            "completion": [{"role": "assistant", "content": answer}],
        }
        for i, answer in enumerate(["10:08", "03:59:07", "1", "12:00"])
    ]
)
"""As TRL wants pictures: prompt, completion and image."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "part"), [(TEXTS, "tokenizer"), (PICTURES, None)], ids=["texts", "pictures"]
)
@pytest.mark.parametrize("window", [(4, 1), (1, 4)], ids=["4x1", "1x4"])
def test_trls_own_datasets_and_collators_give_trls_own_loss(blank, tmp_path, data, part, window):
    size, windows = window
    found = {}
    for kind, options in (
        (SFTTrainer, {}),
        (NumericSFTTrainer, {}),
        (NumericSFTTrainer, {"numeric_loss": "ntil", "weight": 0.5}),
    ):
        args = settings(
            tmp_path,
            per_device_train_batch_size=size,
            gradient_accumulation_steps=windows,
            remove_unused_columns=True,
            dataset_kwargs=None,
        )
        processing = blank.processor.tokenizer if part else blank.processor
        trainer = kind(
            model=copied(blank).model,
            args=args,
            train_dataset=data,
            processing_class=processing,
            **options,
        )
        found[kind, bool(options)] = grad_steps(trainer)
    (lines, gradients), (ours, our_gradients), (numeric, _) = found.values()
    assert ours[0]["loss"] == pytest.approx(lines[0]["loss"], rel=1e-5)
    assert_close(our_gradients[0], gradients[0])
    assert numeric[0]["ce"] == pytest.approx(ours[0]["ce"], rel=1e-6)
    parts = numeric[0]["emd"] + 0.2 * numeric[0]["relative"] + 0.2 * numeric[0]["magnitude"]
    assert numeric[0]["emd"] > 0
    assert numeric[0]["loss"] == pytest.approx(numeric[0]["ce"] + 0.5 * parts, rel=1e-5)
