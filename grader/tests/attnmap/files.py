"""Writes attention weights in every format, right and wrong, into a folder.

    python3 grader/tests/attnmap/files.py FOLDER

The weights of every right file are those of attention(): layers 2, heads 3, queries 4, keys 4,
causal. Only Python's standard library is used.
"""

import json
import math
import random
import struct
import sys
import zipfile

L, NH, T, S = 2, 3, 4, 4


def attention():
    """(L, NH, T, S) as a flat list, rounded to float32."""
    random.seed(1)
    flat = []
    for _ in range(L * NH):
        for t in range(T):
            row = [math.exp(random.gauss(0, 1)) if s <= t else 0.0 for s in range(S)]
            flat += [w / sum(row) for w in row]
    return [struct.unpack("<f", struct.pack("<f", w))[0] for w in flat]


def npy(flat, shape, descr="<f4", fortran=False, version=1):
    order = ">" if descr[0] == ">" else "<"
    letter = {"f2": "e", "f4": "f", "f8": "d", "i4": "i", "u1": "B", "b1": "?"}[descr[1:]]
    cast = (lambda x: x) if letter in "efd" else int
    if fortran:
        flat = fortran_order(flat, shape)
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (
        descr, fortran, "".join("%d, " % n for n in shape))
    data = struct.pack(order + letter * len(flat), *[cast(x) for x in flat])
    return npy_raw(header, data, version)


def npy_raw(header, data, version=1):
    text = header.encode() + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def fortran_order(flat, shape):
    def place(i):
        index = []
        for n in reversed(shape):
            index.append(i % n)
            i //= n
        at, stride = 0, 1
        for k, n in zip(reversed(index), shape):
            at += k * stride
            stride *= n
        return at
    out = [0.0] * len(flat)
    for i, value in enumerate(flat):
        out[place(i)] = value
    return out


def safetensors(tensors, metadata=None):
    """tensors: name -> (dtype, shape, bytes)."""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def floats(flat, letter="f"):
    return struct.pack("<" + letter * len(flat), *flat)


def bfloat16(flat):
    return b"".join(struct.pack("<f", x)[2:] for x in flat)


def right(folder, a):
    shape = [L, NH, T, S]
    one = a[:T * S]
    write = lambda name, data: open(f"{folder}/{name}", "wb").write(data)
    write("a.npy", npy(a, shape))
    write("version2.npy", npy(a, shape, version=2))
    write("double.npy", npy(a, shape, ">f8"))
    write("fortran.npy", npy(a, shape, fortran=True))
    write("half.npy", npy(a, shape, "<f2"))
    write("batch.npy", npy(a[:NH * T * S] * 2 + a[NH * T * S:] * 2, [L, 2, NH, T, S]))
    write("bnts.npy", npy(a[:NH * T * S], [1, NH, T, S]))
    write("one.npy", npy(one, [T, S]))
    write("mask.npy", npy([1, 0, 1, 1], [2, 2], "|b1"))
    write("cross.npy", npy(one[4:12], [2, 4]))
    write("a.safetensors", safetensors({"attentions": ("F32", shape, floats(a))},
                                       {"tokens": json.dumps(["the", "cat", "<b>sat", "it's"])}))
    write("half.safetensors", safetensors({"w": ("F16", shape, floats(a, "e"))}))
    write("bfloat.safetensors", safetensors({"w": ("BF16", shape, bfloat16(a))}))
    layers = {f"layer.{10 - l}.attn": ("F32", [NH, T, S], floats(a[(1 - l) * NH * T * S:][:NH * T * S]))
              for l in range(L)}  # named layer.10 and layer.9: layer 9 comes first
    write("layers.safetensors", safetensors({k: v for k, v in layers.items()}))
    write("two.safetensors", safetensors({"q": ("F32", [2], floats([1, 2])),
                                          "probs": ("F32", shape, floats(a))}))
    with zipfile.ZipFile(f"{folder}/a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("attentions.npy", npy(a, shape))
        archive.writestr("other.npy", npy([1.0, 2.0], [2]))
    rows = [one[t * S:(t + 1) * S] for t in range(T)]
    text = lambda sep: "".join(sep.join("%.9g" % w for w in row) + "\n" for row in rows)
    write("one.txt", ("# saved by hand\n" + text(" ")).encode())
    write("one.csv", text(",").encode())
    write("named.csv", ("key,the,cat,sat,down\n" + "".join(
        name + "," + ",".join("%.9g" % w for w in row) + "\n"
        for name, row in zip(("the", "cat", "sat", "down"), rows))).encode())
    write("heads.txt", "\n".join(
        "".join(" ".join("%.9g" % w for w in a[(h * T + t) * S:][:S]) + "\n" for t in range(T))
        for h in range(NH)).encode())


def wrong(folder, a):
    shape = [L, NH, T, S]
    write = lambda name, data: open(f"{folder}/wrong-{name}", "wb").write(data)
    good = npy(a, shape)
    write("empty.npy", b"")
    write("truncated.npy", good[:-1])
    write("header-only.npy", good[:30])
    write("long-header.npy", good[:8] + b"\xff\xff" + good[10:])
    write("version9.npy", good[:6] + b"\x09" + good[7:])
    write("objects.npy", npy_raw("{'descr': '|O', 'fortran_order': False, 'shape': (4, 4), }", b"x" * 64))
    write("complex.npy", npy_raw("{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }", b"x" * 64))
    write("records.npy", npy_raw("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2), }", b"x" * 64))
    write("no-shape.npy", npy_raw("{'descr': '<f4'}", b"x" * 64))
    write("negative.npy", npy_raw("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2), }", b"x" * 64))
    write("huge.npy", npy_raw("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", b"x" * 64))
    write("overflow.npy", npy_raw("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 2), }", b"x" * 64))
    write("six-axes.npy", npy([0.5] * 64, [2] * 6))
    write("one-axis.npy", npy([1.0, 2.0], [2]))
    write("no-keys.npy", npy([], [3, 0]))
    write("deep.safetensors", (lambda t: struct.pack("<Q", len(t)) + t)(b'{"a":' + b"[" * 10000 + b"]" * 10000 + b"}"))
    write("long.safetensors", struct.pack("<Q", 1 << 40) + b'{"a": 1}')
    write("overlap.safetensors", (lambda t: struct.pack("<Q", len(t)) + t + b"x" * 64)(json.dumps({
        "a": {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]},
        "b": {"dtype": "F32", "shape": [2, 4], "data_offsets": [16, 48]}}).encode()))
    write("outside.safetensors", (lambda t: struct.pack("<Q", len(t)) + t + b"x" * 8)(json.dumps({
        "a": {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]}}).encode()))
    write("words.txt", b"there are no numbers here\n")
    write("ragged.txt", b"1 2 3\n4 5\n")
    write("binary.bin", bytes(range(256)))
    write("blank.txt", b"\n\n\n")
    with zipfile.ZipFile(f"{folder}/wrong-none.npz", "w") as archive:
        archive.writestr("readme.txt", "no arrays")
    data = open(f"{folder}/a.npz", "rb").read()
    write("cut.npz", data[:len(data) // 2])
    strange = list(a[:T * S])
    strange[5] = float("nan")
    strange[10] = 3.0
    open(f"{folder}/strange.npy", "wb").write(npy(strange, [T, S]))


def large(folder, layers, heads, tokens):
    """Weights as a trained model has them: a few keys have most of the weight."""
    random.seed(2)
    flat = []
    base = [random.gauss(0, 3) for _ in range(4096)]
    for n in range(layers * heads * tokens):
        at = random.randrange(4096 - tokens)
        row = [math.exp(x) for x in base[at:at + tokens]]
        total = sum(row)
        flat += [w / total for w in row]
    open(f"{folder}/large.npy", "wb").write(npy(flat, [layers, heads, tokens, tokens]))


if __name__ == "__main__":
    weights = attention()
    right(sys.argv[1], weights)
    wrong(sys.argv[1], weights)
    large(sys.argv[1], 4, 4, 256)
