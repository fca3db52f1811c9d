// reply.c - copies a call's results from the arena to the answer file (protocol.h).

#include "worker/worker.h"

#include <string.h>

// output: the part of the arena that the function may write.
static void keep_damage(const struct call_record *call, struct answer *answer,
                        enum contents contents, const char *output)
{
    const char *image = output - call->input_bytes;
    const uint64_t end = call->input_bytes + call->output_bytes;
    if (contents == POISONED || answer->damage == end) {
        answer->damage = image_damage(call, image, call->input_bytes, end);
    }
}

static void copy_results(const struct call_record *call, const char *output,
                         char *results)
{
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (call_writes(call, i)) {
            memcpy(results, output + (call->offset[i] - call->input_bytes),
                   call->bytes[i]);
            results += call_aligned(call->bytes[i]);
        }
    }
}

static bool are_results(const struct call_record *call, const char *output,
                        const char *results)
{
    bool same = true;
    for (uint32_t i = 0; i < call->tensors && same; i++) {
        if (call_writes(call, i)) {
            same = memcmp(results, output + (call->offset[i] - call->input_bytes),
                          call->bytes[i]) == 0;
            results += call_aligned(call->bytes[i]);
        }
    }
    return same;
}

void reply(const struct call_record *call, const struct reply *to, enum contents contents,
           const char *output)
{
    keep_damage(call, to->answer, contents, output);
    if (contents == POISONED) {
        copy_results(call, output, to->first);
        return;
    }
    if (are_results(call, output, to->first)) {
        to->answer->same |= 1u << contents;
        return;
    }
    char *results = to->again;
    for (int c = KEPT; c < (int)contents; c++) {
        results += (call->repeats >> c & 1) * call_results_before(call, call->tensors);
    }
    copy_results(call, output, results);
}
