// fuzz.h - the readers of files from anywhere, called with bad files again and again in one process.
//
//   inside.c    calls a program's main as a function: catches exit, and frees what is left
//   readers.c   the readers: which program, which file of which folder, which options
//   engine.c    for libFuzzer (grader/tools/fuzz.sh), which invents the files
//   replay.c    for make test, which reads those of corpus/
//
// corpus/READER/NAME is a small file. Some have crashed a reader before, the others show libFuzzer
// where to begin.

#ifndef GRADER_TESTS_FUZZ_H
#define GRADER_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

// ---- inside.c -----------------------------------------------------------------------------

// Calls run(argc, argv) and returns its exit status, also if it calls exit. Frees all memory that
// our code allocated and left. Aborts if a file is left open, or if stdout or stderr got a
// control character, which a terminal might obey.
int run_inside(int (*run)(int argc, char **argv), int argc, char **argv);

// ---- readers.c ----------------------------------------------------------------------------

struct reader;

// The reader with this name. Exits and lists all names if there is none.
const struct reader *reader_find(const char *name);

// Writes the files around the input into a new folder, which is removed at exit.
void reader_prepare(const struct reader *reader);

// Reads the input. Aborts unless the exit status is 0 or 1.
void reader_run(const struct reader *reader, const uint8_t *bytes, size_t size);

#endif
