// test_build.c - what the grader reads from a student's file and from its object, and how it compiles a
// .cu file. test_cache.c has the objects that are kept.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/cuda.h"
#include "build/calls.h"
#include "build/command.h"
#include "build/device.h"
#include "build/foreign.h"
#include "build/rewritten.h"
#include "build/symbols.h"
#include "build/workshop.h"
#include "tests/folder.h"

// ---- symbols ------------------------------------------------------------------------------

// An object with a function of each kind.
static char *make_object(const char *folder)
{
    char *source = grader_print("%s/a.c", folder),
         *object = grader_print("%s/a.o", folder);
    const char *text = "int called(void); static int hidden(void) { return called(); }"
                       "int shown(void) { return hidden(); }";
    write_text(source, text, strlen(text));
    char *command = grader_print("gcc -O0 -g -c -o %s %s", object, source);
    cr_assert_eq(system(command), 0);
    free(command);
    free(source);
    return object;
}

Test(symbols, tells_what_is_defined_and_what_is_called)
{
    char *folder = make_folder(), *object = make_object(folder);
    struct symbols symbols;
    cr_assert(symbols_read(&symbols, object));
    cr_expect(symbols_define(&symbols, "shown"));
    cr_expect_not(symbols_define(&symbols, "hidden"), "it is static");
    cr_expect_not(symbols_define(&symbols, "called"));
    cr_expect(symbols_need(&symbols, "called"));
    cr_expect_not(symbols_need(&symbols, "shown"));
    symbols_free(&symbols);
    free(object);
    remove_folder(folder);
}

// Assembly can give a variable any type.
Test(symbols, counts_the_variables_of_assembly)
{
    static const struct {
        const char *text;
        size_t variables;
    } files[] = {
        {"int f(int x) { switch (x) { case 1: return 4; case 2: return 7; case 3: return 1; "
         "case 4: return 9; case 5: return 2; default: return x; } }",
         0},
        {"const char *f(void) { return \"text\"; }", 0},
        {"static int n; int f(void) { return n++; }", 1},
        {"__asm__(\".data\\nn: .long 0\\n.text\");", 1},
        {"__asm__(\".data\\n.type n, @function\\nn: .long 0\\n.text\");", 1},
        {"__asm__(\".comm n, 4\");", 1},
        {"__asm__(\".section .mine, \\\"awx\\\"\\nn: .long 0\\n.text\");", 1},
    };
    char *folder = make_folder();
    char *command =
        grader_print("cd %s && gcc -Og -g1 -fPIC -fsanitize=address,undefined "
                     "-c -o a.o a.c",
                     folder);
    char *source = grader_print("%s/a.c", folder),
         *object = grader_print("%s/a.o", folder);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct symbols symbols;
        write_text(source, files[i].text, strlen(files[i].text));
        cr_assert_eq(system(command), 0, "%s", files[i].text);
        cr_assert(symbols_read(&symbols, object));
        cr_expect_eq(symbols.named_variables, files[i].variables, "%s: %zu",
                     files[i].text, symbols.named_variables);
        symbols_free(&symbols);
    }
    free(object);
    free(source);
    free(command);
    remove_folder(folder);
}

Test(symbols, survives_any_damage)
{
    char *folder = make_folder(), *object = make_object(folder);
    size_t size;
    char *text = read_text(object, &size);
    struct symbols symbols;
    for (size_t kept = 0; kept < size; kept += 7) {
        write_text(object, text, kept);
        symbols_read(&symbols, object);
        symbols_free(&symbols);
    }
    for (size_t at = 0; at < size; at += at < 64 ? 1 : 5) {
        char was = text[at];
        text[at] = (char)0xff;
        write_text(object, text, size);
        symbols_read(&symbols, object);
        symbols_free(&symbols);
        text[at] = was;
    }
    cr_expect_not(symbols_read(&symbols, folder), "a folder is no object");
    symbols_free(&symbols);
    free(text);
    free(object);
    remove_folder(folder);
}

static bool loadable_if_linked(const char *folder, const char *text, const char *options)
{
    char *source = grader_print("%s/a.c", folder),
         *object = grader_print("%s/a.so", folder);
    write_text(source, text, strlen(text));
    char *command =
        grader_print("gcc -fPIC -shared %s -o %s %s", options, object, source);
    cr_assert_eq(system(command), 0);
    bool loadable = symbols_loadable(object);
    free(command);
    free(object);
    free(source);
    return loadable;
}

Test(symbols, tells_what_cannot_be_loaded)
{
    static const char variable[] =
        "static __thread char big[1 << 16]; char *at(int i) { return &big[i]; }";
    char *folder = make_folder();
    cr_expect(loadable_if_linked(folder, variable, ""));
    cr_expect_not(loadable_if_linked(folder, variable, "-ftls-model=initial-exec"));
    cr_expect_not(loadable_if_linked(folder, variable, "-z execstack"));
    char *nothing = grader_print("%s/nothing", folder);
    cr_expect_not(symbols_loadable(nothing));
    write_text(nothing, "\177ELF", 4);
    cr_expect_not(symbols_loadable(nothing));
    free(nothing);
    remove_folder(folder);
}

// ---- what takes no longer than a file is large ----------------------------------------------

// Ends the test if it computes for longer. It needs a hundredth of that, so a busy machine does not
// end it; a search that costs the square of the file's size would take an hour.
static void allow_seconds_of_processor(rlim_t seconds)
{
    const struct rlimit limit = {seconds, seconds};
    cr_assert_eq(setrlimit(RLIMIT_CPU, &limit), 0);
}

// A megabyte of comments that begin and do not end, behind a raw string.
Test(foreign, each_byte_of_a_file_is_read_once)
{
    static const char *const hostile[] = {"/*\n", "# /*\n", "/**/ /*\n", "?\?=/**//*\n",
                                          "/*/\n"};
    allow_seconds_of_processor(60);
    char *folder = make_folder(), *path = grader_print("%s/a.c", folder);
    char *text = malloc(1 << 20);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const size_t size = 1 << 20, length = strlen(hostile[i]);
        memcpy(text, "R\"(\n", 4);
        for (size_t at = 4; at < size; at++) {
            text[at] = hostile[i][(at - 4) % length];
        }
        write_text(path, text, size);
        char *said = foreign_refuses(path, "a.c");
        cr_expect(said == NULL, "%s: %s", hostile[i], said);
        free(said);
        static const char directive[] = "*/\n#line 5\n";
        memcpy(text + size - strlen(directive), directive, strlen(directive));
        write_text(path, text, size);
        said = foreign_refuses(path, "a.c");
        cr_expect_not_null(said, "%s", hostile[i]);
        free(said);
    }
    free(text);
    free(path);
    remove_folder(folder);
}

static void refuses_behind(size_t empty_lines, const char *last, const char *words)
{
    char *folder = make_folder(), *path = grader_print("%s/a.c", folder);
    char *text = malloc(empty_lines + strlen(last));
    memset(text, '\n', empty_lines);
    memcpy(text + empty_lines, last, strlen(last));
    write_text(path, text, empty_lines + strlen(last));
    char *said = foreign_refuses(path, "a.c");
    cr_expect(said != NULL && strstr(said, words) != NULL, "%s: %s", words, said);
    free(said);
    free(text);
    free(path);
    remove_folder(folder);
}

Test(foreign, a_directive_far_behind_is_found)
{
    refuses_behind(3 << 20, "#line 5\n", "remove the #line directive");
    refuses_behind(1 << 24, "#line 5\n", "is larger than 16 megabytes");
}

// attention_scores calls 60 functions whose symbols claim its own code, too; then one of 60,000
// helpers half a million times; then matmul.
static const char crowded[] =
    "__asm__(\".text\\n.globl matmul, attention_scores\\n\"\n"
    "\".type matmul,@function\\nmatmul: ret\\n.size matmul,1\\n\"\n"
    "\".altmacro\\n.macro F n\\n.type helper\\\\n,@function\\nhelper\\\\n: ret\\n\"\n"
    "\".size helper\\\\n,1\\n.endm\\n.set i,0\\n.rept 60000\\nF %i\\n.set i,i+1\\n.endr\\n\"\n"
    "\".macro G n\\n.type wide\\\\n,@function\\nwide\\\\n: nop\\n\"\n"
    "\".size wide\\\\n,end-wide\\\\n\\n.endm\\n.macro C n\\ncall wide\\\\n\\n.endm\\n\"\n"
    "\".set i,0\\n.rept 60\\nG %i\\n.set i,i+1\\n.endr\\n\"\n"
    "\".type attention_scores,@function\\nattention_scores:\\n\"\n"
    "\".set i,0\\n.rept 60\\nC %i\\n.set i,i+1\\n.endr\\n.noaltmacro\\n\"\n"
    "\".rept 500000\\ncall helper59999\\n.endr\\ncall matmul\\nret\\nend:\\n\"\n"
    "\".size attention_scores,end-attention_scores\\n\");\n";

Test(calls, many_calls_of_many_functions_are_searched_at_once)
{
#ifndef __x86_64__
    cr_skip_test("calls are found on x86-64");
#endif
    char *folder = make_folder(), *path = grader_print("%s/a.c", folder);
    write_text(path, crowded, strlen(crowded));
    struct build build = {.place = lab_places,
                          .object = grader_print("%s/a.o", folder),
                          .worker = grader_print("%s/a.worker", folder)};
    char *command = grader_print("gcc -c -o %s %s && gcc -nostdlib -static "
                                 "-Wl,-e,attention_scores -o %s %s",
                                 build.object, path, build.worker, build.object);
    cr_assert_eq(system(command), 0);
    const struct entry *entry = build.place->entries;
    while (strcmp(entry->name, "attention_scores") != 0) {
        entry++;
    }
    allow_seconds_of_processor(60);
    struct call_site sites[8];
    cr_assert_eq(calls_find(&build, entry, sites, 8), 1, "that of matmul, once");
    cr_expect_str_eq(sites[0].callee, "matmul");
    free(command);
    free(build.worker);
    free(build.object);
    free(path);
    remove_folder(folder);
}

// ---- the beginning of a .cu file ----------------------------------------------------------

// g++ says nothing if a precompiled header does not fit its flags. Then it reads the header itself,
// and -MD lists the files that the header includes.
// On a busy machine, the kernel's limit on processor time may end a compiler before the grader does.
Test(command, a_compiler_that_the_kernel_ends_took_too_long)
{
    static const struct {
        const char *output;
        bool gave_up;
    } outputs[] = {
        {"g++: internal compiler error: CPU time limit exceeded signal terminated program "
         "cc1plus\nPlease submit a full bug report\n",
         true},
        {"attention.c:1:2: warning: #warning x\ngcc: internal compiler error: CPU time "
         "limit exceeded signal terminated program cc1\n",
         true},
        {"attention.c:1:2: error: #error gcc: internal compiler error: CPU time limit "
         "exceeded signal terminated program cc1\n",
         false},
    };
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        char output[300];
        snprintf(output, sizeof output, "%s", outputs[i].output);
        struct outcome outcome = {
            .ending = EXITED, .code = 1, .output = output, .output_size = strlen(output)};
        char *complaint = command_complaint("compiler", &outcome);
        cr_expect_eq(command_gave_up(complaint), outputs[i].gave_up, "%s", complaint);
        free(complaint);
    }
}

Test(cuda, the_precompiled_header_fits_the_flags)
{
    char *folder = make_folder();
    char *source = grader_print("%s/a.cu", folder),
         *object = grader_print("%s/a.o", folder);
    const char *text = "#include <cuda_runtime.h>\n__global__ void nothing() {}\n";
    write_text(source, text, strlen(text));
    struct workshop workshop = workshop_open(".", folder);
    char *message = NULL;
    cr_assert(cuda_compile(&workshop, GPU_SIMULATED, source, folder, object, &message),
              "%s", message);
    char *dependencies = grader_print("%s.d", object);
    size_t size;
    char *files = read_text(dependencies, &size);
    files[size] = '\0';
    cr_expect_not_null(strstr(files, "/precompiled/cuda_runtime.h"));
    cr_expect_null(strstr(files, "/vector_types.h"), "%s", files);
    workshop_close(&workshop);
    free(files);
    free(dependencies);
    free(message);
    free(object);
    free(source);
    remove_folder(folder);
}

// The launch is rewritten before g++ reads it, so g++ counts other columns than the student.
Test(cuda, an_error_in_a_launch_has_the_columns_of_the_source)
{
    char *folder = make_folder();
    char *source = grader_print("%s/a.cu", folder),
         *object = grader_print("%s/a.o", folder);
    const char *text = "#include <cuda_runtime.h>\n"
                       "__global__ void fill(float *out, int n) {}\n"
                       "void launch(float *out, int n, cudaStream_t stream)\n"
                       "{\n"
                       "    fill<<<n / 32, 32, 0, strem>>>(out, n);\n"
                       "    fill<<<n / 32, 32, 0, stream>>>(&out, n);\n"
                       "    fill<<<n / 32, 32, 0, stream>>>(out, n)\n"
                       "}\n"
                       "int same = wrong;\n";
    write_text(source, text, strlen(text));
    struct workshop workshop = workshop_open(".", folder);
    char *message = NULL;
    cr_assert(!cuda_compile(&workshop, GPU_SIMULATED, source, folder, object, &message));
    static const char *const expected[] = {
        "a.cu:5:27: error: 'strem' was not declared in this scope",
        ("    5 |     fill<<<n / 32, 32, 0, strem>>>(out, n);\n"
         "      |                           ^\n"),
        "a.cu:6:37: error: cannot convert 'float**' to 'float*'",
        "      |                                     ^\n",
        "a.cu:7:44: error: expected ';' before '}' token",
        "a.cu:9:12: error: 'wrong' was not declared in this scope",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        cr_expect_not_null(strstr(message, expected[i]), "%s\nis not in\n%s", expected[i],
                           message);
    }
    workshop_close(&workshop);
    free(message);
    free(object);
    free(source);
    remove_folder(folder);
}

// A box has the source at /submission/a.cu. The compiler's last words are no marks below the code.
Test(cuda, an_error_in_a_box_has_the_columns_of_the_source)
{
    char *folder = make_folder();
    char *within = grader_print("%s/submission", folder);
    char *source = grader_print("%s/a.cu", within),
         *translated = grader_print("%s/a.cpp", folder);
    static const char text[] = "k<<<1, 2, 0, strem>>>(x);\n";
    static const char rewritten[] =
        "#line 1 \"a.cu\"\n(f(g(k), 1, 2, 0, strem), k(x));\n";
    static const char said[] = "/submission/a.cu:1:19: error: 'strem' is unknown\n"
                               "    1 | k<<<1, 2, 0, strem>>>(x);\n"
                               "      |                   ^~~~~\n"
                               "      | compilation terminated due to -fmax-errors=5.\n";
    static const char expected[] =
        "/submission/a.cu:1:14: error: 'strem' is unknown\n"
        "    1 | k<<<1, 2, 0, strem>>>(x);\n"
        "      |              ^~~~~\n"
        "      | compilation terminated due to -fmax-errors=5.\n";
    cr_assert_eq(mkdir(within, 0777), 0);
    write_text(source, text, strlen(text));
    write_text(translated, rewritten, strlen(rewritten));
    char *better = rewritten_message(said, source, translated);
    cr_expect_str_eq(better, expected, "%s", better);
    free(better);
    free(translated);
    free(source);
    free(within);
    remove_folder(folder);
}

static void set_time(const char *root, const char *file, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    char *path = grader_print("%s/%s", root, file);
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0, "%s", path);
    free(path);
}

static bool uses_precompiled(const char *root)
{
    struct workshop workshop = workshop_open(root, root);
    const bool uses = workshop.precompiled != NULL;
    workshop_close(&workshop);
    return uses;
}

// g++ would use it, and judge by a header that has changed since.
Test(cuda, a_precompiled_header_older_than_a_header_is_not_used)
{
    static const char precompiled[] = "build/worker/gpu/precompiled/cuda_runtime.h.gch";
    static const char header[] = "grader/gpu/include/cuda/std/array";
    char *root = make_folder();
    char *command = grader_print("cd '%s' && mkdir -p $(dirname %s %s) && touch %s %s",
                                 root, precompiled, header, precompiled, header);
    cr_assert_eq(system(command), 0);
    set_time(root, header, 1000);
    set_time(root, precompiled, 1001);
    cr_expect(uses_precompiled(root));
    set_time(root, header, 1002);
    cr_expect_not(uses_precompiled(root));
    free(command);
    remove_folder(root);
}

// A student's folder may be called "CS [101]". Its characters are no pattern.
Test(workshop, headers_are_found_below_a_folder_with_any_name)
{
    static const char *const names[] = {"CS [101]", "a*b", "{a,b}", "back\\slash",
                                        "why?"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *folder = make_folder();
        char *root = grader_print("%s/%s", folder, names[i]);
        char *command = grader_print("mkdir '%s' && cd '%s' && mkdir -p labs/01_first && "
                                     "mkdir build && touch labs/01_first/first.h",
                                     root, root);
        cr_assert_eq(system(command), 0);
        struct workshop workshop = workshop_open(root, root);
        char *header = grader_print("%s/labs/01_first/first.h", root);
        cr_assert_eq(workshop.headers.count, 1, "%s", names[i]);
        cr_expect_str_eq(workshop.headers.path[0], header);
        workshop_close(&workshop);
        free(header);
        free(command);
        free(root);
        remove_folder(folder);
    }
}

// Does a box in this workbook find this text in the header?
static bool is_staged(const char *root, const char *expected)
{
    struct workshop workshop = workshop_open(root, root);
    workshop_take(&workshop);
    char *path = grader_print("%s/headers/labs/01_first/first.h", workshop.folder);
    size_t size;
    char *text = read_text(path, &size);
    const bool same =
        size == strlen(expected) && memcmp(text, expected, strlen(expected)) == 0;
    free(text);
    free(path);
    workshop_close(&workshop);
    return same;
}

// A second name for a header would change its status, and the cache would not know the objects made
// with it any more.
Test(workshop, headers_for_a_box_are_current_and_stay_as_they_are)
{
    char *root = make_folder();
    char *header = grader_print("%s/labs/01_first/first.h", root);
    char *command = grader_print("cd '%s' && mkdir -p labs/01_first build", root);
    cr_assert_eq(system(command), 0);
    static const char *const texts[] = {"one", "two", "two"}; // as many bytes
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct stat before, after;
        write_text(header, texts[i], strlen(texts[i]));
        cr_assert_eq(stat(header, &before), 0);
        for (int again = 0; again < 2; again++) {
            cr_expect(is_staged(root, texts[i]));
        }
        cr_assert_eq(stat(header, &after), 0);
        cr_expect_eq(before.st_ctim.tv_sec, after.st_ctim.tv_sec);
        cr_expect_eq(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
    }
    free(command);
    free(header);
    remove_folder(root);
}

// The workbook may belong to another user.
Test(workshop, headers_for_a_box_are_copied_if_nothing_can_be_kept)
{
    char *root = make_folder();
    char *command =
        grader_print("cd '%s' && mkdir -p labs/01_first build && "
                     "printf one >labs/01_first/first.h && touch build/headers",
                     root);
    cr_assert_eq(system(command), 0);
    cr_expect(is_staged(root, "one"));
    free(command);
    remove_folder(root);
}

// ---- what the object of a .cu file may use ------------------------------------------------

// The judge's message on an object that needs this variable or function. The caller frees it.
static char *said_of(enum backend backend, const char *name)
{
    char *folder = make_folder();
    char text[256], command[256], path[128];
    snprintf(path, sizeof path, "%s/a.c", folder);
    int length =
        snprintf(text, sizeof text, "extern char %s; char *f = &%s;", name, name);
    write_text(path, text, (size_t)length);
    snprintf(command, sizeof command, "gcc -w -c -o %s/a.o %s", folder, path);
    cr_assert_eq(system(command), 0);
    snprintf(path, sizeof path, "%s/a.o", folder);
    char *said = cuda_refuses(backend, path);
    remove_folder(folder);
    return said;
}

Test(device, neither_side_may_use_what_belongs_to_the_worker)
{
    static const char *const names[] = {
        "gpu_host",    "gpu_stream",           "gpu_workspace", "gpu_cublas",
        "lab_entries", "lab_function_missing", "backend_call",  NULL};
    for (size_t i = 0; names[i] != NULL; i++) {
        char *simulated = said_of(GPU_SIMULATED, names[i]);
        char *device = said_of(GPU_DEVICE, names[i]);
        cr_expect(simulated != NULL, "simulated, %s passes", names[i]);
        cr_expect(device != NULL, "on a device, %s passes", names[i]);
        free(simulated);
        free(device);
    }
}

Test(device, of_the_simulator_only_what_the_headers_use_is_called)
{
    static const char *const refused[] = {"gpu_launch_failure", "__tsan_read4_of_mine",
                                          "lab_tensor_file_open", NULL};
    static const char *const fine[] = {"gpu_launch",
                                       "gpu_launch_bounds",
                                       "gpu_shared_place",
                                       "gpu_memcpy",
                                       "gpu_copy_async",
                                       "gpu_copy_commit",
                                       "gpu_copy_wait",
                                       "gpu_grid_sync",
                                       "gpu_is_cooperative",
                                       "gpu_tile_sync",
                                       "__tsan_read_range",
                                       "__tsan_write16",
                                       "lab_status_message",
                                       "matmul_gpu",
                                       "expf",
                                       NULL};
    for (size_t i = 0; refused[i] != NULL; i++) {
        char *said = said_of(GPU_SIMULATED, refused[i]);
        cr_expect(said != NULL, "%s passes", refused[i]);
        free(said);
    }
    for (size_t i = 0; fine[i] != NULL; i++) {
        char *said = said_of(GPU_SIMULATED, fine[i]);
        cr_expect(said == NULL, "%s: %s", fine[i], said);
        free(said);
    }
}
