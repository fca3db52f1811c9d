// snippets.c - see snippets.h. Run from the workbook's folder.

#define _GNU_SOURCE
#include "tests/snippets.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/workshop.h"
#include "cases/tables.h"

// ---- what there is ------------------------------------------------------------------------

static struct snippet *add_snippet(struct snippets *snippets, const char *path)
{
    if (snippets->count == snippets->room) {
        snippets->room = 2 * snippets->room + 64;
        snippets->all = realloc(snippets->all, snippets->room * sizeof *snippets->all);
        cr_assert_not_null(snippets->all);
    }
    struct snippet *snippet = &snippets->all[snippets->count++];
    *snippet = (struct snippet){.gpu = strcmp(strrchr(path, '.'), ".cu") == 0};
    snprintf(snippet->path, sizeof snippet->path, "%s", path);
    return snippet;
}

// A hostile snippet is a file. Its first line states the expected verdict.
static void add_file(struct snippets *snippets, const char *path)
{
    struct snippet *snippet = add_snippet(snippets, path);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    char line[256], function[64];
    cr_assert_not_null(fgets(line, sizeof line, file), "%s", path);
    fclose(file);
    int words =
        sscanf(line, "// %15s %63s %63s", snippet->exercise, function, snippet->expected);
    cr_assert_eq(words, 3, "%s: the first line must be // EXERCISE FUNCTION EXPECTED",
                 path);
    snippet->whole_lab = strstr(line, " whole-lab") != NULL;
    snippet->needs_wall = strstr(line, " needs-wall") != NULL;
    snippet->needs_box = strstr(line, " needs-box") != NULL;
}

// A file of wrong ones: "// EXERCISE FUNCTION", the right body, then sections "@ NAME: DIAGNOSIS".
static void add_sections(struct snippets *snippets, const char *path)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    char line[512], exercise[16], name[64], diagnosis[64];
    cr_assert_not_null(fgets(line, sizeof line, file), "%s", path);
    cr_assert_eq(sscanf(line, "// %15s", exercise), 1, "%s", path);
    while (fgets(line, sizeof line, file) != NULL) {
        int words = sscanf(line, "@ %63[^: \n]: %63s", name, diagnosis);
        if (words < 1 || strncmp(name, "right-", strlen("right-")) == 0) {
            continue;
        }
        struct snippet *snippet = add_snippet(snippets, path);
        snprintf(snippet->path, sizeof snippet->path, "%s@%s", path, name);
        strcpy(snippet->exercise, exercise);
        strcpy(snippet->expected, words == 2 ? diagnosis : name);
    }
    fclose(file);
}

struct snippets find_snippets(const char *kind, int lab, const char *suffix)
{
    struct snippets snippets = {.all = NULL};
    char pattern[128];
    snprintf(pattern, sizeof pattern, "grader/tests/submissions/%s/%d.*.%s", kind, lab,
             suffix);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            (strcmp(kind, "wrong") == 0 ? add_sections : add_file)(&snippets,
                                                                   found.gl_pathv[i]);
        }
        globfree(&found);
    }
    return snippets;
}

// ---- batches ------------------------------------------------------------------------------

static bool builds_on(const char *id, const char *other, bool gpu)
{
    const struct lab_place *place;
    const struct exercise *exercise;
    cr_assert(find_exercise(id, &place, &exercise), "there is no exercise %s", id);
    const char *const *uses = exercise_uses(exercise, gpu);
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL; u++) {
        if (strcmp(uses[u], other) == 0 || builds_on(uses[u], other, gpu)) {
            return true;
        }
    }
    return false;
}

static bool fits(const struct batch *batch, const struct snippet *snippet)
{
    bool fits = batch->count < MOST_TOGETHER;
    for (size_t i = 0; fits && i < batch->count; i++) {
        const char *other = batch->members[i]->exercise;
        fits = strcmp(snippet->exercise, other) != 0 &&
               !builds_on(snippet->exercise, other, snippet->gpu) &&
               !builds_on(other, snippet->exercise, snippet->gpu);
    }
    return fits;
}

static void add_to_batch(struct batch *batch, const struct snippet *snippet)
{
    batch->members[batch->count++] = snippet;
    batch->gpu = snippet->gpu;
    size_t end = strlen(batch->exercises);
    snprintf(batch->exercises + end, sizeof batch->exercises - end, "%s%s",
             end > 0 ? " " : "", snippet->exercise);
}

struct batch only(const struct snippet *snippet)
{
    struct batch batch = {.count = 0};
    add_to_batch(&batch, snippet);
    return batch;
}

// The number of snippets of this one's exercise that are in no batch yet.
static size_t count_left(const struct snippets *snippets, const bool *taken, size_t which)
{
    size_t left = 0;
    for (size_t i = 0; i < snippets->count; i++) {
        left += !taken[i] &&
                strcmp(snippets->all[i].exercise, snippets->all[which].exercise) == 0;
    }
    return left;
}

// Adds a snippet of the exercise that has most of them left.
static bool take_next(const struct snippets *snippets, bool *taken, struct batch *batch)
{
    size_t best = 0, most = 0;
    for (size_t i = 0; i < snippets->count; i++) {
        bool first =
            i == 0 ||
            strcmp(snippets->all[i].exercise, snippets->all[i - 1].exercise) != 0 ||
            taken[i - 1];
        if (taken[i] || !first || !fits(batch, &snippets->all[i])) {
            continue;
        }
        size_t left = count_left(snippets, taken, i);
        if (left > most) {
            most = left;
            best = i;
        }
    }
    if (most > 0) {
        taken[best] = true;
        add_to_batch(batch, &snippets->all[best]);
    }
    return most > 0;
}

struct batches make_batches(const struct snippets *snippets)
{
    struct batches batches = {.all = calloc(snippets->count + 1, sizeof *batches.all)};
    bool *taken = calloc(snippets->count + 1, sizeof *taken);
    cr_assert(batches.all != NULL && taken != NULL);
    while (take_next(snippets, taken, &batches.all[batches.count])) {
        while (take_next(snippets, taken, &batches.all[batches.count])) {
        }
        batches.count++;
    }
    free(taken);
    return batches;
}

// ---- trees --------------------------------------------------------------------------------

// One folder under build/tmp for all snippets of a test: only the files that snippets change, and
// the files that the previous ones changed, are compiled again.
static char tree[64];

char *make_tree(const struct batch *batch)
{
    if (*tree == '\0') {
        strcpy(tree, "build/tmp/submission.XXXXXX");
        cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
        cr_assert_not_null(mkdtemp(tree));
    }
    char command[MOST_TOGETHER * 128];
    size_t end = (size_t)snprintf(command, sizeof command, "grader/tools/transplant.sh");
    for (size_t i = 0; i < batch->count; i++) {
        end += (size_t)snprintf(command + end, sizeof command - end, " '%s'",
                                batch->members[i]->path);
    }
    end += (size_t)snprintf(command + end, sizeof command - end, " '%s'", tree);
    cr_assert_lt(end, sizeof command);
    cr_assert_eq(system(command), 0, "%s", command);
    return tree;
}

void end_trees(void)
{
    if (*tree != '\0') {
        remove_tree(tree);
        *tree = '\0';
    }
}

void remove_tree(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

void restore_tree(void)
{
    char command[512];
    snprintf(command, sizeof command,
             "cd '%s' && for f in */*; do cmp -s \"$f\" \"$OLDPWD/solutions/$f\" || "
             "cp \"$OLDPWD/solutions/$f\" \"$f\" || exit 1; done",
             tree);
    cr_assert_eq(system(command), 0);
}

// ---- versions beside each other -----------------------------------------------------------

struct versions make_versions(const struct snippet **snippets, size_t count)
{
    struct versions versions = {.all = snippets, .count = count};
    strcpy(versions.tree, "build/tmp/versions.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(versions.tree));
    char *command = NULL;
    size_t size;
    FILE *text = open_memstream(&command, &size);
    cr_assert_not_null(text);
    fputs("grader/tests/submissions/beside.sh", text);
    for (size_t i = 0; i < count; i++) {
        fprintf(text, " '%s'", snippets[i]->path);
    }
    fprintf(text, " '%s'", versions.tree);
    fclose(text);
    cr_assert_eq(system(command), 0, "%s", command);
    free(command);
    return versions;
}

void remove_versions(struct versions *versions)
{
    remove_tree(versions->tree);
    free(versions->all);
}

// "grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale" -> "attention_scores"
static void copy_function(char *name, size_t size, const struct snippet *snippet)
{
    const char *start = strchr(strrchr(snippet->path, '/'), '-') + 1;
    snprintf(name, size, "%.*s", (int)strcspn(start, "."), start);
}

static struct alias *find_alias(struct alias *aliases, const char *function)
{
    while (aliases->lab != 0 && strcmp(aliases->function, function) != 0) {
        aliases++;
    }
    return aliases;
}

static bool is_member(const struct batch *batch, const struct snippet *snippet)
{
    bool member = false;
    for (size_t i = 0; i < batch->count; i++) {
        member = member || batch->members[i] == snippet;
    }
    return member;
}

struct alias *aliases_of(const struct versions *versions, const struct batch *batch)
{
    struct alias *aliases = calloc(versions->count + 1, sizeof *aliases);
    cr_assert_not_null(aliases);
    for (size_t i = 0; i < versions->count; i++) {
        char function[sizeof aliases->function];
        copy_function(function, sizeof function, versions->all[i]);
        struct alias *alias = find_alias(aliases, function);
        const bool wrong = is_member(batch, versions->all[i]);
        if (alias->lab == 0 || wrong) {
            alias->lab = atoi(versions->all[i]->exercise);
            strcpy(alias->function, function);
            snprintf(alias->version, sizeof alias->version, "%.60s__%zu", function,
                     wrong ? i + 1 : 0);
        }
    }
    return aliases;
}
