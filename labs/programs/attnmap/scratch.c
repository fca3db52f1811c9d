// scratch.c - a folder for temporary files, and programs that read and write there.

#define _GNU_SOURCE

#include "programs/attnmap/attnmap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// "" until a file is needed; removed at exit.
static char folder[SCRATCH_FOLDER];

static void remove_folder(void)
{
    char command[SCRATCH_FOLDER + 32];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (*folder != '\0' && system(command) != 0) {
        fprintf(stderr, "attnmap: could not remove %s\n", folder);
    }
}

const char *scratch_folder(void)
{
    if (*folder != '\0') {
        return folder;
    }
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || strlen(parent) > 200 || strchr(parent, '\'') != NULL) {
        parent = "/tmp";
    }
    snprintf(folder, sizeof folder, "%s/attnmap.XXXXXX", parent);
    if (mkdtemp(folder) == NULL) {
        const int reason = errno;
        *folder = '\0';
        map_fail(MAP_FAILED, "%s: %s", parent, strerror(reason));
    }
    atexit(remove_folder);
    return folder;
}

void scratch_path(char path[SCRATCH_PATH], const char *name)
{
    snprintf(path, SCRATCH_PATH, "%s/%s", scratch_folder(), name);
}

const char *map_above(const char *inside)
{
    static char found[4096];
    const ssize_t length = readlink("/proc/self/exe", found, sizeof found - 64);
    if (length <= 0) {
        map_fail(MAP_FAILED, "/proc/self/exe: %s", strerror(errno));
    }
    found[length] = '\0';
    for (char *name = strrchr(found, '/'); name != NULL; name = strrchr(found, '/')) {
        strcpy(name, inside); // the folder of the program, then those above it
        if (access(found, R_OK) == 0) {
            return found;
        }
        *name = '\0';
    }
    map_fail(MAP_FAILED, "%s is not above this program", inside + 1);
}

// Copies what a program wrote to its standard error, except lines that contain a text.
static void repeat(const char *path, const char *unsaid)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strstr(line, unsaid) == NULL) {
            fputs(line, stderr);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

int map_run(char *const arguments[], const char *if_missing, const char *unsaid)
{
    char said[SCRATCH_PATH] = "";
    if (unsaid != NULL) {
        scratch_path(said, "said");
    }
    fflush(stdout);
    const pid_t child = fork();
    int status;
    if (child == 0) {
        if (*said != '\0' && freopen(said, "w", stderr) == NULL) {
            _exit(127);
        }
        execvp(arguments[0], arguments);
        fprintf(stderr, "attnmap: %s: %s; %s\n", arguments[0], strerror(errno),
                if_missing);
        fflush(stderr);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        map_fail(MAP_FAILED, "%s: %s", arguments[0], strerror(errno));
    }
    if (*said != '\0') {
        repeat(said, unsaid);
    }
    if (!WIFEXITED(status)) {
        map_fail(MAP_FAILED, "%s was ended by a signal", arguments[0]);
    }
    return WEXITSTATUS(status);
}
