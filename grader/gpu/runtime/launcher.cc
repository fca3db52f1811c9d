// launcher.cc - checks that a launcher only puts work on its stream and returns.
//
// On a card, work on another stream may run before the work that it depends on, and a
// launcher that waits, allocates or copies to the host delays everything after it. In the
// simulator, all work is done immediately and in order, so the numbers would be right.
// Therefore these rules are checked explicitly while gpu_guard calls a function declared by
// gpu_expect_launcher.

#include "gpu/runtime/runtime.h"

using namespace gpu_runtime;

static cudaStream_t expected_stream; // NULL if no launcher is expected
static uint64_t
    work; // kernels and other calls that the expected launcher made on a stream

extern "C" void gpu_expect_launcher(void *stream)
{
    expected_stream = (cudaStream_t)stream;
    work = 0;
}

extern "C" uint64_t gpu_launcher_work(void)
{
    return work;
}

namespace gpu_runtime
{

void launcher_reset()
{
    expected_stream = NULL;
}

bool launcher_expected()
{
    return GPU_CHECKED && expected_stream != NULL;
}

bool launcher_runs()
{
    return launcher_expected() && finding_guarded() && !here.on_device;
}

static bool elsewhere(cudaStream_t stream)
{
    return launcher_runs() && stream != expected_stream;
}

static const char advice[] =
    "%s goes to %s, not to the launcher's argument.\n"
    "On a card it would not wait for the work before it: pass the stream to every "
    "launch, as in kernel<<<grid, block, 0, stream>>>, and to the calls that end in "
    "Async.";

static const char *name(cudaStream_t stream)
{
    return stream == NULL ? "stream 0" : "another stream";
}

// A launcher may put each row's work on the stream by itself. That of 2^30 rows would take too long, and shows nothing
// more.
static void count_work()
{
    work++;
    if (launch.only_sizes && work > GPU_MOST_WORK && launcher_runs()) {
        finding_leave();
    }
}

void launcher_uses(cudaStream_t stream, const char *what, const void *pc)
{
    count_work();
    if (elsewhere(stream)) {
        finding_stop("wrong-stream", pc, NULL, advice, what, name(stream));
    }
}

void launcher_launches(const struct gpu_configuration *c)
{
    count_work();
    if (elsewhere(c->stream)) {
        finding_stop_at("wrong-stream", {c->file, c->line}, advice, c->kernel,
                        name(c->stream));
    }
}

void launcher_may_not(const char *kind, const char *what, const void *pc)
{
    if (launcher_runs()) {
        finding_stop(kind, pc, NULL,
                     "a launcher calls %s.\n"
                     "It must only put work on its stream and return at once; its "
                     "caller allocates and copies.",
                     what);
    }
}

// A program of its own may copy, but a launcher would have to wait for the copy.
const char *launcher_device_advice()
{
    return launcher_runs()
               ? "Only kernels can use it: do this in a kernel. A launcher must "
                 "not copy to the host, because it would have to wait."
               : "Only kernels and the CUDA functions can use it: copy it with "
                 "cudaMemcpy first.";
}

} // namespace gpu_runtime
