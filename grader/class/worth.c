// worth.c - see worth.h.

#include "class/worth.h"

#include "base/memory.h"

void worth_add(struct worth *worth, const char *exercise, bool gpu, double points)
{
    if (worth->count == MOST_WORTHS) {
        grader_fail("a lab has more than %d exercises", MOST_WORTHS);
    }
    worth->each[worth->count].exercise = exercise;
    worth->each[worth->count].gpu = gpu;
    worth->each[worth->count++].points = points;
}

// A mark's backend is "cpu", or "gpu-simulated" or "gpu-device".
#define OF_EXERCISE "grading = ? AND exercise = ? AND (backend != 'cpu') = ?"

static bool has_changed(const struct worth *worth, struct gradebook *book,
                        int64_t grading)
{
    int64_t changed = 0;
    for (int i = 0; i < worth->count && changed == 0; i++) {
        changed = gradebook_number(
            book, 0, "SELECT count(*) FROM mark WHERE " OF_EXERCISE " AND most != ?",
            "itid", grading, worth->each[i].exercise, (int64_t)worth->each[i].gpu,
            worth->each[i].points);
    }
    return changed > 0;
}

static int64_t copy_grading(struct gradebook *book, int64_t grading)
{
    gradebook_do(
        book,
        "INSERT INTO grading (hash, lab, rubric, seed, hidden_seed, backend, attempt, "
        "graded, seconds) SELECT hash, lab, rubric, seed, hidden_seed, backend, (SELECT "
        "1 + max(attempt) FROM grading AS other WHERE other.hash = grading.hash AND "
        "other.lab = grading.lab AND other.rubric = grading.rubric AND other.seed = "
        "grading.seed AND other.hidden_seed = grading.hidden_seed AND other.backend = "
        "grading.backend), ?, seconds FROM grading WHERE id = ?",
        "ii", gradebook_now(), grading);
    const int64_t copy = sqlite3_last_insert_rowid(book->db);
    gradebook_do(
        book,
        "INSERT INTO mark (grading, place, exercise, title, backend, points, most, "
        "verdict, diagnosis, hidden, output, call) SELECT ?, place, exercise, title, "
        "backend, points, most, verdict, diagnosis, hidden, output, call FROM mark "
        "WHERE grading = ?",
        "ii", copy, grading);
    return copy;
}

int64_t worth_apply(const struct worth *worth, struct gradebook *book, int64_t grading)
{
    if (!has_changed(worth, book, grading)) {
        return grading;
    }
    const bool begin = sqlite3_get_autocommit(book->db) != 0;
    if (begin) {
        gradebook_begin(book);
    }
    const int64_t copy = copy_grading(book, grading);
    for (int i = 0; i < worth->count; i++) {
        const double points = worth->each[i].points;
        gradebook_do(book,
                     "UPDATE mark SET most = ?, points = CASE verdict WHEN 'pass' THEN ? "
                     "ELSE 0 END WHERE " OF_EXERCISE,
                     "dditi", points, points, copy, worth->each[i].exercise,
                     (int64_t)worth->each[i].gpu);
    }
    if (begin) {
        gradebook_commit(book);
    }
    return copy;
}
