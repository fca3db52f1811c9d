// passages.c - see passages.h.

#include "class/passages.h"

bool passage_at(const struct statements *statements, size_t place, uint32_t *hash)
{
    bool first = place < statements->count;
    bool second = place + 1 < statements->count && !statements->list[place + 1].begins;
    if (!first || !second) {
        return false;
    }
    uint64_t a = statements->list[place].hash, b = statements->list[place + 1].hash;
    uint64_t both = (a < b ? a : b) * 1099511628211u ^ (a < b ? b : a);
    both *= 0x9e3779b97f4a7c15u;
    *hash = (uint32_t)(both >> 32);
    return true;
}

void passages_add(struct fingerprints *set, const char *text, size_t size)
{
    struct statements statements = statements_read(text, size);
    uint32_t hash;
    for (size_t i = 0; i < statements.count; i++) {
        if (passage_at(&statements, i, &hash)) {
            fingerprints_keep(set, hash);
        }
    }
    statements_free(&statements);
}
