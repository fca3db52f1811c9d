"""Compares read_model with what the transformers library computed (datasets/models/goldens).

    python3 grader/tests/reading/compare.py build/reader/solutions/read_model SCRATCH

Prints a line of TAP for each model and text. Exit status 1 if anything differs.
"""

import json
import os
import shutil
import struct
import subprocess
import sys

MODELS = "datasets/models"
TOLERANCE = 1e-4
failed = False


def claim(what, reason):
    """reason: None, or what is wrong."""
    global failed
    failed = failed or reason is not None
    print(f"ok - {what}" if reason is None else f"not ok - {what}\n# {reason}")


def read(path):
    """Tensors (shape, numbers) and the metadata of a safetensors file."""
    content = open(path, "rb").read()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    notes = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        kind = {"F32": "f", "I64": "q"}[entry["dtype"]]
        tensors[name] = (entry["shape"], struct.unpack(
            f"<{(end - begin) // struct.calcsize(kind)}{kind}", content[begin:end]))
    return tensors, notes


class Model:
    def __init__(self, name):
        self.name = name
        self.folder = f"{MODELS}/{name}"
        self.goldens, self.notes = read(f"{MODELS}/goldens/{name}.safetensors")

    def run(self, *options):
        return subprocess.run([PROGRAM, self.folder, *options],
                              capture_output=True, timeout=600)

    def compute(self, *options):
        """(error, tensors, notes)"""
        out = os.path.join(SCRATCH, "out.safetensors")
        done = self.run(*options, "--out", out)
        if done.returncode != 0:
            return done.stderr.decode(errors="replace"), {}, {}
        return None, *read(out)


def text_options(texts):
    options = []
    for i, text in enumerate(texts):
        path = os.path.join(SCRATCH, f"text{i}")
        with open(path, "wb") as stream:
            stream.write(text.encode())
        options += ["--text-file", path]
    return options


def tokens_of(model, *options):
    """(error, [(number, name)])"""
    done = model.run("--tokens", *options)
    if done.returncode != 0:
        return done.stderr.decode(errors="replace"), []
    lines = [line.split(None, 2) for line in done.stdout.decode().splitlines()]
    return None, [(int(line[1]), line[2]) for line in lines]


def lists_differ(got, expected):
    if got == expected:
        return None
    at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b),
              min(len(got), len(expected)))
    return (f"{len(got)} tokens, expected {len(expected)}; "
            f"from {at}: {got[at:at + 5]}, expected {expected[at:at + 5]}")


def tokens_differ(model, name, text):
    error, got = tokens_of(model, *text_options([text]))
    names = json.loads(model.notes[f"{name}.tokens"])
    return error or lists_differ(got, list(zip(model.goldens[f"{name}.ids"][1], names)))


def ids_differ(model, key, *options):
    error, got = tokens_of(model, *options)
    return error or lists_differ([number for number, _ in got], list(model.goldens[key][1]))


def largest_difference(got, expected, counts=lambda place: True):
    """Of the numbers whose place in the tensor counts; infinite if the shapes differ."""
    if got is None or got[0] != expected[0]:
        return float("inf")
    return max((abs(a - b) if a == a else float("inf")
                for n, (a, b) in enumerate(zip(got[1], expected[1])) if counts(n)), default=0)


def numbers_differ(model, name, tensors, counts=None):
    for key in ("hidden_states", "attentions"):
        expected = model.goldens[f"{name}.{key}"]
        away = largest_difference(tensors.get(key), expected,
                                  (lambda n: counts(key, expected[0], n)) if counts else lambda n: True)
        if not away <= TOLERANCE:
            return f"{key} {tensors.get(key, ['none'])[0]} differ by up to {away}, expected {expected[0]}"
    return None


def before_the_padding(lengths):
    """Only queries that are no padding count."""
    def counts(key, shape, n):
        if key == "hidden_states":
            _, _, T, C = shape
            return n // C % T < lengths[n // (C * T) % len(lengths)]
        _, B, NH, T, _ = shape
        return n // T % T < lengths[n // (T * T * NH) % B]
    return counts


def check(model, inputs):
    texts = inputs["texts"]
    for name, text in texts.items():
        claim(f"{model.name}: the tokens of '{name}'", tokens_differ(model, name, text))
    for name in inputs["computed"]:
        error, tensors, notes = model.compute(*text_options([texts[name]]))
        claim(f"{model.name}: hidden states and attentions of '{name}'",
              error or numbers_differ(model, name, tensors))
        claim(f"{model.name}: the file has the tokens of '{name}'",
              error or (None if json.loads(notes["tokens"]) == json.loads(model.notes[f"{name}.tokens"])
                        and tensors["ids"] == model.goldens[f"{name}.ids"] else notes["tokens"]))
    error, tensors, _ = model.compute(*text_options([texts[name] for name in inputs["batch"]]))
    claim(f"{model.name}: a padded batch", error or numbers_differ(
        model, "batch", tensors, before_the_padding(model.goldens["batch.lengths"][1])))
    if "pair.ids" in model.goldens:
        first, second = inputs["pair"]
        error, tensors, _ = model.compute("--text", first, "--text2", second)
        claim(f"{model.name}: two segments", error or numbers_differ(model, "pair", tensors))
        for n, (first, second) in enumerate(inputs["long_pairs"]):
            claim(f"{model.name}: '{first}' and '{second}' are shortened", ids_differ(
                model, f"long_pair.{n}.ids", "--text", texts[first], "--text2", texts[second]))
    for n, setting in enumerate(inputs["settings"].get(model.name, ())):
        check_setting(model, f"setting.{n}", setting, inputs)


def check_setting(model, key, setting, inputs):
    """With another tokenizer_config.json."""
    other = Model(model.name)
    other.folder = os.path.join(SCRATCH, key)
    shutil.copytree(model.folder, other.folder, dirs_exist_ok=True)
    path = os.path.join(other.folder, "tokenizer_config.json")
    with open(path, encoding="utf-8") as stream:
        config = json.load(stream)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({**config, **setting}, stream)
    for name in inputs["shown"]:
        claim(f"{model.name}: the tokens of '{name}' with {setting}",
              ids_differ(other, f"{key}.{name}.ids", *text_options([inputs["texts"][name]])))


PROGRAM, SCRATCH = sys.argv[1:3]
with open(f"{MODELS}/texts.json", encoding="ascii") as stream:
    INPUTS = json.load(stream)
for golden in sorted(os.listdir(f"{MODELS}/goldens")):
    check(Model(golden.removesuffix(".safetensors")), INPUTS)
sys.exit(failed)
