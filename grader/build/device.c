// device.c - checks which functions a .cu file's object calls and which names it defines.
//
// The simulator checks every access in code that g++ compiled for it, but no access in a
// library. Here, a kernel could call cblas_saxpy, or a launcher could call it on device memory.
// No card can do that. nvcc rejects host functions in kernels. Here, an allowlist does the
// same: CUDA's functions, arithmetic and printing.

#define _GNU_SOURCE
#include "build/device.h"

#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/symbols.h"

static bool begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

static bool begins_with_any(const char *name, const char *const *starts)
{
    while (*starts != NULL && !begins(name, *starts)) {
        starts++;
    }
    return *starts != NULL;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

// ---- names of the simulator ---------------------------------------------------------------

// The functions of simulator.h are for the host, and internal functions are for the headers
// only.
static bool steers(const char *name)
{
    static const char *const steering[] = {"gpu_set_order",     "gpu_expect_launcher",
                                           "gpu_on_finding",    "gpu_findings",
                                           "gpu_print_finding", "gpu_guard",
                                           "gpu_name",          "gpu_reset",
                                           "gpu_forget",        "gpu_launches",
                                           "gpu_accesses",      "gpu_profile",
                                           "gpu_set_profile",   "gpu_expect_asked",
                                           "gpu_launcher_work", "gpu_set_launch_only",
                                           "gpu_refuse_launch", NULL};
    return begins_with_any(name, steering);
}

static bool replaces(const char *name)
{
    static const char *const ours[] = {"gpu_launch", "cuda", "cublas", NULL};
    return begins_with_any(name, ours) || steers(name);
}

// ---- what may be called -------------------------------------------------------------------

// C library functions that access no memory, in three precisions: exp, expf, expl.
static bool is_arithmetic(const char *name)
{
    static const char *const bases[] = {
        "acos",      "acosh",     "asin",     "asinh",     "atan",   "atan2",   "atanh",
        "cbrt",      "ceil",      "copysign", "cos",       "cosh",   "erf",     "erfc",
        "exp",       "exp10",     "exp2",     "expm1",     "fabs",   "fdim",    "floor",
        "fma",       "fmax",      "fmin",     "fmod",      "hypot",  "ilogb",   "j0",
        "j1",        "jn",        "ldexp",    "lgamma",    "llrint", "llround", "log",
        "log10",     "log1p",     "log2",     "logb",      "lrint",  "lround",  "nan",
        "nearbyint", "nextafter", "pow",      "remainder", "rint",   "round",   "scalbln",
        "scalbn",    "sin",       "sinh",     "sqrt",      "tan",    "tanh",    "tgamma",
        "trunc",     "y0",        "y1",       "yn",        NULL};
    size_t length = strlen(name);
    char base[16] = "";
    if (length == 0 || length >= sizeof base) {
        return false;
    }
    memcpy(base, name, length + 1);
    if (is_one_of(base, bases)) {
        return true;
    }
    if (base[length - 1] == 'f' || base[length - 1] == 'l') {
        base[length - 1] = '\0';
    }
    return is_one_of(base, bases);
}

// __popcountdi2, __udivti3, __mulsc3: arithmetic for which the processor has no
// instruction.
static bool is_compilers_arithmetic(const char *name)
{
    size_t length = strlen(name);
    return begins(name, "__") && length > 5 && strspn(name + length - 1, "23") == 1 &&
           strchr("ic", name[length - 2]) != NULL &&
           strchr("sdtx", name[length - 3]) != NULL;
}

// Mangled names: atomics and shuffles are free functions. Member functions belong to
// libraries or to the simulator and are not allowed, except for printing.
static bool is_cpp(const char *name)
{
    static const char *const members[] = {"_ZN", "_ZNK", "_ZT", "_ZS", "_ZGV", NULL};
    static const char *const printing[] = {"_ZSt",
                                           "_ZNSo",
                                           "_ZNSt8ios_base4Init",
                                           "_ZNKSt5ctypeIcE13_M_widen_init",
                                           "_ZNSt9basic_iosIcSt11char_traitsIcEE5clear",
                                           NULL};
    return begins(name, "_Z") &&
           (begins_with_any(name, printing) || !begins_with_any(name, members));
}

// Full names of the functions that inline code in the headers and the compiler call. A
// prefix would also match functions of the simulator and the worker that a launcher must
// not use.
static bool is_beneath_the_headers(const char *name)
{
    static const char *const names[] = {"gpu_launch",
                                        "gpu_launch_number",
                                        "gpu_shared_place",
                                        "gpu_symbol_bytes",
                                        "gpu_packed_arguments",
                                        "gpu_prepare",
                                        "gpu_configured",
                                        "gpu_launch_bounds",
                                        "gpu_on_device",
                                        "gpu_runs_here",
                                        "gpu_memcpy",
                                        "gpu_memmove",
                                        "gpu_memset",
                                        "gpu_memcmp",
                                        "gpu_strlen",
                                        "gpu_strcmp",
                                        "gpu_sincos",
                                        "gpu_sincosf",
                                        "gpu_modf",
                                        "gpu_modff",
                                        "gpu_frexp",
                                        "gpu_frexpf",
                                        "gpu_printf",
                                        "gpu_fprintf",
                                        "gpu_copy_async",
                                        "gpu_copy_commit",
                                        "gpu_copy_wait",
                                        "gpu_grid_sync",
                                        "gpu_is_cooperative",
                                        "gpu_tile_sync",
                                        "__tsan_init",
                                        "__tsan_vptr_update",
                                        "__tsan_vptr_read",
                                        NULL};
    static const char *const accesses[] = {"__tsan_read",
                                           "__tsan_write",
                                           "__tsan_unaligned_read",
                                           "__tsan_unaligned_write",
                                           "__tsan_volatile_read",
                                           "__tsan_volatile_write",
                                           NULL};
    static const char *const sizes[] = {"1", "2", "4", "8", "16", "_range", NULL};
    size_t i = 0;
    while (accesses[i] != NULL &&
           !(begins(name, accesses[i]) && is_one_of(name + strlen(accesses[i]), sizes))) {
        i++;
    }
    return accesses[i] != NULL || is_one_of(name, names);
}

// Functions of labs/common that help with debugging.
static bool is_common(const char *name)
{
    static const char *const names[] = {
        "lab_names",         "lab_print_heads", "lab_print_matrix",
        "lab_median",        "lab_seconds",     "lab_status_message",
        "lab_write_map_tsv", "lab_status_name", NULL};
    return is_one_of(name, names);
}

static bool may_call(const char *name)
{
    static const char *const starts[] = {"cuda", "cublas", "__ubsan_handle_", "__cxa_",
                                         NULL};
    static const char *const plain[] = {"_GLOBAL_OFFSET_TABLE_",
                                        "__assert_fail",
                                        "__dso_handle",
                                        "__gxx_personality_v0",
                                        "__stack_chk_fail",
                                        "sincos",
                                        "sincosf",
                                        "modf",
                                        "modff",
                                        "frexp",
                                        "frexpf",
                                        "_Unwind_Resume",
                                        "abort",
                                        "abs",
                                        "blockDim",
                                        "blockIdx",
                                        "calloc",
                                        "exit",
                                        "fflush",
                                        "fprintf",
                                        "fputc",
                                        "fputs",
                                        "free",
                                        "fwrite",
                                        "gridDim",
                                        "labs",
                                        "llabs",
                                        "malloc",
                                        "memcmp",
                                        "memcpy",
                                        "memmove",
                                        "memset",
                                        "printf",
                                        "putchar",
                                        "puts",
                                        "realloc",
                                        "stderr",
                                        "stdout",
                                        "strcmp",
                                        "strlen",
                                        "threadIdx",
                                        "warpSize",
                                        NULL};
    size_t length = strlen(name);
    bool of_a_lab = length > 4 && strcmp(name + length - 4, "_gpu") == 0;
    return of_a_lab || is_beneath_the_headers(name) || is_common(name) ||
           begins_with_any(name, starts) || is_one_of(name, plain) ||
           is_arithmetic(name) || is_compilers_arithmetic(name) || is_cpp(name);
}

// ---- the object ---------------------------------------------------------------------------

static char *refuse_definitions(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->defined_count; i++) {
        if (begins(symbols->defined[i], "__tsan")) {
            return grader_print("error: names that begin with __tsan are reserved for "
                                "the simulated GPU");
        }
        if (replaces(symbols->defined[i])) {
            return grader_print("error: a lab's file must not control the simulated "
                                "GPU (grader/gpu/simulator.h)");
        }
    }
    return NULL;
}

static char *refuse_calls(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->needed_count; i++) {
        const char *name = symbols->needed[i];
        if (steers(name)) {
            return grader_print("error: a lab's file must not control the simulated "
                                "GPU (grader/gpu/simulator.h)");
        }
        if (begins(name, "__tsan_atomic")) {
            return grader_print("error: C++'s atomics are not simulated; CUDA's are "
                                "atomicAdd, atomicMax, atomicCAS ...");
        }
        if (!may_call(name)) {
            return grader_print("error: it calls %s, which belongs neither to CUDA nor "
                                "to this lab: a kernel cannot call it, and a launcher "
                                "does not need it",
                                name);
        }
    }
    return NULL;
}

// On a device, the linker would bind these functions of the worker. Anything else that an
// nvcc object needs belongs to the toolkit.
static char *refuse_the_workers(const struct symbols *symbols)
{
    static const char *const names[] = {
        "backend_begin", "backend_call", "backend_end", "gpu_cublas",
        "gpu_host",      "gpu_stream",   "lab_entries", "gpu_workspace",
        "worker_fail",   "main",         NULL};
    for (size_t i = 0; i < symbols->needed_count; i++) {
        const char *name = symbols->needed[i];
        if (is_one_of(name, names) || strcmp(name, "lab_function_missing") == 0) {
            return grader_print("error: it uses %s, which belongs to the judge", name);
        }
    }
    return NULL;
}

char *cuda_refuses(enum backend backend, const char *object)
{
    struct symbols symbols;
    if (!symbols_read(&symbols, object)) {
        return grader_print("cannot read the object file that the compiler wrote");
    }
    char *refusal = refuse_the_workers(&symbols);
    if (refusal == NULL && backend == GPU_SIMULATED) {
        refusal = refuse_definitions(&symbols);
    }
    if (refusal == NULL && backend == GPU_SIMULATED) {
        refusal = refuse_calls(&symbols);
    }
    symbols_free(&symbols);
    return refusal;
}
