"""Lab 3: masks, the softmax of what they allow, and causal attention."""

import math

import torch
import torch.nn.functional as F

from golden_support import agree, attention_case, causal, extreme_rows


def tensors():
    made = {}
    for T, S in ((5, 5), (3, 5), (5, 3), (1, 4)):
        made[f"causal_mask.T{T}_S{S}"] = causal(T, S).to(torch.uint8)

    scores, mask = torch.randn(4, 5), causal(4, 5)
    made.update({"masked_fill.scores": scores, "masked_fill.mask": mask.to(torch.uint8)})
    made["masked_fill.out"] = scores.masked_fill(~mask, -math.inf)

    scores, mask = extreme_rows(5), torch.rand(6, 5) < 0.6
    mask[0] = False  # a row without an allowed key: NaN in torch, zeros in the lab
    mask[4] = True
    mask[5, 2] = True
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1).nan_to_num(0.0)
    made.update({"masked_softmax.scores": scores, "masked_softmax.weights": weights})
    made["masked_softmax.mask"] = mask.to(torch.uint8)

    made.update(attention_case("causal_attention.", (2, 5, 6), 6, mask=causal(5, 5)))
    made["causal_attention.mask"] = causal(5, 5).to(torch.uint8)
    if hasattr(F, "scaled_dot_product_attention"):  # PyTorch 2: its own form must agree
        q, k, v = (made["causal_attention." + name].double() for name in "qkv")
        exact = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        agree("causal_attention.out", made["causal_attention.out"], exact)

    lengths = torch.tensor([5, 2, 0, 4])
    padding = torch.arange(5)[None, :] < lengths[:, None]
    made["padding_mask.lengths"] = lengths
    made["padding_mask.mask"] = padding.to(torch.uint8)
    both = causal(3, 5)[None, :, :] & padding[:, None, :]
    made["combine_masks.attention"] = causal(3, 5).to(torch.uint8)
    made["combine_masks.padding"] = padding.to(torch.uint8)
    made["combine_masks.mask"] = both.to(torch.uint8)
    return made
