// digest.h - SHA-256 of what was handed in and of what it is judged by.

#ifndef GRADER_DIGEST_H
#define GRADER_DIGEST_H

#include <sha2.h>
#include <stdbool.h>
#include <stddef.h>

enum { DIGEST_SIZE = 65 }; // 64 hexadecimal digits and the end

// Adds a text, and bytes with their size in front, so that no two lists of parts look alike.
void digest_text(SHA2_CTX *context, const char *text);
void digest_bytes(SHA2_CTX *context, const void *bytes, size_t size);

// Adds a file; the C files and headers of a folder by their names, and nothing where there is no
// such folder. False when something cannot be read; errno says why.
bool digest_file(SHA2_CTX *context, const char *path);
bool digest_folder(SHA2_CTX *context, const char *path);

// Writes the digest to hex[DIGEST_SIZE].
void digest_end(SHA2_CTX *context, char *hex);

#endif
