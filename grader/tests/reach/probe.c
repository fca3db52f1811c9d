// probe.c - lists the files that a step of the grader can read, from inside that step's walls.
//
//   reach-probe      in place of a compiler, a linker or a worker (test_reach.c)
//
// Descriptor 3 is a list of paths, one per line. The probe prints each path that it can open.
// Then it walks from / and prints every file outside the system's own folders. Behind Landlock
// it cannot walk; in a box the walk finds every file. Linked statically: a box need not have
// its libraries.

#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST_FD = 3 };

static int is_readable_file(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int yes = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    if (file >= 0) {
        close(file);
    }
    return yes;
}

static void try_list(void)
{
    static char line[8192];
    lseek(LIST_FD, 0, SEEK_SET);
    FILE *list = fdopen(LIST_FD, "r");
    while (list != NULL && fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (is_readable_file(line)) {
            printf("%s\n", line);
        }
    }
}

// The first folders of a path that belong to the system, and those of the kernel.
static int is_system(const char *path)
{
    static const char *const folders[] = {"/usr", "/lib",  "/lib64", "/bin",
                                          "/opt", "/proc", "/sys",   "/dev"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 &&
            (path[length] == '/' || path[length] == '\0')) {
            return 1;
        }
    }
    return 0;
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)where;
    if (is_system(path)) {
        return FTW_SKIP_SUBTREE;
    }
    if (kind == FTW_F && is_readable_file(path)) {
        printf("%s\n", path);
    }
    return FTW_CONTINUE;
}

int main(void)
{
    try_list();
    nftw("/", visit, 8, FTW_PHYS | FTW_ACTIONRETVAL);
    return 0;
}
