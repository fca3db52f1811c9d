#!/usr/bin/env python3
"""Asks the judge about solutions with one thing changed: which changes does it let pass?

    grader/tools/mutants.py LAB [--backend cpu|gpu-simulated] [--most N] [--jobs N] [--list]

A change is what a slip of the hand makes of an answer: < for <=, + for -, one index for another,
a 1 for a 0, a statement left out. Only what students write is changed (BEGIN SOLUTION to END
SOLUTION). Each changed file is judged like a student's; a change that passes is printed. It is
either no mistake (a start value of 0.0 times 1.01), or one that no case of the exercise shows:
then the exercise wants another case. Most are no mistakes; read them all the same. What does not
compile any more counts as found.

--most N takes N of the changes, spread over all of them, always the same (all). --list prints the
changes and judges none. Everything is written below build/tmp and removed.

Exit status: 0 all were judged, 2 the command line makes no sense, 3 the judge itself failed.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

TOKEN = re.compile(
    r"""(?P<skip> \s+ | //[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^\#[^\n]* )
      | (?P<name> [A-Za-z_]\w* )
      | (?P<number> (?:\d[\w.]*|\.\d\w*)(?:(?<=[eE])[-+]\d+\w*)? )
      | (?P<mark> <<<|>>>|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|. )""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
OTHER_MARKS = {
    "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+=": ["=", "-="], "-=": ["=", "+="],
    "*=": ["=", "/="], "/=": ["=", "*="],
}  # fmt: skip
OTHER_BINARY = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/"}
OTHER_NAMES = {"fmaxf": "fminf", "fminf": "fmaxf", "INFINITY": "1e9f", "true": "false",
               "false": "true", "break": "", "continue": ""}  # fmt: skip
# One of these for another, when both stand close to each other.
INDICES = set("b t s c h i j k l m n o p d B T S C H V L M N K I O D NH hs row col rows cols".split())
NEAR = 40  # tokens
TYPES = {"const", "float", "double", "int", "void", "char", "size_t", "unsigned", "uint8_t",
         "uint32_t", "int64_t", "lab_status", "auto", "struct", "sizeof", "return", "case"}  # fmt: skip
STATEMENT = re.compile(
    r"^[ \t]+(?!(?:return|break|continue|if|for|while|else|do)\b)(?:[^\n;{}/]|/(?![/*]))*;[ \t]*$", re.MULTILINE
)
DECLARATION = re.compile(r"\s*(?:const |static |__shared__ |struct )*[A-Za-z_]\w*\s+\**[A-Za-z_]\w*(?:\[|;| =|,)")


class Change:
    def __init__(self, start, end, text, what):
        self.start, self.end, self.text, self.what = start, end, text, what


def regions(source):
    """Where the answers lie, without the line that begins them."""
    for match in re.finditer(r"// BEGIN SOLUTION[^\n]*\n(.*?)// END SOLUTION", source, re.DOTALL):
        yield match.start(1), match.end(1)


def changes_of_tokens(source, start, end):
    tokens = [match for match in TOKEN.finditer(source, start, end) if match.lastgroup != "skip"]
    words = [match.group() for match in tokens]
    for i, token in enumerate(tokens):
        word, before = words[i], words[i - 1] if i > 0 else ""
        after = words[i + 1] if i + 1 < len(words) else ""
        operand_before = bool(re.match(r"[\w)\]]", before[-1:])) and before not in TYPES and not before.endswith("_t")

        def change(text, a=token.start(), b=token.end()):
            return Change(a, b, text, f"{source[a:b]} -> {text or 'nothing'}")

        if word in OTHER_MARKS:
            yield from map(change, OTHER_MARKS[word])
        elif word in OTHER_BINARY and operand_before:
            yield change(OTHER_BINARY[word])
        elif word == "-" and not operand_before:
            yield change("")
        elif token.lastgroup == "number":
            whole = word.isdigit()
            yield change(str(int(word) + 1) if whole else f"({word} + 1)")
            if word == "1":
                yield change("0")
            elif not whole:
                yield change(f"(1.01f * {word})")
        elif word in OTHER_NAMES:
            yield change(OTHER_NAMES[word])
        elif before == "." and word in "xyz":  # of threadIdx and its like
            yield from map(change, sorted(set("xyz") - {word}))
        elif word in INDICES and (before not in TYPES and before != "*" or operand_before):
            near = set(words[max(0, i - NEAR) : i + NEAR]) & INDICES
            yield from map(change, sorted(near - {word}))
        elif word == "if" and after == "(":
            depth = 0
            for closing in range(i + 1, len(words)):
                depth += {"(": 1, ")": -1}.get(words[closing], 0)
                if depth == 0:
                    condition = tokens[i + 1].end(), tokens[closing].start()
                    yield change("1", *condition)
                    yield change("0", *condition)
                    break


def changes_of(source):
    for start, end in regions(source):
        yield from changes_of_tokens(source, start, end)
        for match in STATEMENT.finditer(source, start, end):
            if not DECLARATION.match(match.group()):
                yield Change(match.start(), match.end(), ";", "left out")


class Judge:
    """Judges a lab's files with one of them changed."""

    def __init__(self, lab, folder, backend, scratch):
        self.lab, self.folder, self.backend, self.scratch = lab, folder, backend, scratch

    def passes(self, name, source):
        with tempfile.TemporaryDirectory(dir=self.scratch) as tree:
            shutil.copytree(f"solutions/{self.folder}", f"{tree}/{self.folder}")
            with open(f"{tree}/{self.folder}/{name}", "w") as file:
                file.write(source)
            done = subprocess.run(
                ["build/grade", "check", "--src", tree, "--lab", str(self.lab), "--backend", self.backend,
                 "--follow", "none", "--jobs", "1"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        if done.returncode not in (0, 1):
            raise RuntimeError(f"grade ended with {done.returncode}: {done.stderr[-300:]}")
        return done.returncode == 0


def command_line():
    parser = argparse.ArgumentParser(description="Which changes to a solution does the judge let pass?")
    parser.add_argument("lab", type=int)
    parser.add_argument("--backend", choices=["cpu", "gpu-simulated"], default="cpu")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="take N of the changes (all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="at a time (processors)")
    parser.add_argument("--list", action="store_true", help="print the changes and judge none")
    return parser.parse_args()


def report(name, source, change):
    line = source.count("\n", 0, change.start) + 1
    text = source.splitlines()[line - 1].strip()
    print(f"{name}:{line}: {change.what}\n    {text}", flush=True)


def changed(source, change):
    return source[: change.start] + change.text + source[change.end :]


def judge_all(arguments, folder, sources, changes):
    passed = 0
    os.makedirs("build/tmp", exist_ok=True)
    with tempfile.TemporaryDirectory(dir="build/tmp", prefix="mutants.") as scratch:
        judge = Judge(arguments.lab, folder, arguments.backend, scratch)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            verdicts = pool.map(lambda each: judge.passes(each[0], changed(sources[each[0]], each[1])), changes)
            for number, ((name, change), passes) in enumerate(zip(changes, verdicts), 1):
                if passes:
                    passed += 1
                    report(name, sources[name], change)
                if sys.stderr.isatty():
                    print(f"\r{number} of {len(changes)} ", end="", file=sys.stderr, flush=True)
    print(f"{len(changes)} changes judged, {passed} pass")
    return 0


def main():
    arguments = command_line()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    found = [name for name in sorted(os.listdir("solutions")) if name.startswith(f"{arguments.lab:02}_")]
    if not found:
        print(f"mutants: there is no lab {arguments.lab}", file=sys.stderr)
        return 2
    folder = found[0]
    suffix = ".c" if arguments.backend == "cpu" else ".cu"
    names = [name for name in sorted(os.listdir(f"solutions/{folder}")) if name.endswith(suffix)]
    sources = {name: open(f"solutions/{folder}/{name}").read() for name in names}
    changes = [(name, change) for name in names for change in changes_of(sources[name])]
    if 0 < arguments.most < len(changes):
        changes = [changes[i * len(changes) // arguments.most] for i in range(arguments.most)]
    if arguments.list:
        for name, change in changes:
            report(name, sources[name], change)
        return 0
    return judge_all(arguments, folder, sources, changes)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # | head
    try:
        sys.exit(main())
    except RuntimeError as error:
        print(f"mutants: {error}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        sys.exit(130)
