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


def forward_and_backward(name, B, NH, T, S, hs, seen, scale=1.0):
    """seen (T, S): what a query may see."""
    q = (scale * torch.randn(B, NH, T, hs)).requires_grad_()
    k = torch.randn(B, NH, S, hs).requires_grad_()
    v = torch.randn(B, NH, S, hs).requires_grad_()
    dout = torch.randn(B, NH, T, hs)
    out, logsumexp = attention(q, k, v, seen)
    blind = ~seen.any(dim=1)  # the softmax of a row of -inf has no gradient: leave these rows out
    given = out[:, :, ~blind]
    dq, dk, dv = torch.autograd.grad(given, (q, k, v), dout[:, :, ~blind])
    exact, _ = attention(*(t.detach().double() for t in (q, k, v)), seen)
    agree(name, out.detach(), exact)
    made = {"q": q, "k": k, "v": v, "dout": dout, "out": out, "logsumexp": logsumexp,
            "dq": dq.nan_to_num(0.0), "dk": dk, "dv": dv}
    return {f"{name}.{key}": tensor.detach() for key, tensor in made.items()}


def cases():
    """Every size differs; more keys than queries, as many, and fewer."""
    everything = lambda T, S: torch.ones(T, S, dtype=torch.bool)
    return {
        **forward_and_backward("all", 2, 3, 5, 7, 4, everything(5, 7)),
        **forward_and_backward("causal", 2, 2, 7, 7, 3, causal(7, 7)),
        **forward_and_backward("causal.more_keys", 1, 2, 4, 9, 5, causal(4, 9)),
        **forward_and_backward("causal.peaked", 1, 2, 6, 6, 8, causal(6, 6), scale=12.0),
    }


def blind_queries():
    """T > S: the first T - S queries see no key. Forward only."""
    B, NH, T, S, hs = 1, 2, 6, 4, 3
    q, k, v = torch.randn(B, NH, T, hs), torch.randn(B, NH, S, hs), torch.randn(B, NH, S, hs)
    out, logsumexp = attention(q, k, v, causal(T, S))
    return {f"blind.{key}": t for key, t in
            {"q": q, "k": k, "v": v, "out": out, "logsumexp": logsumexp}.items()}


def tensors():
    return {**cases(), **blind_queries()}
