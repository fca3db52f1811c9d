// elf_file.c - see elf_file.h.

#define _GNU_SOURCE
#include "build/elf_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const size_t LARGEST_OBJECT = (size_t)1 << 28;

const void *elf_piece(const struct elf_file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset ? file->bytes + offset
                                                                : NULL;
}

// The whole file, followed by a 0.
static struct elf_file read_whole(const char *path)
{
    struct elf_file whole = {NULL, 0};
    FILE *file = fopen(path, "re");
    long end = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        end = ftell(file);
    }
    if (end >= 0 && (size_t)end <= LARGEST_OBJECT) {
        whole.bytes = grader_alloc((size_t)end + 1);
        rewind(file);
        whole.size = fread(whole.bytes, 1, (size_t)end, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return whole;
}

bool elf_read(struct elf_file *file, const char *path)
{
    *file = read_whole(path);
    const Elf64_Ehdr *head =
        file->bytes != NULL ? elf_piece(file, 0, sizeof *head) : NULL;
    if (head != NULL && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
        head->e_ident[EI_CLASS] == ELFCLASS64 &&
        head->e_shentsize == sizeof(Elf64_Shdr) &&
        head->e_shoff % _Alignof(Elf64_Shdr) == 0) {
        return true;
    }
    free(file->bytes);
    *file = (struct elf_file){NULL, 0};
    return false;
}

const Elf64_Shdr *elf_section(const struct elf_file *file, size_t index)
{
    const Elf64_Ehdr *head = (const void *)file->bytes;
    const Elf64_Shdr *sections =
        elf_piece(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    return sections != NULL && index < head->e_shnum ? &sections[index] : NULL;
}

const char *elf_section_name(const struct elf_file *file, const Elf64_Shdr *section)
{
    const Elf64_Ehdr *head = (const void *)file->bytes;
    const Elf64_Shdr *strings = elf_section(file, head->e_shstrndx);
    const char *names =
        strings != NULL ? elf_piece(file, strings->sh_offset, strings->sh_size) : NULL;
    const uint32_t at = section->sh_name;
    return names != NULL && at < strings->sh_size &&
                   memchr(names + at, '\0', strings->sh_size - at) != NULL
               ? names + at
               : "";
}

bool elf_symbols(const struct elf_file *file, struct elf_symbols *table)
{
    const Elf64_Shdr *section;
    for (size_t i = 0; (section = elf_section(file, i)) != NULL; i++) {
        const Elf64_Shdr *strings = elf_section(file, section->sh_link);
        if (section->sh_type != SHT_SYMTAB || strings == NULL ||
            section->sh_offset % _Alignof(Elf64_Sym) != 0) {
            continue;
        }
        *table = (struct elf_symbols){
            .symbol = elf_piece(file, section->sh_offset, section->sh_size),
            .count = section->sh_size / sizeof *table->symbol,
            .names = elf_piece(file, strings->sh_offset, strings->sh_size),
            .names_size = strings->sh_size};
        if (table->symbol != NULL && table->names != NULL) {
            return true; // an object has only one
        }
    }
    return false;
}

const char *elf_name(const struct elf_symbols *table, const Elf64_Sym *symbol)
{
    const uint32_t at = symbol->st_name;
    return at != 0 && at < table->names_size &&
                   memchr(table->names + at, '\0', table->names_size - at) != NULL
               ? table->names + at
               : NULL;
}
