#!/usr/bin/env python3
"""How far does Adam's first step move the output of 24 blocks, post-norm and pre-norm?

Prints the numbers of lab 5's handout (5.6). Needs PyTorch:

    python3 datasets/first_step.py

Adam's first step moves every parameter by the learning rate, against the sign of its gradient,
whatever the gradient's length.
"""
import math

import torch
from torch.nn.functional import cross_entropy, gelu, layer_norm

B, T, C, NH, L, V = 8, 32, 64, 4, 24, 64
LR = 1e-4
FUTURE = torch.triu(torch.full((T, T), -math.inf), 1)


def block_parameters():
    """Matrices that keep unit size: w_qkv, w_o, w_fc, w_proj."""
    shapes = (3 * C, C), (C, C), (4 * C, C), (C, 4 * C)
    return [(torch.randn(o, i) / math.sqrt(i)).requires_grad_() for o, i in shapes]


def attention(x, w_qkv, w_o):
    q, k, v = (part.view(B, T, NH, C // NH).transpose(1, 2) for part in (x @ w_qkv.T).split(C, -1))
    weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(C // NH) + FUTURE, -1)
    return (weights @ v).transpose(1, 2).reshape(B, T, C) @ w_o.T


def run(x, blocks, post):
    def norm(stream):
        return layer_norm(stream, (C,))

    for w_qkv, w_o, w_fc, w_proj in blocks:
        if post:
            x = norm(x + attention(x, w_qkv, w_o))
            x = norm(x + gelu(x @ w_fc.T) @ w_proj.T)
        else:
            x = x + attention(norm(x), w_qkv, w_o)
            x = x + gelu(norm(x) @ w_fc.T) @ w_proj.T
    return x if post else norm(x)


def change(seed, post):
    """The length of the output's change, divided by the output's length."""
    torch.manual_seed(0)
    x, targets, head = torch.randn(B, T, C), torch.randint(V, (B * T,)), torch.randn(V, C) / math.sqrt(C)
    torch.manual_seed(seed)
    blocks = [block_parameters() for _ in range(L)]
    out = run(x, blocks, post)
    cross_entropy((out @ head.T).view(-1, V), targets).backward()
    with torch.no_grad():
        for matrix in (matrix for block in blocks for matrix in block):
            matrix -= LR * matrix.grad.sign()
        return float((run(x, blocks, post) - out).norm() / out.norm())


for post in True, False:
    print("post-norm" if post else "pre-norm ", *(f"{change(seed, post):.2f}" for seed in range(3)))
