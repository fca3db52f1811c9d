"""How long one training step of lab 6's model takes in PyTorch: microseconds, the median.

    python3 grader/bench/06_train_step.py B T C NH L BLOCKS

The model is the one that the goldens are made with. One thread, as in 06_train_step.c.
"""

import os
import statistics
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "datasets"))

import torch
import torch.nn.functional as F
from lab06 import Model

B, T, C, NH, L, BLOCKS = (int(word) for word in sys.argv[1:])
V, STEPS = 10, 10

torch.set_num_threads(1)
torch.manual_seed(42)
model = Model(V, T, C, NH, 4 * C, L)
data = torch.randint(0, V, (B, T))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def block():
    for _ in range(STEPS):
        loss = F.cross_entropy(model(data).view(-1, V), data.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


block()
samples = []
for _ in range(BLOCKS):
    start = time.perf_counter()
    block()
    samples.append(time.perf_counter() - start)
print(f"{1e6 * statistics.median(samples) / STEPS:.1f}")
