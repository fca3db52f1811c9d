// knowledge.c - see knowledge.h. Start reading at knowledge_load.

#define _GNU_SOURCE
#include "knowledge.h"

#include <elf.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

enum { SHORTEST_LINE = 30, CODE_PIECE = 32, SHORTEST_NAME = 10, MOST_SEEN = 2000 };
enum { KEY = 8, BUCKETS = 1 << 16 };

struct piece {
    char *bytes;
    size_t size; // at least KEY
    bool text;
    bool found;  // by mark_found
    size_t next; // 1 + the next piece in the same bucket, or 0
};

static struct piece *pieces;
static size_t count, room;

// ---- files --------------------------------------------------------------------------------

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *bytes = NULL;
    *size = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        size_t length = (size_t)ftell(file);
        bytes = grader_alloc(length + 1);
        rewind(file);
        *size = fread(bytes, 1, length, file);
        bytes[*size] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static size_t for_each(const char *pattern, void (*take)(char *bytes, size_t size))
{
    glob_t found;
    size_t files = 0;
    if (glob(pattern, 0, NULL, &found) != 0) {
        return 0;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size;
        char *bytes = read_whole(found.gl_pathv[i], &size);
        if (bytes != NULL) {
            take(bytes, size);
            files++;
        }
        free(bytes);
    }
    globfree(&found);
    return files;
}

// ---- what the search looks for ------------------------------------------------------------

static void add(const char *bytes, size_t size, bool text)
{
    if (count == room) {
        room = 2 * room + 1024;
        pieces = grader_resize(pieces, room * sizeof *pieces);
    }
    if (size < KEY) {
        grader_fail("a piece of %zu bytes is too short to search for", size);
    }
    char *copy = grader_alloc(size + 1);
    memcpy(copy, bytes, size);
    pieces[count++] = (struct piece){.bytes = copy, .size = size, .text = text};
}

static void add_line(const char *line, size_t size)
{
    while (size > 0 && *line == ' ') {
        line++;
        size--;
    }
    if (size >= SHORTEST_LINE) {
        add(line, size, true);
    }
}

// The lines between BEGIN SOLUTION and END SOLUTION, or all lines of a file without these
// marks.
static void take_source(char *bytes, size_t size)
{
    bool inside = strstr(bytes, "BEGIN SOLUTION") == NULL;
    (void)size;
    for (char *line = bytes; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *end = line + length;
        bool more = *end != '\0';
        *end = '\0';
        if (strstr(line, "BEGIN SOLUTION") != NULL) {
            inside = true;
        } else if (strstr(line, "END SOLUTION") != NULL) {
            inside = false;
        } else if (inside) {
            add_line(line, length);
        }
        line = more ? end + 1 : end;
    }
}

static bool has_gap(const char *bytes)
{
    for (size_t i = 0; i + 4 <= CODE_PIECE; i++) {
        if (memcmp(bytes + i, "\0\0\0\0", 4) == 0) {
            return true; // filled in by the linker, or padding
        }
    }
    return false;
}

// The end of a function that checks its stack (-fstack-protector, usual in Ubuntu) is alike in
// many functions: registers stored or restored, sub rax, fs:0x28.
static bool checks_stack(const char *bytes)
{
    static const char check[] = "\x64\x48\x2b\x04\x25\x28";
    return memmem(bytes, CODE_PIECE, check, sizeof check - 1) != NULL;
}

// So is the copy of a struct, such as lab 4's view: nothing but moves of 16 bytes, to and from a register
// (movups, movaps, movdqa).
static bool copies_struct(const char *bytes)
{
    enum { MOVES = 4 };
    int moves = 0;
    for (size_t i = 0; i + 2 <= CODE_PIECE; i++) {
        moves += bytes[i] == '\x0f' &&
                 memchr("\x10\x11\x28\x29\x6f\x7f", bytes[i + 1], 6) != NULL;
    }
    return moves >= MOVES;
}

static void take_code(const char *code, size_t size)
{
    for (size_t at = 0; at + CODE_PIECE <= size; at += CODE_PIECE) {
        if (!has_gap(code + at) && !checks_stack(code + at) &&
            !copies_struct(code + at)) {
            add(code + at, CODE_PIECE, false);
        }
    }
}

// "\0name\0", as it appears in a table of names.
static void take_names(const Elf64_Sym *symbols, size_t symbol_count, const char *names)
{
    for (size_t i = 0; i < symbol_count; i++) {
        const char *name = names + symbols[i].st_name;
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
            ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL &&
            strlen(name) >= SHORTEST_NAME && strchr(name, '.') == NULL) {
            char *framed = grader_print("_%s_", name);
            size_t length = strlen(framed);
            framed[0] = framed[length - 1] = '\0';
            add(framed, length, true);
            free(framed);
        }
    }
}

static void take_object(char *bytes, size_t size)
{
    const Elf64_Ehdr *head = (const void *)bytes;
    const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
    (void)size;
    for (size_t i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *section = &sections[i];
        if (section->sh_type == SHT_PROGBITS &&
            (section->sh_flags & SHF_EXECINSTR) != 0) {
            take_code(bytes + section->sh_offset, section->sh_size);
        } else if (section->sh_type == SHT_SYMTAB) {
            take_names((const void *)(bytes + section->sh_offset),
                       section->sh_size / sizeof(Elf64_Sym),
                       bytes + sections[section->sh_link].sh_offset);
        }
    }
}

// ---- the search ---------------------------------------------------------------------------

// All pieces are searched for at once: at each place in a file, the next KEY bytes select a bucket, and
// only the pieces in it are compared.
static size_t bucket_of(const char *bytes)
{
    uint64_t key;
    memcpy(&key, bytes, KEY);
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

// Sets .found of every piece.
static void mark_found(const char *bytes, size_t size)
{
    static size_t buckets[BUCKETS]; // 1 + the first piece, or 0
    memset(buckets, 0, sizeof buckets);
    for (size_t i = 0; i < count; i++) {
        size_t *first = &buckets[bucket_of(pieces[i].bytes)];
        pieces[i].found = false;
        pieces[i].next = *first;
        *first = i + 1;
    }
    for (size_t at = 0; at + KEY <= size; at++) {
        size_t i = buckets[bucket_of(bytes + at)];
        for (; i != 0; i = pieces[i - 1].next) {
            struct piece *piece = &pieces[i - 1];
            piece->found =
                piece->found || (piece->size <= size - at &&
                                 memcmp(bytes + at, piece->bytes, piece->size) == 0);
        }
    }
}

// ---- what everybody has -------------------------------------------------------------------

// Removes the pieces that also occur in this file, because the step may read it or students
// have it.
static void forgive(char *bytes, size_t size)
{
    size_t kept = 0;
    mark_found(bytes, size);
    for (size_t i = 0; i < count; i++) {
        if (!pieces[i].found) {
            pieces[kept++] = pieces[i];
        } else {
            free(pieces[i].bytes);
        }
    }
    count = kept;
}

void knowledge_forgive(const char *pattern)
{
    for_each(pattern, forgive);
}

size_t knowledge_load(const char *skeletons)
{
    bool all = for_each("solutions/[0-9]*/*.c", take_source) > 0;
    all = for_each("solutions/[0-9]*/*.cu", take_source) > 0 && all;
    all = for_each("solutions/fast/[0-9]*/*.c", take_source) > 0 && all;
    for_each("solutions/fast/[0-9]*/*.cu", take_source);
    all = for_each("build/obj/solutions/[0-9]*/*.o", take_object) > 0 && all;
    for_each("labs/[0-9]*/*.h", forgive);
    for_each("labs/common/*.h", forgive);
    for_each("labs/common/gpu/*.h", forgive);
    for_each("grader/gpu/include/*.h", forgive);
    char *pattern = grader_print("%s/[0-9]*/*", skeletons);
    for_each(pattern, forgive);
    free(pattern);
    for_each("build/worker/lib/libcommon.a", forgive);
    for_each("build/lib/libcommon.a", forgive);
    add(EXPECTED_NUMBERS, strlen(EXPECTED_NUMBERS), true);
    return all ? count : 0;
}

static const char *search(const char *path)
{
    size_t size;
    char *bytes = read_whole(path, &size);
    const char *found = NULL;
    if (bytes != NULL) {
        mark_found(bytes, size);
    }
    for (size_t i = 0; bytes != NULL && found == NULL && i < count; i++) {
        const struct piece *piece = &pieces[i];
        if (piece->found) {
            found =
                piece->text ? piece->bytes + (*piece->bytes == '\0') : "compiled code";
        }
    }
    free(bytes);
    return found;
}

const char *knowledge_in(const char *path)
{
    static struct seen {
        struct stat status;
        const char *found;
    } seen[MOST_SEEN];
    static size_t seen_count;
    struct stat status;
    if (stat(path, &status) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < seen_count; i++) {
        const struct stat *other = &seen[i].status;
        if (other->st_ino == status.st_ino && other->st_dev == status.st_dev &&
            other->st_size == status.st_size &&
            memcmp(&other->st_ctim, &status.st_ctim, sizeof status.st_ctim) == 0) {
            return seen[i].found;
        }
    }
    const char *found = search(path);
    if (seen_count < MOST_SEEN) {
        seen[seen_count++] = (struct seen){status, found};
    }
    return found;
}
