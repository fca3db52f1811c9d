"""The first sieve of mutants.py: which changes does a case refuse at once?

Judging one change by build/grade costs one or two seconds, nearly all of them the compiler, the linker
and the starts of programs. Here some dozens of changes are compiled together into one worker
(grader/tools/sieve), which forks for each. A change that does not compile, ends badly or differs in a case
is refused; mutants.py gives the others to the judge. That is ten times as fast. Of each change no more is
compiled than the functions of its exercise.

The names of a change must be its own. A .cu file's changes have a namespace each. In a .c file, the number
of the change is appended to the name of every function and structure that the file defines.
"""
import os
import re
import shutil
import subprocess

from mutant_changes import changed, functions, regions

BATCH = 32  # changes that are compiled together
JUDGE = "build/sieve/judge"
# As the judge compiles a .cu file and links its worker (grader/build/cuda.c).
COMPILE = (
    "g++ @grader/gpu/checked.flags -w -fPIC -ffunction-sections -fno-var-tracking -fno-exceptions -fno-rtti "
    "-fdiagnostics-color=never -pipe -Igrader/gpu/include -Ilabs -c"
).split()
LIBRARIES = "build/lib/libcommon.a build/lib/libgpu-checked.a -lopenblas -l:libboost_context.a -lbacktrace -lm".split()
# Linked by the other linker, libbacktrace finds no lines, and two copies of one barrier look
# like two barriers.
GOLD = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []
# As the judge compiles a .c file (grader/build/build.c).
COMPILE_C = (
    "gcc -std=gnu17 -Og -w -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all "
    "-fdiagnostics-color=never -pipe -Ilabs -c"
).split()
LIBRARIES_C = "build/worker/lib/libcommon.a -lopenblas -lm".split()
LOOKED_AT = "memcpy memmove memset memcmp strlen strcmp sincos sincosf modf modff frexp frexpf".split()


def entries(text):
    """The functions of a file that others call: name, and the exercises of the regions in it."""
    found = list(regions(text))
    for name, begins, ends in functions(text):
        if not re.match(r"static|__global__", text[begins:]):
            yield name, {exercise for exercise, start, end in found if begins <= start and end <= ends}


def solutions(first, objects, ending):
    """Every file of the solutions, compiled as make does; those of the lab, then the latest labs, whose
    function is meant where two labs have one of the same name."""
    folders = sorted((name for name in os.listdir("solutions") if re.match(r"\d\d_", name)), reverse=True)
    for folder in [first] + [name for name in folders if name != first]:
        for name in sorted(os.listdir(f"solutions/{folder}")):
            if name.endswith(ending):
                yield f"{objects}/solutions/{folder}/{name[: -len(ending)]}.o"


class Sieve:
    """The sieve of one exercise in one .cu file. Close it."""

    backend, ending, objects, workers = "gpu", ".cu", "build/gpu/checked", "build/worker/gpu"
    compiler = COMPILE
    linker = ["g++", *LIBRARIES]
    language = "cpp"

    def __init__(self, source, exercise, scratch):
        self.scratch, self.text, self.folder, self.batches = scratch, source.text, source.folder, 0
        self.harness = f"{self.workers}/lab{source.lab:02}.o"
        self.names = [name for name, _ in entries(source.text)]
        self.asked = [name for name, exercises in entries(source.text) if exercise in exercises]
        words = [JUDGE, exercise, self.backend]
        self.judge = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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
            with open(f"{worker}.{self.language}", "w", encoding="utf-8") as file:
                file.write(self.program(texts))
            command = [*self.compiler, "-o", f"{worker}.o", f"{worker}.{self.language}"]
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
        self.redirect(worker)
        # The lab's launchers jump to those of the chosen change: the first definition of a name counts.
        with open(f"{worker}.s", "w", encoding="utf-8") as file:
            for name in self.asked:
                file.write(f".text\n.globl {name}\n{name}: jmp *sieve_{name}(%rip)\n")
            file.write('.section .note.GNU-stack,"",@progbits\n')
        common = f"{self.workers}/obj/grader/tools/sieve/worker.o"
        objects = [f"{worker}.s", f"{worker}.o", common, self.harness]
        objects += solutions(self.folder, self.objects, self.ending)
        compiler, *libraries = self.linker
        command = [compiler, "-no-pie", *GOLD, "-Wl,-z,muldefs", "-o", worker, *objects, *libraries]
        subprocess.run(command, check=True)

    def redirect(self, worker):
        names = [f"--redefine-sym={name}=gpu_{name}" for name in LOOKED_AT]
        subprocess.run(["objcopy", *names, f"{worker}.o"], check=True)

    def program(self, texts):
        """One file of all the texts."""
        parts = ["".join(re.findall(r"^#include[^\n]*\n", next(iter(texts.values())), re.MULTILINE))]
        for number, text in texts.items():
            text = re.sub(r"^#(?:include|line)[^\n]*$", "", text, flags=re.MULTILINE)
            parts.append(self.on_its_own(number, text))
        parts.append('#line 1 "program"\n')
        parts.append(self.choice(texts))
        return "".join(parts)

    def on_its_own(self, number, text):
        for name in self.names:  # or the compiler finds the declaration of the header as well
            text = re.sub(rf"\b{name}\b", f"{name}_", text)
        return f'namespace change{number} {{ namespace {{\n#line 1 "change{number}"\n{text}\n}} }}\n'

    def name_in(self, number, name):
        return f"change{number}::{name}_"

    def choice(self, texts):
        """sieve_choose and sieve_addresses (sieve/worker.c)."""
        parts = []
        for name in self.asked:
            parts.append(f"void *sieve_{name};\n")
        parts.append("void sieve_choose(int change)\n{\n")
        for number in texts:
            chosen = " ".join(f"sieve_{name} = (void *){self.name_in(number, name)};" for name in self.asked)
            parts.append(f"if (change == {number}) {{ {chosen} }}\n")
        addresses = ", ".join(f"(void *){self.name_in(number, self.asked[0])}" for number in texts)
        parts.append(f"}}\nextern const void *const sieve_addresses[] = {{ {addresses}, 0 }};\n")
        text = "".join(parts)
        return f'extern "C" {{\n{text}}}\n' if self.language == "cpp" else text


class SieveOfC(Sieve):
    """The sieve of one exercise in one .c file."""

    backend, ending, objects, workers = "cpu", ".c", "build/obj", "build/worker"
    compiler = COMPILE_C
    linker = ["gcc", *LIBRARIES_C, "-fsanitize=address,undefined"]
    language = "c"

    def translated(self, text, path):
        return text

    def redirect(self, worker):
        pass

    def on_its_own(self, number, text):
        for name, begins, _ in sorted(functions(text), key=lambda function: -function[1]):
            if not text[begins:].startswith("static"):
                text = f"{text[:begins]}static {text[begins:]}"
        names = {name for name, _, _ in functions(text)}
        names |= set(re.findall(r"^struct (\w+) \{", text, re.MULTILINE))
        for name in names:  # not the members of that name
            text = re.sub(rf"(?<![.>])\b{name}\b", self.name_in(number, name), text)
        return f'#line 1 "change{number}"\n{text}\n'

    def name_in(self, number, name):
        return f"{name}_{number}"
