// image.c - lays out the content of the arena before a call (protocol.h).

#include "worker/worker.h"

#include <string.h>

const char *image_sent(const struct call_record *call, const char *request, uint32_t i)
{
    return request + call->request + call_sent_before(call, i);
}

void image_lay_out(const struct call_record *call, const char *request, char *image)
{
    contents_fill_words(image, call->input_bytes + call->output_bytes, GUARD_WORD);
    for (uint32_t i = 0; i < call->tensors; i++) {
        if (call->offset[i] == ARENA_ABSENT) {
            continue;
        }
        char *tensor = image + call->offset[i];
        if ((call->sent >> i & 1) != 0) {
            memcpy(tensor, image_sent(call, request, i), call->bytes[i]);
        } else {
            contents_fill((enum contents)call->contents, call->element[i], tensor,
                          call->bytes[i]);
        }
    }
}

static bool is_guard(char byte, uint64_t at)
{
    return (uint8_t)byte == contents_byte(GUARD_WORD, at % sizeof(uint32_t));
}

// Usually all bytes are unchanged. Then each equals the one four bytes before it.
static uint64_t first_change(const char *image, uint64_t from, uint64_t to)
{
    const uint64_t word = sizeof(uint32_t);
    uint64_t at = from;
    while (at < to && at < from + word && is_guard(image[at], at)) {
        at++;
    }
    if (at == from + word && memcmp(image + from, image + from + word, to - at) == 0) {
        return to;
    }
    while (at < to && is_guard(image[at], at)) {
        at++;
    }
    return at;
}

uint64_t image_damage(const struct call_record *call, const char *image, uint64_t from,
                      uint64_t to)
{
    for (uint32_t i = 0; i < call->tensors && from < to; i++) {
        const uint64_t offset = call->offset[i];
        if (offset == ARENA_ABSENT || offset < from || offset >= to) {
            continue;
        }
        const uint64_t at = first_change(image, from, offset);
        if (at < offset) {
            return at;
        }
        from = offset + call->bytes[i];
    }
    return first_change(image, from, to);
}
