"""Lab 9: attention over a cache, grouped queries, a window, cached generation, int8 rows.

Nothing here has a cache: every result is computed from the whole text, so it does not depend on how
a cache is kept.
"""

import math

import torch
import torch.nn.functional as F

import lab08
from golden_support import agree, causal

NAMES = ("q", "keys", "values")


def attention(q, k, v, mask=None):
    """(..., T, hs) and (..., S, hs): output and weights; a row without an allowed key is zeros."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1).nan_to_num(0.0)
    return weights @ v, weights


def decode():
    """One query a sequence; rows behind a sequence's length are large numbers that must not count."""
    B, NH, T_max, hs = 3, 2, 9, 5
    lengths = torch.tensor([4, 9, 1])
    q = 2 * torch.randn(B, NH, hs)
    keys, values = torch.randn(B, NH, T_max, hs), torch.randn(B, NH, T_max, hs)
    out, weights = torch.zeros(B, NH, hs), torch.zeros(B, NH, T_max)
    for b, S in enumerate(lengths.tolist()):
        given = q[b, :, None], keys[b, :, :S], values[b, :, :S]
        o, w = attention(*given)
        exact, _ = attention(*(t.double() for t in given))
        agree("attention_decode", o, exact)
        out[b], weights[b, :, :S] = o[:, 0], w[:, 0]
        keys[b, :, S:] = values[b, :, S:] = 1e6
    return {
        "attention_decode.q": q,
        "attention_decode.keys": keys,
        "attention_decode.values": values,
        "attention_decode.lengths": lengths,
        "attention_decode.out": out,
        "attention_decode.weights": weights,
    }


def grouped():
    """Six query heads; 6, 3, 2 and 1 heads of keys and values; with and without a mask."""
    B, NH, T, S, hs = 2, 6, 3, 5, 4
    q = torch.randn(B, NH, T, hs)
    mask = causal(T, S).repeat(B, 1, 1)
    mask[1, :, 0] = False
    mask[1, 1] = False  # a query that sees nothing
    made = {"grouped.q": q, "grouped.mask": mask.to(torch.uint8)}
    for NKV in (6, 3, 2, 1):
        k, v = torch.randn(B, NKV, S, hs), torch.randn(B, NKV, S, hs)
        made[f"grouped.{NKV}.k"], made[f"grouped.{NKV}.v"] = k, v
        repeated = [t.repeat_interleave(NH // NKV, dim=1) for t in (k, v)]
        for name, seen in (("all", None), ("masked", mask[:, None])):
            out, weights = attention(q, *repeated, seen)
            exact, _ = attention(q.double(), *(t.double() for t in repeated), seen)
            agree("grouped", out, exact)
            made[f"grouped.{NKV}.{name}.out"] = out
            made[f"grouped.{NKV}.{name}.weights"] = weights
    return made


def window():
    """The last of n queries, which sees the last W keys; sequences of 3 and of 11 tokens, W = 4."""
    NH, W, hs = 2, 4, 6
    made = {}
    for n in (3, 11):
        q, keys, values = torch.randn(NH, hs), torch.randn(NH, n, hs), torch.randn(NH, n, hs)
        seen = torch.arange(n) >= n - W
        out, weights = attention(q[:, None], keys, values, seen)
        first = max(0, n - W)
        made.update({f"window.{n}.{name}": t for name, t in zip(NAMES, (q, keys, values))})
        made[f"window.{n}.out"] = out[:, 0]
        made[f"window.{n}.weights"] = F.pad(weights[:, 0, first:], (0, W - (n - first)))
    return made


SMALL = {"V": 7, "C": 12, "H": 20, "L": 2}  # with NH=3


def model():
    """The logits after every token of three texts, and what the model writes behind their starts."""
    NH, T, count = 3, 16, 9
    params = lab08.random_params(**SMALL)
    exact = {name: t.double() for name, t in params.items()}
    lengths, uniforms = [5, 1, 7], torch.rand(3, count)
    texts = torch.zeros(3, T, dtype=torch.int64)
    for b, n in enumerate(lengths):
        texts[b, :n] = torch.randint(0, SMALL["V"], (n,))
        for i in range(n, n + count):
            logits, _ = lab08.forward(exact, texts[b : b + 1, :i], NH)
            texts[b, i], _ = lab08.sample(logits[0, -1], 0.9, 5, 0.95, uniforms[b, i - n].item())
    logits, _ = lab08.forward(exact, texts, NH)
    return {
        "model.params": lab08.flat(params),
        "model.lengths": torch.tensor(lengths),
        "model.uniforms": uniforms,
        "model.tokens": texts,
        "model.logits": logits.float(),
    }


def int8():
    """Rows of several sizes; in row 1 every quotient is exact, and three of them are halves."""
    O, I, N = 5, 13, 3
    w = torch.randn(O, I)
    w[1] = torch.arange(-6, 7) + 0.5
    w[1, 0], w[1, 1] = -127, 100
    w[2] = 0
    w[3] *= 1e-20
    w[4] *= 1e10
    scales = w.abs().amax(dim=1) / 127
    rows = torch.where(scales[:, None] > 0, (w / scales[:, None]).round(), 0 * w)
    x = torch.randn(N, I)
    y = (x.double() @ rows.double().T * scales.double()).float()
    return {
        "int8.w": w,
        "int8.rows": rows.long(),
        "int8.scales": scales,
        "int8.x": x,
        "int8.y": y,
    }


def tensors():
    return {**decode(), **grouped(), **window(), **model(), **int8()}
