// write.h - writes a bank (bank.h).

#ifndef GRADER_WRITE_H
#define GRADER_WRITE_H

#include <stdbool.h>
#include <stdint.h>

// Writes the bank of every function and the tables of every lab into a folder that is there.
// Before a file counts as written it is read again, and every solution and every mistake judged
// by it. False, after a line on stderr, when one is not judged as in the whole workbook.
bool bank_write(const char *folder, uint64_t seed);

#endif
