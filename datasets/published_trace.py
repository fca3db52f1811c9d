#!/usr/bin/env python3
"""The published trace of lab 4, from text to a tensor file.

    python3 datasets/published_trace.py            write published_trace.safetensors
    python3 datasets/published_trace.py --check    compare, write nothing

The numbers are typed in published_trace.txt, as they were printed. Needs Python alone. Exit
status: 0 the file is as it should be, 1 it is not or the text is broken.
"""

import array
import json
import math
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "published_trace.txt")
TARGET = os.path.join(HERE, "published_trace.safetensors")
NOTE = "printed to 4 digits by a public notebook; made from published_trace.txt"


def read_text(path=SOURCE):
    """{name: (shape, numbers)} in the order of the text."""
    tensors = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if not words or words[0] == "#":
                continue
            if words[0].isidentifier():
                numbers = []
                tensors[words[0]] = ([int(word) for word in words[1:]], numbers)
            else:
                numbers.extend(float(word) for word in words)
    for name, (shape, numbers) in tensors.items():
        if math.prod(shape) != len(numbers):
            raise ValueError(f"{name} {shape} has {len(numbers)} numbers")
    return tensors


def encode(tensors):
    """The bytes of a safetensors file (docs/formats.md)."""
    header, data = {"__metadata__": {"source": NOTE}}, b""
    for name, (shape, numbers) in tensors.items():
        values = array.array("f", numbers)
        if sys.byteorder == "big":
            values.byteswap()
        place = [len(data), len(data) + len(values) * 4]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": place}
        data += values.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def read_target():
    try:
        with open(TARGET, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: published_trace.py [--check]")
    try:
        content = encode(read_text())
    except ValueError as error:
        sys.exit(f"{SOURCE}: {error}")
    if sys.argv[1:] == ["--check"]:
        if read_target() != content:
            sys.exit(f"{TARGET} is not what published_trace.txt gives")
    else:
        with open(TARGET + ".tmp", "wb") as out:
            out.write(content)
        os.replace(TARGET + ".tmp", TARGET)


if __name__ == "__main__":
    main()
