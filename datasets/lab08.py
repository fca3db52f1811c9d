"""Lab 8: the layers, the block, the whole model, sampling, and a training run of a language model.

The parameters are a dictionary of tensors with the names, the order and the shapes of
language_params_rows in labs/common/language.c; those of the blocks hold all L of them.
"""

import math

import torch
import torch.nn.functional as F

import lab06
from golden_support import SEED, agree, causal
from lab07 import rotary

EPS = 1e-5

TEXT = (
    "Ada has a red ball. She throws it to Ben. He drops it (it is wet), and Ada says: "
    '"Ben, the ball is mine." Then Ben says: "No, Ada, the ball is ours." They sit on the '
    "wet grass and look at the ball. Ada has two apples, and Ben has three apples. "
    '"2+3=5," says Ada. "We have five apples." She laughs, and he laughs, too.\n'
)


# ---- the model ------------------------------------------------------------------------------


def shapes(V, C, H, L):
    return {
        "token_table": (V, C),
        "norm1": (L, C),
        "w_q": (L, C, C),
        "w_k": (L, C, C),
        "w_v": (L, C, C),
        "w_o": (L, C, C),
        "norm2": (L, C),
        "w_gate": (L, H, C),
        "w_up": (L, H, C),
        "w_down": (L, C, H),
        "norm": (C,),
        "w_out": (V, C),
    }


def random_params(V, C, H, L):
    """Gains around 1 and matrices of a size that lets every part of the model matter."""
    return {
        name: 1 + 0.3 * torch.randn(shape) if name.startswith("norm") else 0.3 * torch.randn(shape)
        for name, shape in shapes(V, C, H, L).items()
    }


def start_params(V, C, H, L):
    """The first weights, drawn as language_start draws them."""
    made = {}
    for name, shape in shapes(V, C, H, L).items():
        std = 0.02 / math.sqrt(2 * L) if name in ("w_o", "w_down") else 0.02
        norm = name.startswith("norm")
        made[name] = torch.ones(shape) if norm else torch.empty(shape).normal_(0.0, std)
    return made


def flat(params, of=lambda parameter: parameter):
    return torch.cat([of(parameter).detach().flatten() for parameter in params.values()])


def leaves(params, dtype=torch.float32):
    return {name: t.to(dtype, copy=True).requires_grad_() for name, t in params.items()}


def rmsnorm(x, gain):
    return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + EPS) * gain


def turn(x, positions):
    """RoPE, with sines and cosines rounded once and the rotation in the type of x."""
    hs = x.shape[-1]
    frequency = 10000.0 ** (-torch.arange(0, hs, 2, dtype=torch.float64) / hs)
    angle = torch.outer(positions.double(), frequency)
    cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]
    pairs = (first * cosine - second * sine, first * sine + second * cosine)
    return torch.stack(pairs, dim=-1).flatten(-2)


def block(x, p, NH):
    """All steps of a block, by the names of its buffers."""
    B, T, C = x.shape
    heads = lambda y: y.view(B, T, NH, C // NH).transpose(1, 2)
    z = {"normed1": rmsnorm(x, p["norm1"])}
    for name in "qkv":
        z[f"{name}_heads"] = heads(F.linear(z["normed1"], p[f"w_{name}"]))
    positions = torch.arange(T)
    z["q_turned"], z["k_turned"] = turn(z["q_heads"], positions), turn(z["k_heads"], positions)
    scores = z["q_turned"] @ z["k_turned"].transpose(-2, -1) / math.sqrt(C // NH)
    z["weights"] = scores.masked_fill(~causal(T, T), -math.inf).softmax(dim=-1)
    z["merged"] = (z["weights"] @ z["v_heads"]).transpose(1, 2).reshape(B, T, C)
    z["middle"] = x + F.linear(z["merged"], p["w_o"])
    z["normed2"] = rmsnorm(z["middle"], p["norm2"])
    gate, up = F.linear(z["normed2"], p["w_gate"]), F.linear(z["normed2"], p["w_up"])
    z["hidden"] = F.silu(gate) * up
    z["out"] = z["middle"] + F.linear(z["hidden"], p["w_down"])
    return z


BLOCK = ("norm1", "w_q", "w_k", "w_v", "w_o", "norm2", "w_gate", "w_up", "w_down")


def forward(params, tokens, NH):
    """Logits, and the weights of every layer."""
    x, weights = params["token_table"][tokens], []
    for l in range(len(params["norm1"])):
        z = block(x, {name: params[name][l] for name in BLOCK}, NH)
        x = z["out"]
        weights.append(z["weights"])
    return F.linear(rmsnorm(x, params["norm"]), params["w_out"]), torch.stack(weights)


def mean_loss(params, tokens, targets, NH):
    logits, _ = forward(params, tokens, NH)
    return F.cross_entropy(logits.flatten(0, -2), targets.flatten())


# ---- one function each ----------------------------------------------------------------------


def functions():
    made = {}
    N, C = 6, 7
    x = torch.randn(N, C)
    x[1] = 3 + 0.1 * x[1]  # a mean far from 0 is kept
    x[2] *= 1e-3  # eps counts
    x[3] = 0
    x[4] *= 100
    gain = 1 + torch.randn(C)
    made.update(
        lab06.backward(
            "rmsnorm", rmsnorm, {"x": x, "gain": gain}, torch.randn(N, C), added=("gain",)
        )
    )
    made["rmsnorm.y"] = rmsnorm(x, gain)
    made["rmsnorm.rrms"] = torch.rsqrt(x.pow(2).mean(dim=-1) + EPS)

    a = torch.cat([torch.linspace(-12, 12, 25), torch.tensor([-1e4, -100.0, 100.0, 1e4])])
    inputs = {"a": a, "b": torch.randn(len(a))}
    made.update(
        lab06.backward("swiglu", lambda a, b: F.silu(a) * b, inputs, torch.randn(len(a)))
    )
    made["swiglu.y"] = F.silu(a) * inputs["b"]

    positions = torch.tensor([0, 1, 2, 7, 7, 100000])
    inputs = {"x": torch.randn(2, 3, 6, 8)}
    rope = lambda x: rotary(x, positions).to(x.dtype)
    agree("turn", turn(inputs["x"], positions), rotary(inputs["x"], positions))
    made.update(lab06.backward("rope", rope, inputs, torch.randn(2, 3, 6, 8)))
    made["rope.positions"] = positions
    return made


def one_block():
    """Forward and backward; every size is another."""
    B, T, C, NH, H = 2, 5, 12, 3, 20
    params = {name: t[0] for name, t in random_params(1, C, H, 1).items() if name in BLOCK}
    x, dout = torch.randn(B, T, C), torch.randn(B, T, C)
    made = {"language_block.x": x, "language_block.dout": dout}
    made["language_block.params"] = flat(params)
    results = []
    for dtype in (torch.float32, torch.float64):
        p, given = leaves(params, dtype), x.to(dtype, copy=True).requires_grad_()
        z = block(given, p, NH)
        z["out"].backward(dout.to(dtype))
        results.append({name: tensor.detach() for name, tensor in z.items()})
        del results[-1]["q_heads"], results[-1]["k_heads"]  # q_turned and k_turned show more than q and k
        results[-1]["dx"] = given.grad
        results[-1]["grads"] = flat(p, lambda parameter: parameter.grad)
    for name, tensor in results[0].items():
        agree(f"language_block.{name}", tensor, results[1][name])
        made[f"language_block.{name}"] = tensor
    return made


# ---- the whole model ------------------------------------------------------------------------

SMALL = {"V": 7, "C": 12, "H": 20, "L": 2}  # with NH=3, B=3, T=5


def small_model():
    NH, B, T = 3, 3, 5
    params = random_params(**SMALL)
    tokens, targets = torch.randint(0, 7, (B, T)), torch.randint(0, 7, (B, T))
    made = {"model.params": flat(params), "model.tokens": tokens, "model.targets": targets}
    results = []
    for dtype in (torch.float32, torch.float64):
        p = leaves(params, dtype)
        logits, weights = forward(p, tokens, NH)
        loss = F.cross_entropy(logits.flatten(0, -2), targets.flatten())
        loss.backward()
        results.append(
            {
                "logits": logits.detach(),
                "weights": weights.detach(),
                "loss": loss.detach().reshape(1),
                "grads": flat(p, lambda parameter: parameter.grad),
            }
        )
    for name, tensor in results[0].items():
        agree(f"model.{name}", tensor, results[1][name])
        made[f"model.{name}"] = tensor

    # A text of 23 tokens in windows of 5: 22 targets, of which the last window has 2.
    stream = torch.randint(0, 7, (23,))
    exact = {name: t.double() for name, t in params.items()}
    total = 0.0
    for first in range(0, 22, T):
        last = min(first + T, 22)
        window = (stream[None, first:last], stream[None, first + 1 : last + 1])
        total += mean_loss(exact, *window, NH).item() * (last - first)
    made["held_out.stream"] = stream
    made["held_out.loss"] = torch.tensor([total / 22], dtype=torch.float64)

    # 12 tokens after a prompt of 3: from the fourth on, the model reads only the last 5.
    for name, settings in (("greedy", (0.0, 0, 1.0)), ("drawn", (0.9, 5, 0.95))):
        prompt, uniforms = [2, 0, 5], torch.rand(12)
        text = list(prompt)
        for u in uniforms:
            logits, _ = forward(exact, torch.tensor([text[-T:]]), NH)
            token, _ = sample(logits[0, -1], *settings, u.item())
            text.append(token)
        made[f"generate.{name}.uniforms"] = uniforms
        made[f"generate.{name}.tokens"] = torch.tensor(text)
    return made


# ---- sampling -------------------------------------------------------------------------------


def sample(logits, temperature, top_k, top_p, u):
    """A token and the probabilities that it was drawn from, in float64."""
    if temperature == 0:
        token = int(logits.argmax())
        return token, F.one_hot(torch.tensor(token), len(logits)).double()
    logits, order = logits.double().sort(descending=True, stable=True)
    p = (logits / temperature).softmax(dim=-1)
    if top_k > 0:
        p[top_k:] = 0
        p /= p.sum()
    if top_p < 1:
        before = p.cumsum(dim=-1) - p  # the probability of all tokens before this one
        p[before >= top_p] = 0
        p /= p.sum()
    cumulative = p.cumsum(dim=-1)
    rank = int((cumulative > u).nonzero()[0])
    edge = (cumulative - u).abs().min()
    assert edge > 1e-6, "u is so near a step that rounding decides"
    probabilities = torch.zeros(len(logits), dtype=torch.float64)
    probabilities[order] = p
    return int(order[rank]), probabilities


def sampling():
    """Cases of (temperature, top_k, top_p, u); ties, and every filter alone and together."""
    V = 11
    logits = 2 * torch.randn(4, V)
    logits[1, 3] = logits[1, 7] = logits[1].max() + 1  # a tie at the top
    logits[2] = 0.5  # all the same
    logits[3] *= 1000
    settings = [
        (1.0, 0, 1.0), (0.5, 0, 1.0), (2.5, 0, 1.0), (0.0, 0, 1.0), (0.0, 3, 0.5), (1.0, 1, 1.0),
        (1.0, 3, 1.0), (1.0, 100, 1.0), (1.0, 0, 0.9), (1.0, 0, 0.3), (1.0, 0, 1e-6),
        (0.8, 4, 0.7), (1.5, 6, 0.85), (1e-3, 0, 0.9),
    ]
    cases, tokens, probabilities = [], [], []
    for row in range(len(logits)):
        for temperature, top_k, top_p in settings:
            u = torch.rand(1).item()
            case = torch.tensor([row, temperature, top_k, top_p, u])
            token, p = sample(logits[row], *case.tolist()[1:2], int(top_k), *case.tolist()[3:])
            cases.append(case)
            tokens.append(token)
            probabilities.append(p.float())
    return {
        "sample.logits": logits,
        "sample.cases": torch.stack(cases),
        "sample.tokens": torch.tensor(tokens),
        "sample.probabilities": torch.stack(probabilities),
    }


# ---- training -------------------------------------------------------------------------------


def run():
    """200 steps on TEXT. The generator draws the weights, then the offsets of each batch."""
    text = torch.tensor(list(TEXT.encode()), dtype=torch.uint8)
    bytes_of = sorted(set(TEXT.encode()))
    stream = torch.tensor([bytes_of.index(byte) for byte in TEXT.encode()])
    V, C, NH, H, L, B, T, steps = len(bytes_of), 24, 3, 64, 2, 8, 16, 200
    torch.manual_seed(SEED)
    params = leaves(start_params(V, C, H, L))
    start = flat(params)
    stepper = torch.optim.AdamW(params.values(), lr=1.0, betas=(0.9, 0.99), weight_decay=0.1)
    losses = []
    for step in range(1, steps + 1):
        offsets = torch.randint(0, len(stream) - T, (B,))
        x = torch.stack([stream[o : o + T] for o in offsets])
        y = torch.stack([stream[o + 1 : o + T + 1] for o in offsets])
        loss = mean_loss(params, x, y, NH)
        stepper.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params.values(), 1.0)
        stepper.param_groups[0]["lr"] = lab06.warm_cosine(step, 20, steps, 1e-2, 1e-3)
        stepper.step()
        losses.append(loss.item())
    return {
        "train.text": text,
        "train.stream": stream,
        "train.start": start,
        "train.losses": torch.tensor(losses),
        "train.params": flat(params),
    }


def tensors():
    return {**functions(), **one_block(), **small_model(), **sampling(), **run()}
