// words.c - writes the tables of a lab as C code, without its functions. In a student
// archive, grader/exercises/labNN.c contains them after the adaptors and the code of the
// properties (grader/tools/release.sh).

#include "bank/words.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

// ", .name = "text"", or nothing for NULL.
static void write_string(FILE *file, const char *text)
{
    if (text == NULL) {
        fputs("NULL", file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '"':
        case '\\':
            fprintf(file, "\\%c", *text);
            break;
        case '\n':
            fputs("\\n", file);
            break;
        case '?': // avoid trigraphs
            fputs("\\?", file);
            break;
        default:
            fputc(*text, file);
        }
    }
    fputc('"', file);
}

static void write_field(FILE *file, const char *name, const char *text)
{
    if (text != NULL) {
        fprintf(file, "     .%s = ", name);
        write_string(file, text);
        fputs(",\n", file);
    }
}

// Writes a list that ends with NULL or is full.
static void write_strings(FILE *file, const char *name, const char *const *list,
                          size_t most)
{
    if (list[0] == NULL) {
        return;
    }
    fprintf(file, "     .%s = {", name);
    for (size_t i = 0; i < most && list[i] != NULL; i++) {
        fputs(i > 0 ? ",\n         " : "", file);
        write_string(file, list[i]);
    }
    fputs("},\n", file);
}

// ---- one function -------------------------------------------------------------------------

static void write_properties(FILE *file, const struct part *part)
{
    fprintf(file, "\nstatic const struct property %s_properties[] = {\n", part->function);
    const struct property *property = part->properties;
    for (; property != NULL && property->id != NULL; property++) {
        fputs("    {\n", file);
        write_field(file, "id", property->id);
        write_field(file, "claim", property->claim);
        write_field(file, "dims", property->dims);
        fprintf(file, "     HOLDS(%s)},\n", property->holds_name);
    }
    fputs("    {0},\n};\n", file);
}

static void write_mistakes(FILE *file, const struct part *part)
{
    fprintf(file, "\nstatic const struct mistake %s_mistakes[] = {\n", part->function);
    const struct mistake *mistake = part->mistakes;
    for (; mistake != NULL && mistake->id != NULL; mistake++) {
        fputs("    {\n", file);
        write_field(file, "id", mistake->id);
        write_field(file, "what", mistake->what);
        write_field(file, "why", mistake->why);
        write_field(file, "source", mistake->source);
        fprintf(file, "     .convention = %s,\n     .gpu = %s},\n",
                mistake->convention ? "true" : "false", mistake->gpu ? "true" : "false");
    }
    fputs("    {0},\n};\n", file);
}

static void write_tensors(FILE *file, const struct part *part)
{
    static const char *const roles[] = {[INPUT] = "INPUT",
                                        [OUTPUT] = "OUTPUT",
                                        [WORKSPACE] = "WORKSPACE",
                                        [UPDATED] = "UPDATED",
                                        [WITHHELD] = "WITHHELD"};
    static const char *const types[] = {[F32] = "F32",
                                        [U8] = "U8",
                                        [I8] = "I8",
                                        [SIZE] = "SIZE",
                                        [DIFFERENCE] = "DIFFERENCE"};
    fputs("     .tensors = {\n", file);
    const struct tensor_spec *spec = part->tensors;
    for (size_t i = 0; i < MAX_TENSORS && spec[i].name != NULL; i++) {
        fputs("         {", file);
        write_string(file, spec[i].name);
        fputs(", ", file);
        write_string(file, spec[i].shape);
        fprintf(file, ", %s, %s, %.9g, %.9g},\n", roles[spec[i].role],
                types[spec[i].type], (double)spec[i].atol, (double)spec[i].rtol);
    }
    fputs("     },\n", file);
}

static void write_part(FILE *file, const struct exercise *exercise,
                       const struct part *part)
{
    char *stem = bank_stem(exercise, part);
    fputs("    {\n", file);
    write_field(file, "function", part->function);
    write_field(file, "dims", part->dims);
    write_field(file, "cpu_dims", part->cpu_dims);
    write_tensors(file, part);
    if (part->stages != NULL) {
        write_field(file, "stages", part->stages);
    }
    if (part->properties != NULL) {
        fprintf(file, "     .properties = %s_properties,\n", part->function);
    }
    if (part->passes_status_on) {
        fputs("     .passes_status_on = true,\n", file);
    }
    fprintf(file, "     .mistakes = %s_mistakes,\n", part->function);
    write_field(file, "bank", stem);
    fputs("    },\n", file);
    free(stem);
}

// ---- one lab ------------------------------------------------------------------------------

// "parts_" and 3.4 -> "parts_3_4".
static void write_symbol(FILE *file, const char *prefix, const struct exercise *exercise)
{
    fputs(prefix, file);
    for (const char *c = exercise->id; *c != '\0'; c++) {
        fputc(*c == '.' ? '_' : *c, file);
    }
}

static void write_parts(FILE *file, const struct exercise *exercise)
{
    const struct part *part = exercise->parts;
    for (; part->function != NULL; part++) {
        if (part->properties != NULL) {
            write_properties(file, part);
        }
        write_mistakes(file, part);
    }
    fputs("\nstatic const struct part ", file);
    write_symbol(file, "parts_", exercise);
    fputs("[] = {\n", file);
    for (part = exercise->parts; part->function != NULL; part++) {
        write_part(file, exercise, part);
    }
    fputs("    {0},\n};\n", file);
}

static void write_exercise(FILE *file, const struct exercise *exercise)
{
    fputs("\nstatic const struct exercise ", file);
    write_symbol(file, "exercise_", exercise);
    fputs(" = {\n", file);
    write_field(file, "id", exercise->id);
    write_field(file, "name", exercise->name);
    write_field(file, "section", exercise->section);
    write_field(file, "gpu_section", exercise->gpu_section);
    write_strings(file, "uses", exercise->uses, MAX_USES);
    write_strings(file, "gpu_uses", exercise->gpu_uses, MAX_USES);
    write_strings(file, "hints", exercise->hints, HINT_LEVELS);
    write_strings(file, "gpu_hints", exercise->gpu_hints, HINT_LEVELS);
    if (exercise->heap_kilobytes > 0) {
        fprintf(file, "     .heap_kilobytes = %zu,\n", exercise->heap_kilobytes);
        write_field(file, "heap_reason", exercise->heap_reason);
    }
    fputs("     .parts = ", file);
    write_symbol(file, "parts_", exercise);
    fputs(",\n};\n", file);
}

static void write_list(FILE *file, const struct lab_place *place)
{
    fputs("\nconst struct exercise *const lab_exercises[] = {\n", file);
    const struct exercise *const *each = place->lab->exercises;
    for (; *each != NULL; each++) {
        fputs("    &", file);
        write_symbol(file, "exercise_", *each);
        fputs(",\n", file);
    }
    fputs("    NULL,\n};\n", file);
}

static void write_entries(FILE *file, const struct lab_place *place)
{
    fputs("\nconst struct entry lab_entries[] = {\n", file);
    for (const struct entry *entry = place->entries; entry->name != NULL; entry++) {
        fprintf(file, "    {\"%s\", NULL, NULL, %s},\n", entry->name,
                entry->gpu ? "true" : "false");
    }
    fputs("    {0},\n};\n", file);
}

void bank_write_tables(FILE *file, const struct lab_place *place, uint64_t seed)
{
    write_entries(file, place);
    const struct exercise *const *each = place->lab->exercises;
    for (; *each != NULL; each++) {
        write_parts(file, *each);
        write_exercise(file, *each);
    }
    write_list(file, place);
    fprintf(file, "\nconst struct lab lab_%02d;\n", place->number);
    fprintf(file, "const struct lab lab_%02d = {\n", place->number);
    write_field(file, "title", place->lab->title);
    fprintf(file,
            "     .exercises = lab_exercises,\n     .bank_seed = UINT64_C(%" PRIu64
            "),\n};\n",
            seed);
}

char *bank_stem(const struct exercise *exercise, const struct part *part)
{
    return grader_print("%s-%s", exercise->id, part->function);
}
