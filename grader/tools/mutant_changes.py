"""The one-token changes of a solution (mutants.py judges them).

A token of what a student writes is replaced by one that a slip of the hand puts there:

    operator          < by <= and >, == by !=, + by -, * by + and /, && by ||, += by = and -=, << by >>, ...
    sign, not         left out
    c ? a : b         always a, always b
    whole number      one more, one less
    other number      0 and 1, and one hundredth more (not of 0)
    variable          every other variable of the same type that is in scope
    member            every other member that the function names of the same structure
    x y z             each other, behind threadIdx and its like
    type              float or double of a local variable, or of a cast of a formula in brackets: int
    function          fmaxf by fminf, expf by exp2f, true by false, matmul by matmul_nt, a root left out, ...
    statement         left out; an if always or never taken; a while never entered
    constant          every other constant of the file's enums, unless it has the same value; not in a launch, where
                      it changes the time
    NULL              every pointer in scope
    string            an empty one; an empty one by a blank
    integer type      int by unsigned and back, int8_t by uint8_t, ptrdiff_t by size_t, long long by int

These are left alone: the width of floating point (double by float; tolerances are for rounding) and of size_t (int
would do for sizes below 2^31), the constants at the top of a file (they are given), the cast of one variable (a size
is a whole number, and C converts it beside a float anyway), the variable that a loop counts up (a loop that never
ends is no question to the cases), a pointer's second name (const struct model_shape *s = shape;), a variable in its
own initializer, and variables in sizeof, as those of one type have one size.
"""
import re

TOKEN = re.compile(
    r"""(?P<skip> \s+ | //[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^\#[^\n]* )
      | (?P<name> [A-Za-z_]\w* )
      | (?P<number> (?:\d[\w.]*|\.\d\w*)(?:(?<=[eE])[-+]\d+\w*)? )
      | (?P<mark> <<<|>>>|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|. )""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
MARKS = {
    "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+=": ["=", "-="], "-=": ["=", "+="], "*=": ["=", "/="], "/=": ["=", "*="],
    "++": ["--"], "--": ["++"], "<<": [">>"], ">>": ["<<"],
}  # fmt: skip
BINARY = {"+": ["-", "*"], "-": ["+"], "*": ["+", "/"], "/": ["*"], "%": ["/"], "&": ["|"], "|": ["&"], "^": ["|"]}
NAMES = {
    "fmaxf": ["fminf"], "fminf": ["fmaxf"], "fmax": ["fmin"], "expf": ["exp2f"], "exp": ["exp2"], "logf": ["log2f"],
    "log": ["log2"], "sinf": ["cosf"], "cosf": ["sinf"], "sin": ["cos"], "cos": ["sin"], "true": ["false"],
    "false": ["true"], "INFINITY": ["1e9f"], "CblasTrans": ["CblasNoTrans"], "CblasNoTrans": ["CblasTrans"],
    "CUBLAS_OP_T": ["CUBLAS_OP_N"], "CUBLAS_OP_N": ["CUBLAS_OP_T"], "LAB_ESHAPE": ["LAB_OK"], "LAB_EVALUE": ["LAB_OK"],
    "threadIdx": ["blockIdx"], "blockIdx": ["threadIdx"], "blockDim": ["gridDim"], "gridDim": ["blockDim"],
    "break": [""], "continue": [""], "LAB_OK": ["LAB_ESHAPE"], "__shared__": [""],
    "sqrtf": [""], "sqrt": [""], "fabsf": [""], "rintf": ["floorf"], "tanhf": [""], "erff": ["", "tanhf"],
    "exp2": ["exp"], "ldexpf": [""], "memset": ["memcpy"],
    "__shfl_xor_sync": ["__shfl_down_sync"], "__ballot_sync": ["__any_sync", "__all_sync"],
}  # fmt: skip
# Functions that take the same arguments: each is replaced by the other.
PAIRS = [
    ("matmul", "matmul_nt"), ("batched_matmul", "batched_matmul_nt"), ("batched_matmul_gpu", "batched_matmul_nt_gpu"),
    ("split_heads", "merge_heads"), ("split_heads_gpu", "merge_heads_gpu"), ("attention_scores", "weighted_values"),
    ("warp_sum", "warp_max"), ("block_sum", "block_max"), ("rope", "rope_backward"),
]  # fmt: skip
for one, other in PAIRS:
    NAMES[one], NAMES[other] = [other], [one]
SCALARS = {
    "float", "double", "int", "size_t", "unsigned", "uint8_t", "uint32_t", "int64_t", "long", "bool", "char", "float4",
    "dim3",
}  # fmt: skip
QUALIFIERS = {"const", "static", "restrict", "__restrict__", "volatile", "__shared__", "extern"}
HANDLES = {"cublasHandle_t", "cudaStream_t"}
KEYWORDS = SCALARS | QUALIFIERS | HANDLES | {"return", "case", "sizeof", "struct", "else", "void", "lab_status"}
OTHER_SIGN = {"int": "unsigned", "unsigned": "int", "int8_t": "uint8_t", "ptrdiff_t": "size_t"}
STATEMENT = re.compile(
    r"^[ \t]+(?!(?:return|break|continue|if|for|while|else|do)\b)(?:[^;{}/#]|/(?![/*]))*;(?=[ \t]*(?:$|//))", re.MULTILINE
)
STOPS = {"(", "[", "{", "}", "=", "+=", "-=", "*=", "/=", ",", ";", "?", ":", "return"}
WHOLE = re.compile(r"(?:\d+|0x[0-9a-f]+)[uU]?")


class Change:
    """Text to put from start to end; where: the function, the line with the change, which such line."""

    def __init__(self, start, end, text):
        self.start, self.end, self.text = start, end, text
        self.exercise, self.where, self.line = "", "", 0


def changed(source, change):
    return source[: change.start] + change.text + source[change.end :]


def regions(source):
    """Where the answers lie, without the line that begins them; and the exercise."""
    for match in re.finditer(r"// BEGIN SOLUTION (\d+\.\d+)[^\n]*\n(.*?)// END SOLUTION", source, re.DOTALL):
        yield match.group(1), match.start(2), match.end(2)


def functions(source):
    """(name, start, body, end) of every function: from its signature to its closing brace."""
    pattern = r"^(?:[A-Za-z_](?:[^;{}#]|\n(?!\n))*?)\b(\w+)\s*\((?:[^;{}])*\)\s*\n\{(?:.*?)\n\}"
    for match in re.finditer(pattern, source, re.DOTALL | re.MULTILINE):
        yield match.group(1), match.start(), match.end()


def tokens_between(source, start, end):
    return [match for match in TOKEN.finditer(source, start, end) if match.lastgroup != "skip"]


def declarators(tokens, i, type_name):
    """The variables of the declaration whose type ends before token i: (name, type, token number)."""
    while i < len(tokens):
        pointers = 0
        while i < len(tokens) and (tokens[i].group() == "*" or tokens[i].group() in QUALIFIERS):
            pointers += tokens[i].group() == "*"
            i += 1
        if i >= len(tokens) or tokens[i].lastgroup != "name" or tokens[i].group() in KEYWORDS:
            return
        name, at, depth = tokens[i].group(), i, 0
        i += 1
        if i < len(tokens) and tokens[i].group() == "[":
            pointers += 1
        yield name, (type_name, pointers), at
        while i < len(tokens) and not (depth == 0 and tokens[i].group() in {",", ";", ")"}):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[i].group(), 0)
            i += 1
        if i >= len(tokens) or tokens[i].group() != ",":
            return
        i += 1


def variables(tokens):
    """Every variable that the function declares: name, type, number of the token that declares it."""
    for i, token in enumerate(tokens):
        word, before = token.group(), tokens[i - 1].group() if i > 0 else ""
        if before in {"(", ",", ";", "{", "}", ")", "long"} | QUALIFIERS:
            if word in SCALARS and not (before == "(" and tokens[i + 1].group() in {")", "*"}):
                yield from declarators(tokens, i + 1, word)
            elif word == "struct":
                yield from declarators(tokens, i + 2, "struct " + tokens[i + 1].group())


def members(words):
    """For each variable in front of -> or ., the members that the function names of it."""
    found = {}
    for i in range(2, len(words)):
        if words[i - 1] in {"->", "."} and re.match(r"[A-Za-z_]", words[i]):
            found.setdefault(words[i - 2], set()).add(words[i])
    return found


def other_numbers(word, whole):
    if whole:
        value = int(word.rstrip("uU"), 0)
        others = [value + 1] + ([value - 1] if value > 0 else [])
        return [hex(other) if word.startswith("0x") else str(other) for other in others]
    others = ["0.0f", "1.0f"] if word.endswith("f") else ["0.0", "1.0"]
    value = float(word.rstrip("fF"))
    others = [text for text in others if float(text.rstrip("f")) != value]
    return others + ([f"(1.01f * {word})"] if value != 0 else [])


def second_names(words):
    """Pairs of pointers to structures, of which one is declared as the other: struct NAME *ONE = OTHER;"""
    for i in range(len(words) - 6):
        if words[i] == "struct" and words[i + 2] == "*" and words[i + 4] == "=" and words[i + 6] == ";":
            yield {words[i + 3], words[i + 5]}


def is_in_sizeof(words, i):
    """Whether variable i stands in the operand of sizeof: sizeof *x, sizeof x[i]."""
    while i > 0 and (words[i - 1] in {"*", "[", "(", "->", "."} or words[i - 1][0].isalpha()):
        i -= 1
        if words[i] == "sizeof":
            return True
    return False


def begin_of_condition(words, i):
    """Where the condition begins whose ? is word i."""
    depth = 0
    while i > 0 and (depth > 0 or words[i - 1] not in STOPS):
        i -= 1
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(words[i], 0)
    return i


def closing(words, i):
    """The bracket that closes the one at word i."""
    depth = 0
    for end in range(i, len(words)):
        depth += {"(": 1, ")": -1}.get(words[end], 0)
        if depth == 0:
            return end
    return len(words) - 1


def constants_of(source):
    """The constants of the enums of a file: name and value, or the text that gives it if it is not computed here."""
    values = {}
    for inside in re.findall(r"^enum \{(.*?)\}", source, re.DOTALL | re.MULTILINE):
        following = 0
        for name, text in re.findall(r"\b([A-Z]\w*)\s*(?:=([^,]*))?(?:,|\s*$)", re.sub(r"//[^\n]*", "", inside)):
            try:
                value = int(eval(text.replace("/", "//"), {}, dict(values))) if text else following
            except (NameError, SyntaxError, TypeError):
                value = text
            values[name] = value
            following = value + 1 if isinstance(value, int) else f"behind {name}"
    return values


def changes_of_strings(source, start, end):
    for match in TOKEN.finditer(source, start, end):
        if match.group().startswith('"'):
            yield Change(match.start(), match.end(), '" "' if match.group() == '""' else '""')


def more_changes(words, i, types, constants):
    """Texts for word i that is a constant, NULL or an integer type, and how many words each replaces."""
    word, after = words[i], words[i + 1] if i + 1 < len(words) else ""
    if word in constants:
        yield from ((name, 1) for name, value in sorted(constants.items()) if value != constants[word])
    elif word == "NULL":
        yield from ((name, 1) for name, kind in sorted(types.items()) if kind[1] > 0)
    elif word in OTHER_SIGN and after != ")":
        yield OTHER_SIGN[word], 1
    elif word == "long" and after == "long" and words[i + 2] != ")":
        yield "int", 2


def changes_of_tokens(tokens, start, end, function, constants):
    words = [match.group() for match in tokens]
    known = [variable for variable in variables(tokens) if variable[0] != function]
    types = {}
    fields = members(words)
    pairs = list(second_names(words))
    declared_at = {at: (name, kind) for name, kind, at in known}
    nesting, pending = 0, []  # a variable is known behind its own initializer
    for i, token in enumerate(tokens):
        word, before = words[i], words[i - 1] if i > 0 else ""
        after = words[i + 1] if i + 1 < len(words) else ""
        nesting += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(word, 0)
        if word in {",", ";", ")"}:
            types.update(variable for at, variable in pending if nesting <= at)
            pending = [(at, variable) for at, variable in pending if nesting > at]
        if i in declared_at:
            pending.append((nesting, declared_at[i]))
        if not start <= token.start() < end:
            continue
        operand_before = bool(re.match(r"[\w)\]]", before[-1:])) and before not in KEYWORDS and not before.endswith("_t")

        def change(text, a=token.start(), b=token.end()):
            return Change(a, b, text)

        if word in MARKS:
            yield from map(change, MARKS[word])
        elif word in BINARY and operand_before:
            yield from map(change, BINARY[word])
        elif word in "-!" and not operand_before:
            yield change("")
        elif token.lastgroup == "number":
            yield from map(change, other_numbers(word, WHOLE.fullmatch(word) is not None))
        elif before == "." and word in "xyz":
            yield from map(change, sorted(set("xyz") - {word}))
        elif before in {"->", "."}:
            yield from map(change, sorted(fields.get(words[i - 2], set()) - {word}))
        elif i in declared_at or after in {"++", "--"} or before in {"++", "--"}:
            pass
        elif word in types and after != "(":
            same = {name for name, kind in types.items() if kind == types[word] and {name, word} not in pairs}
            if is_in_sizeof(words, i):
                continue
            yield from map(change, sorted(same - {word}))
        elif word in NAMES:
            yield from map(change, NAMES[word])
        elif word in {"float", "double"} and (after not in {"*", ")"} or (before == "(" and words[i + 2] == "(")):
            yield change("int")
        elif word == "?":
            condition = tokens[begin_of_condition(words, i)].start(), tokens[i - 1].end()
            yield change("1", *condition)
            yield change("0", *condition)
        elif word in {"if", "while"} and after == "(":
            condition = tokens[i + 1].end(), tokens[closing(words, i + 1)].start()
            if word == "if":
                yield change("1", *condition)
            yield change("0", *condition)
        else:
            for text, count in more_changes(words, i, types, constants):
                yield change(text, b=tokens[i + count - 1].end())


def statements_left_out(source, start, end):
    for match in STATEMENT.finditer(source, start, end):
        first = match.group().split()[0]
        if first not in KEYWORDS:
            indent = len(match.group()) - len(match.group().lstrip())
            yield Change(match.start() + indent, match.end(), ";")


def describe(source, change, name, start):
    """How the lists know a change, whatever stands elsewhere in the file."""
    line_start = source.rfind("\n", 0, change.start) + 1
    line_end = source.find("\n", change.start)
    old, new = source[change.start : change.end], change.text
    line = source[line_start:line_end].strip()
    before = source[line_start : change.start].lstrip()
    rest = source[change.end : line_end] if change.end <= line_end else ""
    old = " ".join(old.split())
    number = sum(1 for text in source[start:line_start].splitlines() if text.strip() == line) + 1
    change.where = f"{name}: {before}[{old} -> {new or 'nothing'}]{rest.rstrip()}"
    if number > 1:
        change.where += f" #{number}"
    change.line = source.count("\n", 0, change.start) + 1


def changes_of(source):
    """Every change of the answers in a file. A helper's belong to the exercise of its region."""
    constants = constants_of(source)
    for exercise, start, end in regions(source):
        for name, begins, ends in functions(source):
            if begins >= end or ends <= start:
                continue
            first, last = max(start, begins), min(end, ends)
            tokens = tokens_between(source, begins, ends)
            is_launcher = "<<<" in source[begins:ends]
            known = {} if is_launcher else constants
            found = list(changes_of_tokens(tokens, first, last, name, known))
            found += changes_of_strings(source, first, last)
            found += statements_left_out(source, first, last)
            for change in found:
                change.exercise = exercise
                describe(source, change, name, begins)
                yield change
