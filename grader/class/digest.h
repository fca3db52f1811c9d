// digest.h - SHA-256 of what was handed in and of what it is judged by.

#ifndef GRADER_DIGEST_H
#define GRADER_DIGEST_H

#include <sha2.h>
#include <stddef.h>

enum { DIGEST_SIZE = 65 }; // 64 hexadecimal digits and the end

// Adds a text, and bytes with their size in front, so that no two lists of parts look alike.
void digest_text(SHA2_CTX *context, const char *text);
void digest_bytes(SHA2_CTX *context, const void *bytes, size_t size);

// Writes the digest to hex[DIGEST_SIZE].
void digest_end(SHA2_CTX *context, char *hex);

#endif
