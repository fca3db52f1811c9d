// symbols.c - reads the symbol table of an object file. nm would take up to twenty
// milliseconds, because it first loads all plugins, including a whole compiler.

#define _GNU_SOURCE
#include "build/symbols.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const size_t LARGEST_OBJECT = (size_t)1 << 28;

// A part of the file, or NULL if it is not completely inside.
static const void *piece(const char *file, size_t size, uint64_t offset, uint64_t bytes)
{
    return offset <= size && bytes <= size - offset ? file + offset : NULL;
}

// The whole file, followed by a 0; NULL if it cannot be read.
static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *bytes = NULL;
    long end = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        end = ftell(file);
    }
    if (end >= 0 && (size_t)end <= LARGEST_OBJECT) {
        bytes = grader_alloc((size_t)end + 1);
        rewind(file);
        *size = fread(bytes, 1, (size_t)end, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static bool is_object(const char *file, size_t size)
{
    const Elf64_Ehdr *head = piece(file, size, 0, sizeof *head);
    return head != NULL && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
           head->e_ident[EI_CLASS] == ELFCLASS64 &&
           head->e_shentsize == sizeof(Elf64_Shdr) &&
           head->e_shoff % _Alignof(Elf64_Shdr) == 0;
}

// Adds the symbols of one table to the two lists; names is its string table.
static void sort_out(struct symbols *symbols, const Elf64_Sym *table, size_t count,
                     const char *names, size_t names_size)
{
    symbols->defined = grader_alloc(count * sizeof *symbols->defined);
    symbols->needed = grader_alloc(count * sizeof *symbols->needed);
    for (size_t i = 0; i < count; i++) {
        uint32_t at = table[i].st_name;
        if (ELF64_ST_BIND(table[i].st_info) == STB_LOCAL || at == 0 || at >= names_size ||
            memchr(names + at, '\0', names_size - at) == NULL) {
            continue;
        }
        if (table[i].st_shndx == SHN_UNDEF) {
            symbols->needed[symbols->needed_count++] = names + at;
        } else {
            symbols->defined[symbols->defined_count++] = names + at;
        }
    }
}

bool symbols_read(struct symbols *symbols, const char *path)
{
    *symbols = (struct symbols){NULL, NULL, NULL, 0, 0};
    size_t size = 0;
    char *file = read_whole(path, &size);
    if (file == NULL || !is_object(file, size)) {
        free(file);
        return false;
    }
    const Elf64_Ehdr *head = (const void *)file;
    const Elf64_Shdr *sections =
        piece(file, size, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    for (size_t i = 0; sections != NULL && i < head->e_shnum; i++) {
        const Elf64_Shdr *section = &sections[i];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= head->e_shnum ||
            section->sh_offset % _Alignof(Elf64_Sym) != 0) {
            continue;
        }
        const Elf64_Shdr *strings = &sections[section->sh_link];
        const Elf64_Sym *table = piece(file, size, section->sh_offset, section->sh_size);
        const char *names = piece(file, size, strings->sh_offset, strings->sh_size);
        if (table != NULL && names != NULL) {
            symbols->file = file;
            sort_out(symbols, table, section->sh_size / sizeof *table, names,
                     strings->sh_size);
            return true; // an object has only one
        }
    }
    free(file);
    return false;
}

void symbols_free(struct symbols *symbols)
{
    free(symbols->file);
    free(symbols->defined);
    free(symbols->needed);
    *symbols = (struct symbols){NULL, NULL, NULL, 0, 0};
}

static bool holds(const char **names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool symbols_define(const struct symbols *symbols, const char *name)
{
    return holds(symbols->defined, symbols->defined_count, name);
}

bool symbols_need(const struct symbols *symbols, const char *name)
{
    return holds(symbols->needed, symbols->needed_count, name);
}

// Returns true if the dynamic section requires space in the program's static TLS block.
static bool wants_static_tls(const Elf64_Dyn *entries, size_t count)
{
    for (size_t i = 0; entries != NULL && i < count && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag == DT_FLAGS &&
            (entries[i].d_un.d_val & DF_STATIC_TLS) != 0) {
            return true;
        }
    }
    return false;
}

static bool segment_loads(const char *file, size_t size, const Elf64_Phdr *segment)
{
    if (segment->p_type == PT_GNU_STACK) {
        return (segment->p_flags & PF_X) == 0;
    }
    if (segment->p_type != PT_DYNAMIC) {
        return true;
    }
    return segment->p_offset % _Alignof(Elf64_Dyn) == 0 &&
           !wants_static_tls(piece(file, size, segment->p_offset, segment->p_filesz),
                             segment->p_filesz / sizeof(Elf64_Dyn));
}

bool symbols_loadable(const char *path)
{
    size_t size = 0;
    char *file = read_whole(path, &size);
    bool loadable = file != NULL && is_object(file, size);
    const Elf64_Ehdr *head = (const void *)file;
    const Elf64_Phdr *segments =
        loadable && head->e_phentsize == sizeof *segments &&
                head->e_phoff % _Alignof(Elf64_Phdr) == 0
            ? piece(file, size, head->e_phoff, (uint64_t)head->e_phnum * sizeof *segments)
            : NULL;
    loadable = segments != NULL;
    for (size_t i = 0; loadable && i < head->e_phnum; i++) {
        loadable = segment_loads(file, size, &segments[i]);
    }
    free(file);
    return loadable;
}
