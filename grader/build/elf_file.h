// elf_file.h - reads object files and programs (64-bit ELF). Checks every offset, because a file
// may be forged.

#ifndef GRADER_ELF_FILE_H
#define GRADER_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
    char *bytes; // free it
    size_t size;
};

// Reads a whole file. Returns false if it is not a 64-bit ELF file.
bool elf_read(struct elf_file *file, const char *path);

// A part of the file, or NULL if it is not completely inside.
const void *elf_piece(const struct elf_file *file, uint64_t offset, uint64_t bytes);

// The section with this index, or NULL.
const Elf64_Shdr *elf_section(const struct elf_file *file, size_t index);

// The name of a section, or "".
const char *elf_section_name(const struct elf_file *file, const Elf64_Shdr *section);

// The symbol table; points into the file. Returns false if there is none.
struct elf_symbols {
    const Elf64_Sym *symbol;
    size_t count;
    const char *names;
    size_t names_size;
};
bool elf_symbols(const struct elf_file *file, struct elf_symbols *table);

// The name of a symbol, or NULL if it has none.
const char *elf_name(const struct elf_symbols *table, const Elf64_Sym *symbol);

#endif
