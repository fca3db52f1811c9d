// symbols.c - reads the symbol table of an object file. nm would take up to twenty
// milliseconds, because it first loads all plugins, including a whole compiler.

#define _GNU_SOURCE
#include "build/symbols.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/elf_file.h"

// Adds the symbols of one table to the two lists.
static void sort_out(struct symbols *symbols, const struct elf_symbols *table)
{
    symbols->defined = grader_alloc(table->count * sizeof *symbols->defined);
    symbols->needed = grader_alloc(table->count * sizeof *symbols->needed);
    for (size_t i = 0; i < table->count; i++) {
        const Elf64_Sym *symbol = &table->symbol[i];
        const char *name = elf_name(table, symbol);
        if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL || name == NULL) {
            continue;
        }
        if (symbol->st_shndx == SHN_UNDEF) {
            symbols->needed[symbols->needed_count++] = name;
        } else {
            symbols->defined[symbols->defined_count++] = name;
        }
    }
}

static void add_bytes(size_t *sum, size_t bytes)
{
    *sum = bytes > SIZE_MAX - *sum ? SIZE_MAX : *sum + bytes;
}

// With what an alignment may add in front: 4 bytes aligned to 16 megabytes have as much of them before.
static void add_aligned(size_t *sum, size_t bytes, size_t alignment)
{
    add_bytes(sum, bytes);
    add_bytes(sum, alignment > 1 ? alignment - 1 : 0);
}

// Of the sections that a program may write, and of variables that the linker will lay out; and of
// all others that it loads.
static void count_bytes(struct symbols *symbols, const struct elf_file *object,
                        const struct elf_symbols *table)
{
    const Elf64_Shdr *section;
    for (size_t i = 0; (section = elf_section(object, i)) != NULL; i++) {
        size_t *sum = (section->sh_flags & SHF_WRITE) != 0 ? &symbols->variable_bytes
                                                           : &symbols->constant_bytes;
        if ((section->sh_flags & SHF_ALLOC) != 0) {
            add_aligned(sum, section->sh_size, section->sh_addralign);
        }
    }
    for (size_t i = 0; i < table->count; i++) {
        const Elf64_Sym *symbol = &table->symbol[i];
        if (symbol->st_shndx == SHN_COMMON) { // its value is its alignment
            add_aligned(&symbols->variable_bytes, symbol->st_size, symbol->st_value);
        }
    }
}

static size_t named_variables(const struct elf_file *object,
                              const struct elf_symbols *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const Elf64_Sym *symbol = &table->symbol[i];
        const int type = ELF64_ST_TYPE(symbol->st_info);
        const Elf64_Shdr *section = symbol->st_shndx < SHN_LORESERVE
                                        ? elf_section(object, symbol->st_shndx)
                                        : NULL;
        const bool writable = section != NULL && (section->sh_flags & SHF_WRITE) != 0;
        const char *name = elf_name(table, symbol);
        // The compiler's own labels begin with .L. Assembly can give a variable any other type, or none.
        const bool own = type == STT_SECTION || type == STT_FILE || name == NULL ||
                         *name == '\0' || strncmp(name, ".L", 2) == 0;
        count += type == STT_TLS || symbol->st_shndx == SHN_COMMON || (writable && !own);
    }
    return count;
}

// A linker collects the functions that a program runs before main by the names of sections.
// AddressSanitizer adds one to each file.
static size_t early_functions(const struct elf_file *object,
                              const struct elf_symbols *table)
{
    static const char *const lists[] = {".init_array", ".preinit_array", ".ctors"};
    size_t count = 0;
    const Elf64_Shdr *section;
    for (size_t i = 0; (section = elf_section(object, i)) != NULL; i++) {
        const char *name = elf_section_name(object, section);
        bool list =
            section->sh_type == SHT_INIT_ARRAY || section->sh_type == SHT_PREINIT_ARRAY;
        for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
            list = list || strncmp(name, lists[l], strlen(lists[l])) == 0;
        }
        count += list ? (size_t)(section->sh_size / sizeof(uint64_t)) : 0;
        count += strcmp(name, ".init") == 0; // code that is run itself
    }
    for (size_t i = 0; i < table->count; i++) {
        count += ELF64_ST_TYPE(table->symbol[i].st_info) == STT_GNU_IFUNC;
    }
    return count;
}

bool symbols_read(struct symbols *symbols, const char *path)
{
    *symbols = (struct symbols){.file = NULL};
    struct elf_file object;
    struct elf_symbols table;
    if (!elf_read(&object, path)) {
        return false;
    }
    if (!elf_symbols(&object, &table)) {
        free(object.bytes);
        return false;
    }
    symbols->file = object.bytes;
    count_bytes(symbols, &object, &table);
    symbols->named_variables = named_variables(&object, &table);
    symbols->early_functions = early_functions(&object, &table);
    sort_out(symbols, &table);
    return true;
}

void symbols_free(struct symbols *symbols)
{
    free(symbols->file);
    free(symbols->defined);
    free(symbols->needed);
    *symbols = (struct symbols){.file = NULL};
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

static bool segment_loads(const struct elf_file *file, const Elf64_Phdr *segment)
{
    if (segment->p_type == PT_GNU_STACK) {
        return (segment->p_flags & PF_X) == 0;
    }
    if (segment->p_type != PT_DYNAMIC) {
        return true;
    }
    return segment->p_offset % _Alignof(Elf64_Dyn) == 0 &&
           !wants_static_tls(elf_piece(file, segment->p_offset, segment->p_filesz),
                             segment->p_filesz / sizeof(Elf64_Dyn));
}

bool symbols_loadable(const char *path)
{
    struct elf_file file;
    if (!elf_read(&file, path)) {
        return false;
    }
    const Elf64_Ehdr *head = (const void *)file.bytes;
    const Elf64_Phdr *segments =
        head->e_phentsize == sizeof *segments && head->e_phoff % _Alignof(Elf64_Phdr) == 0
            ? elf_piece(&file, head->e_phoff, (uint64_t)head->e_phnum * sizeof *segments)
            : NULL;
    bool loadable = segments != NULL;
    for (size_t i = 0; loadable && i < head->e_phnum; i++) {
        loadable = segment_loads(&file, &segments[i]);
    }
    free(file.bytes);
    return loadable;
}
