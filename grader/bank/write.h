// write.h - writes a bank (bank.h).

#ifndef GRADER_WRITE_H
#define GRADER_WRITE_H

#include <stdbool.h>
#include <stdint.h>

// Writes the bank of every function and the tables of every lab into an existing folder.
// Reads each file back and judges every solution and every mistake with it. If a verdict
// differs from that of the full workbook, prints a line on stderr and returns false.
bool bank_write(const char *folder, uint64_t seed);

#endif
