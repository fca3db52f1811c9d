// replay.c - reads every file of the corpus once.
//
//     build/unit/fuzz/replay grader/tests/fuzz/corpus/*/*
//
// Each is .../READER/NAME. Prints a line of TAP for each. A crash ends the program, and the line
// before says where.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { LARGEST = 1 << 20 };

static const struct reader *reader_of(const char *path)
{
    char name[4096];
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return reader_find(NULL);
    }
    snprintf(name, sizeof name, "%.*s", (int)(slash - path), path);
    slash = strrchr(name, '/');
    return reader_find(slash == NULL ? name : slash + 1);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[LARGEST];
    for (int i = 1; i < argc; i++) {
        const struct reader *reader = reader_of(argv[i]);
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) {
            perror(argv[i]);
            return 1;
        }
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        printf("# %s\n", argv[i]);
        fflush(stdout);
        reader_prepare(reader);
        reader_run(reader, bytes, size);
        printf("ok - %s\n", argv[i]);
    }
    return 0;
}
