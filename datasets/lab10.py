"""Lab 10: attention whose weights are never stored.

Nothing here has tiles: the scores are computed whole, so a result does not depend on how keys and
queries are cut. Gradients come from autograd.
"""

import math

import torch

from golden_support import agree, causal


def attention(q, k, v, seen):
    """(..., T, hs) and (..., S, hs): out and logsumexp. A query that sees no key gets 0 and -inf."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(~seen, -math.inf)
    weights = scores.softmax(dim=-1).nan_to_num(0.0)
    return weights @ v, scores.logsumexp(dim=-1)


def gradients(out, dout, inputs, seen):
    """Of the queries that see a key. The others are left out: the softmax of a row of -inf is NaN."""
    sees = seen.any(dim=1)
    return torch.autograd.grad(out[:, :, sees], inputs, dout[:, :, sees])


def case(name, B, NH, T, S, hs, seen, scale=1.0):
    """seen (T, S): what a query may see."""
    q = (scale * torch.randn(B, NH, T, hs)).requires_grad_()
    k = torch.randn(B, NH, S, hs).requires_grad_()
    v = torch.randn(B, NH, S, hs).requires_grad_()
    dout = torch.randn(B, NH, T, hs)
    out, logsumexp = attention(q, k, v, seen)
    dq, dk, dv = gradients(out, dout, (q, k, v), seen)

    exact_inputs = [t.detach().double().requires_grad_() for t in (q, k, v)]
    exact, exact_logsumexp = attention(*exact_inputs, seen)
    agree(name, out.detach(), exact.detach())
    sees = seen.any(dim=1)
    agree(name, logsumexp[:, :, sees].detach(), exact_logsumexp[:, :, sees].detach())
    for got, wanted in zip((dq, dk, dv), gradients(exact, dout.double(), exact_inputs, seen)):
        agree(name, got, wanted)

    made = {"q": q, "k": k, "v": v, "dout": dout, "out": out, "logsumexp": logsumexp,
            "dq": dq, "dk": dk, "dv": dv}
    return {f"{name}.{key}": tensor.detach() for key, tensor in made.items()}


def tensors():
    """Every size differs; more keys than queries, as many, and fewer."""
    return {
        **case("all", 2, 3, 5, 7, 4, torch.ones(5, 7, dtype=torch.bool)),
        **case("causal", 2, 2, 7, 7, 3, causal(7, 7)),
        **case("causal.more_keys", 1, 2, 4, 9, 5, causal(4, 9)),
        **case("causal.peaked", 1, 2, 6, 6, 8, causal(6, 6), scale=12.0),
        **case("blind", 1, 2, 6, 4, 3, causal(6, 4)),
    }
