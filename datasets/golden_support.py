"""What the golden tensors of every lab share: the seed, the file format, attention itself.

A module labNN.py takes from here what it needs and has a function tensors(), which draws its
inputs from a generator seeded with SEED and returns {"function.argument": tensor}.
"""

import json
import math
import struct

import torch
import torch.nn.functional as F

SEED = 42  # make_goldens.py seeds with it before every call of tensors()

DTYPES = {
    torch.float32: "F32",
    torch.float64: "F64",
    torch.int64: "I64",
    torch.int8: "I8",
    torch.uint8: "U8",
}
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


# ---- inputs and results that several labs use -----------------------------------------------


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


def causal(T, S):
    """True where query t may see key s; aligned at the end."""
    return torch.ones(T, S, dtype=torch.bool).tril(diagonal=S - T)
