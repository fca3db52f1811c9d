// pictures.c - see pictures.h. gnuplot runs pictures.gp in a folder of its own, which has a table
// for each picture and gets the pictures.

#define _GNU_SOURCE
#include "class/pictures.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/text.h"

enum { LARGEST_SVG = 4 << 20 };

static const char *const names[PICTURES] = {"exercises", "mistakes", "points"};

extern char **environ;

// ---- the tables ---------------------------------------------------------------------------

// A column with text: what gnuplot would take for the end of a column becomes a blank.
static void write_label(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        fputc(c < ' ' || c == '"' ? ' ' : c, file);
    }
}

static void write_exercises(FILE *file, const struct tally *tally)
{
    for (size_t i = 0; i < tally->exercise_count; i++) {
        const struct exercise_tally *exercise = &tally->exercises[i];
        write_label(file, exercise->title);
        for (int k = 0; k < TALLY_KINDS; k++) {
            fprintf(file, "\t%.4f",
                    100.0 * (double)exercise->kinds[k] / (double)exercise->total);
        }
        fprintf(file, "\t%.4f\n", exercise->before);
    }
}

static void write_mistakes(FILE *file, const struct tally *tally)
{
    for (size_t i = 0; i < tally->mistake_count; i++) {
        const struct mistake_tally *mistake = &tally->mistakes[i];
        char *label = grader_print("%s %s", mistake->exercise, mistake->id);
        write_label(file, label);
        fprintf(file, "\t%lld\n", (long long)mistake->count);
        free(label);
    }
}

static void write_points(FILE *file, const struct tally *tally)
{
    for (int i = 0; i < TALLY_BINS && tally->handed_in > 0; i++) {
        fprintf(file, "%d–%d %%\t%lld\n", i * 100 / TALLY_BINS,
                (i + 1) * 100 / TALLY_BINS, (long long)tally->bins[i]);
    }
}

static bool write_table(const char *folder, enum picture picture,
                        const struct tally *tally)
{
    static void (*const writers[PICTURES])(FILE *, const struct tally *) = {
        write_exercises, write_mistakes, write_points};
    char *path = grader_print("%s/%s.tsv", folder, names[picture]);
    FILE *file = fopen(path, "we");
    if (file != NULL) {
        writers[picture](file, tally);
    }
    bool fine = file != NULL && !ferror(file);
    fine = file != NULL && fclose(file) == 0 && fine;
    free(path);
    return fine;
}

// ---- gnuplot ------------------------------------------------------------------------------

// The first line that gnuplot said, without what would harm a terminal. Caller frees.
static char *first_line(const char *path)
{
    char line[200] = "";
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        while (fgets(line, sizeof line, file) != NULL && line[0] == '\n') {
        }
        fclose(file);
    }
    return report_clean(line, strcspn(line, "\n"));
}

// Runs gnuplot in the folder, its messages in the file `said`. Returns NULL, or a problem.
static char *run_gnuplot(const char *root, const char *folder)
{
    char *script = grader_print("%s/grader/class/pictures.gp", root);
    char *said = grader_print("%s/said", folder), *problem = NULL;
    char *arguments[] = {"gnuplot", "-d", "-c", script, (char *)folder, NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, said, O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    pid_t pid;
    int error = posix_spawnp(&pid, "gnuplot", &files, NULL, arguments, environ),
        status = 0;
    if (error == ENOENT) {
        problem = grader_print(
            "gnuplot is not installed, so there are no pictures, only the tables: sudo "
            "apt-get install gnuplot-nox");
    } else if (error != 0) {
        problem = grader_print("cannot start gnuplot: %s", strerror(error));
    } else {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (status != 0) {
            char *line = first_line(said);
            problem =
                grader_print("gnuplot failed (%s), so there are only the tables", line);
            free(line);
        }
    }
    posix_spawn_file_actions_destroy(&files);
    free(said);
    free(script);
    return problem;
}

// What comes before an id, or before a reference to one.
static const char *const before_id[] = {" id=\"", " id='", "href='#", "href=\"#",
                                        "url(#"};

// Where the next id begins, or NULL.
static const char *next_id(const char *at)
{
    const char *first = NULL;
    for (size_t i = 0; i < sizeof before_id / sizeof *before_id; i++) {
        const char *found = strstr(at, before_id[i]);
        const char *id = found != NULL ? found + strlen(before_id[i]) : NULL;
        first = id != NULL && (first == NULL || id < first) ? id : first;
    }
    return first;
}

// A copy of an SVG from its <svg> on. gnuplot uses the same ids in every picture, but pictures of
// one page need different ones, so they get a name in front. Caller frees; NULL if the SVG is
// not whole.
static char *inside_page(const char *bytes, const char *name)
{
    const char *at = strstr(bytes, "<svg");
    if (at == NULL || strstr(at, "</svg>") == NULL) {
        return NULL;
    }
    struct text text;
    text_begin(&text);
    for (const char *id; (id = next_id(at)) != NULL; at = id) {
        fprintf(text.file, "%.*s%s_", (int)(id - at), at, name);
    }
    fputs(at, text.file);
    return text_end(&text);
}

static char *read_svg(const char *folder, enum picture picture, const char *name)
{
    char *path = grader_print("%s/%s.svg", folder, names[picture]), *svg = NULL;
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        char *bytes = grader_alloc(LARGEST_SVG + 1);
        bytes[fread(bytes, 1, LARGEST_SVG, file)] = '\0';
        fclose(file);
        char *prefix = grader_print("%s_%s", name, names[picture]);
        svg = inside_page(bytes, prefix);
        free(prefix);
        free(bytes);
    }
    free(path);
    return svg;
}

static void remove_folder(const char *folder)
{
    static const char *const endings[] = {"tsv", "svg"};
    for (int i = 0; i < PICTURES; i++) {
        for (int e = 0; e < 2; e++) {
            char *path = grader_print("%s/%s.%s", folder, names[i], endings[e]);
            unlink(path);
            free(path);
        }
    }
    char *said = grader_print("%s/said", folder);
    unlink(said);
    free(said);
    rmdir(folder);
}

struct pictures pictures_draw(const char *root, int lab, const struct tally *tally)
{
    struct pictures pictures = {.problem = NULL};
    const char *temporary = getenv("TMPDIR");
    char *folder = grader_print(
        "%s/class-XXXXXX", temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    if (mkdtemp(folder) == NULL) {
        pictures.problem = grader_print("cannot make %s: %s", folder, strerror(errno));
        free(folder);
        return pictures;
    }
    bool written = true;
    for (int i = 0; i < PICTURES; i++) {
        written = write_table(folder, i, tally) && written;
    }
    char *name = grader_print("lab%d", lab);
    pictures.problem =
        written ? run_gnuplot(root, folder) : grader_print("cannot write to %s", folder);
    for (int i = 0; i < PICTURES && pictures.problem == NULL; i++) {
        pictures.svg[i] = read_svg(folder, i, name);
    }
    remove_folder(folder);
    free(name);
    free(folder);
    return pictures;
}

void pictures_free(struct pictures *pictures)
{
    for (int i = 0; i < PICTURES; i++) {
        free(pictures->svg[i]);
    }
    free(pictures->problem);
}
