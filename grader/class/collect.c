// collect.c - see collect.h.
//
//     grade collect --into TREE [--quiet] [--lab N] [--as NAME] PATH ...
//
// Theory of operation. Only this program reads untrusted archives, in a separate process
// for each submission:
//
//   1. limits: processor time, memory, the size of a file 2. folders are walked, links are
//   not followed; archives are opened 3. the wall is raised: no access to the file system
//   except TREE, and no privileges 4. archives are read (unpack.c), a lab's files are kept
//   in memory (sources.c) 5. TREE/NN_name/file is written, with the contract's names, and
//   TREE/manifest.json
//
// The class command reads the manifest: whether the submission was accepted, or why not;
// when it was handed in; and for every lab a hash of its files and their fingerprints.

#define _GNU_SOURCE
#include "class/collect.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cases/tables.h"
#include "class/digest.h"
#include "class/fingerprint.h"
#include "class/gather.h"
#include "class/names.h"
#include "class/own.h"
#include "class/progress.h"
#include "class/sources.h"
#include "class/unpack.h"
#include "report/text.h"
#include "sandbox/wall.h"

enum {
    MOST_ARCHIVES = 32,
    MOST_FILES = 20000,
    MOST_ELSEWHERE = 20000, // limit on files listed in ignored folders
    DEEPEST = 16,
    MOST_SECONDS = 30,
    MOST_MEGABYTES = 1024,
};

struct opened {
    int descriptor;
    char *name;
};

struct collection {
    const char *root, *tree;
    struct sources sources;
    struct others others;
    struct opened archives[MOST_ARCHIVES];
    size_t archive_count;
    int files, elsewhere;
    int64_t handed_in;    // time of the newest accepted file
    char unreadable[512]; // a problem of the grader or the instructor, not the student's
};

static void set_limits(void)
{
    const struct {
        int what;
        rlim_t most;
    } limits[] = {{RLIMIT_CPU, MOST_SECONDS},
#ifndef __SANITIZE_ADDRESS__
                  {RLIMIT_AS, (rlim_t)MOST_MEGABYTES << 20},
#endif
                  {RLIMIT_FSIZE, LARGEST_MANIFEST},
                  {RLIMIT_CORE, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit = {limits[i].most, limits[i].most};
        setrlimit((__rlimit_resource_t)limits[i].what, &limit);
    }
}

static bool cannot_read(struct collection *collection, const char *name, int error)
{
    char *clean = report_clean(name, strnlen(name, 300));
    snprintf(collection->unreadable, sizeof collection->unreadable, "cannot read %s: %s",
             clean, error == ELOOP ? "it is a link" : strerror(error));
    free(clean);
    return false;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void note_time(struct collection *collection, const struct stat *status)
{
    if (status->st_mtim.tv_sec > collection->handed_in) {
        collection->handed_in = status->st_mtim.tv_sec;
    }
}

// ---- files and folders --------------------------------------------------------------------

static bool take_source(struct collection *collection, int descriptor, const char *path,
                        struct source *source, int line)
{
    char *bytes = grader_alloc(LARGEST_SOURCE + 1);
    size_t size = 0;
    ssize_t got;
    while (size <= LARGEST_SOURCE &&
           (got = read(descriptor, bytes + size, LARGEST_SOURCE + 1 - size)) != 0) {
        if (got < 0 && errno != EINTR) {
            free(bytes);
            return cannot_read(collection, path, errno);
        }
        size += got > 0 ? (size_t)got : 0;
    }
    bool taken = sources_take(&collection->sources, source, line, path, bytes, size);
    free(bytes);
    return taken;
}

static bool keep_archive(struct collection *collection, int descriptor, const char *path)
{
    if (collection->archive_count == MOST_ARCHIVES) {
        return sources_refuse(&collection->sources, "it contains more than %d archives",
                              (int)MOST_ARCHIVES);
    }
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) {
        return cannot_read(collection, path, errno);
    }
    collection->archives[collection->archive_count++] =
        (struct opened){copy, grader_print("%s", path)};
    return true;
}

// One file in a student's folder, by its relative path.
static bool look_at_file(struct collection *collection, int folder, const char *entry,
                         const char *path, int depth)
{
    int line = 0;
    struct stat status;
    struct source *source = sources_find(&collection->sources, path, &line);
    bool archive = depth == 0 && names_archive(entry);
    if (source == NULL && !archive) {
        others_note(&collection->others, path);
        return true;
    }
    int descriptor =
        openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    int error = errno;
    bool opened = descriptor >= 0 && fstat(descriptor, &status) == 0;
    bool other = opened ? !S_ISREG(status.st_mode) : error == ELOOP || error == ENXIO;
    if (!opened && !other) {
        return cannot_read(collection, path, error);
    }
    bool fine = true;
    if (other) { // a link, a pipe or a socket is skipped
        others_note_special(&collection->others, path, !opened && error == ELOOP);
    } else if (source != NULL) {
        note_time(collection, &status);
        fine = take_source(collection, descriptor, path, source, line);
    } else {
        note_time(collection, &status);
        fine = keep_archive(collection, descriptor, path);
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return fine;
}

// A student may have put the hand-in into an ignored folder (sources_skip), so the names of
// a lab's files in it are recorded. Errors in it are ignored.
static void walk_elsewhere(struct collection *collection, int folder, const char *entry,
                           const char *path, int depth)
{
    int below = openat(folder, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = below >= 0 ? fdopendir(below) : NULL;
    for (struct dirent *one; entries != NULL && depth < DEEPEST &&
                             collection->elsewhere < MOST_ELSEWHERE &&
                             (one = readdir(entries)) != NULL;) {
        struct stat status;
        char *inside = grader_print("%s/%s", path, one->d_name);
        collection->elsewhere++;
        if (one->d_name[0] != '.' &&
            fstatat(below, one->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            if (S_ISDIR(status.st_mode)) {
                walk_elsewhere(collection, below, one->d_name, inside, depth + 1);
            } else if (S_ISREG(status.st_mode)) {
                sources_note_elsewhere(&collection->sources, inside);
            }
        }
        free(inside);
    }
    if (entries != NULL) {
        closedir(entries);
    } else if (below >= 0) {
        close(below);
    }
}

static bool walk(struct collection *collection, int descriptor, const char *path,
                 int depth);

static bool look_at_entry(struct collection *collection, int folder, const char *entry,
                          const char *path, int depth)
{
    struct stat status;
    if (++collection->files > MOST_FILES) {
        return sources_refuse(&collection->sources, "it contains more than %d files",
                              (int)MOST_FILES);
    }
    if (fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return cannot_read(collection, path, errno);
    }
    if (!S_ISDIR(status.st_mode)) {
        return look_at_file(collection, folder, entry, path, depth);
    }
    if (sources_skip(entry)) {
        if (entry[0] != '.') {
            walk_elsewhere(collection, folder, entry, path, depth);
        }
        return true;
    }
    if (depth == DEEPEST) {
        return true;
    }
    int below = openat(folder, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return below < 0 ? cannot_read(collection, path, errno)
                     : walk(collection, below, path, depth + 1);
}

// Walks an open folder in the order of the names and closes it. path is "" for the topmost
// folder.
static bool walk(struct collection *collection, int descriptor, const char *path,
                 int depth)
{
    struct dirent **entries;
    int count = scandirat(descriptor, ".", &entries, NULL, alphasort);
    bool fine = count >= 0 || cannot_read(collection, *path != '\0' ? path : ".", errno);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (fine && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            char *below = grader_print("%s%s%s", path, *path != '\0' ? "/" : "", name);
            fine = look_at_entry(collection, descriptor, name, below, depth);
            free(below);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    close(descriptor);
    return fine;
}

// An entry that cannot be opened. A link or a socket is the student's problem and will not
// go away; anything else is the grader's.
static bool not_opened(struct collection *collection, const char *path, const char *name,
                       int error)
{
    struct stat status;
    if (lstat(path, &status) != 0 || S_ISDIR(status.st_mode) || S_ISREG(status.st_mode)) {
        return cannot_read(collection, path, error);
    }
    return sources_refuse(&collection->sources,
                          S_ISLNK(status.st_mode)
                              ? "%s is a link: only folders and regular files are "
                                "accepted"
                              : "%s is neither a folder nor a regular file",
                          name);
}

static bool look_at_folder(struct collection *collection, int descriptor,
                           const char *path)
{
    char *origin = grader_print("%s/", last_part(path));
    collection->sources.origin = origin;
    bool fine = walk(collection, descriptor, "", 0);
    collection->sources.origin = NULL;
    free(origin);
    return fine;
}

// An entry of the class's folder. Links are not followed and not graded, because a
// student's link could point to another student's work.
static bool look_at(struct collection *collection, const char *path, const char *name)
{
    struct stat status;
    int descriptor =
        open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        return not_opened(collection, path, name, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        return look_at_folder(collection, descriptor, path);
    }
    int line = 0;
    bool fine = true;
    struct source *source = sources_find(&collection->sources, name, &line);
    if (!S_ISREG(status.st_mode)) {
        fine = sources_refuse(&collection->sources,
                              "%s is neither a folder nor a regular file", name);
    } else if (source != NULL) {
        note_time(collection, &status);
        collection->sources.origin = last_part(path);
        fine = take_source(collection, descriptor, name, source, line);
    } else if (names_archive(name)) {
        note_time(collection, &status);
        fine = keep_archive(collection, descriptor, name);
    } else {
        others_note(&collection->others, name);
    }
    close(descriptor);
    return fine;
}

static bool read_archives(struct collection *collection)
{
    const char *const readable[] = {"/usr", "/lib", NULL};
    const char *const writable[] = {collection->tree, NULL};
    const struct wall wall = {readable, writable, false};
    bool fine = true;
    if (collection->archive_count > 0) {
        wall_raise(&wall);
    }
    for (size_t i = 0; i < collection->archive_count; i++) {
        struct opened *archive = &collection->archives[i];
        fine = fine && unpack(&collection->sources, archive->descriptor, archive->name);
        close(archive->descriptor);
        free(archive->name);
    }
    return fine;
}

// ---- what comes out -----------------------------------------------------------------------

static cJSON *checked(cJSON *item)
{
    if (item == NULL) {
        grader_fail("out of memory");
    }
    return item;
}

// The folder is temporary, so there is no need to wait for the disk.
static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "we");
    bool written = file != NULL && fwrite(bytes, 1, size, file) == size;
    if (file == NULL || fclose(file) != 0 || !written) {
        grader_fail("cannot write %s: %s", path, strerror(errno));
    }
}

static void write_source(const struct collection *collection, const struct source *source)
{
    char *folder = grader_print("%s/%s", collection->tree, source->place->folder);
    char *path = grader_print("%s/%s", folder, source->name);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        grader_fail("cannot make %s: %s", folder, strerror(errno));
    }
    write_file(path, source->bytes, source->size);
    free(path);
    free(folder);
}

// Returns true if the source belongs to this lab, on either side.
static bool of_folder(const struct source *source, const char *folder)
{
    return strcmp(source->place->folder, folder) == 0;
}

static void hash_source(SHA2_CTX *context, const struct source *source)
{
    digest_text(context, source->name);
    digest_bytes(context, &source->line, source->line > 0 ? 1 : 0);
    digest_bytes(context, source->bytes != NULL ? source->bytes : "", source->size);
}

static void hash_folder(SHA2_CTX *context, const struct sources *sources,
                        const char *folder)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->list[i];
        if (of_folder(source, folder) && (source->answers == NULL || source->line > 0)) {
            hash_source(context, source);
        }
    }
}

static bool names_folder(const char *const *folders, const char *folder)
{
    while (*folders != NULL && strcmp(*folders, folder) != 0) {
        folders++;
    }
    return *folders != NULL;
}

// Kernels may call those of labs that the C files do not call: the .cu files of these.
static void hash_gpu_uses(SHA2_CTX *context, const struct sources *sources,
                          const struct lab_place *place)
{
    const struct lab_place *gpu = gpu_places;
    while (gpu->folder != NULL && gpu->number != place->number) {
        gpu++;
    }
    for (size_t i = 0; gpu->folder != NULL && i < sources->count; i++) {
        const struct source *source = &sources->list[i];
        if (source->place->gpu && source->line > 0 &&
            names_folder(gpu->uses, source->place->folder) &&
            !names_folder(place->uses, source->place->folder)) {
            hash_source(context, source);
        }
    }
}

// Hashes the files that a lab's verdicts depend on: its own and those of the labs it calls.
static void hash_lab(const struct sources *sources, const struct lab_place *place,
                     char *hex)
{
    SHA2_CTX context;
    SHA256Init(&context);
    hash_folder(&context, sources, place->folder);
    for (size_t i = 0; place->uses[i] != NULL; i++) {
        hash_folder(&context, sources, place->uses[i]);
    }
    hash_gpu_uses(&context, sources, place);
    digest_end(&context, hex);
}

// Returns true if the file contains anything beyond the skeleton.
static bool holds_work(const struct source *source, const struct fingerprints *known)
{
    struct fingerprints prints = {NULL, 0, 0, 0};
    fingerprints_add(&prints, source->bytes, source->size, 0);
    fingerprints_finish(&prints, known);
    bool work = prints.count > 0;
    fingerprints_free(&prints);
    return work;
}

static cJSON *describe_lab(const struct collection *collection,
                           const struct lab_place *place,
                           const struct fingerprints *known)
{
    char hex[DIGEST_SIZE];
    const struct sources *sources = &collection->sources;
    struct fingerprints prints = {NULL, 0, 0, 0};
    struct text text;
    int there = 0, gpu = 0;
    hash_lab(sources, place, hex);
    for (size_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->list[i];
        if (source->line > 0 && source->answers == NULL &&
            of_folder(source, place->folder)) {
            fingerprints_add(&prints, source->bytes, source->size, 0);
            there++;
            gpu += source->place->gpu && holds_work(source, known);
        }
    }
    fingerprints_finish(&prints, known);
    text_begin(&text);
    for (size_t i = 0; i < prints.count; i++) {
        fprintf(text.file, "%08x", (unsigned)prints.values[i]);
    }
    char *values = text_end(&text);
    cJSON *lab = checked(cJSON_CreateObject());
    checked(cJSON_AddNumberToObject(lab, "lab", place->number));
    checked(cJSON_AddStringToObject(lab, "hash", hex));
    checked(cJSON_AddNumberToObject(lab, "files", there));
    checked(cJSON_AddNumberToObject(lab, "gpu_files", gpu));
    checked(cJSON_AddNumberToObject(lab, "tokens", (double)prints.tokens));
    checked(cJSON_AddStringToObject(lab, "fingerprints", values));
    free(values);
    fingerprints_free(&prints);
    return lab;
}

// A file without any token exists, but the lab may still be reported as missing.
static void note_empty(struct collection *collection)
{
    for (size_t i = 0; i < collection->sources.count; i++) {
        const struct source *source = &collection->sources.list[i];
        struct fingerprints prints = {NULL, 0, 0, 0};
        if (source->line > 0 && source->answers == NULL) {
            fingerprints_add(&prints, source->bytes, source->size, 0);
            if (prints.tokens == 0) {
                others_note_empty(&collection->others, source->path);
            }
            fingerprints_free(&prints);
        }
    }
}

// A student whose files are only in an ignored folder gets a note about it.
static void note_elsewhere(struct collection *collection)
{
    for (size_t i = 0; i < collection->sources.count; i++) {
        const struct source *source = &collection->sources.list[i];
        if (source->line == 0 && source->elsewhere != NULL) {
            others_note_elsewhere(&collection->others, source->elsewhere);
        }
    }
}

static void write_manifest(const struct collection *collection,
                           const struct fingerprints *known)
{
    const struct sources *sources = &collection->sources;
    cJSON *manifest = checked(cJSON_CreateObject());
    bool unreadable = collection->unreadable[0] != '\0';
    bool refused = sources->refusal[0] != '\0';
    const char *reason = unreadable ? collection->unreadable : sources->refusal;
    char *clean = report_clean(reason, strlen(reason));
    checked(cJSON_AddStringToObject(manifest, "verdict",
                                    unreadable ? "unreadable"
                                    : refused  ? "refused"
                                               : "taken"));
    checked(cJSON_AddStringToObject(manifest, "reason", clean));
    checked(
        cJSON_AddNumberToObject(manifest, "handed_in", (double)collection->handed_in));
    char *others = others_line(&collection->others);
    checked(cJSON_AddStringToObject(manifest, "others", others));
    free(others);
    cJSON *files = checked(cJSON_AddArrayToObject(manifest, "files"));
    cJSON *labs = checked(cJSON_AddArrayToObject(manifest, "labs"));
    for (size_t i = 0; i < sources->count && !refused && !unreadable; i++) {
        if (sources->list[i].line > 0) {
            write_source(collection, &sources->list[i]);
            char *path =
                report_clean(sources->list[i].path, strlen(sources->list[i].path));
            cJSON_AddItemToArray(files, checked(cJSON_CreateString(path)));
            free(path);
        }
    }
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        char *folder = grader_print("%s/%s", collection->tree, place->folder);
        mkdir(folder, 0777); // a missing lab has no files
        free(folder);
        if (!refused && !unreadable) {
            cJSON_AddItemToArray(labs, describe_lab(collection, place, known));
        }
    }
    char *text = cJSON_Print(manifest);
    char *path = grader_print("%s/manifest.json", collection->tree);
    if (text == NULL) {
        grader_fail("out of memory");
    }
    write_file(path, text, strlen(text));
    free(path);
    cJSON_free(text);
    free(clean);
    cJSON_Delete(manifest);
}

static const char help[] =
    "usage: grade collect --into TREE [--quiet] [--lab N] [--as NAME] PATH ...\n\n"
    "Finds the labs' files in folders, archives and files, copies them to TREE, laid out\n"
    "as grade check expects, and prints where each comes from. TREE must not hold files\n"
    "of labs. --as: the name to show for the next PATH. --quiet, for programs: print\n"
    "nothing; accept a hand-in without a file of a lab, and any TREE. --lab: accept two\n"
    "different files for one place if lab N does not use that place.\n\n"
    "exit status: 0 accepted, 1 refused, or there is no file of a lab, 2 the command line\n"
    "             is wrong, or TREE holds files of labs, 3 unreadable\n";

static _Noreturn void usage(void)
{
    fputs("grade: collect needs --into TREE and paths (see build/grade collect --help)\n",
          stderr);
    exit(2);
}

static int lab_number(const char *word)
{
    const int number = atoi(word);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        if (place->number == number) {
            return number;
        }
    }
    fprintf(stderr, "grade: there is no lab %s: the labs are %d to %d\n", word,
            lab_places[0].number, last_place(lab_places)->number);
    exit(2);
}

// Two hand-ins in one tree would be judged as one.
static void need_empty(const struct collection *collection)
{
    for (size_t i = 0; i < collection->sources.count; i++) {
        const struct source *source = &collection->sources.list[i];
        char *path = grader_print("%s/%s/%s", collection->tree, source->place->folder,
                                  source->name);
        struct stat status;
        if (lstat(path, &status) == 0) {
            fprintf(stderr, "grade: there is a file already, %s: name a new folder\n",
                    path);
            exit(2);
        }
        free(path);
    }
}

// What was placed where. Returns the exit status.
static int tell(const struct collection *collection)
{
    bool any = false;
    for (size_t i = 0; i < collection->sources.count; i++) {
        const struct source *source = &collection->sources.list[i];
        if (source->line > 0) {
            char *path = report_clean(source->path, strlen(source->path));
            printf("%s/%s from %s\n", source->place->folder, source->name, path);
            free(path);
            any = true;
        }
    }
    if (!any) {
        char *others = others_line(&collection->others);
        fprintf(stderr, "grade: there is no file of a lab%s%s\n",
                *others != '\0' ? ", but there is " : "", others);
        free(others);
    }
    return any ? 0 : 1;
}

// Reads the options. Returns the index of the first path.
static int read_options(struct collection *collection, bool *quiet, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("%s\n%s", gather_help, help);
        exit(0);
    }
    if (argc < 4 || strcmp(argv[1], "--into") != 0) {
        usage();
    }
    collection->tree = argv[2];
    *quiet = strcmp(argv[3], "--quiet") == 0;
    int first = 3 + *quiet;
    if (first + 1 < argc && strcmp(argv[first], "--lab") == 0) {
        collection->sources.lab = lab_number(argv[first + 1]);
        first += 2;
    }
    if (first == argc) {
        usage();
    }
    return first;
}

// The paths, and "--as NAME PATH". Returns false if one cannot be read.
static bool look_at_paths(struct collection *collection, int count, char **paths)
{
    bool fine = true;
    for (int i = 0; i < count && fine; i++) {
        const char *name = NULL;
        if (strcmp(paths[i], "--as") == 0) {
            if (i + 2 >= count) {
                usage();
            }
            name = paths[i + 1];
            i += 2;
        } else {
            name = last_part(paths[i]);
        }
        fine = look_at(collection, paths[i], name);
    }
    return fine;
}

// The exit status. Says why nothing was collected.
static int conclude(const struct collection *collection, bool quiet)
{
    if (collection->unreadable[0] != '\0') {
        fprintf(stderr, "grade: %s\n", collection->unreadable);
        return 3;
    }
    if (collection->sources.refusal[0] != '\0') {
        const char *refusal = collection->sources.refusal;
        char *clean = report_clean(refusal, strlen(refusal)),
             *line = progress_line(clean);
        fprintf(stderr, "grade: %s\n", line);
        free(line);
        free(clean);
        return 1;
    }
    return quiet ? 0 : tell(collection);
}

int collect_command(const char *root, int argc, char **argv)
{
    struct collection *collection = grader_alloc(sizeof *collection);
    collection->root = root;
    sources_begin(&collection->sources);
    others_begin(&collection->others, root);
    collection->sources.others = &collection->others;
    set_limits();
    setlocale(LC_CTYPE, "C.UTF-8"); // libarchive needs a UTF-8 locale for names
    bool quiet = false;
    const int first = read_options(collection, &quiet, argc, argv);
    if (!quiet) {
        need_empty(collection);
    }
    if (mkdir(collection->tree, 0777) != 0 && errno != EEXIST) {
        grader_fail("cannot make %s: %s", collection->tree, strerror(errno));
    }
    struct fingerprints known = own_skeletons(root);
    if (look_at_paths(collection, argc - first, argv + first)) {
        read_archives(collection);
    }
    note_elsewhere(collection);
    note_empty(collection);
    write_manifest(collection, &known);
    const int code = conclude(collection, quiet);
    fingerprints_free(&known);
    others_end(&collection->others);
    sources_end(&collection->sources);
    free(collection);
    return code;
}
