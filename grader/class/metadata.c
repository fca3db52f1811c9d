// metadata.c - reads Gradescope's submission_metadata.yml with libyaml, because a name may
// contain quotes, colons and line breaks, and must not be mistaken for other data.
//
//   submission_91:
//     :submitters:
//     - :name: Ann Lee
//       :email: ann@example.org
//     :created_at: 2026-10-01 10:00:00.000000000 Z

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "class/due.h"
#include "class/names.h"
#include "base/memory.h"

// The value of a key in a mapping; NULL if it is not a mapping or lacks the key.
static yaml_node_t *value_of(yaml_document_t *document, yaml_node_t *mapping,
                             const char *key)
{
    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
    for (; pair < mapping->data.mapping.pairs.top; pair++) {
        yaml_node_t *name = yaml_document_get_node(document, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0) {
            return yaml_document_get_node(document, pair->value);
        }
    }
    return NULL;
}

static const char *text_of(yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE
               ? (const char *)node->data.scalar.value
               : "";
}

// The first member of a group is the one who handed in; the others are partners.
static void take_partners(yaml_document_t *document, yaml_node_t *list, struct who *who)
{
    if (list == NULL || list->type != YAML_SEQUENCE_NODE) {
        return;
    }
    yaml_node_item_t *item = list->data.sequence.items.start;
    for (item++;
         item < list->data.sequence.items.top && who->partner_count < MOST_PARTNERS;
         item++) {
        yaml_node_t *person = yaml_document_get_node(document, *item);
        const char *name = text_of(value_of(document, person, ":name"));
        const char *email = text_of(value_of(document, person, ":email"));
        if (*email != '\0') {
            int place = who->partner_count++;
            snprintf(who->partners[place].name, NAME_LENGTH, "%s",
                     *name != '\0' ? name : email);
            snprintf(who->partners[place].email, NAME_LENGTH, "%s", email);
        }
    }
}

static yaml_node_t *first_of(yaml_document_t *document, yaml_node_t *list)
{
    bool any = list != NULL && list->type == YAML_SEQUENCE_NODE &&
               list->data.sequence.items.start < list->data.sequence.items.top;
    return any ? yaml_document_get_node(document, *list->data.sequence.items.start)
               : NULL;
}

static bool take(yaml_document_t *document, const char *submission, struct who *who)
{
    yaml_node_t *root = yaml_document_get_root_node(document);
    yaml_node_t *entry = value_of(document, root, submission);
    if (entry == NULL) {
        return false;
    }
    yaml_node_t *submitters = value_of(document, entry, ":submitters");
    yaml_node_t *person = first_of(document, submitters);
    const char *name = text_of(value_of(document, person, ":name"));
    const char *email = text_of(value_of(document, person, ":email"));
    if (*name != '\0') {
        snprintf(who->name, sizeof who->name, "%s", name);
    }
    if (*email != '\0') {
        snprintf(who->email, sizeof who->email, "%s", email);
        snprintf(who->key, sizeof who->key, "%s", email);
    }
    take_partners(document, submitters, who);
    due_read(text_of(value_of(document, entry, ":created_at")), &who->handed_in);
    return true;
}

bool names_metadata(FILE *metadata, const char *submission, struct who *who)
{
    yaml_parser_t parser;
    yaml_document_t document;
    rewind(metadata);
    if (!yaml_parser_initialize(&parser)) {
        grader_fail("out of memory");
    }
    yaml_parser_set_input_file(&parser, metadata);
    if (!yaml_parser_load(&parser, &document)) {
        grader_fail("submission_metadata.yml, line %zu: %s: its contents cannot be read",
                    parser.problem_mark.line + 1, parser.problem);
    }
    bool found = take(&document, submission, who);
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
    return found;
}
