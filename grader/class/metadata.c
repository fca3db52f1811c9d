// metadata.c - see metadata.h.
//
//   submission_91:
//     :submitters:
//     - :name: Ann Lee
//       :sid: '4711'
//       :email: ann@example.org
//     :created_at: 2026-10-01 10:00:00.000000000 Z
//     :results: ...
//
// Read with libyaml, because a name may contain quotes, colons and line breaks, and must not be mistaken for other
// data. Read as events, because the results of all older submissions are in the file, too: many megabytes that are not
// needed.

#include "class/metadata.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "class/due.h"

struct submission {
    char *name;
    struct person *people; // the first one is who handed in
    int count;
    int64_t handed_in;
};

struct metadata {
    struct submission *list;
    size_t count, room;
};

struct reader {
    yaml_parser_t parser;
    yaml_event_t event; // the current one
};

static _Noreturn void refuse(size_t line, const char *problem)
{
    grader_fail("submission_metadata.yml, line %zu: %s: its contents cannot be read",
                line, problem);
}

static yaml_event_type_t next(struct reader *reader)
{
    yaml_event_delete(&reader->event);
    if (!yaml_parser_parse(&reader->parser, &reader->event)) {
        refuse(reader->parser.problem_mark.line + 1, reader->parser.problem);
    }
    if (reader->event.type == YAML_ALIAS_EVENT) { // Gradescope writes none
        refuse(reader->event.start_mark.line + 1, "an alias");
    }
    return reader->event.type;
}

// Skips the rest of the value whose first event is the current one.
static void skip(struct reader *reader)
{
    int depth = 0;
    for (yaml_event_type_t type = reader->event.type;; type = next(reader)) {
        depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
        depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
        if (depth == 0) {
            return;
        }
    }
}

// Moves to the value of the next key of a mapping. Returns the key, which the caller frees, or NULL at the end.
static char *next_key(struct reader *reader)
{
    if (next(reader) == YAML_MAPPING_END_EVENT) {
        return NULL;
    }
    const bool scalar = reader->event.type == YAML_SCALAR_EVENT;
    char *key = grader_print("%s", scalar ? (char *)reader->event.data.scalar.value : "");
    skip(reader);
    next(reader);
    return key;
}

// Copies a scalar to the field; other values are skipped.
static void take_text(struct reader *reader, char *to, size_t size)
{
    if (reader->event.type == YAML_SCALAR_EVENT) {
        snprintf(to, size, "%s", (char *)reader->event.data.scalar.value);
    }
    skip(reader);
}

static void read_person(struct reader *reader, struct person *person)
{
    for (char *key; (key = next_key(reader)) != NULL; free(key)) {
        if (strcmp(key, ":name") == 0) {
            take_text(reader, person->name, sizeof person->name);
        } else if (strcmp(key, ":email") == 0) {
            take_text(reader, person->email, sizeof person->email);
        } else if (strcmp(key, ":sid") == 0) {
            take_text(reader, person->id, sizeof person->id);
        } else {
            skip(reader);
        }
    }
}

static void read_people(struct reader *reader, struct submission *one)
{
    while (next(reader) != YAML_SEQUENCE_END_EVENT) {
        if (reader->event.type != YAML_MAPPING_START_EVENT) {
            skip(reader);
            continue;
        }
        one->people =
            grader_resize(one->people, ((size_t)one->count + 1) * sizeof *one->people);
        struct person *person = &one->people[one->count++];
        *person = (struct person){.name = ""};
        read_person(reader, person);
    }
}

static void read_submission(struct reader *reader, struct submission *one)
{
    char time[64] = "";
    for (char *key; (key = next_key(reader)) != NULL; free(key)) {
        if (strcmp(key, ":submitters") == 0 &&
            reader->event.type == YAML_SEQUENCE_START_EVENT) {
            read_people(reader, one);
        } else if (strcmp(key, ":created_at") == 0) {
            take_text(reader, time, sizeof time);
        } else {
            skip(reader);
        }
    }
    due_read(time, &one->handed_in);
}

static void add(struct reader *reader, struct metadata *metadata, const char *name)
{
    if (metadata->count == metadata->room) {
        metadata->room = 2 * metadata->room + 16;
        metadata->list =
            grader_resize(metadata->list, metadata->room * sizeof *metadata->list);
    }
    struct submission *one = &metadata->list[metadata->count++];
    *one = (struct submission){.name = grader_print("%s", name)};
    read_submission(reader, one);
}

struct metadata *metadata_read(FILE *file)
{
    struct metadata *metadata = grader_alloc(sizeof *metadata);
    struct reader reader = {.event = {.type = YAML_NO_EVENT}};
    if (!yaml_parser_initialize(&reader.parser)) {
        grader_fail("out of memory");
    }
    yaml_parser_set_input_file(&reader.parser, file);
    while (next(&reader) == YAML_STREAM_START_EVENT ||
           reader.event.type == YAML_DOCUMENT_START_EVENT) {
    }
    if (reader.event.type == YAML_MAPPING_START_EVENT) {
        for (char *key; (key = next_key(&reader)) != NULL; free(key)) {
            if (reader.event.type == YAML_MAPPING_START_EVENT) {
                add(&reader, metadata, key);
            } else {
                skip(&reader);
            }
        }
    }
    yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    return metadata;
}

void metadata_free(struct metadata *metadata)
{
    for (size_t i = 0; metadata != NULL && i < metadata->count; i++) {
        free(metadata->list[i].name);
        free(metadata->list[i].people);
    }
    if (metadata != NULL) {
        free(metadata->list);
    }
    free(metadata);
}

// The key is the address, or the university's number; without either it stays.
static void person_key(const struct person *person, char key[NAME_LENGTH])
{
    if (person->email[0] != '\0') {
        memcpy(key, person->email, NAME_LENGTH);
    } else if (person->id[0] != '\0') {
        snprintf(key, NAME_LENGTH, "id %s", person->id);
    }
}

void metadata_partner(const struct person *person, struct who *who)
{
    *who = (struct who){.late = false};
    const char *name = person->name[0] != '\0'    ? person->name
                       : person->email[0] != '\0' ? person->email
                                                  : person->id;
    snprintf(who->name, sizeof who->name, "%s", name);
    memcpy(who->key, who->name, sizeof who->key);
    memcpy(who->email, person->email, sizeof who->email);
    memcpy(who->id, person->id, sizeof who->id);
    person_key(person, who->key);
}

bool metadata_take(const struct metadata *metadata, const char *submission,
                   struct who *who)
{
    const struct submission *one = NULL;
    for (size_t i = 0; i < metadata->count && one == NULL; i++) {
        one = strcmp(metadata->list[i].name, submission) == 0 ? &metadata->list[i] : NULL;
    }
    if (one == NULL) {
        return false;
    }
    who->handed_in = one->handed_in;
    if (one->count > 0) {
        const struct person *first = &one->people[0];
        if (first->name[0] != '\0') {
            snprintf(who->name, sizeof who->name, "%s", first->name);
        }
        memcpy(who->email, first->email, sizeof who->email);
        memcpy(who->id, first->id, sizeof who->id);
        person_key(first, who->key);
        who->partners = one->people + 1;
        who->partner_count = one->count - 1;
    }
    return true;
}
