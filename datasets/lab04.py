"""Lab 4: views, heads, multi-head attention and cross attention."""

import math

import torch
import torch.nn.functional as F
from torch import nn

import published_trace
from golden_support import agree, causal

B, T, S, C, NH = 2, 5, 7, 12, 3


def split(x):
    return x.view(x.shape[0], x.shape[1], NH, x.shape[2] // NH).transpose(1, 2)


def merge(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


def heads_attention(q, k, v, mask=None):
    """The textbook form on (B, NH, T, hs); mask (B, T, S) or (T, S), True: may attend."""
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    if mask is not None:
        mask = mask if mask.dim() == 2 else mask[:, None]
        scores = scores.masked_fill(~mask, -math.inf)
    # torch gives NaN for a row without an allowed key; the lab defines it as zeros
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights, torch.matmul(weights, v)


def both(name, function, inputs, **others):
    """Weights and output in float32, checked against float64."""
    result = function(*inputs, **others)
    exact = function(*(None if i is None else i.double() for i in inputs), **others)
    for part, got, wanted in zip(("weights", "out"), result, exact):
        agree(f"{name}.{part}", got, wanted)
    return {f"{name}.weights": result[0], f"{name}.out": result[1]}


def module_attention(x, memory, w_in, b_in, w_o, b_o, forbidden=None):
    """torch.nn.MultiheadAttention with these weights; forbidden is True where it may not look."""
    module = nn.MultiheadAttention(C, NH, bias=b_in is not None, batch_first=True).to(x.dtype)
    state = {"in_proj_weight": w_in, "out_proj.weight": w_o}
    if b_in is not None:
        state.update({"in_proj_bias": b_in, "out_proj.bias": b_o})
    module.load_state_dict(state)
    with torch.no_grad():
        out, weights = module(
            x, memory, memory, attn_mask=forbidden, average_attn_weights=False
        )
    return weights, out


def plain_attention(x, w_qkv, b_qkv, w_o, b_o, mask=None):
    """The textbook form, which also takes an input of another width."""
    q, k, v = F.linear(x, w_qkv, b_qkv).chunk(3, dim=-1)
    weights, out = heads_attention(split(q), split(k), split(v), mask)
    return weights, F.linear(merge(out), w_o, b_o)


def weights(wide):
    scale = 1 / math.sqrt(wide)
    return (
        torch.randn(3 * C, wide) * scale,
        torch.randn(3 * C),
        torch.randn(C, C) / math.sqrt(C),
        torch.randn(C),
    )


def views():
    """What PyTorch says of the views that the handout draws."""
    x = torch.arange(24.0).view(1, 3, 2, 4)  # (B, T, NH, hs)
    moved = x.transpose(1, 2)
    sliced = torch.arange(24.0).view(3, 8)[:, 2:6]
    stride = lambda view: torch.tensor(view.stride())
    return {
        "view.x.stride": stride(x),
        "view.moved.stride": stride(moved),
        "view.moved.numbers": moved.contiguous(),
        "view.sliced.stride": stride(sliced),
        "view.sliced.numbers": sliced.contiguous(),
        "view.is_contiguous": torch.tensor(
            [x.is_contiguous(), moved.is_contiguous(), sliced.is_contiguous(),
             x[:, :, :1].transpose(1, 2).is_contiguous(),
             x[:, :1].transpose(1, 2).is_contiguous()], dtype=torch.uint8
        ),
    }


def trace():
    """What the published q, k, v give when head and token are exchanged in all three."""
    read = published_trace.read_text()
    q, k, v = (torch.tensor(read[name][1]).view(read[name][0]) for name in "qkv")
    heads = [split(part) for part in (q, k, v)]
    weights, out = heads_attention(*heads, mask=causal(3, 3))
    return {
        "trace.right_scores": torch.matmul(heads[0], heads[1].transpose(-2, -1)),
        "trace.right_weights": weights,
        "trace.right_merged": merge(out),
    }


def tensors():
    made = views()

    qkv = torch.randn(B, T, 3 * C)
    made["split_qkv.qkv"] = qkv
    made.update(zip(("split_qkv.q", "split_qkv.k", "split_qkv.v"), qkv.chunk(3, dim=-1)))

    x = torch.randn(B, T, C)
    made.update({"split_heads.x": x, "split_heads.out": split(x)})

    name = "scaled_dot_product_attention"
    q, k, v = torch.randn(B, NH, T, 4), torch.randn(B, NH, S, 4), torch.randn(B, NH, S, 4)
    mask = torch.rand(B, T, S) < 0.6
    mask[:, :, 2] = True
    mask[1, 3] = False  # a query without an allowed key: NaN in torch, zeros in the lab
    made.update({f"{name}.q": q, f"{name}.k": k, f"{name}.v": v})
    made[f"{name}.mask"] = mask.to(torch.uint8)
    made.update(both(name, heads_attention, (q, k, v)))
    made.update(both(f"{name}.masked", heads_attention, (q, k, v), mask=mask))

    name = "multi_head_attention"
    x, params = torch.randn(B, T, C), weights(C)
    made[f"{name}.x"] = x
    made.update(zip((f"{name}.{p}" for p in ("w_qkv", "b_qkv", "w_o", "b_o")), params))
    w_qkv, b_qkv, w_o, b_o = params
    made.update(both(f"{name}.open", module_attention, (x, x, *params)))
    made.update(both(f"{name}.causal", module_attention, (x, x, *params), forbidden=~causal(T, T)))
    made.update(both(f"{name}.no_bias", module_attention, (x, x, w_qkv, None, w_o, None)))
    agree(name, plain_attention(x, *params)[1], made[f"{name}.open.out"].double())

    x, (w_qkv, b_qkv, w_o, b_o) = torch.randn(B, T, 7), weights(7)
    made.update({f"{name}.wide.x": x, f"{name}.wide.w_qkv": w_qkv, f"{name}.wide.b_qkv": b_qkv})
    made.update({f"{name}.wide.w_o": w_o})
    inputs = (x, w_qkv, b_qkv, w_o, None)
    made.update(both(f"{name}.wide", plain_attention, inputs, mask=causal(T, T)))

    name = "cross_attention"
    x, memory, (w_in, b_in, w_o, b_o) = torch.randn(B, T, C), torch.randn(B, S, C), weights(C)
    made.update({f"{name}.x": x, f"{name}.memory": memory})
    for letter, w, b in zip("qkv", w_in.chunk(3), b_in.chunk(3)):
        made.update({f"{name}.w_{letter}": w, f"{name}.b_{letter}": b})
    made.update({f"{name}.w_o": w_o, f"{name}.b_o": b_o})
    mask = torch.rand(B, T, S) < 0.6
    mask[:, :, 2] = True
    made[f"{name}.mask"] = mask.to(torch.uint8)
    inputs = (x, memory, w_in, b_in, w_o, b_o)
    made.update(both(f"{name}.open", module_attention, inputs))
    forbidden = ~mask.repeat_interleave(NH, dim=0)  # (B * NH, T, S), b outer: as the module asks
    made.update(both(f"{name}.masked", module_attention, inputs, forbidden=forbidden))

    made.update(trace())
    return made
