// engine.c - for libFuzzer, which invents files and keeps those that reach new code.
//
//     READER=map build/fuzz/readers CORPUS_FOLDER

#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static const struct reader *reader;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    reader = reader_find(getenv("READER"));
    reader_prepare(reader);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    reader_run(reader, bytes, size);
    return 0;
}
