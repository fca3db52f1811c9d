// unpack.c - see unpack.h. libarchive knows the formats; what may be in one is decided here.

#define _GNU_SOURCE
#include "class/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/utf8.h"
#include "judge/memory.h"
#include "report/report.h"

// A workbook with everything that was built in it stays below these.
enum {
    MOST_ENTRIES = 20000,
    MOST_MEGABYTES = 512,      // unpacked, of all entries
    RATIO_FROM_MEGABYTES = 32, // from here on the two sizes are compared
    MOST_RATIO = 200,
    LONGEST_NAME = 1024,
};

static const int64_t MEGABYTE = 1 << 20;

struct unpacking {
    struct sources *sources;
    struct archive *archive;
    const char *name; // of the archive
    int64_t packed;   // its size
    int64_t unpacked; // by the sizes its entries announce
    int entries;
};

// How a file is compressed, by its first bytes: one layer is taken off. Left to itself libarchive
// takes off as many as there are, and a few kilobytes in three layers keep it busy for hours.
static int compression(int descriptor)
{
    static const struct {
        const char *begins;
        size_t length;
        int filter;
    } kinds[] = {
        {"\x1f\x8b", 2, ARCHIVE_FILTER_GZIP},
        {"BZh", 3, ARCHIVE_FILTER_BZIP2},
        {"\xfd"
         "7zXZ",
         5, ARCHIVE_FILTER_XZ},
        {"\x28\xb5\x2f\xfd", 4, ARCHIVE_FILTER_ZSTD},
    };
    char first[5] = "";
    ssize_t size = pread(descriptor, first, sizeof first, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (size >= (ssize_t)kinds[i].length &&
            memcmp(first, kinds[i].begins, kinds[i].length) == 0) {
            return kinds[i].filter;
        }
    }
    return ARCHIVE_FILTER_NONE;
}

static bool open_formats(struct unpacking *unpacking, int descriptor)
{
    struct archive *archive = unpacking->archive;
    archive_read_support_format_zip(archive);
    archive_read_support_format_tar(archive);
    archive_read_append_filter(archive, compression(descriptor));
    if (archive_read_open_fd(archive, descriptor, 64 * 1024) != ARCHIVE_OK) {
        return sources_refuse(
            unpacking->sources,
            "%s is no zip or tar archive, or damaged: it cannot be unpacked",
            unpacking->name);
    }
    return true;
}

// ---- names --------------------------------------------------------------------------------

static bool leads_outside(const char *path)
{
    if (path[0] == '/' || (path[0] != '\0' && path[1] == ':')) {
        return true;
    }
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool is_odd(const char *path)
{
    size_t length = strlen(path);
    char *clean = report_clean(path, length);
    bool odd = strcmp(clean, path) != 0 || strpbrk(path, "\n\t") != NULL ||
               length > LONGEST_NAME || length == 0;
    free(clean);
    return odd;
}

// A copy of a name with / between its parts, as some Windows programs do not write them. Caller
// frees.
static char *with_slashes(const char *name)
{
    char *path = grader_print("%s", name);
    for (char *at = path; *at != '\0'; at++) {
        *at = *at == '\\' ? '/' : *at;
    }
    return path;
}

// Windows' own zips have names in the code page of whoever made them, and do not say which. What
// a lab's file and folder are called is ASCII: of any other name it is enough that two of them
// stay two. So bytes that are no UTF-8 become %9A. Caller frees.
static char *as_utf8(const char *name)
{
    struct text text;
    text_begin(&text);
    while (*name != '\0') {
        size_t fine = lab_utf8_prefix(name);
        fwrite(name, 1, fine, text.file);
        name += fine;
        if (*name != '\0') {
            fprintf(text.file, "%%%02X", (unsigned char)*name++);
        }
    }
    return text_end(&text);
}

static void refuse_odd(struct unpacking *unpacking, const char *name)
{
    char *clean = report_clean(name, strnlen(name, 80));
    sources_refuse(unpacking->sources,
                   "%s holds a file with an odd name%s%s (control characters, empty or "
                   "too long)",
                   unpacking->name, *clean != '\0' ? ": " : "", clean);
    free(clean);
}

// An entry's path in UTF-8; NULL: refused. Caller frees.
static char *entry_path(struct unpacking *unpacking, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    char *given = with_slashes(name != NULL ? name : ""), *path = as_utf8(given);
    bool refused = is_odd(path);
    if (refused) {
        refuse_odd(unpacking, given);
    } else if (leads_outside(given) || leads_outside(path)) {
        refused = true;
        sources_refuse(unpacking->sources, "%s holds a file that leads outside: %s",
                       unpacking->name, path);
    }
    free(given);
    if (refused) {
        free(path);
        return NULL;
    }
    return path;
}

// ---- sizes --------------------------------------------------------------------------------

static bool is_too_much(struct unpacking *unpacking, struct archive_entry *entry)
{
    int64_t announced = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
    int64_t read = archive_filter_bytes(unpacking->archive, 0);
    if (announced < 0 || announced > MOST_MEGABYTES * MEGABYTE) {
        announced = MOST_MEGABYTES * MEGABYTE + 1;
    }
    unpacking->unpacked += announced;
    int64_t total = unpacking->unpacked > read ? unpacking->unpacked : read;
    if (++unpacking->entries > MOST_ENTRIES) {
        sources_refuse(unpacking->sources, "%s holds more than %d files", unpacking->name,
                       (int)MOST_ENTRIES);
    } else if (total > MOST_MEGABYTES * MEGABYTE ||
               (total > RATIO_FROM_MEGABYTES * MEGABYTE &&
                total / MOST_RATIO > unpacking->packed)) {
        sources_refuse(unpacking->sources,
                       "%s grows to more than it may when it is unpacked (%lld "
                       "megabytes from %lld bytes)",
                       unpacking->name, (long long)(total / MEGABYTE),
                       (long long)unpacking->packed);
    } else {
        return false;
    }
    return true;
}

// ---- entries ------------------------------------------------------------------------------

static bool damaged(struct unpacking *unpacking)
{
    // What the library says ("ZIP decompression failed (-5)") helps nobody to mend it.
    return sources_refuse(unpacking->sources,
                          "%s is damaged or has a password: it cannot be unpacked",
                          unpacking->name);
}

static bool take(struct unpacking *unpacking, struct source *source, int line,
                 const char *path)
{
    char *bytes = grader_alloc(LARGEST_SOURCE + 1);
    size_t size = 0;
    for (;;) {
        la_ssize_t got = archive_read_data(unpacking->archive, bytes + size,
                                           LARGEST_SOURCE + 1 - size);
        if (got < 0) {
            free(bytes);
            return damaged(unpacking);
        }
        size += (size_t)got;
        if (got == 0 || size > LARGEST_SOURCE) {
            break;
        }
    }
    bool taken = sources_take(unpacking->sources, source, line, path, bytes, size);
    free(bytes);
    return taken;
}

static bool look_at(struct unpacking *unpacking, struct archive_entry *entry,
                    const char *path)
{
    int line;
    struct source *source = sources_find(unpacking->sources, path, &line);
    bool link = archive_entry_hardlink(entry) != NULL;
    mode_t type = archive_entry_filetype(entry);
    if (archive_entry_is_encrypted(entry)) {
        return sources_refuse(unpacking->sources, "%s has a password", unpacking->name);
    }
    if (link || (type != AE_IFREG && type != AE_IFDIR)) {
        // Of a folder that is not looked into it may come from a build.
        char *inside = grader_print("%s/", path);
        char *slash = strchr(inside, '/');
        bool silent = false;
        for (char *part = inside; slash != NULL && !silent; slash = strchr(part, '/')) {
            *slash = '\0';
            silent = sources_skip(part);
            part = slash + 1;
        }
        free(inside);
        return silent || sources_refuse(unpacking->sources,
                                        "%s is a link, a device or a pipe", path);
    }
    if (source == NULL && type == AE_IFREG && unpacking->sources->others != NULL) {
        others_note(unpacking->sources->others, path);
        sources_note_elsewhere(unpacking->sources, path);
    }
    return source == NULL || type != AE_IFREG || take(unpacking, source, line, path);
}

static bool read_entries(struct unpacking *unpacking)
{
    for (;;) {
        struct archive_entry *entry;
        int status = archive_read_next_header(unpacking->archive, &entry);
        if (status == ARCHIVE_EOF) {
            return true;
        }
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
            return damaged(unpacking);
        }
        char *path = entry_path(unpacking, entry);
        bool fine = path != NULL && !is_too_much(unpacking, entry) &&
                    look_at(unpacking, entry, path);
        free(path);
        if (!fine) {
            return false;
        }
    }
}

bool unpack(struct sources *sources, int descriptor, const char *name)
{
    struct stat status;
    struct unpacking unpacking = {
        .sources = sources, .archive = archive_read_new(), .name = name};
    if (unpacking.archive == NULL) {
        grader_fail("out of memory");
    }
    sources->origin = name;
    unpacking.packed = fstat(descriptor, &status) == 0 ? status.st_size : 0;
    bool fine = open_formats(&unpacking, descriptor) && read_entries(&unpacking);
    if (fine && unpacking.entries == 0 && unpacking.packed > 0) {
        // An empty archive is fine, any other bytes are not one.
        fine = archive_format(unpacking.archive) != 0 ||
               sources_refuse(sources, "%s is no zip or tar archive", name);
    }
    archive_read_free(unpacking.archive);
    sources->origin = NULL;
    return fine;
}
