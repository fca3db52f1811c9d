// digest.c - see digest.h.

#include "class/digest.h"

#include <stdint.h>
#include <string.h>

void digest_bytes(SHA2_CTX *context, const void *bytes, size_t size)
{
    uint64_t length = size;
    SHA256Update(context, (const uint8_t *)&length, sizeof length);
    SHA256Update(context, bytes, size);
}

void digest_text(SHA2_CTX *context, const char *text)
{
    digest_bytes(context, text, strlen(text));
}

void digest_end(SHA2_CTX *context, char *hex)
{
    SHA256End(context, hex);
}
