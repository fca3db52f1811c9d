"""Lab 2: the same steps for several sequences at once."""

import torch
import torch.nn.functional as F

from golden_support import attention_case, extreme_rows


def tensors():
    made = {}
    a, b = torch.randn(3, 5, 4), torch.randn(3, 4, 2)
    made.update({"batched_matmul.a": a, "batched_matmul.b": b})
    made["batched_matmul.out"] = torch.bmm(a, b)
    a, b = torch.randn(3, 5, 4), torch.randn(3, 2, 4)
    made.update({"batched_matmul_nt.a": a, "batched_matmul_nt.b": b})
    made["batched_matmul_nt.out"] = torch.bmm(a, b.transpose(1, 2))

    x, w, bias = torch.randn(3, 5, 4), torch.randn(7, 4), torch.randn(7)
    made.update({"batched_linear.x": x, "batched_linear.w": w, "batched_linear.bias": bias})
    made["batched_linear.y"] = F.linear(x, w, bias)
    made["batched_linear.y_no_bias"] = F.linear(x, w)

    logits = torch.stack([torch.randn(6, 4), extreme_rows(4), torch.randn(6, 4) * 10])
    made["batched_softmax.scores"] = logits
    made["batched_softmax.weights"] = torch.softmax(logits, dim=-1)

    made.update(attention_case("batched_attention.", (2, 5, 6), 6))
    return made
