"""Lab 6: losses, gradients, the optimiser, and whole training runs of PyTorch.

The runs start from PyTorch's seed: modules made in the order of Model below, then the data by
torch.randint, then (with dropout) one torch.rand per step. The C program draws all of it again
from its own generator; what is stored is what PyTorch made of it.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from golden_support import SEED, agree, causal, extreme_rows


class Block(nn.Module):
    """Pre-norm; the order of the lines is the order in which weights are drawn."""

    def __init__(self, C, NH, H):
        super().__init__()
        self.NH = NH
        self.ln1 = nn.LayerNorm(C)
        self.qkv = nn.Linear(C, 3 * C)
        self.proj = nn.Linear(C, C)
        self.ln2 = nn.LayerNorm(C)
        self.fc = nn.Linear(C, H)
        self.fc_proj = nn.Linear(H, C)

    def attention(self, x):
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, self.NH, C // self.NH).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(C // self.NH)
        weights = scores.masked_fill(~causal(T, T), -math.inf).softmax(dim=-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.fc_proj(F.gelu(self.fc(self.ln2(x))))


class Model(nn.Module):
    def __init__(self, V, T, C, NH, H, L, p=0.0):
        super().__init__()
        self.p = p
        self.tokens = nn.Embedding(V, C)
        self.positions = nn.Embedding(T, C)
        self.blocks = nn.Sequential(*(Block(C, NH, H) for _ in range(L)))
        self.head = nn.Linear(C, V)

    def forward(self, tokens, uniforms=None):
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        if uniforms is not None:
            x = x * (uniforms < 1 - self.p) / (1 - self.p)
        return self.head(self.blocks(x))

    def flat(self, of=lambda parameter: parameter):
        """All parameters (or of each: its gradient) in one row, as labs/common/model.c lays
        them out: those of the blocks stand together."""
        blocks = zip(*(block.parameters() for block in self.blocks))
        rows = [self.tokens.weight, self.positions.weight]
        rows += [parameter for layers in blocks for parameter in layers]
        rows += [self.head.weight, self.head.bias]
        return torch.cat([of(row).detach().flatten() for row in rows])


# ---- one function each ----------------------------------------------------------------------


def backward(name, function, inputs, dy, added=()):
    """PyTorch's gradients of function(*inputs.values()) for dy, checked against float64.

    Parameters named in added start from a gradient that is not 0, as accumulation does.
    """
    made = {f"{name}.{key}": tensor for key, tensor in inputs.items()}
    made[f"{name}.dy"] = dy
    results = []
    for dtype in (torch.float32, torch.float64):
        leaves = {
            key: t.to(dtype, copy=True).requires_grad_() if t.is_floating_point() else t
            for key, t in inputs.items()
        }
        out = function(*leaves.values())
        out.backward(dy.to(dtype))
        results.append({key: t.grad for key, t in leaves.items() if t.is_floating_point()})
    for key, grad in results[0].items():
        agree(f"{name}.d{key}", grad, results[1][key])
        if key in added:
            start = torch.randn(grad.shape)
            made[f"{name}.d{key}.start"] = start
            grad = start + grad
        made[f"{name}.d{key}"] = grad
    return made


def functions():
    made = {}
    tokens = torch.tensor([3, 0, 3, 6, 3, 1])
    made.update(
        backward(
            "embedding",
            F.embedding,
            {"tokens": tokens, "table": torch.randn(7, 5)},
            torch.randn(6, 5),
            added=("table",),
        )
    )
    made["embedding.out"] = F.embedding(tokens, made["embedding.table"])

    for name, logits in (("plain", torch.randn(6, 7)), ("large", extreme_rows(7)[:4])):
        logits = logits.requires_grad_()
        targets = torch.randint(0, 7, (len(logits),))
        loss = F.cross_entropy(logits, targets)
        loss.backward()
        agree(name, loss.detach(), F.cross_entropy(logits.double(), targets).detach())
        name = f"cross_entropy.{name}"
        made[f"{name}.logits"] = logits.detach()
        made[f"{name}.targets"] = targets
        made[f"{name}.loss"] = loss.detach().reshape(1)
        made[f"{name}.probabilities"] = logits.detach().softmax(dim=-1)
        made[f"{name}.dlogits"] = logits.grad

    N, I, O = 6, 5, 4
    inputs = {"x": torch.randn(N, I), "w": torch.randn(O, I), "bias": torch.randn(O)}
    made.update(backward("linear", F.linear, inputs, torch.randn(N, O), added=("w", "bias")))

    mask = causal(5, 5)
    scores = torch.randn(5, 5).masked_fill(~mask, -math.inf)
    softmax = lambda s: s.softmax(dim=-1)
    made.update(backward("softmax", softmax, {"scores": scores}, torch.randn(5, 5)))
    made["softmax.weights"] = softmax(scores)

    def attention(q, k, v):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        return scores.masked_fill(~causal(*scores.shape[-2:]), -math.inf).softmax(dim=-1) @ v

    B, NH, T, S, hs = 2, 3, 4, 5, 6
    inputs = {
        "q": torch.randn(B, NH, T, hs),
        "k": torch.randn(B, NH, S, hs),
        "v": torch.randn(B, NH, S, hs),
    }
    made.update(backward("attention", attention, inputs, torch.randn(B, NH, T, hs)))
    q, k, _ = inputs.values()
    scores = q @ k.transpose(-2, -1) / math.sqrt(hs)
    made["attention.weights"] = scores.masked_fill(~causal(T, S), -math.inf).softmax(dim=-1)

    N, C = 6, 7
    inputs = {"x": torch.randn(N, C) * 2 + 1, "gain": torch.randn(C), "bias": torch.randn(C)}
    norm = lambda x, gain, bias: F.layer_norm(x, (C,), gain, bias)
    made.update(backward("layernorm", norm, inputs, torch.randn(N, C), added=("gain", "bias")))
    _, mean, rstd = torch.native_layer_norm(inputs["x"], (C,), None, None, 1e-5)
    made.update({"layernorm.mean": mean.flatten(), "layernorm.rstd": rstd.flatten()})

    x = torch.cat([torch.linspace(-6, 6, 25), torch.randn(8)])
    made.update(backward("gelu", F.gelu, {"x": x}, torch.randn(33)))
    return made


# ---- the optimiser --------------------------------------------------------------------------


def optimised(name, optimiser, scale, steps=3, N=6, **options):
    """A few steps from random weights with random gradients of that size."""
    w = torch.randn(N)
    gradients = torch.randn(steps, N) * scale
    parameter = nn.Parameter(w.clone())
    stepper = optimiser([parameter], **options)
    after = []
    for gradient in gradients:
        parameter.grad = gradient.clone()
        stepper.step()
        after.append(parameter.detach().clone())
    state = stepper.state[parameter]
    return {
        f"{name}.w": w,
        f"{name}.g": gradients,
        f"{name}.after": torch.stack(after),
        f"{name}.m": state["exp_avg"],
        f"{name}.v": state["exp_avg_sq"],
    }


def schedule(scheduler, lr, steps, **options):
    """The learning rates of one of PyTorch's schedulers, from its start on."""
    optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=lr)
    scheduler = scheduler(optimiser, **options)
    rates = []
    for _ in range(steps):
        rates.append(scheduler.get_last_lr()[0])
        optimiser.step()
        scheduler.step()
    return torch.tensor(rates)


def optimiser():
    adam, adamw = torch.optim.Adam, torch.optim.AdamW
    made = {}
    made.update(optimised("adam.plain", adam, 1.0, lr=1e-3))
    made.update(optimised("adam.tiny", adam, 1e-8, lr=1e-3))  # eps counts as much as v does
    made.update(optimised("adam.decay", adamw, 1.0, lr=1e-2, weight_decay=0.1))
    made.update(
        optimised("adam.other", adamw, 1e-3, lr=2e-2, betas=(0.8, 0.95), eps=1e-4, weight_decay=0.3)
    )
    for name, scale in (("long", 3.0), ("short", 0.01)):
        g = torch.randn(40) * scale
        parameter = nn.Parameter(torch.zeros(40))
        parameter.grad = g.clone()
        norm = nn.utils.clip_grad_norm_([parameter], 1.0)
        made.update({f"clip.{name}.g": g, f"clip.{name}.norm": norm.reshape(1)})
        made[f"clip.{name}.clipped"] = parameter.grad
    # steps 1 ... 10 of a warm-up over 10, and 0 ... 40 steps after its end towards 1e-4
    made["schedule.warmup"] = schedule(
        torch.optim.lr_scheduler.LinearLR, 1e-3, 10, start_factor=0.1, total_iters=9
    )
    made["schedule.cosine"] = schedule(
        torch.optim.lr_scheduler.CosineAnnealingLR, 1e-3, 41, T_max=40, eta_min=1e-4
    )
    return made


# ---- the whole model ------------------------------------------------------------------------


def small_model():
    """One forward and backward pass; every size is another."""
    V, T_max, T, B, C, NH, H, L = 7, 6, 5, 3, 12, 3, 20, 2
    torch.manual_seed(SEED)
    model = Model(V, T_max, C, NH, H, L, p=0.25)
    tokens, targets = torch.randint(0, V, (B, T)), torch.randint(0, V, (B, T))
    uniforms = torch.rand(B, T, C)
    made = {"model.tokens": tokens, "model.targets": targets, "model.uniforms": uniforms}
    made["model.params"] = model.flat()
    for name, given in (("evaluated", None), ("trained", uniforms)):
        model.zero_grad()
        logits = model(tokens, given)
        loss = F.cross_entropy(logits.view(-1, V), targets.flatten())
        loss.backward()
        made[f"model.{name}.logits"] = logits.detach()
        made[f"model.{name}.loss"] = loss.detach().reshape(1)
        made[f"model.{name}.grads"] = model.flat(lambda parameter: parameter.grad)
    exact = Model(V, T_max, C, NH, H, L, p=0.25).double()
    exact.load_state_dict({key: value.double() for key, value in model.state_dict().items()})
    agree("model.logits", logits.detach(), exact(tokens, uniforms.double()).detach())
    return made


def run(name, task, steps, sizes, rows, batch, optimiser, lr, p=0.0, max_norm=0.0, **options):
    """Trains as lab 6 does, and keeps every loss and the parameters before and after."""
    V, T = 10, 8
    torch.manual_seed(SEED)
    model = Model(V, T, *sizes, p=p)
    data = torch.randint(0, V, (100, T))
    start = model.flat()
    stepper = optimiser(model.parameters(), lr=lr(1), **options)
    losses = []
    for step in range(1, steps + 1):
        first = (step - 1) % (rows // batch) * batch
        tokens = data[first : first + batch]
        uniforms = torch.rand(batch, T, sizes[0]) if p > 0 else None
        logits = model(tokens, uniforms)
        loss = F.cross_entropy(logits.view(-1, V), task(tokens, V).flatten())
        stepper.zero_grad()
        loss.backward()
        if max_norm > 0:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        stepper.param_groups[0]["lr"] = lr(step)
        stepper.step()
        losses.append(loss.item())
    return {
        f"train.{name}.data": data,
        f"train.{name}.start": start,
        f"train.{name}.losses": torch.tensor(losses),
        f"train.{name}.params": model.flat(),
    }


def warm_cosine(step, warmup=20, total=200, peak=3e-3, floor=3e-4):
    if step <= warmup:
        return peak * step / warmup
    p = (step - warmup) / (total - warmup)
    return floor + (peak - floor) * 0.5 * (1 + math.cos(math.pi * p))


def runs():
    copy = lambda x, V: x
    reverse = lambda x, V: x.flip(1)
    add = lambda x, V: torch.cat([x[:, :1], (x[:, 1:] + x[:, :-1]) % V], dim=1)
    adam, adamw = torch.optim.Adam, torch.optim.AdamW
    one, two = (32, 4, 128, 1), (16, 2, 40, 2)  # C, NH, H, L
    made = {
        # the model of the handout, over and over on the first 32 sequences
        **run("plain", copy, 200, one, 32, 32, adam, lr=lambda step: 1e-3),
        # all features of a step: batches in turn, clipping, schedule, decay
        **run(
            "clipped", reverse, 200, one, 100, 32, adamw,
            max_norm=0.25, lr=warm_cosine, weight_decay=0.1,
        ),
        # two blocks, dropout, a last batch that is as large as the others
        **run("dropped", add, 60, two, 100, 25, adam, p=0.1, lr=lambda step: 2e-3),
    }
    for name in ("start", "data"):  # the same seed, model and sequences as in "plain"
        assert torch.equal(made.pop(f"train.clipped.{name}"), made[f"train.plain.{name}"])
    return made


def tensors():
    return {**functions(), **optimiser(), **small_model(), **runs()}
