"""PyTorch's forward pass of a BERT; answers every line with a time in seconds.

    python3 grader/bench/11_bert.py L T C NH H THREADS

Eager mode without gradients. As in the transformers library, a layer has a matrix each for queries,
keys and values. Attention is written out, or scaled_dot_product_attention where it exists: the faster
one is used, and named on the first line.
"""

import math
import os
import sys
import time

L, T, C, NH, H, THREADS = (int(word) for word in sys.argv[1:])
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(THREADS)

import torch
import torch.nn.functional as F

torch.set_num_threads(THREADS)
torch.manual_seed(1)


def linear(O, I):
    return torch.randn(O, I) * 0.02, torch.randn(O) * 0.02


layers = [
    {"q": linear(C, C), "k": linear(C, C), "v": linear(C, C), "o": linear(C, C),
     "fc": linear(H, C), "proj": linear(C, H),
     "norm1": (torch.ones(C), torch.zeros(C)), "norm2": (torch.ones(C), torch.zeros(C))}
    for _ in range(L)
]
x = torch.randn(1, T, C)


def heads(x):
    return x.view(1, T, NH, C // NH).transpose(1, 2)


def written(q, k, v):
    return (q @ k.transpose(2, 3) / math.sqrt(C // NH)).softmax(-1) @ v


def fused(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def forward(attention):
    y = x
    for p in layers:
        q, k, v = (heads(F.linear(y, *p[name])) for name in "qkv")
        mixed = attention(q, k, v).transpose(1, 2).reshape(1, T, C)
        y = F.layer_norm(y + F.linear(mixed, *p["o"]), (C,), *p["norm1"], 1e-12)
        hidden = F.gelu(F.linear(y, *p["fc"]))
        y = F.layer_norm(y + F.linear(hidden, *p["proj"]), (C,), *p["norm2"], 1e-12)


def seconds(attention):
    begin = time.perf_counter()
    forward(attention)
    return time.perf_counter() - begin


with torch.inference_mode():
    ways = [written] + ([fused] if hasattr(F, "scaled_dot_product_attention") else [])
    best = min(ways, key=lambda way: sorted(seconds(way) for _ in range(5))[2])
    print(f"PyTorch {torch.__version__}, {best.__name__}", flush=True)
    for _ in sys.stdin:
        print(seconds(best), flush=True)
