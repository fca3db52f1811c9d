// standalone.cc - reports for a program of its own, which cudasim links: findings on standard
// error, or as JSON, and an exit status.
//
//     CUDASIM_JSON=file      also writes the findings there
//     CUDASIM_KEEP_GOING=1   goes on after a finding
//     CUDASIM_SUPPRESS=file  findings that do not count: FILE:LINE, or KIND FILE:LINE
//     CUDASIM_LEAKS=1        device memory that is never freed is a finding
//     GPU_PROCESSORS=4       runs the blocks of long launches on so many processors; all by default
//     GPU_DIVIDE_AFTER=0.5   a launch is long after so many seconds
//     CUDASIM_PROFILE=1      at the end, what each line's accesses would cost on a card
//
// The judge and the tests do not link this file; they use gpu_on_finding themselves.
//
// Exit status of the program: 1 if there were findings, otherwise its own. cudasim must tell the
// two apart, so it passes CUDASIM_STATUS, a file that gets the number of findings. That file and
// the one of CUDASIM_JSON are complete after each finding, because a program may end by abort() or
// a signal.

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "base/columns.h"
#include "base/wrapped.h"
#include "common/plural.h"
#include "gpu/runtime/runtime.h"

extern "C" {
extern const int gpu_standalone; // named by the link command, so that this file is linked
const int gpu_standalone = 1;
}

using namespace gpu_runtime;

static struct {
    FILE *json;
    long json_end; // where the next finding goes; -1 in a pipe
    size_t count, warnings, different;
    pid_t program; // a process that it forks reports for itself only
} report;

// ---- findings that were reported before ---------------------------------------------------

static struct {
    const char *kind;
    char file[200], other_file[200];
    int line, other_line;
    bool warning;
} known[256];

static bool is_new(const struct gpu_finding *f)
{
    for (size_t i = 0; i < report.different; i++) {
        if (strcmp(known[i].kind, f->kind) == 0 && strcmp(known[i].file, f->file) == 0 &&
            known[i].line == f->line && known[i].other_line == f->other_line &&
            known[i].warning == f->warning) {
            return false;
        }
    }
    if (report.different < sizeof known / sizeof *known) {
        auto *k = &known[report.different++];
        k->kind = f->kind;
        snprintf(k->file, sizeof k->file, "%s", f->file);
        k->line = f->line;
        k->other_line = f->other_line;
        k->warning = f->warning;
    }
    return true;
}

// ---- findings that do not count ------------------------------------------------------------

static struct {
    char kind[40], file[304]; // kind "": any
    int line;
} suppressed[256];
static size_t suppressed_count;

static void read_suppressions(const char *path)
{
    char line[300];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        _exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL &&
           suppressed_count < sizeof suppressed / sizeof *suppressed) {
        auto *s = &suppressed[suppressed_count];
        char *colon = strrchr(line, ':');
        const char *start = line + strspn(line, " \t");
        if (*start == '#' || colon == NULL) {
            continue;
        }
        *colon = '\0';
        s->line = atoi(colon + 1);
        if (sscanf(start, "%39s %199s", s->kind, s->file) != 2) {
            snprintf(s->file, sizeof s->file, "%s", start);
            s->kind[0] = '\0';
        }
        suppressed_count++;
    }
    fclose(file);
}

// The end of the finding's path must be the file that is written there.
static bool ends_with(const char *path, const char *file)
{
    size_t length = strlen(path), tail = strlen(file);
    return length >= tail && strcmp(path + length - tail, file) == 0 &&
           (length == tail || path[length - tail - 1] == '/');
}

static bool is_suppressed(const struct gpu_finding *f)
{
    for (size_t i = 0; i < suppressed_count; i++) {
        const auto *s = &suppressed[i];
        if (s->line == f->line && ends_with(f->file, s->file) &&
            (s->kind[0] == '\0' || strcmp(s->kind, f->kind) == 0)) {
            return true;
        }
    }
    return false;
}

// ---- JSON ---------------------------------------------------------------------------------

static void write_string(const char *name, const char *text)
{
    fprintf(report.json, "\"%s\": \"", name);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(report.json, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(report.json, "\\u%04x", c);
        } else {
            putc(c, report.json);
        }
    }
    fputs("\", ", report.json);
}

static void write_numbers(const char *name, const unsigned n[3], const char *end)
{
    fprintf(report.json, "\"%s\": [%u, %u, %u]%s", name, n[0], n[1], n[2], end);
}

static void close_list()
{
    fputs(report.count + report.warnings > 0 ? "\n]\n" : "]\n", report.json);
    fflush(report.json);
}

// Closes the list for now, if the file can go back.
static void close_list_for_now()
{
    report.json_end = ftell(report.json);
    if (report.json_end >= 0) {
        close_list();
        fseek(report.json, report.json_end, SEEK_SET);
    }
}

static void write_json(const struct gpu_finding *f)
{
    fprintf(report.json, "%s\n  {", report.count + report.warnings > 0 ? "," : "");
    write_string("kind", f->kind);
    write_string("kernel", f->kernel);
    write_string("file", f->file);
    fprintf(report.json, "\"line\": %d, ", f->line);
    write_string("other_file", f->other_file);
    fprintf(report.json, "\"other_line\": %d, ", f->other_line);
    write_numbers("block", f->block, ", ");
    write_numbers("thread", f->thread, ", ");
    write_string("text", f->text);
    fprintf(report.json, "\"in_kernel\": %s, \"warning\": %s}",
            f->in_kernel ? "true" : "false", f->warning ? "true" : "false");
}

// ---- the calls that led there --------------------------------------------------------------

enum { MAX_CALLS = 32 };

struct calls {
    struct place place[MAX_CALLS]; // the innermost first
    size_t count;
};

static void add_call(const struct place *place, void *data)
{
    struct calls *calls = (struct calls *)data;
    if (calls->count < MAX_CALLS && strstr(place->file, "grader/gpu/") == NULL) {
        calls->place[calls->count++] = *place;
    }
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *data)
{
    int before = 0;
    uintptr_t pc = (uintptr_t)_Unwind_GetIPInfo(context, &before);
    places_of((const void *)(before != 0 ? pc + 1 : pc), add_call, data);
    return _URC_NO_REASON;
}

// The callers of the function that contains the finding's line. None if the thread is elsewhere by
// now, which is so for what is known only at a barrier.
static void print_calls(const struct gpu_finding *finding)
{
    struct calls calls;
    calls.count = 0;
    _Unwind_Backtrace(add_frame, &calls);
    size_t i = 0;
    while (finding->in_kernel && i < calls.count &&
           (calls.place[i].line != finding->line ||
            strcmp(calls.place[i].file, finding->file) != 0)) {
        i++;
    }
    for (; i + 1 < calls.count; i++) {
        fprintf(stderr, "    called from %s:%d\n", calls.place[i + 1].file,
                calls.place[i + 1].line);
    }
}

// ---- the program --------------------------------------------------------------------------

static void write_status()
{
    const char *status = getenv("CUDASIM_STATUS");
    FILE *file = status == NULL ? NULL : fopen(status, "w");
    if (file != NULL) {
        fprintf(file, "%zu\n", report.count);
        fclose(file);
    }
}

// On a terminal, in lines of its width, broken between words. Other programs get the lines as they are.
static void print_line(const char *prefix, const char *text)
{
    size_t columns = terminal_columns(STDERR_FILENO);
    if (columns > 0) {
        print_wrapped(stderr, prefix, text, columns);
    } else {
        fprintf(stderr, "%s%s\n", prefix, text);
    }
}

static void on_finding(const struct gpu_finding *finding, void *)
{
    if (!is_new(finding)) {
        return;
    }
    // The report follows what was printed before it, and an abort() or _exit() loses nothing that follows. C
    // promises setvbuf only before the first output; glibc also keeps its word once the buffer is empty.
    fflush(stdout);
    setvbuf(stdout, NULL, _IONBF, 0);
    print_line(finding->warning ? "cudasim: warning: " : "cudasim: ",
               finding_text(finding));
    if (finding->in_kernel || strcmp(finding->kind, "not-launched") == 0) {
        print_calls(finding);
    }
    if (report.json != NULL) {
        write_json(finding);
    }
    if (finding->warning) {
        report.warnings++;
    } else {
        report.count++;
    }
    if (getpid() == report.program) {
        if (report.json != NULL) {
            close_list_for_now();
        }
        write_status();
    }
}

static bool asked_for(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0';
}

// All processors that this process may use, or as many as the user says.
static void use_processors()
{
    const char *wanted = getenv("GPU_PROCESSORS"), *after = getenv("GPU_DIVIDE_AFTER");
    cpu_set_t set;
    int processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    if (wanted != NULL && *wanted != '\0') {
        processors = atoi(wanted);
    }
    gpu_set_processors(processors < 1 ? 1 : (unsigned)processors,
                       after != NULL && *after != '\0' ? atof(after) : 0.002);
}

static bool same_place(struct place a, struct place b)
{
    return a.line == b.line && strcmp(a.file, b.file) == 0;
}

// Reports the allocations of one line that were never freed, and marks them as told.
static void report_leaks_at(struct place place, const struct allocation *list,
                            size_t count, bool *told)
{
    size_t leaks = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (!told[i] && same_place(place_of(list[i].pc), place)) {
            told[i] = true;
            leaks++;
            bytes += list[i].bytes;
        }
    }
    char what[120];
    if (leaks == 1) {
        snprintf(what, sizeof what, "%zu byte%s of device memory %s allocated", bytes,
                 plural((double)bytes), bytes == 1 ? "is" : "are");
    } else {
        snprintf(what, sizeof what, "%zu allocations, %zu bytes together, are made",
                 leaks, bytes);
    }
    finding_note("leak", "", place,
                 "%s here and never freed.\nCall cudaFree after the last use.", what);
}

static void report_leaks()
{
    size_t count;
    const struct allocation *list = memory_list(&count);
    bool *told = (bool *)calloc(count + 1, sizeof *told);
    for (size_t i = 0; told != NULL && i < count; i++) {
        told[i] = list[i].freed;
    }
    for (size_t i = 0; told != NULL && i < count; i++) {
        if (!told[i]) {
            report_leaks_at(place_of(list[i].pc), list + i, count - i, told + i);
        }
    }
    free(told);
}

static void print_profile()
{
    size_t count;
    const struct gpu_profile_line *lines = gpu_profile(&count);
    for (size_t i = 0; i < count; i++) {
        char advice[400], text[4096];
        gpu_profile_advice(advice, sizeof advice, &lines[i]);
        snprintf(text, sizeof text, "%s, %s: %s", lines[i].file, lines[i].kernel, advice);
        print_line("cudasim: ", text);
    }
    struct gpu_traffic traffic = gpu_profile_traffic(NULL);
    fprintf(stderr, "cudasim: device memory: %llu bytes read, %llu written\n",
            (unsigned long long)traffic.read, (unsigned long long)traffic.written);
}

static void finish()
{
    if (getpid() != report.program) {
        return;
    }
    report_left_unchecked();
    if (asked_for("CUDASIM_LEAKS") && !finding_stops()) { // then cudaFree frees nothing
        report_leaks();
    }
    if (asked_for("CUDASIM_PROFILE")) {
        print_profile();
    }
    if (report.json != NULL) {
        close_list();
        fclose(report.json);
    }
    write_status();
    if (report.count > 0) {
        fflush(NULL);
        fprintf(stderr, "cudasim: %zu finding%s\n", report.count,
                report.count == 1 ? "" : "s");
        _exit(1);
    }
}

namespace gpu_runtime
{

// After a finding in host code, which cannot go on.
void standalone_leave()
{
    exit(1);
}

} // namespace gpu_runtime

__attribute__((constructor)) static void begin()
{
    const char *json = getenv("CUDASIM_JSON"), *suppress = getenv("CUDASIM_SUPPRESS");
    report.program = getpid();
    if (json != NULL && *json != '\0') {
        report.json = fopen(json, "w");
        if (report.json == NULL) {
            perror(json);
            _exit(2);
        }
        fputs("[", report.json);
        close_list_for_now();
    }
    finding_in_course = false;
    finding_keep_going = asked_for("CUDASIM_KEEP_GOING");
    if (suppress != NULL && *suppress != '\0') {
        read_suppressions(suppress);
        finding_suppressed = is_suppressed;
    }
    gpu_set_profile(asked_for("CUDASIM_PROFILE"));
    use_processors();
    leave_program = standalone_leave;
    gpu_on_finding(on_finding, NULL);
    atexit(finish);
}
