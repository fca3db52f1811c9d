// forbidden.c - rejects code that could bypass the checks: the runtime's names, assembly,
// the compiler's builtins, and headers that contain such things.
//
// Theory of operation. g++ sees names that are not tokens in source.c: in the body of a
// macro, in a name split over two lines by a backslash, or pasted together by ##. So this
// file reads the text a second time, like the preprocessor: it joins continued lines, skips
// comments and strings, and checks every remaining word, also in directives. If it is
// unclear how g++ would split the text, it checks the word.
//
// Only listed directives, pragmas and attributes are allowed, because g++ has many, and
// some pass a string directly to the assembler. To keep the meaning of listed words, no
// macro may have such a name, and no macro may close a bracket that it did not open.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

struct scan {
    const struct source *source;
    char *text;   // without continued lines; ends with '\0'
    size_t *line; // line of each character
    bool *joined; // true if a continuation precedes it
    size_t at;
    bool line_start; // nothing but white space and comments so far
    bool raw;        // in a raw string, whose words are checked, too
};

// ---- joining lines ------------------------------------------------------------------------

// The length of a line continuation: a backslash, optional white space and the newline. 0
// if there is none. A carriage return is white space to this file, but not to g++, unless
// the newline follows it.
static size_t continuation(const struct source *source, const char *text, size_t line)
{
    size_t n = 1;
    if (*text != '\\') {
        return 0;
    }
    while (text[n] != '\n' && isspace((unsigned char)text[n])) {
        if (text[n] == '\r' && text[n + 1] != '\n') {
            translate_fail(source, line,
                           "a carriage return in the middle of a line; remove it");
        }
        n++;
    }
    return text[n] == '\n' ? n + 1 : 0;
}

static struct scan join_lines(const struct source *source)
{
    size_t room = source->length + 1, count = 0, line = 1, skip;
    struct scan scan = {.source = source, .line_start = true};
    scan.text = malloc(room);
    scan.line = malloc(room * sizeof *scan.line);
    scan.joined = calloc(room, sizeof *scan.joined);
    if (scan.text == NULL || scan.line == NULL || scan.joined == NULL) {
        translate_fail(source, 1, "out of memory");
    }
    for (size_t i = 0; i < source->length; i++) {
        while ((skip = continuation(source, source->text + i, line)) > 0) {
            i += skip;
            line++;
            scan.joined[count] = true;
        }
        scan.text[count] = source->text[i];
        scan.line[count++] = line;
        line += source->text[i] == '\n';
    }
    scan.text[count < room ? count : room - 1] = '\0';
    return scan;
}

// ---- words --------------------------------------------------------------------------------

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

// A student who wrote no code there wonders what is meant.
static const char *whose_word(const struct scan *scan)
{
    return scan->raw ? "; words in a raw string are checked, too: write it as an "
                       "ordinary string"
                     : "";
}

static void refuse(const struct scan *scan, const char *why)
{
    translate_fail(scan->source, scan->line[scan->at], "%s%s", why, whose_word(scan));
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (in_word(text[length])) {
        length++;
    }
    return length;
}

static bool is_listed(const char *name, size_t length, const char *const *list)
{
    while (*list != NULL && !is_word(name, length, *list)) {
        list++;
    }
    return *list != NULL;
}

// ---- attributes ---------------------------------------------------------------------------

// Skips white space and comments. A directive ends with its line, which a comment may
// extend.
static const char *behind_blanks_in_line(const char *text)
{
    const char *end;
    for (;;) {
        if (*text != '\n' && isspace((unsigned char)*text)) {
            text++;
        } else if (begins(text, "/*") && (end = strstr(text + 2, "*/")) != NULL) {
            text = end + 2;
        } else {
            return text;
        }
    }
}

static const char *behind_blanks(const char *text)
{
    text = behind_blanks_in_line(text);
    while (*text == '\n' || begins(text, "//")) {
        text += *text == '\n' ? 1 : strcspn(text, "\n");
        text = behind_blanks_in_line(text);
    }
    return text;
}

// name or __name__
static bool is_attribute(const char *name, size_t length)
{
    static const char *const fine[] = {
        "aligned",      "always_inline", "fallthrough", "may_alias",
        "maybe_unused", "nodiscard",     "noinline",    "noreturn",
        "packed",       "unused",        NULL};
    if (length > 4 && begins(name, "__") && begins(name + length - 2, "__")) {
        name += 2;
        length -= 4;
    }
    return is_listed(name, length, fine);
}

static const char *behind_attribute(const struct scan *scan, const char *text)
{
    size_t length = word_length(text);
    if (!is_attribute(text, length)) {
        translate_fail(scan->source, scan->line[scan->at],
                       "the attribute %.*s cannot be simulated; leave it out",
                       (int)length, text);
    }
    return behind_blanks(text + length);
}

// Skips to after the bracket that closes the one at text. An argument must be a number or a
// type.
static const char *behind_argument(const struct scan *scan, const char *text)
{
    size_t depth = 0;
    do {
        depth += (*text == '(') - (size_t)(*text == ')');
        if (*text == '\0' || strchr("\"'#\\", *text) != NULL) {
            refuse(scan, "the argument of an attribute must be a number or a type");
        }
        text = behind_blanks(text + 1);
    } while (depth > 0);
    return text;
}

// text is after __attribute__: (( name, name(argument) ... ))
static void look_at_attributes(const struct scan *scan, const char *text)
{
    static const char *const how =
        "write the attribute literally, as in __attribute__((aligned(16)))";
    text = behind_blanks(text);
    const char *second = *text == '(' ? behind_blanks(text + 1) : text;
    if (second == text || *second != '(') {
        refuse(scan, how);
    }
    do {
        text = behind_attribute(scan, behind_blanks(second + 1));
        if (*text == '(') {
            text = behind_argument(scan, text);
        }
        second = text;
    } while (*text == ',');
    if (*text != ')' || *behind_blanks(text + 1) != ')') {
        refuse(scan, how);
    }
}

// text is after gnu, as in [[gnu::aligned(16)]]. The word is used nowhere else.
static void look_at_gnu(const struct scan *scan, const char *text)
{
    text = behind_blanks(text);
    if (!begins(text, "::")) {
        refuse(scan, "write the attribute literally, as in [[gnu::aligned(16)]]");
    }
    behind_attribute(scan, behind_blanks(text + 2));
}

// text is after new. new (p) T(f()) would write the result of f to p unchecked.
static void look_at_new(const struct scan *scan, const char *text)
{
    text = behind_blanks(text);
    if (*text == '(' && !begins(text, "(std::nothrow)")) {
        refuse(scan, "placement new cannot be simulated; assign to the variable instead");
    }
}

// The standard library's placement new. Given f(), or what converts to T, it writes the
// result to an address of the student's, unchecked. A container does so with an allocator.
static bool constructs(const char *word, size_t length)
{
    static const char *const names[] = {
        "allocator",    "allocator_traits", "construct",  "allocator_type",
        "construct_at", "get_allocator",    "deallocate", NULL};
    static const char *const starts[] = {
        "_Construct",     "_Alloc",    "_Tp_alloc",  "_M_get_Tp",
        "uninitialized_", "__uninit",  "__relocate", "__new_allocator",
        "__alloc",        "__gnu_cxx", NULL};
    size_t i = 0;
    while (starts[i] != NULL && !begins(word, starts[i])) {
        i++;
    }
    return starts[i] != NULL || is_listed(word, length, names);
}

// ---- words, once more ---------------------------------------------------------------------

static void look_at_word(const struct scan *scan, size_t length)
{
    static const struct {
        const char *start, *why;
    } starts[] = {
        {"gpu_", NULL},
        {"GPU_", NULL},
        {"__tsan_", NULL},
        {"__ubsan_", NULL},
        {"__asan_", NULL},
        {"__sanitizer_", NULL},
        {"__builtin_",
         "g++'s builtins are not CUDA; use the CUDA function, such as __popc() or fmaf()"},
        {"__atomic_", "CUDA's atomics are atomicAdd, atomicMax, atomicCAS ..."},
        {"__sync_", "CUDA's atomics are atomicAdd, atomicMax, atomicCAS ..."},
        {"__has_include", "a .cu file must not test which headers exist"},
    };
    static const char *const assembly[] = {"asm", "__asm", "__asm__", NULL};
    static const char *const pragmas[] = {"_Pragma", "__pragma", NULL};
    static const char *const attributes[] = {"__attribute__", "__attribute", NULL};
    static const char *const gnu[] = {"gnu", "__gnu__", NULL};
    // nvcc has these. They access no memory.
    static const char *const of_nvcc[] = {"__builtin_assume", "__builtin_assume_aligned",
                                          "__builtin_expect", "__builtin_unreachable",
                                          NULL};
    const char *text = scan->text + scan->at;
    if (is_listed(text, length, assembly)) {
        refuse(scan, "assembly cannot be simulated; write it in CUDA C++, as in fmaf(), "
                     "threadIdx.x % 32, __shfl_xor_sync() or __pipeline_memcpy_async()");
    } else if (is_listed(text, length, pragmas)) {
        refuse(scan, "write the pragma on a separate line, as in #pragma unroll");
    } else if (is_listed(text, length, attributes)) {
        look_at_attributes(scan, text + length);
    } else if (is_listed(text, length, gnu)) {
        look_at_gnu(scan, text + length);
    } else if (is_word(text, length, "new")) {
        look_at_new(scan, text + length);
    } else if (constructs(text, length)) {
        translate_fail(scan->source, scan->line[scan->at],
                       "%.*s: objects constructed at an address cannot be simulated; "
                       "assign to the variable instead%s",
                       (int)length, text, whose_word(scan));
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (!begins(text, starts[i].start) || begins(text, "gpu_cdiv") ||
            is_listed(text, length, of_nvcc)) {
            continue;
        }
        if (starts[i].why != NULL) {
            refuse(scan, starts[i].why);
        }
        translate_fail(scan->source, scan->line[scan->at],
                       "the name %.*s belongs to the simulator; choose another%s",
                       (int)length, text, whose_word(scan));
    }
}

// Checks every word from here to `end`.
static void look_at_all(struct scan *scan, size_t end)
{
    while (scan->at < end) {
        size_t length = 0;
        while (scan->at + length < end && in_word(scan->text[scan->at + length])) {
            length++;
        }
        if (length > 0) {
            look_at_word(scan, length);
        }
        scan->at += length > 0 ? length : 1;
    }
}

// ---- comments, strings, numbers -----------------------------------------------------------

static bool skip_comment(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    if (begins(text, "//")) {
        scan->at += strcspn(text, "\n");
        return true;
    }
    if (!begins(text, "/*")) {
        return false;
    }
    const char *end = strstr(text + 2, "*/");
    scan->at += end != NULL ? (size_t)(end + 2 - text) : strlen(text);
    return true;
}

// It must not contain text that looks like a directive, such as #endif.
static bool has_directives(const struct scan *scan, size_t end)
{
    const char *text = scan->text + scan->at, *stop = scan->text + end;
    const char *c = memchr(text, '\n', end - scan->at);
    while (c != NULL && c < stop && *c != '#' && !begins(c, "%:")) {
        c++;
    }
    return c != NULL && c < stop;
}

// A raw string may contain text that looks like a comment. Words in it are checked, too,
// because g++ may not see a raw string in text excluded by #if.
static bool skip_raw_string(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    size_t prefix = begins(text, "u8") ? 2 : strchr("uUL", *text) != NULL ? 1 : 0;
    if (!begins(text + prefix, "R\"")) {
        return false;
    }
    const char *name = text + prefix + 2;
    size_t length = strcspn(name, "(\n\"\\ )");
    if (length > 16 || name[length] != '(') {
        return false;
    }
    char mark[20] = ")";
    strncat(mark, name, length);
    strcat(mark, "\"");
    const char *end = strstr(name, mark);
    size_t stop =
        end != NULL ? (size_t)(end - scan->text) + strlen(mark) : strlen(scan->text);
    for (size_t i = scan->at; i < stop; i++) {
        if (scan->joined[i]) {
            refuse(scan, "a raw string with a backslash at the end of a line cannot be "
                         "simulated; remove the backslash");
        }
    }
    const size_t start = scan->at;
    scan->raw = true;
    look_at_all(scan, stop);
    scan->raw = false;
    scan->at = start;
    if (has_directives(scan, stop)) {
        refuse(scan, "a raw string of several lines with a # cannot be simulated");
    }
    scan->at = stop;
    return true;
}

// A string that is not closed on its line is not a string; g++ then takes the rest of the
// line.
static void skip_quoted(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    size_t n = 1;
    while (text[n] != *text && text[n] != '\n' && text[n] != '\0') {
        n += text[n] == '\\' && text[n + 1] != '\n' && text[n + 1] != '\0' ? 2 : 1;
    }
    if (text[n] == *text) {
        scan->at += n + 1;
    } else {
        look_at_all(scan, scan->at + n);
    }
}

static size_t number_length(const char *text)
{
    size_t n = 1;
    while (in_word(text[n]) || text[n] == '.' ||
           (text[n] == '\'' && in_word(text[n + 1])) ||
           (strchr("+-", text[n]) != NULL && text[n] != '\0' &&
            strchr("eEpP", text[n - 1]) != NULL)) {
        n++;
    }
    return n;
}

// ---- directives ---------------------------------------------------------------------------

// C and C++ headers that contain only declarations and templates, and CUDA's headers.
static bool is_known_header(const char *name, size_t length)
{
    static const char *const known[] = {"assert.h",
                                        "ctype.h",
                                        "errno.h",
                                        "float.h",
                                        "inttypes.h",
                                        "limits.h",
                                        "math.h",
                                        "stdarg.h",
                                        "stdbool.h",
                                        "stddef.h",
                                        "stdint.h",
                                        "stdio.h",
                                        "stdlib.h",
                                        "string.h",
                                        "time.h",
                                        "cassert",
                                        "cctype",
                                        "cerrno",
                                        "cfloat",
                                        "cinttypes",
                                        "climits",
                                        "cmath",
                                        "cstdarg",
                                        "cstdbool",
                                        "cstddef",
                                        "cstdint",
                                        "cstdio",
                                        "cstdlib",
                                        "cstring",
                                        "ctime",
                                        "algorithm",
                                        "array",
                                        "functional",
                                        "initializer_list",
                                        "iostream",
                                        "limits",
                                        "numeric",
                                        "tuple",
                                        "type_traits",
                                        "utility",
                                        "vector",
                                        "iterator",
                                        "cuda.h",
                                        "cuda_runtime.h",
                                        "cublas_v2.h",
                                        "vector_types.h",
                                        "vector_functions.h",
                                        "cuda_runtime_api.h",
                                        "builtin_types.h",
                                        "device_atomic_functions.h",
                                        "device_functions.h",
                                        "device_launch_parameters.h",
                                        "cuda_profiler_api.h",
                                        "driver_functions.h",
                                        "driver_types.h",
                                        "host_defines.h",
                                        "library_types.h",
                                        "math_functions.h",
                                        "sm_30_intrinsics.h",
                                        "sm_60_atomic_functions.h",
                                        "cuda/std/array",
                                        "cuda/std/cmath",
                                        "cuda/std/cstddef",
                                        "cuda/std/cstdint",
                                        "cuda/std/functional",
                                        "cuda/std/limits",
                                        "cuda/std/tuple",
                                        "cuda/std/type_traits",
                                        "cuda/std/utility",
                                        "math_constants.h",
                                        "cooperative_groups.h",
                                        "cooperative_groups/memcpy_async.h",
                                        "cooperative_groups/reduce.h",
                                        "cooperative_groups/scan.h",
                                        "cuda_pipeline.h",
                                        "cuda_pipeline_primitives.h",
                                        "cuda_fp16.h",
                                        "cuda_bf16.h",
                                        NULL};
    return is_listed(name, length, known);
}

// "03_causal_mask/causal_gpu.h", "common/gpu.h": the workbook's own.
static bool is_workbook_header(const char *name, size_t length)
{
    const char *slash = memchr(name, '/', length);
    bool lab = isdigit((unsigned char)name[0]) && isdigit((unsigned char)name[1]) &&
               name[2] == '_';
    return slash != NULL &&
           (lab || begins(name, "common/") || begins(name, "programs/") ||
            begins(name, "tests/") || begins(name, "bench/")) &&
           length > 2 && memcmp(name + length - 2, ".h", 2) == 0 &&
           memchr(name, '.', length) == name + length - 2;
}

// What to write if the header at name is not there.
static const char *instead_of_header(const char *name)
{
    static const struct {
        const char *start, *instead;
    } headers[] = {
        {"thrust/", "write a kernel instead of Thrust's algorithm"},
        {"cub/",
         "write the reduction or scan with __shfl_xor_sync() and __shared__, or with "
         "cooperative_groups/reduce.h and cooperative_groups/scan.h"},
        {"cutlass/",
         "write the product as a kernel with tiles, or call cuBLAS if the lab does"},
        {"cute/",
         "write the product as a kernel with tiles, or call cuBLAS if the lab does"},
        {"mma.h", "a hand-in has no tensor cores; multiply floats, as in sum += a * b"},
        {"cuda_fp8.h", "use float"},
        {"cuda/pipeline", "include cuda_pipeline.h and call __pipeline_memcpy_async(), "
                          "__pipeline_commit() and __pipeline_wait_prior()"},
        {"cuda/barrier", "use __syncthreads(); for copies to shared memory, include "
                         "cuda_pipeline.h"},
        {"cuda/atomic", "use atomicAdd(), atomicMax(), atomicCAS() ..."},
        {"cuda/std/atomic", "use atomicAdd(), atomicMax(), atomicCAS() ..."},
        {"atomic", "use atomicAdd(), atomicMax(), atomicCAS() ..."},
        {"cuda/",
         "write it in plain CUDA C++; a hand-in may include only these of cuda/std/: "
         "array, cmath, cstddef, cstdint, functional, limits, tuple, type_traits, "
         "utility"},
        {"cublasLt.h", "include cublas_v2.h and call cublasSgemm() or "
                       "cublasSgemmStridedBatched()"},
        {"cuComplex.h", "use float2"},
        {"curand", "no exercise needs a generator: the random numbers are an argument"},
        {"nvtx3/", "leave it out"},
        {"string", "use const char * for a message"},
        {"stdexcept", "return a lab_status instead of throwing"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (begins(name, headers[i].start)) {
            return headers[i].instead;
        }
    }
    return "a hand-in includes its lab's header, headers of CUDA such as cooperative_groups.h, and "
           "standard ones for arithmetic, limits, types, algorithms and printing; put your own code "
           "in this file";
}

static void look_at_include(const struct scan *scan, const char *text)
{
    text += strspn(text, " \t");
    const char *closing = *text == '<' ? ">\n" : "\"\n";
    size_t length = *text == '<' || *text == '"' ? strcspn(text + 1, closing) : 0;
    if (length == 0 || text[length + 1] != closing[0]) {
        refuse(scan, "write the header's name literally, in < > or \" \"");
    }
    if (!is_known_header(text + 1, length) &&
        !(*text == '"' && is_workbook_header(text + 1, length))) {
        translate_fail(scan->source, scan->line[scan->at], "%.*s cannot be simulated: %s",
                       (int)length + 2, text, instead_of_header(text + 1));
    }
}

static void look_at_pragma(const struct scan *scan, const char *text)
{
    static const char *const fine[] = {"unroll",  "nounroll", "once", "pack",
                                       "message", "STDC",     "GCC",  NULL};
    static const char *const of_gcc[] = {"diagnostic", "unroll", "ivdep", NULL};
    text += strspn(text, " \t");
    size_t length = word_length(text);
    if (is_word(text, length, "GCC")) {
        text += length + strspn(text + length, " \t");
        if (!is_listed(text, word_length(text), of_gcc)) {
            refuse(scan, "#pragma GCC changes how the file is compiled; leave it out");
        }
    } else if (!is_listed(text, length, fine) && !begins(text, "nv_") &&
               !begins(text, "diag_")) {
        translate_fail(scan->source, scan->line[scan->at],
                       "#pragma %.*s cannot be simulated; leave it out", (int)length,
                       text);
    }
}

// The length of the string or character literal at text; 1 if it is not closed.
static size_t quoted_length(const char *text)
{
    size_t n = 1;
    while (text[n] != *text && text[n] != '\n' && text[n] != '\0') {
        n += text[n] == '\\' && text[n + 1] != '\n' && text[n + 1] != '\0' ? 2 : 1;
    }
    return text[n] == *text ? n + 1 : 1;
}

// Checks that a macro's name and parameters, up to `end`, are not names of attributes.
static void look_at_macro_names(const struct scan *scan, const char *text,
                                const char *end)
{
    while (text < end) {
        size_t length = word_length(text);
        if (is_attribute(text, length) || is_word(text, length, "section") ||
            is_word(text, length, "__section__")) {
            translate_fail(
                scan->source, scan->line[scan->at],
                "%.*s is the name of an attribute; choose another name for the macro",
                (int)length, text);
        }
        if (begins(text, "/*") || *text == '\n') {
            refuse(scan, "write the parameters of a macro on one line, without comments");
        }
        text += length > 0 ? length : 1;
    }
}

// The length of the next token or comment of a macro; 0 at its end.
static size_t macro_piece(const struct scan *scan, const char *text)
{
    size_t blank = (size_t)(behind_blanks_in_line(text) - text);
    size_t length = word_length(text);
    if (*text == '\0' || *text == '\n' || begins(text, "//")) {
        return 0;
    }
    if (length > 0 && text[length - 1] == 'R' && text[length] == '"') {
        refuse(scan, "a raw string in a macro cannot be simulated; write it without the "
                     "macro");
    }
    return blank > 0                       ? blank
           : isdigit((unsigned char)*text) ? number_length(text)
           : length > 0                    ? length
           : *text == '"' || *text == '\'' ? quoted_length(text)
                                           : 1;
}

// text is after #define. Brackets must match: with N defined as 16), section("..." the
// attribute __align__(N) would be something else.
static void look_at_define(const struct scan *scan, const char *text)
{
    text = behind_blanks_in_line(text);
    const char *body = text + word_length(text);
    body += *body == '(' ? strcspn(body, ")") : 0;
    look_at_macro_names(scan, text, body);
    int depth = 0;
    for (size_t length; depth >= 0 && (length = macro_piece(scan, text)) > 0;
         text += length) {
        depth += (*text == '(') - (*text == ')');
    }
    if (depth != 0) {
        refuse(scan, "close each bracket of a macro in the macro itself");
    }
}

// text is after the # of a directive.
static void look_at_directive(const struct scan *scan, const char *text)
{
    static const char *const fine[] = {"include", "define",  "undef", "if",    "ifdef",
                                       "ifndef",  "elif",    "else",  "endif", "error",
                                       "pragma",  "warning", NULL};
    text = behind_blanks_in_line(text);
    size_t length = word_length(text);
    if (length == 0 && (*text == '\n' || *text == '\0')) {
        return; // # alone has no effect
    }
    if (!is_listed(text, length, fine)) {
        translate_fail(scan->source, scan->line[scan->at],
                       "#%.*s cannot be simulated; leave it out", (int)length, text);
    }
    if (is_word(text, length, "include")) {
        look_at_include(scan, text + length);
    } else if (is_word(text, length, "pragma")) {
        look_at_pragma(scan, text + length);
    } else if (is_word(text, length, "define")) {
        look_at_define(scan, text + length);
    }
}

// ## is allowed only to remove a comma, as in fprintf(stderr, format, ##__VA_ARGS__).
static void look_at_pasting(const struct scan *scan, size_t length)
{
    const char *text = scan->text, *behind = text + scan->at + length;
    size_t before = scan->at;
    while (before > 0 && strchr(" \t", text[before - 1]) != NULL) {
        before--;
    }
    behind += strspn(behind, " \t");
    if (before == 0 || text[before - 1] != ',' || !begins(behind, "__VA_ARGS__")) {
        refuse(scan, "names pasted together with ## cannot be simulated; write the full "
                     "names");
    }
}

// ---- the whole text -----------------------------------------------------------------------

static void look_at_sign(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    bool digraph = begins(text, "%:");
    if (begins(text, "##") || begins(text, "%:%:")) {
        size_t length = digraph ? 4 : 2;
        look_at_pasting(scan, length);
        scan->at += length;
    } else if (scan->line_start && (*text == '#' || digraph)) {
        look_at_directive(scan, text + (digraph ? 2 : 1));
        scan->at += digraph ? 2 : 1;
    } else {
        scan->at++;
    }
    scan->line_start = false;
}

static void look_at_next(struct scan *scan)
{
    const char c = scan->text[scan->at];
    if (isspace((unsigned char)c)) {
        scan->line_start = scan->line_start || c == '\n';
        scan->at++;
    } else if (!skip_comment(scan)) {
        bool start = scan->line_start;
        scan->line_start = false;
        if (skip_raw_string(scan)) {
            return;
        }
        if (c == '"' || c == '\'') {
            skip_quoted(scan);
        } else if (isdigit((unsigned char)c) ||
                   (c == '.' && isdigit((unsigned char)scan->text[scan->at + 1]))) {
            scan->at += number_length(scan->text + scan->at);
        } else if (in_word(c)) {
            size_t length = 0;
            while (in_word(scan->text[scan->at + length])) {
                length++;
            }
            look_at_word(scan, length);
            scan->at += length;
        } else {
            scan->line_start = start;
            look_at_sign(scan);
        }
    }
}

// The words that exclude a function from the checks become errors.
const char *const translate_prologue = "#include \"cuda_runtime.h\"\n"
                                       "#include \"simulated/poison.h\"\n";

const bool translate_marks_host = false;

void refuse_forbidden(const struct source *source)
{
    struct scan scan = join_lines(source);
    while (scan.text[scan.at] != '\0') {
        look_at_next(&scan);
    }
    free(scan.text);
    free(scan.line);
    free(scan.joined);
}
