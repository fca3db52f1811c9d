"""Lab 1: one attention, step by step, and each of its steps by itself."""

import math

import torch
import torch.nn.functional as F

from golden_support import SEED, attention_case, extreme_rows


def tensors():
    made = attention_case("", (3, 4), 4)  # the story: seed 42, randn(3, 4) and on
    made.update(attention_case("odd.", (5, 7), 3))

    a, b = torch.randn(3, 4), torch.randn(4, 5)
    made.update({"matmul.a": a, "matmul.b": b, "matmul.out": torch.matmul(a, b)})
    a, b = torch.randn(3, 4), torch.randn(5, 4)
    made.update({"matmul_nt.a": a, "matmul_nt.b": b, "matmul_nt.out": torch.matmul(a, b.T)})

    x, w, bias = torch.randn(5, 4), torch.randn(3, 4), torch.randn(3)
    made.update({"linear.x": x, "linear.w": w, "linear.bias": bias})
    made.update({"linear.y": F.linear(x, w, bias), "linear.y_no_bias": F.linear(x, w)})

    q, k = torch.randn(3, 5), torch.randn(4, 5)
    scores = torch.matmul(q, k.T) / math.sqrt(5)
    made.update({"attention_scores.q": q, "attention_scores.k": k})
    made["attention_scores.scores"] = scores

    logits = extreme_rows(7)
    made.update({"softmax_rows.scores": logits})
    made["softmax_rows.weights"] = torch.softmax(logits, dim=-1)

    weights, v = torch.softmax(torch.randn(3, 4), dim=-1), torch.randn(4, 6)
    made.update({"weighted_values.weights": weights, "weighted_values.v": v})
    made["weighted_values.out"] = torch.matmul(weights, v)

    # averaging as attention: rows of a lower triangle of ones that sum to 1
    torch.manual_seed(SEED)
    a = torch.tril(torch.ones(3, 3))
    a = a / a.sum(dim=1, keepdim=True)
    b = torch.randint(0, 10, (3, 2)).float()
    made.update({"averaging.a": a, "averaging.b": b, "averaging.out": torch.matmul(a, b)})
    return made
