// beside.c - see beside.h. Start reading at beside_write.

#define _GNU_SOURCE
#include "class/beside.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "class/passages.h"
#include "class/sources.h"
#include "class/tokens.h"
#include "common/plural.h"
#include "report/html.h"
#include "report/text.h"

enum { MOST_FILES = 32, MOST_LINES = 20000, LONGEST_LINE = 400 };

struct file {
    char *name, *bytes;
    size_t size;
    size_t line_count;
    const struct match **lines; // what each line belongs to, or NULL
};

// A run of tokens or a passage, and where it is.
struct match {
    uint32_t hash;
    bool passage;
    int file;
    uint32_t first, last;      // lines
    const struct match *other; // the same on the other side, or NULL
};

struct side {
    const char *name;
    struct file files[MOST_FILES];
    int count;
    struct match *parts;
    size_t part_count;
};

// ---- the files ----------------------------------------------------------------------------

static void add_file(struct side *side, const char *name, const char *bytes, size_t size)
{
    if (side->count < MOST_FILES && size > 0) {
        struct file *file = &side->files[side->count++];
        *file = (struct file){.name = grader_print("%s", name), .size = size};
        file->bytes = grader_alloc(size + 1);
        memcpy(file->bytes, bytes, size);
        for (size_t i = 0; i < size; i++) {
            file->line_count += bytes[i] == '\n';
        }
        file->line_count++;
        file->lines = grader_alloc((file->line_count + 1) * sizeof *file->lines);
    }
}

static void read_hand_in(struct report *report, struct side *side, const char *hash,
                         int lab)
{
    sqlite3_stmt *text = gradebook_query(
        &report->book,
        "SELECT name, bytes FROM text WHERE hash = ? AND lab = ? ORDER BY name", "ti",
        hash, (int64_t)lab);
    while (gradebook_next(&report->book, &text)) {
        const void *bytes = sqlite3_column_blob(text, 1);
        add_file(side, gradebook_text(text, 0), bytes,
                 (size_t)sqlite3_column_bytes(text, 1));
    }
}

static void read_own(struct report *report, struct side *side, const char *folder,
                     int lab)
{
    struct sources sources;
    sources_begin(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        const struct source *source = &sources.list[i];
        if (source->place->number == lab) {
            size_t size;
            char *bytes = own_text(report->root, folder, source->place->folder,
                                   source->name, &size);
            add_file(side, source->name, bytes, size);
            free(bytes);
        }
    }
    sources_end(&sources);
}

static void read_side(struct report *report, struct side *side,
                      const struct alike_work *work, int lab)
{
    *side = (struct side){.name = work->name};
    if (work->own != NULL) {
        read_own(report, side, work->own, lab);
    } else {
        read_hand_in(report, side, work->hash, lab);
    }
}

static void free_side(struct side *side)
{
    for (int i = 0; i < side->count; i++) {
        free(side->files[i].name);
        free(side->files[i].bytes);
        free(side->files[i].lines);
    }
    free(side->parts);
}

// ---- what both have -----------------------------------------------------------------------

static void add_part(struct side *side, struct match part,
                     const struct fingerprints *known)
{
    if (!fingerprints_have(known, part.hash)) {
        if ((side->part_count & (side->part_count + 1)) == 0) {
            side->parts = grader_resize(side->parts,
                                        (2 * side->part_count + 2) * sizeof *side->parts);
        }
        side->parts[side->part_count++] = part;
    }
}

static void add_runs(struct side *side, int place, const struct fingerprints *known)
{
    const struct file *file = &side->files[place];
    struct tokens tokens = tokens_read(file->bytes, file->size);
    size_t count;
    uint32_t *hashes = fingerprints_of_runs(&tokens, &count);
    for (size_t i = 0; i < count; i++) {
        add_part(side,
                 (struct match){hashes[i], false, place, tokens.list[i].line,
                                tokens.list[i + FINGERPRINT_RUN - 1].line, NULL},
                 known);
    }
    free(hashes);
    tokens_free(&tokens);
}

static void add_passages(struct side *side, int place, const struct fingerprints *known)
{
    const struct file *file = &side->files[place];
    struct statements statements = statements_read(file->bytes, file->size);
    uint32_t hash;
    for (size_t i = 0; i < statements.count; i++) {
        if (passage_at(&statements, i, &hash)) {
            const struct statement *two = &statements.list[i];
            add_part(side,
                     (struct match){hash, true, place, two[0].first, two[0].last, NULL},
                     known);
            add_part(side,
                     (struct match){hash, true, place, two[1].first, two[1].last, NULL},
                     known);
        }
    }
    statements_free(&statements);
}

static int by_hash(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    if (x->passage != y->passage) {
        return x->passage - y->passage;
    }
    if (x->hash != y->hash) {
        return (x->hash > y->hash) - (x->hash < y->hash);
    }
    if (x->file != y->file) {
        return x->file - y->file;
    }
    return (x->first > y->first) - (x->first < y->first);
}

// All parts of a side that do not come from the workbook, by hash. Beside the workbook's
// solution, that one's code counts, too, and only the same code with other names.
static void find_parts(struct side *side, const struct alike *all, bool own)
{
    for (int i = 0; i < side->count; i++) {
        add_runs(side, i, own ? &all->skeletons : &all->own.runs);
        if (!own) {
            add_passages(side, i, &all->own.passages);
        }
    }
    if (side->part_count > 0) {
        qsort(side->parts, side->part_count, sizeof *side->parts, by_hash);
    }
}

// The first part with this hash, or NULL.
static const struct match *find_part(const struct side *side, const struct match *like)
{
    size_t low = 0, high = side->part_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct match *part = &side->parts[middle];
        bool less = part->passage < like->passage ||
                    (part->passage == like->passage && part->hash < like->hash);
        low = less ? middle + 1 : low;
        high = less ? high : middle;
    }
    const struct match *part = &side->parts[low];
    return low < side->part_count && part->passage == like->passage &&
                   part->hash == like->hash
               ? part
               : NULL;
}

static void mark_lines(struct side *side, const struct side *other)
{
    for (size_t i = 0; i < side->part_count; i++) {
        struct match *part = &side->parts[i];
        struct file *file = &side->files[part->file];
        part->other = find_part(other, part);
        for (uint32_t line = part->first;
             part->other != NULL && line <= part->last && line <= file->line_count;
             line++) {
            const struct match *before = file->lines[line];
            // A run says more exactly where a line's twin is.
            file->lines[line] = before != NULL && !before->passage ? before : part;
        }
    }
}

// ---- the page -----------------------------------------------------------------------------

static void write_line(FILE *page, const struct file *file, size_t line, const char *text,
                       size_t length, char here, int place)
{
    const struct match *part = file->lines[line];
    length -= length > 0 && text[length - 1] == '\r';
    char *clean = report_clean(text, length < LONGEST_LINE ? length : LONGEST_LINE);
    fprintf(page, "<span id=\"%c%d-%zu\"%s><i>%zu</i>", here, place, line,
            part != NULL ? " class=\"same\"" : "", line);
    report_escape(page, clean, false);
    fputs(length > LONGEST_LINE ? " …" : "", page);
    if (part != NULL) {
        fprintf(page, "<a href=\"#%c%d-%u\" title=\"line %u on the other side\">%s</a>",
                here == 'a' ? 'b' : 'a', part->other->file, (unsigned)part->other->first,
                (unsigned)part->other->first, here == 'a' ? "→" : "←");
    }
    fputs("</span\n>", page); // a line end outside of tags would be an empty line
    free(clean);
}

static void write_file(FILE *page, const struct side *side, int place, char here)
{
    const struct file *file = &side->files[place];
    const char *at = file->bytes, *end = file->bytes + file->size;
    fputs("<h3>", page);
    html_text(page, file->name);
    fputs("</h3>\n<pre>", page);
    for (size_t line = 1; line <= file->line_count && line <= MOST_LINES; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline != NULL ? newline : end) - at);
        if (newline != NULL || length > 0) {
            write_line(page, file, line, at, length, here, place);
        }
        at = newline != NULL ? newline + 1 : end;
    }
    fputs("</pre>\n", page);
    if (file->line_count > MOST_LINES) {
        fprintf(page, "<p class=\"soft\">and %zu more line%s</p>\n",
                file->line_count - MOST_LINES,
                plural((double)(file->line_count - MOST_LINES)));
    }
}

static void write_side(FILE *page, const struct side *side, char here)
{
    fputs("<section>\n<h2>", page);
    html_text(page, side->name);
    fputs("</h2>\n", page);
    for (int i = 0; i < side->count; i++) {
        write_file(page, side, i, here);
    }
    fputs("</section>\n", page);
}

static const char style[] =
    "<style>\nbody { max-width: none; }\n"
    ".two { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; }\n"
    ".two section { min-width: 0; }\n"
    ".two pre { padding: .5rem 0; }\n"
    ".two pre span { display: block; width: max-content; min-width: 100%; padding: 0 "
    ".5rem; border-left: 4px solid transparent; }\n"
    ".two pre i { display: inline-block; width: 4ch; margin-right: 1.5ch; text-align: "
    "right; color: var(--soft); font-style: normal; user-select: none; }\n"
    ".two .same { background: #d6eaf8; border-left-color: #0072b2; }\n"
    ".two .same a { margin-left: 1.5ch; text-decoration: none; }\n"
    ".two span:target { outline: 2px solid #d55e00; }\n</style>\n";

static char *make_page(const struct alike *all, const struct alike_pair *pair, int lab,
                       const struct side sides[2])
{
    struct text text;
    text_begin(&text);
    html_begin(text.file, "Two hand-ins side by side");
    fputs(style, text.file);
    fprintf(
        text.file,
        "<header><h1>Lab %d, side by side</h1>\n<p>%.0f %% similar%s: %zu passages in "
        "common. Marked lines are in both hand-ins%s; %s. The arrow leads to the other "
        "side. Similarity is a reason to look, never a verdict.</p></header>\n<div "
        "class=\"two\">\n",
        lab, pair->percent, pair->rewritten ? ", in other words" : "", pair->common,
        pair->rewritten ? ", perhaps with other loops, or inside a helper" : "",
        all->works[pair->a].own != NULL
            ? "code that was handed out is not marked"
            : "code that the workbook also has is not marked");
    write_side(text.file, &sides[0], 'a');
    write_side(text.file, &sides[1], 'b');
    fputs("</div>\n", text.file);
    html_end(text.file);
    return text_end(&text);
}

char *beside_write(struct report *report, struct pair_pages *pages,
                   const struct alike *all, const struct alike_pair *pair, int lab)
{
    struct side sides[2];
    char *link = NULL;
    bool own = all->works[pair->a].own != NULL;
    read_side(report, &sides[0], &all->works[pair->a], lab);
    read_side(report, &sides[1], &all->works[pair->b], lab);
    if (sides[0].count > 0 && sides[1].count > 0 && !pages->failed) {
        find_parts(&sides[0], all, own);
        find_parts(&sides[1], all, own);
        mark_lines(&sides[0], &sides[1]);
        mark_lines(&sides[1], &sides[0]);
        char *page = make_page(all, pair, lab, sides);
        char *file = grader_print("pair-%d.html", pages->written + 1);
        char *path = grader_print("%s/%s", pages->folder, file);
        bool made = mkdir(pages->folder, 0777) == 0 || errno == EEXIST;
        if (made && report_write(path, page, strlen(page))) {
            link = grader_print("%s/%s", pages->name, file);
            pages->written++;
        } else {
            if (!made) {
                fprintf(stderr, "grade: cannot make %s: %s\n", pages->folder,
                        strerror(errno));
            }
            pages->failed = true;
        }
        free(path);
        free(file);
        free(page);
    }
    free_side(&sides[0]);
    free_side(&sides[1]);
    return link;
}

// ---- the folder ---------------------------------------------------------------------------

struct pair_pages beside_begin(const char *class_page)
{
    size_t length = strlen(class_page);
    bool html = length > 5 && strcmp(class_page + length - 5, ".html") == 0;
    struct pair_pages pages = {.written = 0};
    pages.folder =
        grader_print("%.*s-pairs", (int)(html ? length - 5 : length), class_page);
    const char *slash = strrchr(pages.folder, '/');
    pages.name = report_as_link(slash != NULL ? slash + 1 : pages.folder);
    return pages;
}

// "pair-12.html": the number, or 0.
static int page_number(const char *name)
{
    int number, end = 0;
    bool ours = sscanf(name, "pair-%d.html%n", &number, &end) == 1 && end > 0 &&
                name[end] == '\0';
    return ours ? number : 0;
}

bool beside_end(struct pair_pages *pages)
{
    DIR *folder = opendir(pages->folder);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (!pages->failed && page_number(entry->d_name) > pages->written) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    if (pages->written == 0) {
        rmdir(pages->folder); // if nothing else is in it
    } else if (!pages->failed) {
        printf("%s: similar hand-ins side by side, which the page links to\n",
               pages->folder);
    }
    free(pages->folder);
    free(pages->name);
    return !pages->failed;
}
