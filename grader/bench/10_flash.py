"""PyTorch's attention; answers every line with a time in seconds.

    python3 grader/bench/10_flash.py B NH T hs THREADS

The line "forward" asks for scaled_dot_product_attention with is_causal, without gradients; "backward"
for the backward pass alone, "both" for forward and backward. PyTorch 2 has an attention that never
stores its weights, which the first line names; PyTorch 1 has not, and the textbook's form is used.
"""

import math
import os
import sys
import time

B, NH, T, hs, THREADS = (int(word) for word in sys.argv[1:])
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(THREADS)

import torch
import torch.nn.functional as F

torch.set_num_threads(THREADS)
torch.manual_seed(1)
q, k, v, dout = (torch.randn(B, NH, T, hs) for _ in range(4))


def textbook(q, k, v):
    hidden = torch.ones(T, T, dtype=torch.bool).triu(1)
    scores = (q @ k.transpose(2, 3) / math.sqrt(hs)).masked_fill(hidden, -math.inf)
    return scores.softmax(-1) @ v


def flash(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def forward():
    with torch.no_grad():
        begin = time.perf_counter()
        attention(q, k, v)
        return time.perf_counter() - begin


def passes():
    """Seconds of forward and of backward."""
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    begin = time.perf_counter()
    out = attention(*leaves)
    middle = time.perf_counter()
    out.backward(dout)
    return middle - begin, time.perf_counter() - middle


attention = flash if hasattr(F, "scaled_dot_product_attention") else textbook
passes()  # warm up
print(f"PyTorch {torch.__version__}, {attention.__name__}", flush=True)
for line in sys.stdin:
    what = line.strip()
    took = forward() if what == "forward" else passes()[1] if what == "backward" else sum(passes())
    print(took, flush=True)
