"""gnomon-tiny's tower computes all pictures at once, and finds what transformers' finds."""

import pytest
import torch
from transformers import Qwen2VLForConditionalGeneration

from gnomon.pipeline.families import tiny

CASES = {"one size": [[1, 8, 8]] * 5, "several": [[1, 8, 8], [1, 4, 8], [1, 4, 8]]}


@pytest.mark.parametrize("grids", CASES.values(), ids=CASES)
def test_it_agrees_with_transformers(grids):
    torch.manual_seed(0)
    plain = Qwen2VLForConditionalGeneration._from_config(tiny.config(), dtype=torch.float32).eval()
    ours = tiny.blank().eval()
    ours.load_state_dict(plain.state_dict())
    grid = torch.tensor(grids)
    patches = torch.randn(int(grid.prod(1).sum()), 1176)
    found, expected = (m.model.visual(patches, grid_thw=grid).pooler_output for m in (ours, plain))
    assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
    for seen in (found, expected):
        seen.square().sum().backward()
    for ours_, plain_ in zip(
        ours.model.visual.parameters(), plain.model.visual.parameters(), strict=True
    ):
        assert torch.allclose(
            ours_.grad, plain_.grad, rtol=1e-3, atol=1e-3 * plain_.grad.abs().max()
        )
