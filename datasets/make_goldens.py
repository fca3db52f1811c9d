#!/usr/bin/env python3
"""Golden tensors: what PyTorch computes, for the tests of the labs.

    /usr/bin/python3 datasets/make_goldens.py            write the files that are missing
    /usr/bin/python3 datasets/make_goldens.py --check    compare, write nothing
    /usr/bin/python3 datasets/make_goldens.py --update   overwrite files that changed
    /usr/bin/python3 datasets/make_goldens.py lab02 rng  these two only; goes with both options

A golden that changes is an event: without --update a changed file is reported, tensor by
tensor, and left alone. Differences of a few units in the last place (another processor,
another BLAS) are noted and are no change. Exit status: 0 all as it should be, 1 something
changed or is missing, 2 wrong use.

rng.py and every labNN.py beside this script make one file each: their tensors() returns it.
Needs PyTorch (Debian: python3-torch) and nothing else. README.md lists the tensors.
"""

import argparse
import glob
import importlib
import math
import os
import struct
import sys

import torch

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
from golden_support import DTYPES, SEED, decode, encode  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "goldens")
ROUNDING = 4e-6  # a difference up to ROUNDING * max(1, |value|) is rounding, not a change


def modules():
    """The names of the files that can be made."""
    labs = glob.glob("lab[0-9][0-9].py", root_dir=HERE)
    return ["rng"] + sorted(name[: -len(".py")] for name in labs)


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


def handle(name, check, update):
    """Brings one file up to date, or says why not. True when all is well."""
    module = importlib.import_module(name)
    torch.manual_seed(SEED)
    tensors = module.tensors()
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
    parser.add_argument("names", nargs="*", metavar="NAME", help="lab01, rng, ...; all by default")
    arguments = parser.parse_args()
    known = modules()
    for name in arguments.names:
        if name not in known:
            parser.error(f"there is no '{name}'; there are: {' '.join(known)}")
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    chosen = [name for name in known if name in arguments.names] or known
    good = [handle(name, arguments.check, arguments.update) for name in chosen]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
