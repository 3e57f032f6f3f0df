"""Layers of Qwen2-VL's vision tower that are faster on a CPU if all pictures have one size."""

from typing import Any

from torch import Tensor
from torch.nn.functional import linear
from transformers.models.qwen2_vl.modeling_qwen2_vl import (
    PatchEmbed,
    VisionAttention,
    apply_rotary_pos_emb_vision,
)


class Patches(PatchEmbed):  # type: ignore[misc]
    """Patch embedding as one matrix product: the convolution's gradient is slow in bfloat16."""

    def forward(self, hidden_states: Tensor) -> Tensor:
        weight = self.proj.weight.flatten(1)
        return linear(hidden_states.to(weight.dtype), weight)


class Attention(VisionAttention):  # type: ignore[misc]
    """Attention over all pictures in one batch; transformers loops over them."""

    def forward(
        self,
        hidden_states: Tensor,
        cu_seqlens: Tensor,
        position_embeddings: tuple[Tensor, Tensor] | None = None,
        **options: Any,
    ) -> Tensor:
        """Compute the same as transformers, up to rounding."""
        # Cumulative lengths, [pictures + 1]: the patches of all pictures lie in one row.
        lengths = cu_seqlens.diff()
        if bool((lengths != lengths[0]).any()):
            output: Tensor = super().forward(
                hidden_states, cu_seqlens, position_embeddings=position_embeddings, **options
            )
            return output
        assert position_embeddings is not None
        qkv = self.qkv(hidden_states).unflatten(-1, (3, self.num_heads, -1))
        q, k, v = qkv.unbind(1)
        q, k = apply_rotary_pos_emb_vision(q, k, *position_embeddings)
        q, k, v = (x.unflatten(0, (len(lengths), -1)).transpose(1, 2) for x in (q, k, v))
        # Softmax in float32, as transformers' eager attention has it.
        weight = (q @ k.mT).float().mul(self.scaling).softmax(-1).to(v.dtype)
        attended: Tensor = self.proj((weight @ v).transpose(1, 2).flatten(0, 1).flatten(1))
        return attended
