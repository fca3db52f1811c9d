#!/usr/bin/env python3
"""Asks the judge about solutions with one token changed: which changes does it let pass?

    grader/tools/mutants.py LAB|EXERCISE ... [options]      3, 3.2, all

    --backend cpu|gpu-simulated|all   the .c files, the .cu files, or both (cpu)
    --jobs N       judge N at a time (processors)
    --some N       judge N of the changes, drawn from --seed: what make test does with a part
    --seed S       of that draw; printed (a new one each time)
    --listed       judge only the changes that are in the lists: is one refused by now?
    --list         print the changes and judge none
    --check        judge none; check that every entry of the lists is still a change

A change imitates a slip in an answer (see grader/tools/mutant_changes.py). Only what students write is
changed, BEGIN SOLUTION to END SOLUTION. Each changed file is judged like a student's, in the exercise
that contains the change. If a change passes, either it computes the same function, and
grader/tests/mutants/NN.txt lists it with the reason, or no case of the exercise reveals it, and the
exercise needs another case. If a listed change is refused, the judge's report is printed. In a list, blank lines
separate groups:

    # A step of 32 or 64 lanes leaves the warp, so the lane gets its own number back.
    causal.cu warp_max: for (int distance = WARP / [2 -> 1]; distance > 0; distance /= 2) {
    causal.cu warp_max: for (int distance = WARP [/ -> *] 2; distance > 0; distance /= 2) { #2

"#2" at the end means the second line with that text in the function. What does not compile counts as refused.
Without --some and --listed, the changes go through a sieve first (mutant_sieve.py; make mutants builds it), and only those
that it does not refuse to the judge. Everything is written below build/tmp and removed.

Exit status: 0 every change that passes is listed, 1 one is not, or an entry is stale, 2 the command line
is wrong, 3 the judge itself failed.
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
from mutant_changes import changed, changes_of  # noqa: E402
from mutant_sieve import BATCH, JUDGE, Sieve, SieveOfC  # noqa: E402

LISTS = "grader/tests/mutants"
AT_A_TIME = 4 * BATCH


class Source:
    """A file of a solution: its changes, each with the name that the lists know it by."""

    def __init__(self, folder, name):
        self.folder, self.name, self.lab = folder, name, int(folder[:2])
        with open(f"solutions/{folder}/{name}", encoding="utf-8") as file:
            self.text = file.read()
        self.changes = {}
        for change in changes_of(self.text):
            self.changes.setdefault(f"{name} {change.where}", change)

    @property
    def backend(self):
        return "gpu-simulated" if self.name.endswith(".cu") else "cpu"


class Mutant:
    def __init__(self, source, key):
        self.source, self.key, self.change = source, key, source.changes[key]

    def refusal(self, scratch):
        """The judge's report if it refuses this change, else None."""
        source = self.source
        with tempfile.TemporaryDirectory(dir=scratch) as tree:
            shutil.copytree(f"solutions/{source.folder}", f"{tree}/{source.folder}")
            with open(f"{tree}/{source.folder}/{source.name}", "w", encoding="utf-8") as file:
                file.write(changed(source.text, self.change))
            done = subprocess.run(
                ["build/grade", "check", "--src", tree, "--exercise", self.change.exercise,
                 "--backend", source.backend, "--follow", "none", "--jobs", "1"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False,
            )  # fmt: skip
        if done.returncode not in (0, 1):
            raise RuntimeError(f"grade ended with {done.returncode}: {done.stderr[-300:]}")
        return None if done.returncode == 0 else done.stdout + done.stderr


def read_list(lab):
    """The entries of a lab's list, each with its line number. Every group needs a reason."""
    path, entries, reason, errors = f"{LISTS}/{lab:02}.txt", {}, False, []
    if not os.path.exists(path):
        return entries, errors
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if line.startswith("# "):
                reason = True
            elif not line:
                reason = False
            elif not reason:
                errors.append(f"{path}:{number}: has no reason: a line '# why' above it")
            elif line in entries:
                errors.append(f"{path}:{number}: stands there twice")
            else:
                entries[line] = f"{path}:{number}"
    return entries, errors


def folders():
    return sorted(name for name in os.listdir("solutions") if re.match(r"\d\d_", name))


def sources_of(folder, backend):
    wanted = {"cpu": (".c",), "gpu-simulated": (".cu",), "all": (".c", ".cu")}[backend]
    return [Source(folder, name) for name in sorted(os.listdir(f"solutions/{folder}")) if name.endswith(wanted)]


def command_line():
    parser = argparse.ArgumentParser(
        description="Which one-token changes of a solution does the judge let pass?",
        epilog="Exit status: 0 those that pass are listed as equivalent, 1 one is not, 2 usage, 3 the judge failed.",
    )
    parser.add_argument("what", nargs="+", help="a lab (3), an exercise (3.2) or all")
    parser.add_argument("--backend", choices=["cpu", "gpu-simulated", "all"], default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="at a time (processors)")
    parser.add_argument("--some", type=int, default=0, metavar="N", help="judge N of them, drawn from the seed")
    parser.add_argument("--seed", type=int, default=None, metavar="S", help="of that draw (a new one each time)")
    parser.add_argument("--listed", action="store_true", help="judge only those that the lists call equivalent")
    parser.add_argument("--list", action="store_true", help="print the changes and judge none")
    parser.add_argument("--check", action="store_true", help="check the lists and judge none")
    return parser.parse_args()


def selected(arguments):
    """The sources of the labs asked for, and their mutants in the exercises asked for (--listed: of the lists)."""
    sources, mutants = [], []
    for what in folders() if "all" in arguments.what else arguments.what:
        lab, _, exercise = what.partition("." if "_" not in what else "_")
        found = [folder for folder in folders() if lab.isdigit() and int(folder[:2]) == int(lab)]
        if not found:
            print(f"mutants: there is no lab {what}", file=sys.stderr)
            sys.exit(2)
        for source in sources_of(found[0], arguments.backend):
            sources.append(source)
            mutants += [
                Mutant(source, key)
                for key, change in source.changes.items()
                if "_" in what or not exercise or change.exercise == f"{int(lab)}.{exercise}"
            ]
    if arguments.listed:
        lists = {lab: read_list(lab)[0] for lab in {source.lab for source in sources}}
        mutants = [mutant for mutant in mutants if mutant.key in lists[mutant.source.lab]]
    return sources, mutants


def check_lists(sources):
    """Entries that are no change of a solution (any more), and entries without a reason."""
    errors = []
    for lab in sorted({source.lab for source in sources}):
        entries, faults = read_list(lab)
        errors += faults
        names = {source.name: source for source in sources if source.lab == lab}
        for entry, place in entries.items():
            source = names.get(entry.split(" ")[0])
            if source is not None and entry not in source.changes:
                errors.append(f"{place}: is no change of the solution (any more): {entry}")
    return errors


def judge_one(mutant, scratch):
    return [(mutant, mutant.refusal(scratch))]


def judge_by_sieve(mutants, scratch):
    """The same for changes of one file and exercise."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        kind = SieveOfC if mutants[0].source.backend == "cpu" else Sieve
        sieve, left = kind(mutants[0].source, mutants[0].change.exercise, folder), []
        try:
            for i in range(0, len(mutants), BATCH):
                left += sieve.survivors([mutant.change for mutant in mutants[i : i + BATCH]])
        finally:
            sieve.close()
    left = set(left)
    return [
        (mutant, mutant.refusal(scratch) if mutant.change in left else "refused by the sieve") for mutant in mutants
    ]


def tasks(mutants, scratch, sieve):
    """Calls that give all mutants, each with its refusal."""
    groups = {}
    for mutant in mutants:
        groups.setdefault((mutant.source, mutant.change.exercise), []).append(mutant)
    for group in groups.values():
        if not sieve:
            yield from ((judge_one, mutant, scratch) for mutant in group)
        else:
            for i in range(0, len(group), AT_A_TIME):
                yield judge_by_sieve, group[i : i + AT_A_TIME], scratch


def judge_all(mutants, jobs, sieve):
    """Prints what passes unlisted and what is listed but refused; returns how many there are."""
    listed, found, equivalent, number = {}, 0, 0, 0
    for lab in {mutant.source.lab for mutant in mutants}:
        listed.update({(lab, entry): place for entry, place in read_list(lab)[0].items()})
    os.makedirs("build/tmp", exist_ok=True)
    with tempfile.TemporaryDirectory(dir="build/tmp", prefix="mutants.") as scratch:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            done = pool.map(lambda task: task[0](*task[1:]), tasks(mutants, scratch, sieve))
            for mutant, refusal in itertools.chain.from_iterable(done):
                number += 1
                passes = refusal is None
                place = listed.get((mutant.source.lab, mutant.key))
                if passes and place is None:
                    found += 1
                    print(f"{mutant.key}\n    passes {mutant.change.exercise}: line {mutant.change.line}", flush=True)
                elif place is not None and not passes:
                    found += 1
                    print(f"{place}: is refused, not equivalent: {mutant.key}")
                    print(textwrap.indent(refusal, "    "), flush=True)
                equivalent += passes and place is not None
                if sys.stderr.isatty():
                    print(f"\r{number} of {len(mutants)} ", end="", file=sys.stderr, flush=True)
    print(f"{len(mutants)} changes judged, {equivalent} equivalent, {found} to be explained")
    return found


def main():
    arguments = command_line()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    sources, mutants = selected(arguments)
    if arguments.list:
        for mutant in mutants:
            print(mutant.key)
        return 0
    errors = check_lists(sources)
    print("\n".join(errors) + "\n" if errors else "", end="", flush=True)
    if arguments.check:
        return 1 if errors else 0
    if 0 < arguments.some < len(mutants):
        seed = random.SystemRandom().randrange(1 << 32) if arguments.seed is None else arguments.seed
        print(f"{arguments.some} of {len(mutants)} changes, --seed {seed}", flush=True)
        mutants = random.Random(seed).sample(mutants, arguments.some)
    sieve = arguments.some == 0 and not arguments.listed and os.path.exists(JUDGE)
    return 1 if judge_all(mutants, arguments.jobs, sieve) + len(errors) > 0 else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # | head
    try:
        sys.exit(main())
    except RuntimeError as error:
        print(f"mutants: {error}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        sys.exit(130)
