"""Checks 11.8's solution against datasets/the_cat.safetensors, from which it was found.

    python3 grader/tests/reading/findings.py
"""

import json
import re
import struct

with open("datasets/the_cat.safetensors", "rb") as file:
    size = struct.unpack("<Q", file.read(8))[0]
    header = json.loads(file.read(size))
    L, NH, T, _ = header["attentions"]["shape"]
    numbers = struct.unpack(f"<{L * NH * T * T}f", file.read())
tokens = json.loads(header["__metadata__"]["tokens"])
it, cat, first = tokens.index("it"), tokens.index("cat"), tokens.index("[CLS]")


def weight(layer, head, query, key):
    return numbers[((layer * NH + head) * T + query) * T + key]


heads = [(layer, head) for layer in range(L) for head in range(NH)]
following = {h: sum(weight(*h, t, t + 1) for t in range(T - 1)) / (T - 1) for h in heads}
to_cat = {h: weight(*h, it, cat) for h in heads}
to_first = {
    layer: sum(weight(layer, h, t, first) for h in range(NH) for t in range(T)) / (NH * T)
    for layer in range(L)
}

text = open("solutions/11_reading_attention/findings.c").read()
given = [int(n) for n in re.findall(r"(?:layer|head) = (\d+)", text)]
best = [max(measure, key=measure.get) for measure in (following, to_cat, to_first)]
found = [*best[0], *best[1], best[2]]


def clear(measure):
    """Is the largest far enough from the second to tell?"""
    second, first = sorted(measure.values())[-2:]
    return first - second > 0.03


# A field that is left 0 must not be right.
ok = found == given and 0 not in found and all(map(clear, (following, to_cat, to_first)))
print(f"{'ok' if ok else 'not ok'} - 11.8's solution is what the weights of the sentence show")
if not ok:
    print(f"# found {found}, the solution has {given}")
raise SystemExit(not ok)
