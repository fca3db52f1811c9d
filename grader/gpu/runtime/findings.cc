// findings.cc - reports a finding once, and ends the launch or call that caused it.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/runtime.h"
#include "gpu/runtime/wrong_access.h"

namespace gpu_runtime
{

size_t finding_count;
cudaError_t finding_error;
bool finding_keep_going, finding_in_course = true;
void (*leave_program)() = abort;
bool (*finding_suppressed)(const struct gpu_finding *finding);

static struct {
    gpu_finding_function *function;
    void *data;
} listener;

static jmp_buf guard;
static bool guarded;

static void coordinates(unsigned out[3], uint64_t number, dim3 shape)
{
    out[0] = (unsigned)(number % shape.x);
    out[1] = (unsigned)(number / shape.x % shape.y);
    out[2] = (unsigned)(number / shape.x / shape.y);
}

const char *finding_thread(unsigned thread, uint64_t block_number)
{
    static char text[4][96];
    static unsigned next;
    char *into = text[next++ % 4];
    unsigned t[3], b[3];
    coordinates(t, thread, launch.configuration->block);
    coordinates(b, block_number, launch.configuration->grid);
    snprintf(into, sizeof *text, "thread (%u,%u,%u)%s", t[0], t[1], t[2],
             block_number == launch.block ? "" : " of block ");
    if (block_number != launch.block) {
        size_t length = strlen(into);
        snprintf(into + length, sizeof *text - length, "(%u,%u,%u)", b[0], b[1], b[2]);
    }
    return into;
}

// Returns false if nobody wants to hear of it.
static bool tell(const struct gpu_finding *finding)
{
    if (parallel_worker) {
        parallel_give_up(); // it will be found again
    }
    host_turn_soon turn;
    if (finding_suppressed != NULL && finding_suppressed(finding)) {
        return false;
    }
    if (finding_count == 0 && !finding->warning) {
        finding_error = strcmp(finding->kind, "assert") == 0 ? cudaErrorAssert
                                                             : cudaErrorLaunchFailure;
    }
    finding_count += finding->warning ? 0 : 1;
    if (listener.function != NULL) {
        listener.function(finding, listener.data);
        return true;
    }
    fflush(stdout);
    gpu_print_finding(finding, stderr);
    abort();
}

void finding_leave()
{
    races_waiting = 0;
    if (here.on_device) {
        if (finding_keep_going) { // what the rest of the launch would have written
            memory_assume_written();
        }
        threads_abandon();
    }
    if (guarded) {
        longjmp(guard, 1);
    }
    fflush(stdout);
    leave_program(); // host code cannot continue without a guard
    __builtin_unreachable();
}

static const struct place NOWHERE = {"", 0};

static bool tell_at(const char *kind, struct place place, struct place other,
                    const char *format, va_list arguments, bool warning = false)
{
    static char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    struct gpu_finding finding = {kind,       "",         place.file,     place.line,
                                  other.file, other.line, here.on_device, {0},
                                  {0},        text,       warning};
    if (here.on_device) {
        finding.kernel = launch.configuration->kernel;
        coordinates(finding.block, launch.block, launch.configuration->grid);
        coordinates(finding.thread, block.running, launch.configuration->block);
    }
    return tell(&finding);
}

void finding_stop(const char *kind, const void *pc, const void *other_pc,
                  const char *format, ...)
{
    if (here.on_device) {
        races_settle(); // reports findings in order
        shadow_settle();
    }
    va_list arguments;
    va_start(arguments, format);
    tell_at(kind, place_of(pc), other_pc == NULL ? NOWHERE : place_of(other_pc), format,
            arguments);
    finding_leave();
}

void finding_go_on(const char *kind, const void *pc, const void *other_pc,
                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool told =
        tell_at(kind, place_of(pc), other_pc == NULL ? NOWHERE : place_of(other_pc),
                format, arguments);
    va_end(arguments);
    if (told && !finding_keep_going) {
        finding_leave();
    }
}

void finding_warn(const char *kind, const void *pc, const void *other_pc,
                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_at(kind, place_of(pc), other_pc == NULL ? NOWHERE : place_of(other_pc), format,
            arguments, true);
    va_end(arguments);
}

void finding_stop_at(const char *kind, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_at(kind, place, NOWHERE, format, arguments);
    finding_leave();
}

void finding_note(const char *kind, const char *kernel, struct place place,
                  const char *format, ...)
{
    static char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct gpu_finding finding = {kind,  kernel, place.file, place.line, "",   0,
                                  false, {0},    {0},        text,       false};
    tell(&finding);
}

} // namespace gpu_runtime

using namespace gpu_runtime;

// No memory is allocated for the text: the finding may be that free() was misused.
const char *gpu_runtime::finding_text(const struct gpu_finding *f)
{
    static char text[8192];
    int length = 0;
    text[0] = '\0';
    if (f->line > 0) {
        length = snprintf(text, 2048, "%.2000s:%d: ", f->file, f->line);
    }
    if (f->in_kernel) {
        length += snprintf(text + length, 4096,
                           "%.3900s, block (%u,%u,%u), thread (%u,%u,%u): ", f->kernel,
                           f->block[0], f->block[1], f->block[2], f->thread[0],
                           f->thread[1], f->thread[2]);
    }
    snprintf(text + length, sizeof text - (size_t)length, "%s", f->text);
    return text;
}

extern "C" void gpu_print_finding(const struct gpu_finding *f, void *file)
{
    fprintf((FILE *)file, "%s\n", finding_text(f));
}

extern "C" void gpu_on_finding(gpu_finding_function *function, void *data)
{
    listener = {function, data};
}

extern "C" size_t gpu_findings(void)
{
    return finding_count;
}

namespace gpu_runtime
{
void report_unchecked_launch(); // calls.cc
void launch_forget_prepared();  // launch.cc
} // namespace gpu_runtime

bool gpu_runtime::finding_guarded()
{
    return guarded;
}

extern "C" bool gpu_guard(void (*function)(void *), void *data)
{
    size_t before = finding_count;
    unsigned turns = here.turns;
    runtime_initialize();
    if (setjmp(guard) == 0) {
        guarded = true;
        memory_guard(true);
        function(data);
        guarded = false;
        report_unchecked_launch();
    }
    guarded = false;
    launch_forget_prepared();
    memory_guard(false);
    host_return_to(turns);
    return finding_count == before;
}
