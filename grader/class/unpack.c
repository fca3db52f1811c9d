// unpack.c - see unpack.h. libarchive reads the formats; this file decides what is allowed.

#define _GNU_SOURCE
#include "class/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "class/names.h"
#include "base/memory.h"
#include "common/utf8.h"
#include "report/text.h"

// A workbook with its build folder stays below these limits.
enum {
    MOST_ENTRIES = 20000,
    MOST_MEGABYTES = 512,      // unpacked, of all entries
    RATIO_FROM_MEGABYTES = 32, // above this size, the compression ratio is limited
    MOST_RATIO = 200,
    MOST_SECONDS = 20, // of processor time
    LONGEST_NAME = 1024,
};

static const int64_t MEGABYTE = 1 << 20;

struct unpacking {
    struct sources *sources;
    struct archive *archive;
    struct archive *layer; // decompresses a tar archive; NULL if it is not compressed
    const char *name;      // name of the archive
    int64_t packed;        // its size
    int64_t grown;         // bytes decompressed so far
    int64_t unpacked;      // total of the announced entry sizes
    int entries;
    char person[NAME_LENGTH]; // whose files came first, in a platform's export
};

// Detects the compression by the first bytes. Only one layer is removed: by default
// libarchive removes all layers, and a few kilobytes in three layers keep it busy for
// hours.
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

// ---- sizes --------------------------------------------------------------------------------

static bool is_too_much(struct unpacking *unpacking, int64_t bytes)
{
    if (bytes > MOST_MEGABYTES * MEGABYTE || (bytes > RATIO_FROM_MEGABYTES * MEGABYTE &&
                                              bytes / MOST_RATIO > unpacking->packed)) {
        return !sources_refuse(unpacking->sources,
                               "%s is too large when unpacked (%lld megabytes from %lld "
                               "bytes)",
                               unpacking->name, (long long)(bytes / MEGABYTE),
                               (long long)unpacking->packed);
    }
    return clock() > (clock_t)MOST_SECONDS * CLOCKS_PER_SEC &&
           !sources_refuse(unpacking->sources, "%s takes more than %d seconds to unpack",
                           unpacking->name, (int)MOST_SECONDS);
}

static bool holds_too_much(struct unpacking *unpacking, struct archive_entry *entry)
{
    int64_t announced = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
    if (announced < 0 || announced > MOST_MEGABYTES * MEGABYTE) {
        announced = MOST_MEGABYTES * MEGABYTE + 1;
    }
    unpacking->unpacked += announced;
    if (++unpacking->entries > MOST_ENTRIES) {
        return !sources_refuse(unpacking->sources, "%s holds more than %d files",
                               unpacking->name, (int)MOST_ENTRIES);
    }
    return is_too_much(unpacking, unpacking->unpacked);
}

// ---- the two readers ----------------------------------------------------------------------

static bool damaged(struct unpacking *unpacking)
{
    // The library's message ("ZIP decompression failed (-5)") is not helpful.
    return sources_refuse(unpacking->sources,
                          "%s cannot be unpacked: it is damaged or has a password",
                          unpacking->name);
}

static bool unknown(struct unpacking *unpacking)
{
    return sources_refuse(
        unpacking->sources,
        "%s cannot be unpacked: it is damaged, or not a zip or tar archive",
        unpacking->name);
}

// libarchive's callback: the next bytes of a compressed tar archive. Each block is counted
// as it is decompressed, so data between entries counts, too.
static la_ssize_t read_layer(struct archive *archive, void *context, const void **bytes)
{
    struct unpacking *unpacking = context;
    size_t size = 0;
    la_int64_t offset;
    int status = ARCHIVE_OK;
    while (size == 0 && status == ARCHIVE_OK) {
        status = archive_read_data_block(unpacking->layer, bytes, &size, &offset);
    }
    unpacking->grown += (int64_t)size;
    if ((status != ARCHIVE_OK && status != ARCHIVE_EOF) ||
        is_too_much(unpacking, unpacking->grown)) {
        archive_set_error(archive, EIO, "refused");
        return -1;
    }
    return (la_ssize_t)size;
}

// Opens one layer of compression as an archive of "raw" format with a single entry.
static bool open_layer(struct unpacking *unpacking, int descriptor, int filter)
{
    struct archive_entry *entry;
    unpacking->layer = archive_read_new();
    if (unpacking->layer == NULL) {
        grader_fail("out of memory");
    }
    archive_read_support_format_raw(unpacking->layer);
    archive_read_append_filter(unpacking->layer, filter);
    return archive_read_open_fd(unpacking->layer, descriptor, 64 * 1024) == ARCHIVE_OK &&
           archive_read_next_header(unpacking->layer, &entry) == ARCHIVE_OK;
}

// A zip archive is read through the directory at its end. Without it (a truncated file or
// stream) the sizes of its files are unknown.
static bool open_formats(struct unpacking *unpacking, int descriptor)
{
    struct archive *archive = unpacking->archive;
    int filter = compression(descriptor), status;
    archive_read_support_format_tar(archive);
    archive_read_append_filter(archive, ARCHIVE_FILTER_NONE);
    if (filter != ARCHIVE_FILTER_NONE) {
        status = open_layer(unpacking, descriptor, filter)
                     ? archive_read_open(archive, unpacking, NULL, read_layer, NULL)
                     : ARCHIVE_FATAL;
    } else {
        archive_read_support_format_zip_seekable(archive);
        status = archive_read_open_fd(archive, descriptor, 64 * 1024);
    }
    return status == ARCHIVE_OK || unknown(unpacking);
}

// ---- names --------------------------------------------------------------------------------

static bool leads_outside(const char *path)
{
    bool drive = isalpha((unsigned char)path[0]) && path[1] == ':' && path[2] == '/';
    if (path[0] == '/' || drive) {
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

// A copy of a name with / instead of \, which some Windows programs use. Caller frees.
static char *with_slashes(const char *name)
{
    char *path = grader_print("%s", name);
    for (char *at = path; *at != '\0'; at++) {
        *at = *at == '\\' ? '/' : *at;
    }
    return path;
}

// Names in Windows zip files use an unknown code page. The names of a lab's files and
// folders are ASCII; other names only need to stay distinct. So bytes that are not UTF-8
// become %9A. Caller frees.
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
                   "%s has a file with an unusable name%s%s (control characters, empty "
                   "or too long)",
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
        sources_refuse(unpacking->sources,
                       "%s has a file with a path outside of the "
                       "archive: %s",
                       unpacking->name, path);
    }
    free(given);
    if (refused) {
        free(path);
        return NULL;
    }
    return path;
}

// ---- entries ------------------------------------------------------------------------------

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

// True if the archive has the files of two people under a platform's names: it is the
// export of a class, which somebody forgot to unpack.
static bool is_export(struct unpacking *unpacking, const char *path)
{
    char first[NAME_LENGTH], person[NAME_LENGTH];
    path += strncmp(path, "./", 2) == 0 ? 2 : 0;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(path, "/"), path);
    if (!names_platform(first, person, sizeof person)) {
        return false;
    }
    if (unpacking->person[0] == '\0') {
        strcpy(unpacking->person, person);
    }
    return strcmp(unpacking->person, person) != 0;
}

static bool look_at(struct unpacking *unpacking, struct archive_entry *entry,
                    const char *path)
{
    int line;
    struct source *source = sources_find(unpacking->sources, path, &line);
    if (is_export(unpacking, path)) {
        return sources_refuse(
            unpacking->sources,
            "%s is a platform's export of a class, not a hand-in: unpack "
            "it, and grade its folder",
            unpacking->name);
    }
    bool link = archive_entry_hardlink(entry) != NULL;
    mode_t type = archive_entry_filetype(entry);
    if (archive_entry_is_encrypted(entry)) {
        return sources_refuse(unpacking->sources, "%s has a password", unpacking->name);
    }
    if (link || (type != AE_IFREG && type != AE_IFDIR)) {
        if (source != NULL) {
            others_note_special(unpacking->sources->others, path,
                                link || type == AE_IFLNK);
        }
        return true;
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
        bool fine = path != NULL && !holds_too_much(unpacking, entry) &&
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
               sources_refuse(sources, "%s is not a zip or tar archive", name);
    }
    archive_read_free(unpacking.archive);
    archive_read_free(unpacking.layer);
    sources->origin = NULL;
    return fine;
}
