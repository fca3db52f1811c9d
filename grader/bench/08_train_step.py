"""One training step of lab 8's model in PyTorch; answers every line with its time in seconds.

    python3 grader/bench/08_train_step.py B T C NH H L THREADS

The model is that of the goldens, in eager mode.
"""

import os
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "datasets"))

import torch
from lab08 import mean_loss, start_params

B, T, C, NH, H, L, THREADS = (int(word) for word in sys.argv[1:])
V = 64

torch.set_num_threads(THREADS)
torch.manual_seed(1)
params = {name: p.requires_grad_() for name, p in start_params(V, C, H, L).items()}
tokens, targets = torch.randint(0, V, (B, T)), torch.randint(0, V, (B, T))
optimizer = torch.optim.AdamW(params.values(), lr=3e-3, weight_decay=0)


def step():
    optimizer.zero_grad(set_to_none=True)
    mean_loss(params, tokens, targets, NH).backward()
    torch.nn.utils.clip_grad_norm_(params.values(), 1)
    optimizer.step()


step()
print(f"PyTorch {torch.__version__}", flush=True)
for _ in sys.stdin:
    start = time.perf_counter()
    step()
    print(time.perf_counter() - start, flush=True)
