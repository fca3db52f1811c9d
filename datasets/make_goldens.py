#!/usr/bin/env python3
"""Golden tensors: what PyTorch computes, for the tests of the labs.

    /usr/bin/python3 datasets/make_goldens.py            write the files that are missing
    /usr/bin/python3 datasets/make_goldens.py --check    compare, write nothing
    /usr/bin/python3 datasets/make_goldens.py --update   overwrite files that changed

A golden that changes is an event: without --update a changed file is reported, tensor by
tensor, and left alone. Differences of a few units in the last place (another processor,
another BLAS) are noted and are no change. Exit status: 0 all as it should be, 1 something
changed or is missing, 2 wrong use.

Needs PyTorch (Debian: python3-torch) and nothing else. datasets/README.md lists the tensors.
"""

import argparse
import json
import math
import os
import struct
import sys

import torch
import torch.nn.functional as F

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens")
SEED = 42
ROUNDING = 4e-6  # a difference up to ROUNDING * max(1, |value|) is rounding, not a change

DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.int64: "I64", torch.uint8: "U8"}
TYPES = {name: dtype for dtype, name in DTYPES.items()}


# ---- the file format (docs/formats.md) ------------------------------------------------------


def encode(tensors, metadata):
    """The bytes of a safetensors file; wide types first, so that every tensor is aligned."""
    names = sorted(tensors, key=lambda name: -tensors[name].element_size())  # stable
    header = {"__metadata__": metadata}
    data = b""
    for name in names:
        tensor = tensors[name].contiguous()
        begin = len(data)
        data += tensor.numpy().tobytes()
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [begin, len(data)],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def decode(content):
    """Tensors and metadata of a file that encode() wrote."""
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        flat = torch.frombuffer(bytearray(content[begin:end]), dtype=TYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors, metadata


# ---- help for the labs ----------------------------------------------------------------------


def agree(name, result, exact):
    """Stops the script when a float32 result is not what float64 gives, rounded."""
    same = torch.allclose(result.double(), exact, rtol=1e-5, atol=1e-6, equal_nan=True)
    assert same, f"{name}: float32 and float64 disagree"


def attention(x, w_q, w_k, w_v, mask=None):
    """The textbook form. Every step is one torch call; q, k, v by F.linear: w is (out, in)."""
    q, k, v = F.linear(x, w_q), F.linear(x, w_k), F.linear(x, w_v)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    steps = {"q": q, "k": k, "v": v, "scores": scores}
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        steps["masked_scores"] = scores.masked_fill(~mask, -math.inf)
        # torch gives NaN for a row without an allowed key; the labs define it as zeros
        weights = torch.softmax(steps["masked_scores"], dim=-1).nan_to_num(0.0)
    return {**steps, "weights": weights, "out": torch.matmul(weights, v)}


def attention_case(prefix, shape, width, mask=None):
    """Inputs drawn in the order x, w_q, w_k, w_v, and every step, under prefix."""
    names = ("x", "w_q", "w_k", "w_v")
    sizes = (shape, (width, shape[-1]), (width, shape[-1]), (width, shape[-1]))
    inputs = {name: torch.randn(size) for name, size in zip(names, sizes)}
    steps = attention(*inputs.values(), mask=mask)
    exact = attention(*(tensor.double() for tensor in inputs.values()), mask=mask)
    for name, tensor in steps.items():
        agree(prefix + name, tensor, exact[name])
    return {prefix + name: tensor for name, tensor in {**inputs, **steps}.items()}


def extreme_rows(columns):
    """Six rows of logits that break a careless softmax: small, large, far apart, equal, -inf."""
    rows = torch.randn(6, columns)
    rows[1] *= 1e4
    rows[2] = rows[2].sign() * 1e4
    rows[3] = -1e4
    rows[4, ::2] = -math.inf
    rows[5] = -math.inf
    rows[5, columns // 2] = 3.0
    return rows


# ---- the files ------------------------------------------------------------------------------


def lab01():
    tensors = attention_case("", (3, 4), 4)  # the story: seed 42, randn(3, 4) and on
    tensors.update(attention_case("odd.", (5, 7), 3))

    a, b = torch.randn(3, 4), torch.randn(4, 5)
    tensors.update({"matmul.a": a, "matmul.b": b, "matmul.out": torch.matmul(a, b)})
    a, b = torch.randn(3, 4), torch.randn(5, 4)
    tensors.update({"matmul_nt.a": a, "matmul_nt.b": b, "matmul_nt.out": torch.matmul(a, b.T)})

    x, w, bias = torch.randn(5, 4), torch.randn(3, 4), torch.randn(3)
    tensors.update({"linear.x": x, "linear.w": w, "linear.bias": bias})
    tensors.update({"linear.y": F.linear(x, w, bias), "linear.y_no_bias": F.linear(x, w)})

    q, k = torch.randn(3, 5), torch.randn(4, 5)
    scores = torch.matmul(q, k.T) / math.sqrt(5)
    tensors.update({"attention_scores.q": q, "attention_scores.k": k})
    tensors["attention_scores.scores"] = scores

    logits = extreme_rows(7)
    tensors.update({"softmax_rows.scores": logits})
    tensors["softmax_rows.weights"] = torch.softmax(logits, dim=-1)

    weights, v = torch.softmax(torch.randn(3, 4), dim=-1), torch.randn(4, 6)
    tensors.update({"weighted_values.weights": weights, "weighted_values.v": v})
    tensors["weighted_values.out"] = torch.matmul(weights, v)

    # averaging as attention: rows of a lower triangle of ones that sum to 1
    torch.manual_seed(SEED)
    a = torch.tril(torch.ones(3, 3))
    a = a / a.sum(dim=1, keepdim=True)
    b = torch.randint(0, 10, (3, 2)).float()
    tensors.update({"averaging.a": a, "averaging.b": b, "averaging.out": torch.matmul(a, b)})
    return tensors


def lab02():
    tensors = {}
    a, b = torch.randn(3, 5, 4), torch.randn(3, 4, 2)
    tensors.update({"batched_matmul.a": a, "batched_matmul.b": b})
    tensors["batched_matmul.out"] = torch.bmm(a, b)
    a, b = torch.randn(3, 5, 4), torch.randn(3, 2, 4)
    tensors.update({"batched_matmul_nt.a": a, "batched_matmul_nt.b": b})
    tensors["batched_matmul_nt.out"] = torch.bmm(a, b.transpose(1, 2))

    x, w, bias = torch.randn(3, 5, 4), torch.randn(7, 4), torch.randn(7)
    tensors.update({"batched_linear.x": x, "batched_linear.w": w, "batched_linear.bias": bias})
    tensors["batched_linear.y"] = F.linear(x, w, bias)
    tensors["batched_linear.y_no_bias"] = F.linear(x, w)

    logits = torch.stack([torch.randn(6, 4), extreme_rows(4), torch.randn(6, 4) * 10])
    tensors["batched_softmax.scores"] = logits
    tensors["batched_softmax.weights"] = torch.softmax(logits, dim=-1)

    tensors.update(attention_case("batched_attention.", (2, 5, 6), 6))
    return tensors


def causal(T, S):
    """True where query t may see key s; aligned at the end."""
    return torch.ones(T, S, dtype=torch.bool).tril(diagonal=S - T)


def lab03():
    tensors = {}
    for T, S in ((5, 5), (3, 5), (5, 3), (1, 4)):
        tensors[f"causal_mask.T{T}_S{S}"] = causal(T, S).to(torch.uint8)

    scores, mask = torch.randn(4, 5), causal(4, 5)
    tensors.update({"masked_fill.scores": scores, "masked_fill.mask": mask.to(torch.uint8)})
    tensors["masked_fill.out"] = scores.masked_fill(~mask, -math.inf)

    scores, mask = extreme_rows(5), torch.rand(6, 5) < 0.6
    mask[0] = False  # a row without an allowed key: NaN in torch, zeros in the lab
    mask[4] = True
    mask[5, 2] = True
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1).nan_to_num(0.0)
    tensors.update({"masked_softmax.scores": scores, "masked_softmax.weights": weights})
    tensors["masked_softmax.mask"] = mask.to(torch.uint8)

    tensors.update(attention_case("causal_attention.", (2, 5, 6), 6, mask=causal(5, 5)))
    tensors["causal_attention.mask"] = causal(5, 5).to(torch.uint8)
    if hasattr(F, "scaled_dot_product_attention"):  # PyTorch 2: its own form must agree
        q, k, v = (tensors["causal_attention." + name].double() for name in "qkv")
        exact = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        agree("causal_attention.out", tensors["causal_attention.out"], exact)

    lengths = torch.tensor([5, 2, 0, 4])
    padding = torch.arange(5)[None, :] < lengths[:, None]
    tensors["padding_mask.lengths"] = lengths
    tensors["padding_mask.mask"] = padding.to(torch.uint8)
    both = causal(3, 5)[None, :, :] & padding[:, None, :]
    tensors["combine_masks.attention"] = causal(3, 5).to(torch.uint8)
    tensors["combine_masks.padding"] = padding.to(torch.uint8)
    tensors["combine_masks.mask"] = both.to(torch.uint8)
    return tensors


SIZES = list(range(1, 41)) + [63, 64, 65, 1000]


def rng():
    """What the generator gives; the order of the draws is the point. See test_rng.c."""
    tensors = {"sizes": torch.tensor(SIZES)}

    def of_each_size(draw):
        return torch.cat([draw(n) for n in SIZES])

    # one generator through all sizes: an odd small randn leaves half a pair for a later one
    torch.manual_seed(1234)
    tensors["randn.continued"] = of_each_size(torch.randn)
    torch.manual_seed(1234)
    tensors["rand.continued"] = of_each_size(torch.rand)
    # a fresh generator for each size
    tensors["randn.fresh"] = of_each_size(lambda n: (torch.manual_seed(1000 + n), torch.randn(n))[1])

    # seeds: only the lower 32 bits count
    seeds = [0, 1, 42, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 2**63 - 1]
    tensors["seeds"] = torch.tensor(seeds)
    tensors["seeds.rand"] = torch.stack([(torch.manual_seed(s), torch.rand(3))[1] for s in seeds])

    # every kind of draw between small randns, whose pairs must survive
    torch.manual_seed(7)
    mixed = {
        "00.randn3": torch.randn(3),
        "01.rand5": torch.rand(5),
        "02.randn1": torch.randn(1),
        "03.randn1": torch.randn(1),
        "04.randn20": torch.randn(20),
        "05.randn2": torch.randn(2),
        "06.randint_0_10": torch.randint(0, 10, (7,)),
        "07.randn1": torch.randn(1),
        "08.normal9": torch.empty(9).normal_(2.5, 0.1),
        "09.uniform6": torch.empty(6).uniform_(-0.3, 0.7),
        "10.randint_far": torch.randint(-(2**40), 2**40, (5,)),
        "11.normal33": torch.empty(33).normal_(-1.5, 3.0),
        "12.randn15": torch.randn(15),
        "13.randint_edge": torch.randint(-5, 2**32 - 5, (4,)),
        "14.randint_below": torch.randint(-5, 2**32 - 6, (4,)),
        "15.randint_all": torch.randint(-(2**63), 2**63 - 1, (4,)),
        "16.randn16": torch.randn(16),
        "17.randn5": torch.randn(5),
    }
    torch.manual_seed(7)
    first = torch.randn(3)
    torch.manual_seed(7)  # seeding again drops the waiting half
    assert torch.equal(first, torch.randn(3))
    tensors.update({"mixed." + name: tensor for name, tensor in mixed.items()})

    # layers, one after the other
    torch.manual_seed(SEED)
    small = torch.nn.Linear(5, 3)
    plain = torch.nn.Linear(4, 7, bias=False)
    table = torch.nn.Embedding(10, 32)
    tiny = torch.nn.Embedding(3, 5)
    large = torch.nn.Linear(33, 17)
    layers = {
        "linear_5_3.w": small.weight,
        "linear_5_3.bias": small.bias,
        "linear_4_7.w": plain.weight,
        "embedding_10_32": table.weight,
        "embedding_3_5": tiny.weight,
        "linear_33_17.w": large.weight,
        "linear_33_17.bias": large.bias,
    }
    tensors.update({"layers." + name: tensor.detach() for name, tensor in layers.items()})
    return tensors


FILES = {"rng": rng, "lab01": lab01, "lab02": lab02, "lab03": lab03}


# ---- comparing and writing ------------------------------------------------------------------


def difference(old, new):
    """(how bad, words): 0 the same bits, 1 rounding, 2 a change."""
    if old.dtype != new.dtype or old.shape != new.shape:
        was, now = (f"{DTYPES[t.dtype]} {tuple(t.shape)}" for t in (old, new))
        return 2, f"was {was}, is now {now}"
    if old.numpy().tobytes() == new.numpy().tobytes():
        return 0, "the same"
    a, b = old.double().flatten(), new.double().flatten()
    moved = ~((a == b) | (a.isnan() & b.isnan()))
    gap = (a - b).abs().nan_to_num(math.inf)[moved]
    largest = gap.max().item() if len(gap) else 0.0
    allowed = (ROUNDING * a.abs().clamp(min=1))[moved]
    rounding = old.dtype.is_floating_point and bool((gap <= allowed).all())
    words = f"{int(moved.sum())} of {len(a)} numbers differ, by up to {largest:.3g}"
    return (1 if rounding else 2), words


def compare(old, new):
    """Prints every difference between two sets of tensors; the worst of them."""
    worst = 0
    for name in sorted({*old, *new}):
        if name not in new:
            how, words = 2, "is in the file and no longer made"
        elif name not in old:
            how, words = 2, "is made and not in the file"
        else:
            how, words = difference(old[name], new[name])
        if how > 0:
            print(f"  {'changed' if how == 2 else 'rounding'}: {name}: {words}")
        worst = max(worst, how)
    return worst


def write(path, content):
    """Replaces a file whole: a temporary name first."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def handle(name, make, check, update):
    """Brings one file up to date, or says why not. True when all is well."""
    torch.manual_seed(SEED)
    tensors = make()
    metadata = {
        "script": "datasets/make_goldens.py",
        "seed": str(SEED),
        "torch": torch.__version__,
    }
    path = os.path.join(FOLDER, name + ".safetensors")
    content = encode(tensors, metadata)
    if not os.path.exists(path):
        print(f"{name}: {'is missing' if check else 'written'}")
        if not check:
            write(path, content)
        return not check
    try:
        with open(path, "rb") as stream:
            old, old_metadata = decode(stream.read())
    except (ValueError, KeyError, struct.error, RuntimeError) as error:
        print(f"{name}: cannot be read: {error}")
        worst = 2
    else:
        made_by = old_metadata.get("torch")
        if made_by != metadata["torch"]:
            print(f"{name}: made by torch {made_by}, this is {metadata['torch']}")
        worst = compare(old, tensors)
    if worst < 2:
        print(f"{name}: {len(tensors)} tensors {'the same' if worst == 0 else 'within rounding'}")
        return True
    if update and not check:
        write(path, content)
        print(f"{name}: overwritten")
        return True
    print(f"{name}: not as it should be, see above; --update overwrites it if that is meant")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--check", action="store_true", help="compare, write nothing")
    choice.add_argument("--update", action="store_true", help="overwrite files that changed")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    good = [handle(*item, arguments.check, arguments.update) for item in FILES.items()]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
