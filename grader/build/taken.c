// taken.c - see taken.h. Reads the relocations of an object.
//
//     call linear              PLT32 or PC32: a call, found in the machine code (calls.c)
//     f = linear               GOTPCREL and its relatives
//     f = helper               none, if it is static: found in the machine code, too
//     static f *table[] = {linear, helper}    64, in a section with data

#include "build/taken.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/elf_file.h"

static bool is_address(uint32_t type)
{
    return type == R_X86_64_64 || type == R_X86_64_GOTPCREL ||
           type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

static void add(struct taken *taken, const char *name)
{
    for (size_t i = 0; i < taken->count; i++) {
        if (strcmp(taken->names[i], name) == 0) {
            return;
        }
    }
    taken->names = grader_resize(taken->names, (taken->count + 1) * sizeof *taken->names);
    taken->names[taken->count++] = grader_print("%s", name);
}

static bool is_code(const struct elf_file *file, const Elf64_Sym *symbol)
{
    const Elf64_Shdr *section = elf_section(file, symbol->st_shndx);
    return section != NULL && (section->sh_flags & SHF_EXECINSTR) != 0;
}

static void note(struct taken *taken, const struct elf_file *file,
                 const struct elf_symbols *table, const Elf64_Rela *relocation)
{
    const uint64_t index = ELF64_R_SYM(relocation->r_info);
    if (index >= table->count || !is_address(ELF64_R_TYPE(relocation->r_info))) {
        return;
    }
    const Elf64_Sym *symbol = &table->symbol[index];
    const char *name = elf_name(table, symbol);
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) {
        taken->local = taken->local || is_code(file, symbol);
    } else if (name != NULL && (symbol->st_shndx == SHN_UNDEF || is_code(file, symbol))) {
        add(taken, name);
    }
}

// The relocations of a section that is loaded, and whose addresses the program itself reads.
static bool is_read(const struct elf_file *file, const Elf64_Shdr *relocations)
{
    const Elf64_Shdr *section = elf_section(file, relocations->sh_info);
    return relocations->sh_type == SHT_RELA && section != NULL &&
           (section->sh_flags & SHF_ALLOC) != 0 && section->sh_type != SHT_INIT_ARRAY &&
           section->sh_type != SHT_FINI_ARRAY &&
           relocations->sh_offset % _Alignof(Elf64_Rela) == 0;
}

static void read_section(struct taken *taken, const struct elf_file *file,
                         const struct elf_symbols *table, const Elf64_Shdr *relocations)
{
    const Elf64_Rela *relocation =
        is_read(file, relocations)
            ? elf_piece(file, relocations->sh_offset, relocations->sh_size)
            : NULL;
    for (size_t r = 0;
         relocation != NULL && r < relocations->sh_size / sizeof *relocation; r++) {
        note(taken, file, table, &relocation[r]);
    }
}

void taken_read(struct taken *taken, const char *object)
{
    *taken = (struct taken){.names = NULL};
    struct elf_file file;
    struct elf_symbols table;
    if (!elf_read(&file, object)) {
        return;
    }
    const Elf64_Ehdr *head = (const void *)file.bytes;
    const bool readable = head->e_machine == EM_X86_64 && elf_symbols(&file, &table);
    const Elf64_Shdr *section;
    for (size_t i = 0; readable && (section = elf_section(&file, i)) != NULL; i++) {
        read_section(taken, &file, &table, section);
    }
    free(file.bytes);
}

void taken_free(struct taken *taken)
{
    for (size_t i = 0; i < taken->count; i++) {
        free(taken->names[i]);
    }
    free(taken->names);
    *taken = (struct taken){.names = NULL};
}
