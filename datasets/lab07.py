"""Lab 7: positions, and what attention makes of them.

Angles are computed in float64 and only the results are rounded: at place 100000 the angles of
float32 are off by up to 0.004 (check_float32_drifts holds that).
"""

import math

import torch

from golden_support import agree

SENTENCE = [0, 1, 2, 3, 0, 4]  # the cat sat on the mat


def sinusoidal(T, C, dtype=torch.float64):
    """The formula as programs write it: exp(2i * -log(10000) / C), sines even, cosines odd."""
    position = torch.arange(T, dtype=dtype)[:, None]
    frequency = torch.exp(torch.arange(0, C, 2, dtype=dtype) * (-math.log(10000.0) / C))
    table = torch.empty(T, C, dtype=dtype)
    table[:, 0::2] = torch.sin(position * frequency)
    table[:, 1::2] = torch.cos(position * frequency)[:, : C // 2]
    return table


def rotary(x, positions):
    """Pairs of neighbours as complex numbers, times e^(i angle)."""
    hs = x.shape[-1]
    frequency = 10000.0 ** (-torch.arange(0, hs, 2, dtype=torch.float64) / hs)
    angle = torch.outer(positions.double(), frequency)
    turn = torch.polar(torch.ones_like(angle), angle)
    pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], hs // 2, 2))
    return torch.view_as_real(pairs * turn).flatten(-2)


def rotary_half_split(x, positions):
    """The other convention: channel i goes with channel i + hs/2."""
    half = x.shape[-1] // 2
    frequency = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.outer(positions.double(), frequency).repeat(1, 2)
    other = torch.cat((-x[..., half:], x[..., :half]), dim=-1).double()
    return x.double() * torch.cos(angle) + other * torch.sin(angle)


def alibi(NH, T, S):
    """The bias, by the paper's formula for the slopes."""
    slope = 2.0 ** (-8.0 * torch.arange(1, NH + 1, dtype=torch.float64) / NH)
    query = torch.arange(S - T, S)[:, None]
    distance = (query - torch.arange(S)[None, :]).clamp(min=0)
    return (-slope[:, None, None] * distance).float()


def attention_without_projections(x):
    scores = x @ x.T / math.sqrt(x.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return {"scores": scores, "weights": weights, "out": weights @ x}


def attention_case(prefix, x):
    steps, exact = attention_without_projections(x), attention_without_projections(x.double())
    for name, tensor in steps.items():
        agree(prefix + name, tensor, exact[name])
    return {prefix + "x": x, **{prefix + name: tensor for name, tensor in steps.items()}}


def check_float32_drifts():
    """Why the angles are float64: near the start float32 will do, far away it will not."""
    gap = (sinusoidal(2**17, 8, torch.float32) - sinusoidal(2**17, 8)).abs()
    assert gap[:100].max() < 1e-5 and 1e-3 < gap.max() < 1e-2


def tensors():
    # the story: the embedding is the first thing drawn after the seed
    embedding = torch.nn.Embedding(5, 32).weight.detach()
    without = embedding[SENTENCE]
    positions = sinusoidal(6, 32).float()
    made = {"sentence.embedding": embedding, "sentence.positions": positions}
    made.update(attention_case("sentence.without.", without))
    made.update(attention_case("sentence.with.", without + positions))

    check_float32_drifts()
    made["sinusoidal_encoding.table"] = sinusoidal(50, 12).float()
    made["sinusoidal_encoding.odd"] = sinusoidal(7, 5).float()
    made["sinusoidal_encoding.long"] = sinusoidal(2001, 4)[2000:].float()

    x, table = torch.randn(2, 3, 4), torch.randn(5, 4)
    made.update({"add_positions.x": x, "add_positions.table": table})
    made["add_positions.out"] = x + table[:3]

    x = torch.randn(2, 3, 6, 8)
    positions = torch.tensor([0, 1, 2, 7, 7, 100000])
    out = rotary(x, positions)
    order = [0, 2, 4, 6, 1, 3, 5, 7]  # even channels first: the same pairs, half-split
    assert torch.allclose(out[..., order], rotary_half_split(x[..., order], positions))
    made.update({"rope.x": x, "rope.positions": positions, "rope.out": out.float()})
    made["rope.half_split"] = rotary_half_split(x, positions).float()

    for NH, T, S in ((8, 5, 5), (3, 2, 5), (2, 5, 3)):
        made[f"alibi_bias.NH{NH}_T{T}_S{S}"] = alibi(NH, T, S)

    made.update(attention_case("attention_without_projections.", torch.randn(5, 6)))
    return made
