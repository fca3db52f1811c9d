// image.c - see image.h.

#include "build/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/elf_file.h"

static bool is_relocatable(const struct elf_file *file)
{
    return ((const Elf64_Ehdr *)(const void *)file->bytes)->e_type == ET_REL;
}

// Adds a symbol if it is a function whose code is in the file.
static void add(struct image *image, const struct elf_file *file,
                const struct elf_symbols *table, const Elf64_Sym *symbol)
{
    const Elf64_Shdr *section = elf_section(file, symbol->st_shndx);
    const char *name = elf_name(table, symbol);
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || name == NULL || section == NULL ||
        section->sh_type != SHT_PROGBITS) {
        return;
    }
    const uint64_t base = is_relocatable(file) ? 0 : section->sh_addr;
    const uint8_t *code =
        elf_piece(file, section->sh_offset + (symbol->st_value - base), symbol->st_size);
    const bool local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
    if (code != NULL) {
        image->functions[image->count++] =
            (struct image_function){name, local, symbol->st_value, code, symbol->st_size};
    }
}

static int by_address(const void *a, const void *b)
{
    const struct image_function *first = a, *second = b;
    return (first->address > second->address) - (first->address < second->address);
}

// Of the same name, the lower address comes first.
static int by_name(const void *a, const void *b)
{
    const struct image_function *const *first = a, *const *second = b;
    const int order = strcmp((*first)->name, (*second)->name);
    return order != 0 ? order : by_address(*first, *second);
}

static void sort(struct image *image)
{
    qsort(image->functions, image->count, sizeof *image->functions, by_address);
    image->by_name = grader_alloc(image->count * sizeof *image->by_name);
    for (size_t i = 0; i < image->count; i++) {
        image->by_name[i] = &image->functions[i];
    }
    qsort(image->by_name, image->count, sizeof *image->by_name, by_name);
}

bool image_read(struct image *image, const char *path)
{
    *image = (struct image){.file = NULL};
    struct elf_file file;
    struct elf_symbols table;
    if (!elf_read(&file, path)) {
        return false;
    }
    const Elf64_Ehdr *head = (const void *)file.bytes;
    if (head->e_machine != EM_X86_64 || !elf_symbols(&file, &table)) {
        free(file.bytes);
        return false;
    }
    image->file = file.bytes;
    image->functions = grader_alloc(table.count * sizeof *image->functions);
    for (size_t i = 0; i < table.count; i++) {
        add(image, &file, &table, &table.symbol[i]);
    }
    sort(image);
    return true;
}

void image_free(struct image *image)
{
    free(image->file);
    free(image->functions);
    free(image->by_name);
    *image = (struct image){.file = NULL};
}

const struct image_function *image_find(const struct image *image, uint64_t address)
{
    const struct image_function wanted = {.address = address};
    return bsearch(&wanted, image->functions, image->count, sizeof wanted, by_address);
}

const struct image_function *image_named(const struct image *image, const char *name)
{
    size_t low = 0, high = image->count; // the first that does not come before the name
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(image->by_name[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < image->count && strcmp(image->by_name[low]->name, name) == 0
               ? image->by_name[low]
               : NULL;
}
