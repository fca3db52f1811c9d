// digest.h - SHA-256 of a hand-in, and of the files that judge it.

#ifndef GRADER_DIGEST_H
#define GRADER_DIGEST_H

#include <sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { DIGEST_SIZE = 65 }; // 64 hexadecimal digits and a final 0

// Adds a text, or bytes preceded by their size, so that different lists of parts never look
// alike.
void digest_text(SHA2_CTX *context, const char *text);
void digest_bytes(SHA2_CTX *context, const void *bytes, size_t size);

// Adds a file, or the files of a folder with one of the suffixes (" .c .h "), with their
// names; a missing folder adds nothing. Returns false with the reason in errno if something
// cannot be read.
bool digest_file(SHA2_CTX *context, const char *path);
bool digest_folder(SHA2_CTX *context, const char *path, const char *endings);

// The path of a file that is newer than `than`, or NULL. Caller frees.
char *newer_file(const char *folder, const char *endings, const struct timespec *than);

// Writes the digest to hex[DIGEST_SIZE].
void digest_end(SHA2_CTX *context, char *hex);

#endif
