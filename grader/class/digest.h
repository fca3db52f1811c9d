// digest.h - SHA-256 of a hand-in and of the files that judge it.

#ifndef GRADER_DIGEST_H
#define GRADER_DIGEST_H

#include <sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { DIGEST_SIZE = 65 }; // 64 hexadecimal digits and the end

// Adds a text, and bytes with their size in front, so that no two lists of parts look alike.
void digest_text(SHA2_CTX *context, const char *text);
void digest_bytes(SHA2_CTX *context, const void *bytes, size_t size);

// Adds a file; those of a folder that have one of the endings (" .c .h "), by their names, and
// nothing where there is no such folder. False when something cannot be read; errno says why.
bool digest_file(SHA2_CTX *context, const char *path);
bool digest_folder(SHA2_CTX *context, const char *path, const char *endings);

// Is one of those files newer than `than`? Its path, to be freed; or NULL.
char *newer_file(const char *folder, const char *endings, const struct timespec *than);

// Writes the digest to hex[DIGEST_SIZE].
void digest_end(SHA2_CTX *context, char *hex);

#endif
