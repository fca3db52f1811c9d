// record.c - writes the results of a step to the gradebook: each function is one
// transaction.

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class/lateness.h"
#include "class/own.h"
#include "class/slot.h"
#include "class/sources.h"
#include "base/memory.h"

enum { LARGEST_REPORT = 32 << 20 };

static const char *string(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
    return text != NULL ? text : "";
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static int lab_number(const struct slot *slot)
{
    return slot->class->labs[slot->lab].place->number;
}

// ---- collected ----------------------------------------------------------------------------

static const cJSON *manifest_lab(const cJSON *manifest, int lab)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(manifest, "labs"))
    {
        if ((int)number(item, "lab") == lab) {
            return item;
        }
    }
    return NULL;
}

static void add_source(struct gradebook *book, const cJSON *lab)
{
    const char *hex = string(lab, "fingerprints");
    size_t count = strlen(hex) / 8;
    uint32_t *values = grader_alloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        char word[9] = "";
        memcpy(word, hex + 8 * i, 8);
        values[i] = (uint32_t)strtoul(word, NULL, 16);
    }
    gradebook_do(book,
                 "INSERT INTO source (hash, lab, tokens, fingerprints) "
                 "VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET tokens = "
                 "excluded.tokens, fingerprints = excluded.fingerprints",
                 "tiib", string(lab, "hash"), (int64_t)number(lab, "lab"),
                 (int64_t)number(lab, "tokens"), values, count * sizeof *values);
    free(values);
}

// Stores the lab's own files. Collected files are at most LARGEST_SOURCE bytes.
static void add_texts(struct slot *slot, const struct lab_place *place, const char *hash)
{
    struct sources sources;
    sources_begin(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        const struct source *source = &sources.list[i];
        if (source->place->number == place->number) {
            char *tree = grader_print("%s/tree", slot->folder);
            size_t size;
            char *bytes = own_text(tree, ".", source->place->folder, source->name, &size);
            if (size > 0) {
                gradebook_do(&slot->class->book,
                             "INSERT OR IGNORE INTO text VALUES (?, ?, ?, ?)", "titb",
                             hash, (int64_t)place->number, source->name, bytes, size);
            }
            free(bytes);
            free(tree);
        }
    }
    sources_end(&sources);
}

static void add_piece(struct slot *slot, int lab, const char *hash, const char *failure)
{
    gradebook_do(&slot->class->book,
                 "INSERT INTO piece (submission, lab, hash, failure) VALUES (?, ?, ?, ?) "
                 "ON CONFLICT DO UPDATE SET hash = excluded.hash, grading = NULL, "
                 "failure = excluded.failure",
                 "iitt", slot->submission, (int64_t)lab, hash, failure);
}

// A time from --times stays with the files that it is about: the next run, without --times,
// keeps it, unless the student has handed in other files since.
static void keep_given_time(struct slot *slot, int lab, const char *hash)
{
    gradebook_do(
        &slot->class->book,
        "INSERT INTO moment (submission, lab, given) SELECT now.id, moment.lab, "
        "moment.given FROM submission AS now JOIN submission AS before ON before.student "
        "= now.student AND before.run < now.run JOIN piece ON piece.submission = "
        "before.id JOIN moment ON moment.submission = before.id AND moment.lab = "
        "piece.lab WHERE now.id = ? AND piece.lab = ? AND piece.hash = ? AND moment.given "
        "NOT NULL ORDER BY before.run DESC LIMIT 1 ON CONFLICT DO UPDATE SET given = "
        "coalesce(given, excluded.given)",
        "iit", slot->submission, (int64_t)lab, hash);
}

// "01_simple_attention/attention.c, ...": files of other labs, for a hand-in that has no file
// of any lab of this run. Caller frees.
static char *files_of_other_labs(const cJSON *manifest)
{
    enum { MOST = 3 };
    const cJSON *files = cJSON_GetObjectItem(manifest, "files"), *file;
    struct text line;
    int told = 0;
    text_begin(&line);
    cJSON_ArrayForEach(file, files)
    {
        if (told < MOST) {
            fprintf(line.file, "%s%s", told > 0 ? ", " : "", cJSON_GetStringValue(file));
        }
        told++;
    }
    if (told > MOST) {
        fprintf(line.file, " and %d more", told - MOST);
    }
    return text_end(&line);
}

// Says what was handed in instead, if there is nothing else to say.
static void name_what_is_there(struct slot *slot)
{
    bool nothing = slot->absence.count == slot->class->lab_count;
    if (!nothing || *string(slot->manifest, "others") != '\0') {
        return;
    }
    char *files = files_of_other_labs(slot->manifest);
    cJSON_ReplaceItemInObject(slot->manifest, "others", cJSON_CreateString(files));
    gradebook_do(&slot->class->book,
                 "UPDATE submission SET reason = ? WHERE id = ? AND verdict = 'taken'",
                 "ti", files, slot->submission);
    free(files);
}

void record_collected(struct slot *slot, const char *reason)
{
    struct class *class = slot->class;
    struct gradebook *book = &class->book;
    const cJSON *manifest = slot->manifest;
    const char *verdict = manifest != NULL ? string(manifest, "verdict") : "unreadable";
    bool taken = strcmp(verdict, "taken") == 0;
    bool ours = strcmp(verdict, "unreadable") == 0;
    const char *why = taken              ? string(manifest, "others")
                      : manifest != NULL ? string(manifest, "reason")
                                         : reason;
    int gpu_files = 0;
    gradebook_begin(book);
    gradebook_do(book,
                 "UPDATE submission SET verdict = ?, reason = ?, handed_in = "
                 "coalesce((SELECT max(platform) FROM moment WHERE submission = "
                 "submission.id), nullif(?, 0), handed_in) WHERE id = ?",
                 "ttii", verdict, why, (int64_t)number(manifest, "handed_in"),
                 slot->submission);
    for (int i = 0; i < class->lab_count; i++) {
        int lab = class->labs[i].place->number;
        const cJSON *item = taken ? manifest_lab(manifest, lab) : NULL;
        if (item != NULL) {
            add_source(book, item);
            add_texts(slot, class->labs[i].place, string(item, "hash"));
            gpu_files += (int)number(item, "gpu_files");
            if (number(item, "gpu_files") > 0) {
                gradebook_do(book, "INSERT OR IGNORE INTO gpu_work VALUES (?, ?)", "ii",
                             slot->submission, (int64_t)lab);
            }
            if (number(item, "tokens") == 0) {
                absence_add(&slot->absence, lab);
            }
        }
        add_piece(slot, lab, item != NULL ? string(item, "hash") : NULL,
                  ours ? reason : NULL);
        if (item != NULL) {
            keep_given_time(slot, lab, string(item, "hash"));
        }
    }
    if (taken) {
        name_what_is_there(slot);
    }
    gradebook_commit(book);
    class->unseen += gpu_files > 0 && strcmp(class->options.backend, "cpu") == 0;
}

// ---- gradings -----------------------------------------------------------------------------

static const char *lab_hash(const struct slot *slot)
{
    return string(manifest_lab(slot->manifest, lab_number(slot)), "hash");
}

// The key of a grading. If the compiler took too long for another lab's file, this lab's
// files were not compiled. Such a verdict holds only for these files together with that
// one. Caller frees.
static char *known_by(const struct slot *slot)
{
    return slot->hung != NULL ? grader_print("%s beside %s of %s", lab_hash(slot),
                                             slot->hung, slot->hung_hash)
                              : grader_print("%s", lab_hash(slot));
}

static int64_t known_as(const struct slot *slot, const char *hash)
{
    const struct class *class = slot->class;
    const struct class_options *options = &class->options;
    return gradebook_number(
        &slot->class->book, 0,
        "SELECT max(id) FROM grading WHERE hash = ? AND lab = ? AND rubric = ? "
        "AND seed = ? AND hidden_seed = ? AND backend = ? AND (? = 0 OR EXISTS "
        "(SELECT 1 FROM piece JOIN submission ON submission.id = submission "
        "WHERE grading = grading.id AND run = ?))",
        "tittttii", hash, (int64_t)lab_number(slot), class->labs[slot->lab].rubric,
        options->seed, options->hidden_seed, options->backend, (int64_t)options->again,
        class->run);
}

static int64_t with_current_points(struct slot *slot, int64_t grading)
{
    struct class *class = slot->class;
    const int64_t current =
        worth_apply(&class->labs[slot->lab].worth, &class->book, grading);
    class->rated += current != grading;
    return current;
}

// If everything is judged again, only gradings of this run count. A verdict on these files
// alone takes precedence over one that depends on another file.
int64_t record_known(struct slot *slot)
{
    int64_t grading = known_as(slot, lab_hash(slot));
    if (grading == 0 && slot->hung != NULL) {
        char *key = known_by(slot);
        grading = known_as(slot, key);
        free(key);
    }
    return grading == 0 ? 0 : with_current_points(slot, grading);
}

// ", lab 1 2 days late: 80 → 64 (...)" for the line on the terminal.
static void note_lateness(struct slot *slot, double points)
{
    struct gradebook *book = &slot->class->book;
    int lab = lab_number(slot);
    int64_t student = gradebook_number(
        book, 0, "SELECT student FROM submission WHERE id = ?", "i", slot->submission);
    struct lateness lateness = lateness_of(book, slot->submission, student, lab);
    bool absent = false;
    for (int i = 0; i < slot->absence.count; i++) {
        absent = absent || slot->absence.labs[i] == lab;
    }
    char *line = lateness_long(&lateness, points);
    if (lateness.charged && !absent) {
        char *longer = slot->class->lab_count == 1
                           ? grader_print("%s; %s", slot->late, line)
                           : grader_print("%s; lab %d %s", slot->late, lab, line);
        free(slot->late);
        slot->late = longer;
    }
    free(line);
}

void record_piece(struct slot *slot, int64_t grading)
{
    struct gradebook *book = &slot->class->book;
    gradebook_do(book,
                 "UPDATE piece SET grading = ?, failure = NULL WHERE submission = ? AND "
                 "lab = ?",
                 "iii", grading, slot->submission, (int64_t)lab_number(slot));
    sqlite3_stmt *sum = gradebook_query(
        book, "SELECT total(points), total(most) FROM mark WHERE grading = ?", "i",
        grading);
    double points = 0;
    while (gradebook_next(book, &sum)) {
        points = sqlite3_column_double(sum, 0);
        slot->points += points;
        slot->most += sqlite3_column_double(sum, 1);
    }
    note_lateness(slot, points);
}

// "6 do not compile", "1 does not compile"
static const char *in_words(const char *verdict, bool one)
{
    static const char *const words[][3] = {
        {"nocompile", "does not compile", "do not compile"},
        {"todo", "is not written", "are not written"},
        {"wrong", "is wrong", "are wrong"},
        {"crash", "crashes", "crash"},
        {"timeout", "takes too long", "take too long"},
        {"memory", "takes too much memory", "take too much memory"},
        {"not_run", "was not run", "were not run"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(verdict, words[i][0]) == 0) {
            return words[i][one ? 1 : 2];
        }
    }
    return verdict;
}

char *record_why_none(const struct slot *slot)
{
    struct gradebook *book = &slot->class->book;
    struct text text;
    text_begin(&text);
    sqlite3_stmt *kinds = gradebook_query(
        book,
        "SELECT mark.verdict, count(*) FROM piece JOIN mark USING (grading) WHERE "
        "piece.submission = ? GROUP BY mark.verdict ORDER BY count(*) DESC, mark.verdict",
        "i", slot->submission);
    for (size_t kind = 0; gradebook_next(book, &kinds); kind++) {
        const long long count = sqlite3_column_int64(kinds, 1);
        fprintf(text.file, "%s%lld %s", kind > 0 ? ", " : "", count,
                in_words(gradebook_text(kinds, 0), count == 1));
    }
    return text_end(&text);
}

void record_failure(struct slot *slot, const char *reason)
{
    gradebook_do(&slot->class->book,
                 "UPDATE piece SET failure = ? WHERE submission = ? AND lab = ?", "tii",
                 reason, slot->submission, (int64_t)lab_number(slot));
}

// ---- a report -----------------------------------------------------------------------------

// Replaces every occurrence of a word in a text. Caller frees.
static char *replaced(const char *text, const char *word, const char *by)
{
    struct text clean;
    text_begin(&clean);
    for (const char *found; (found = strstr(text, word)) != NULL;) {
        fwrite(text, 1, (size_t)(found - text), clean.file);
        fputs(by, clean.file);
        text = found + strlen(word);
    }
    fputs(text, clean.file);
    return text_end(&clean);
}

// Shortens paths of labs' files to the form that students know, without the temporary tree
// and without the path in the box. Caller frees.
static char *without_paths(const char *text, const char *tree)
{
    char *below = grader_print("%s/", tree);
    char *inside = replaced(text, below, "");
    char *clean = replaced(inside, tree, "");
    free(inside);
    free(below);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        char *boxed = grader_print("/submission/%s/", place->folder); // command.c
        char *plain = grader_print("%s/", place->folder);
        char *next = replaced(clean, boxed, plain);
        free(clean);
        free(plain);
        free(boxed);
        clean = next;
    }
    return clean;
}

static void add_mark(struct slot *slot, int64_t grading, int place, const cJSON *test)
{
    const cJSON *extra = cJSON_GetObjectItem(test, "extra_data");
    const cJSON *call = cJSON_GetObjectItem(extra, "call");
    const cJSON *diagnosis = cJSON_GetObjectItem(extra, "diagnosis");
    char *tree = grader_print("%s/tree", slot->folder);
    char *output = without_paths(string(test, "output"), tree);
    char *tensors = call != NULL ? cJSON_PrintUnformatted(call) : NULL;
    gradebook_do(&slot->class->book,
                 "INSERT INTO mark (grading, place, exercise, title, backend, points, "
                 "most, verdict, diagnosis, hidden, output, call) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 "iitttddttitt", grading, (int64_t)place, string(test, "number"),
                 string(test, "name"), string(extra, "backend"), number(test, "score"),
                 number(test, "max_score"), string(extra, "verdict"),
                 cJSON_GetStringValue(diagnosis),
                 (int64_t)cJSON_IsTrue(cJSON_GetObjectItem(extra, "hidden")), output,
                 tensors);
    cJSON_free(tensors);
    free(output);
    free(tree);
}

static int64_t add_grading(struct slot *slot, double seconds)
{
    const struct class *class = slot->class;
    const struct class_options *options = &class->options;
    struct gradebook *book = &slot->class->book;
    const char *rubric = class->labs[slot->lab].rubric;
    char *key = known_by(slot);
    gradebook_do(book,
                 "INSERT INTO grading (hash, lab, rubric, seed, hidden_seed, backend, "
                 "attempt, graded, seconds) SELECT ?1, ?2, ?3, ?4, ?5, ?6, "
                 "1 + count(*), ?7, ?8 FROM grading WHERE hash = ?1 AND lab = ?2 AND "
                 "rubric = ?3 AND seed = ?4 AND hidden_seed = ?5 AND backend = ?6",
                 "tittttid", key, (int64_t)lab_number(slot), rubric, options->seed,
                 options->hidden_seed, options->backend, gradebook_now(), seconds);
    free(key);
    return sqlite3_last_insert_rowid(book->db);
}

// The files of the following labs are not compiled.
static void note_hung(struct slot *slot, const cJSON *tests)
{
    const cJSON *first = cJSON_GetArrayItem(tests, 0);
    const char *file = string(cJSON_GetObjectItem(first, "extra_data"), "hung");
    if (slot->hung == NULL && *file != '\0') {
        slot->hung = grader_print("%s", file);
        slot->hung_hash = grader_print("%s", lab_hash(slot));
    }
}

bool record_separable(const char *path)
{
    cJSON *report = slot_read_json(path, LARGEST_REPORT), *test;
    bool separable = report != NULL;
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(report, "tests"))
    {
        const cJSON *extra = cJSON_GetObjectItem(test, "extra_data");
        separable = separable && *string(extra, "hung") == '\0' &&
                    !cJSON_IsTrue(cJSON_GetObjectItem(extra, "unjudged"));
    }
    cJSON_Delete(report);
    return separable;
}

// Removes the exercises of other labs from a report. Returns the number of those left.
static int keep_lab(cJSON *tests, int lab)
{
    for (int i = cJSON_GetArraySize(tests); i-- > 0;) {
        if (atoi(string(cJSON_GetArrayItem(tests, i), "number")) != lab) {
            cJSON_DeleteItemFromArray(tests, i);
        }
    }
    return cJSON_GetArraySize(tests);
}

char *record_report(struct slot *slot, const char *path, double seconds)
{
    struct gradebook *book = &slot->class->book;
    const struct class_lab *lab = &slot->class->labs[slot->lab];
    cJSON *report = slot_read_json(path, LARGEST_REPORT);
    cJSON *tests = cJSON_GetObjectItem(report, "tests"), *test;
    int count = keep_lab(tests, lab_number(slot)), place = 0;
    if (count != lab->marks) {
        cJSON_Delete(report);
        return grader_print("the grader's report has %d exercises, expected %d", count,
                            lab->marks);
    }
    cJSON_ArrayForEach(test, tests)
    {
        if (strcmp(string(cJSON_GetObjectItem(test, "extra_data"), "verdict"),
                   "not_run") == 0) {
            char *why = grader_print("%s", string(test, "output"));
            why[strcspn(why, "\n")] = '\0';
            cJSON_Delete(report);
            return why;
        }
    }
    gradebook_begin(book);
    // Another student's identical files may have been judged in the meantime.
    int64_t grading = record_known(slot);
    if (grading == 0) {
        grading = add_grading(slot, seconds);
        cJSON_ArrayForEach(test, tests)
        {
            add_mark(slot, grading, place++, test);
        }
    }
    record_piece(slot, grading);
    gradebook_commit(book);
    note_hung(slot, tests);
    cJSON_Delete(report);
    return NULL;
}
