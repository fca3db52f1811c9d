"""The first sieve of mutants.py for .cu files: which changes does a case refuse at once?

Judging one change by build/grade costs most of a second, nearly all of it the compiler, the linker
and the starts of programs. Here some dozens of changes are compiled together, each in a namespace of
its own, into one worker (grader/tools/sieve), which forks for each. A change that does not compile, ends
badly or differs in a case is refused; mutants.py gives the others to the judge. That is ten times as
fast. Of each change no more is compiled than the functions of its exercise.
"""
import os
import re
import shutil
import subprocess

from mutant_changes import changed, functions, regions

BATCH = 32  # changes that are compiled together
JUDGE = "build/sieve/judge"
WORKER = "build/worker/gpu/obj/grader/tools/sieve/worker.o"
# As the judge compiles a .cu file and links its worker (grader/build/cuda.c).
COMPILE = (
    "g++ @grader/gpu/checked.flags -w -fPIC -ffunction-sections -fno-var-tracking -fno-exceptions -fno-rtti "
    "-fdiagnostics-color=never -pipe -Igrader/gpu/include -Ilabs -c"
).split()
LIBRARIES = "build/lib/libcommon.a build/lib/libgpu-checked.a -lopenblas -l:libboost_context.a -lbacktrace -lm".split()
# Linked by the other linker, libbacktrace finds no lines, and two copies of one barrier look
# like two barriers.
GOLD = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []
LOOKED_AT = "memcpy memmove memset memcmp strlen strcmp sincos sincosf modf modff frexp frexpf".split()


def launchers(text):
    """The functions of a file that others call: name, and the exercises of the regions in it."""
    found = list(regions(text))
    for name, begins, ends in functions(text):
        if name.endswith("_gpu"):
            yield name, {exercise for exercise, start, end in found if begins <= start and end <= ends}


def solutions():
    """Every .cu file of the solutions, compiled as make does."""
    for folder in sorted(os.listdir("solutions")):
        if re.match(r"\d\d_", folder):
            for name in sorted(os.listdir(f"solutions/{folder}")):
                if name.endswith(".cu"):
                    yield f"build/gpu/checked/solutions/{folder}/{name[:-3]}.o"


class Sieve:
    """The sieve of one exercise in one file. Close it."""

    def __init__(self, source, exercise, scratch):
        self.scratch, self.text, self.batches = scratch, source.text, 0
        self.harness = f"build/worker/gpu/lab{source.lab:02}.o"
        self.names = [name for name, _ in launchers(source.text)]
        self.asked = [name for name, exercises in launchers(source.text) if exercise in exercises]
        self.judge = subprocess.Popen([JUDGE, exercise], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.survivors([None]) != [None]:
            self.close()
            raise RuntimeError(f"the sieve refuses the solution of {exercise}")

    def close(self):
        self.judge.stdin.close()
        self.judge.wait()

    def survivors(self, changes):
        """Those of the changes that no case refuses. None is the solution as it is."""
        self.batches += 1
        worker = os.path.abspath(f"{self.scratch}/{self.batches}")
        texts = {}
        for number, change in enumerate(changes):
            text = self.text if change is None else changed(self.text, change)
            text = self.translated(text, f"{worker}.cu")
            if text is not None:
                texts[number] = text
        return [changes[number] for number in self.build(worker, texts) if self.survives(worker, number)]

    def survives(self, worker, number):
        self.judge.stdin.write(f"{worker} {number}\n")
        self.judge.stdin.flush()
        answer = self.judge.stdout.readline()
        if not answer:
            raise RuntimeError("the sieve has ended")
        return answer == "survives\n"

    def translated(self, text, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(["build/worker/cuda-to-cpp", path], capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else None

    def build(self, worker, texts):
        """Makes a worker of those texts that compile; returns their numbers."""
        while texts:
            with open(f"{worker}.cpp", "w", encoding="utf-8") as file:
                file.write(self.program(texts))
            command = [*COMPILE, "-o", f"{worker}.o", f"{worker}.cpp"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                self.link(worker)
                return sorted(texts)
            # Lines of a change are those of a file "change7".
            wrong = {int(number) for number in re.findall(r"^change(\d+):.* error: ", done.stderr, re.MULTILINE)}
            wrong = wrong or {int(number) for number in re.findall(r"\bchange(\d+):", done.stderr)}
            if not wrong & texts.keys():
                raise RuntimeError(f"the sieve does not compile: {done.stderr[-500:]}")
            texts = {number: text for number, text in texts.items() if number not in wrong}
        return []

    def link(self, worker):
        redirect = [f"--redefine-sym={name}=gpu_{name}" for name in LOOKED_AT]
        subprocess.run(["objcopy", *redirect, f"{worker}.o"], check=True)
        # The lab's launchers jump to those of the chosen change: the first definition of a name counts.
        with open(f"{worker}.s", "w", encoding="utf-8") as file:
            for name in self.asked:
                file.write(f".text\n.globl {name}\n{name}: jmp *sieve_{name}(%rip)\n")
            file.write('.section .note.GNU-stack,"",@progbits\n')
        objects = [f"{worker}.s", f"{worker}.o", WORKER, self.harness, *solutions()]
        command = ["g++", "-no-pie", *GOLD, "-Wl,-z,muldefs", "-o", worker, *objects, *LIBRARIES]
        subprocess.run(command, check=True)

    def program(self, texts):
        """One C++ file of all the texts."""
        parts = ["".join(re.findall(r"^#include[^\n]*\n", next(iter(texts.values())), re.MULTILINE))]
        for number, text in texts.items():
            text = re.sub(r"^#(?:include|line)[^\n]*$", "", text, flags=re.MULTILINE)
            for name in self.names:  # or the compiler finds the declaration of the header as well
                text = re.sub(rf"\b{name}\b", f"{name}_", text)
            parts.append(f'namespace change{number} {{ namespace {{\n#line 1 "change{number}"\n{text}\n}} }}\n')
        parts.append('#line 1 "program"\nextern "C" {\n')
        for name in self.asked:
            parts.append(f"void *sieve_{name};\n")
        parts.append("void sieve_choose(int change)\n{\n")
        for number in texts:
            chosen = " ".join(f"sieve_{name} = (void *)change{number}::{name}_;" for name in self.asked)
            parts.append(f"if (change == {number}) {{ {chosen} }}\n")
        addresses = ", ".join(f"(void *)change{number}::{self.asked[0]}_" for number in texts)
        parts.append(f"}}\nextern const void *const sieve_addresses[] = {{ {addresses}, 0 }};\n}}\n")
        return "".join(parts)
