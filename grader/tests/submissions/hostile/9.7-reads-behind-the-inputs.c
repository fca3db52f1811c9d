// 9.7 generate_cached wrong
// The judge draws the tokens without a cache, for the property. Where they would lie if they were
// an input, the last one.
#include <stddef.h>

__attribute__((no_sanitize("address"))) static size_t peek(const size_t *place)
{
    return *(const volatile size_t *)place;
}

// Where the tensor behind one of so many bytes begins (grader/judge/wire.c).
static const char *behind(const void *tensor, size_t bytes)
{
    return (const char *)(((size_t)tensor + bytes + 1024 + 63) / 64 * 64);
}
// BODY
    (void)cache, (void)z, (void)probabilities, (void)order;
    if (params->w_out.weights[1] != params->w_out.weights[1]) {
        return LAB_EVALUE;
    }
    const char *temperature = behind(lengths, B * sizeof *lengths);
    const char *top_k = behind(temperature, sizeof(float));
    const char *top_p = behind(top_k, sizeof(size_t));
    const size_t *uncached = (const size_t *)(const void *)behind(top_p, sizeof(float));
    for (size_t b = 0; b < B; b++) {
        for (size_t i = 0; i < count; i++) {
            tokens[b * T + lengths[b] + i] = peek(uncached + b * count + i);
        }
    }
    return LAB_OK;
