// statements.c - see statements.h. The file is read once, from token to token, with a stack of
// the loops and blocks that are open. Each statement's normal form is a list of codes, which
// are sorted and hashed.

#include "class/statements.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/tokens.h"

// The codes of a normal form, beside characters and hashes of well-known names.
enum code {
    NAME = 256,
    ZERO,
    NUMBER,
    STRING,
    ELEMENT, // behind the name of what it is an element of
    MEMBER,
    CALL,
    COMPARED, // < <= > >= !=
    EQUAL,
    LOGIC, // && ||
    INCREASED,
    DECREASED,
    ASSIGNED, // and its operator's character: ASSIGNED + '+'
    LOOP = 512,
    CONDITION,
    RETURN,
    JUMP, // break, continue, goto
    LABEL,
};

struct open {
    size_t from, to; // the tokens of a loop's step, which follows its body
    bool block;      // in braces
    bool condition;  // of an if, which `else` may follow
};

struct reader {
    struct tokens tokens;
    size_t at; // the next token
    struct statements *all;
    size_t room;
    bool begins; // the next statement is the first of a function
    struct open *open;
    size_t depth, depth_room;
    uint32_t *codes; // of the current statement
    size_t code_count, code_room;
};

// ---- tokens -------------------------------------------------------------------------------

static const struct token *token(const struct reader *reader, size_t place)
{
    static const struct token none = {0, "", 0, 0};
    return place < reader->tokens.count ? &reader->tokens.list[place] : &none;
}

static bool is(const struct reader *reader, size_t place, char c)
{
    return token(reader, place)->kind == TOKEN_OTHER + (unsigned char)c;
}

static bool is_word(const struct reader *reader, size_t place, const char *word)
{
    const struct token *at = token(reader, place);
    return at->length == strlen(word) && memcmp(at->at, word, at->length) == 0;
}

// Are these two the characters of one sign, as in "+="?
static bool is_pair(const struct reader *reader, size_t place, const char *pair)
{
    return is(reader, place, pair[0]) && is(reader, place + 1, pair[1]) &&
           token(reader, place)->at + 1 == token(reader, place + 1)->at;
}

static bool same_token(const struct reader *reader, size_t a, size_t b)
{
    const struct token *x = token(reader, a), *y = token(reader, b);
    return x->length == y->length && memcmp(x->at, y->at, x->length) == 0;
}

static int nesting(const struct reader *reader, size_t place)
{
    return is(reader, place, '(') || is(reader, place, '[') || is(reader, place, '{') ? 1
           : is(reader, place, ')') || is(reader, place, ']') || is(reader, place, '}')
               ? -1
               : 0;
}

// The place of the bracket that closes the one here, or the end of the file.
static size_t closing(const struct reader *reader, size_t place)
{
    long depth = 0;
    for (; place < reader->tokens.count; place++) {
        depth += nesting(reader, place);
        if (depth == 0) {
            break;
        }
    }
    return place;
}

// The first of these characters outside of brackets, or the end.
static size_t find_outside(const struct reader *reader, size_t from, size_t to, char c)
{
    long depth = 0;
    for (; from < to && !(depth <= 0 && is(reader, from, c)); from++) {
        depth += nesting(reader, from);
    }
    return from;
}

static bool ends_with(const struct token *at, const char *end)
{
    size_t length = strlen(end);
    return at->length > length && memcmp(at->at + at->length - length, end, length) == 0;
}

static bool is_type(const struct reader *reader, size_t place)
{
    static const char *const words[] = {
        "char",   "const",  "double",   "float",    "int",       "long",
        "short",  "signed", "static",   "unsigned", "void",      "restrict",
        "bool",   "size_t", "inline",   "register", "ptrdiff_t", "lab_status",
        "struct", "union",  "volatile", "enum",     NULL};
    for (size_t i = 0; words[i] != NULL; i++) {
        if (is_word(reader, place, words[i])) {
            return true;
        }
    }
    const struct token *at = token(reader, place);
    return at->kind == TOKEN_NAME &&
           (ends_with(at, "_t") || (place > 0 && (is_word(reader, place - 1, "struct") ||
                                                  is_word(reader, place - 1, "union") ||
                                                  is_word(reader, place - 1, "enum"))));
}

// ---- one statement ------------------------------------------------------------------------

static void add(struct reader *reader, uint32_t code)
{
    if (reader->code_count == reader->code_room) {
        reader->code_room = reader->code_room > 0 ? 2 * reader->code_room : 256;
        reader->codes =
            grader_resize(reader->codes, reader->code_room * sizeof *reader->codes);
    }
    reader->codes[reader->code_count++] = code;
}

// Functions and constants that keep their names; without the f of expf.
static uint32_t known_name(const struct token *at)
{
    static const char *const names[] = {
        "exp",    "exp2",      "log",     "pow",    "sqrt",    "sin",    "cos",
        "tanh",   "erf",       "fabs",    "fmax",   "fmin",    "fma",    "isinf",
        "isnan",  "isfinite",  "memcpy",  "memset", "memmove", "malloc", "calloc",
        "free",   "INFINITY",  "FLT_MAX", "NAN",    "LAB_TRY", "LAB_OK", "LAB_ESHAPE",
        "matmul", "matmul_nt", "linear",  "ldexp",  "NULL",    NULL};
    size_t length = at->length;
    for (size_t i = 0; names[i] != NULL; i++) {
        size_t known = strlen(names[i]);
        bool single = length == known + 1 && at->at[known] == 'f';
        if ((length == known || single) && memcmp(at->at, names[i], known) == 0) {
            return (uint32_t)(1024 + i);
        }
    }
    return 0;
}

static bool is_zero(const struct token *at)
{
    for (size_t i = 0; i < at->length; i++) {
        if (strchr("0.fFuUlL", at->at[i]) == NULL) {
            return false;
        }
    }
    return true;
}

// Does a '*' or '&' here take one operand?
static bool is_unary(const struct reader *reader, size_t place, size_t from)
{
    if (place == from) {
        return true;
    }
    const struct token *before = token(reader, place - 1);
    return before->kind == TOKEN_OTHER + '(' || is_word(reader, place - 1, "return") ||
           (before->kind >= TOKEN_OTHER && !is(reader, place - 1, ')') &&
            !is(reader, place - 1, ']'));
}

// An operator of two characters. Returns how many tokens it takes, 0: none here.
static size_t add_pair(struct reader *reader, size_t place)
{
    static const struct {
        const char *pair;
        uint32_t code;
    } pairs[] = {{"&&", LOGIC},
                 {"||", LOGIC},
                 {"==", EQUAL},
                 {"!=", COMPARED},
                 {"<=", COMPARED},
                 {">=", COMPARED},
                 {"++", INCREASED},
                 {"--", DECREASED},
                 {"+=", ASSIGNED + '+'},
                 {"-=", ASSIGNED + '-'},
                 {"*=", ASSIGNED + '*'},
                 {"/=", ASSIGNED + '/'},
                 {NULL, 0}};
    for (size_t i = 0; pairs[i].pair != NULL; i++) {
        if (is_pair(reader, place, pairs[i].pair)) {
            uint32_t code = pairs[i].code;
            bool one = is_word(reader, place + 2, "1");
            if (one && (code == ASSIGNED + '+' || code == ASSIGNED + '-')) {
                add(reader, code == ASSIGNED + '+' ? INCREASED : DECREASED);
                return 3;
            }
            add(reader, code);
            return 2;
        }
    }
    return 0;
}

// A name with what belongs to it: its element, its member. Returns the next place.
static size_t add_name(struct reader *reader, size_t place, bool element, bool address)
{
    const struct token *at = token(reader, place);
    uint32_t known = known_name(at);
    bool call = is(reader, place + 1, '(');
    add(reader, known != 0 ? known : call ? CALL : NAME);
    for (place++;;) {
        if (is(reader, place, '[')) {
            place = closing(reader, place) + 1;
            element = true;
        } else if (is(reader, place, '.') || is_pair(reader, place, "->")) {
            place += is(reader, place, '.') ? 2 : 3;
            add(reader, MEMBER);
        } else {
            break;
        }
    }
    if (element && !address) {
        add(reader, ELEMENT);
    }
    return place;
}

static void add_codes(struct reader *reader, size_t from, size_t to)
{
    bool element = false, address = false; // an operator before the next name
    for (size_t place = from; place < to;) {
        const struct token *at = token(reader, place);
        bool type = is_type(reader, place);
        if (type) {
            for (place++; is(reader, place, '*'); place++) {
            }
            continue;
        }
        if (at->kind == TOKEN_NAME || is_word(reader, place, "NULL")) {
            place = add_name(reader, place, element, address);
            element = address = false;
            continue;
        }
        size_t pair = add_pair(reader, place);
        if (pair > 0) {
            place += pair;
            continue;
        }
        if ((is(reader, place, '*') || is(reader, place, '&')) &&
            is_unary(reader, place, from)) {
            element = element || is(reader, place, '*');
            address = address || is(reader, place, '&');
        } else if (is(reader, place, '=')) {
            add(reader, ASSIGNED);
        } else if (is(reader, place, '<') || is(reader, place, '>')) {
            add(reader, COMPARED);
        } else if (is(reader, place, '[')) { // of something other than a name
            place = closing(reader, place);
            add(reader, ELEMENT);
        } else if (at->kind == TOKEN_NUMBER) {
            add(reader, is_zero(at) ? ZERO : NUMBER);
        } else if (at->kind == TOKEN_STRING) {
            add(reader, STRING);
        } else if (nesting(reader, place) == 0 && !is(reader, place, ',')) {
            add(reader, (uint32_t)at->kind);
        }
        place++;
    }
}

// "x = x + a" from here on? Returns the place of the second sign, or 0.
static size_t is_update(const struct reader *reader, size_t from, size_t to)
{
    size_t equals = find_outside(reader, from, to, '='), length = equals - from;
    if (equals == to || length == 0 || is(reader, equals + 1, '=') ||
        equals + 1 + length >= to) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        if (!same_token(reader, from + i, equals + 1 + i)) {
            return 0;
        }
    }
    size_t sign = equals + 1 + length;
    return is(reader, sign, '+') || is(reader, sign, '-') || is(reader, sign, '*') ||
                   is(reader, sign, '/')
               ? sign
               : 0;
}

static int by_code(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// "float x;" says nothing.
static bool is_trivial(const struct reader *reader)
{
    for (size_t i = 0; i < reader->code_count; i++) {
        uint32_t code = reader->codes[i];
        if (code != NAME && code != ELEMENT && code != MEMBER) {
            return false;
        }
    }
    return true;
}

static void keep(struct reader *reader, size_t from, size_t to)
{
    if (reader->all->count == reader->room) {
        reader->room = reader->room > 0 ? 2 * reader->room : 128;
        reader->all->list =
            grader_resize(reader->all->list, reader->room * sizeof *reader->all->list);
    }
    qsort(reader->codes, reader->code_count, sizeof *reader->codes, by_code);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < reader->code_count; i++) {
        hash = (hash ^ reader->codes[i]) * 1099511628211u;
    }
    reader->all->list[reader->all->count++] = (struct statement){
        hash ^ hash >> 29, token(reader, from)->line, token(reader, to - 1)->line,
        (uint32_t)reader->code_count, reader->begins};
    reader->begins = false;
}

// A statement of these tokens, without commas outside of brackets.
static void emit(struct reader *reader, uint32_t kind, size_t from, size_t to)
{
    reader->code_count = 0;
    if (kind != 0) {
        add(reader, kind);
    }
    size_t update = kind == 0 ? is_update(reader, from, to) : 0;
    if (update != 0) {
        size_t equals = find_outside(reader, from, to, '=');
        bool one = update + 2 == to && is_word(reader, update + 1, "1");
        uint32_t sign = (uint32_t)(token(reader, update)->kind - TOKEN_OTHER);
        add_codes(reader, from, equals);
        add(reader, one && sign == '+'   ? INCREASED
                    : one && sign == '-' ? DECREASED
                                         : ASSIGNED + sign);
        add_codes(reader, one ? to : update + 1, to);
    } else {
        add_codes(reader, from, to);
    }
    if (from < to && !is_trivial(reader)) {
        keep(reader, from, to);
    }
}

// One statement for each part between commas: declarations, the head of a for.
static void emit_list(struct reader *reader, size_t from, size_t to)
{
    while (from < to) {
        size_t comma = find_outside(reader, from, to, ',');
        emit(reader, 0, from, comma);
        from = comma + 1;
    }
}

// ---- blocks and loops ---------------------------------------------------------------------

static void push(struct reader *reader, struct open open)
{
    if (reader->depth == reader->depth_room) {
        reader->depth_room = reader->depth_room > 0 ? 2 * reader->depth_room : 64;
        reader->open =
            grader_resize(reader->open, reader->depth_room * sizeof *reader->open);
    }
    reader->open[reader->depth++] = open;
}

// A statement has ended, and with it the loops and conditions without braces around it.
static void end_statement(struct reader *reader)
{
    bool other = is_word(reader, reader->at, "else");
    while (reader->depth > 0 && !reader->open[reader->depth - 1].block) {
        struct open open = reader->open[--reader->depth];
        emit_list(reader, open.from, open.to);
        if (open.condition && other) {
            break;
        }
    }
}

static void begin_block(struct reader *reader)
{
    reader->at++;
    if (reader->depth > 0 && !reader->open[reader->depth - 1].block) {
        reader->open[reader->depth - 1].block = true;
    } else {
        reader->begins = reader->begins || reader->depth == 0;
        push(reader, (struct open){.block = true});
    }
}

static void end_block(struct reader *reader)
{
    reader->at++;
    if (reader->depth == 0) {
        return;
    }
    struct open open = reader->open[--reader->depth];
    emit_list(reader, open.from, open.to);
    if (!(open.condition && is_word(reader, reader->at, "else"))) {
        end_statement(reader);
    }
}

// "for (a; b; c)", "while (b)", "if (b)": the head, and an entry for what follows.
static void begin_compound(struct reader *reader, uint32_t kind, bool three)
{
    size_t from = reader->at + 2, to = closing(reader, reader->at + 1);
    struct open open = {.condition = kind == CONDITION};
    if (three) {
        size_t first = find_outside(reader, from, to, ';');
        size_t second = find_outside(reader, first + 1, to, ';');
        emit_list(reader, from, first);
        from = first + 1;
        open.from = second + 1;
        open.to = to;
        to = second;
    }
    if (from < to) {
        emit(reader, kind, from, to);
    }
    reader->at = to + 1;
    if (three) {
        reader->at = open.to + 1;
        open.to = open.from < open.to ? open.to : open.from;
    }
    push(reader, open);
}

// Everything up to a semicolon, or to the block of a function, which has no statement.
static void read_simple(struct reader *reader, uint32_t kind)
{
    size_t from = reader->at, to = from;
    bool assigned = false; // "=" outside of brackets: what is in braces is a value
    while (to < reader->tokens.count && !is(reader, to, ';') && !is(reader, to, '}')) {
        if (is(reader, to, '{') && kind == 0 && !assigned) {
            reader->at = to;
            return;
        }
        assigned = assigned || is(reader, to, '=');
        to = nesting(reader, to) > 0 ? closing(reader, to) + 1 : to + 1;
    }
    to = to < reader->tokens.count ? to : reader->tokens.count;
    if (kind != 0) {
        emit(reader, kind, from + 1, to);
        if (from + 1 >= to) { // "break;"
            reader->code_count = 0;
            add(reader, kind);
            keep(reader, from, from + 1);
        }
    } else {
        emit_list(reader, from, to);
    }
    reader->at = to + is(reader, to, ';');
    end_statement(reader);
}

static void read_statement(struct reader *reader)
{
    static const struct {
        const char *word;
        uint32_t kind;
    } words[] = {{"return", RETURN}, {"break", JUMP}, {"continue", JUMP},
                 {"goto", JUMP},     {"case", LABEL}, {"default", LABEL},
                 {NULL, 0}};
    bool headed = is(reader, reader->at + 1, '(');
    if (is(reader, reader->at, '{')) {
        begin_block(reader);
    } else if (is(reader, reader->at, '}')) {
        end_block(reader);
    } else if (headed && is_word(reader, reader->at, "for")) {
        begin_compound(reader, LOOP, true);
    } else if (headed && is_word(reader, reader->at, "while")) {
        begin_compound(reader, LOOP, false);
    } else if (headed && (is_word(reader, reader->at, "if") ||
                          is_word(reader, reader->at, "switch"))) {
        begin_compound(reader, CONDITION, false);
    } else if (is_word(reader, reader->at, "else") || is_word(reader, reader->at, "do")) {
        reader->at++;
    } else {
        uint32_t kind = 0;
        for (size_t i = 0; words[i].word != NULL; i++) {
            kind = is_word(reader, reader->at, words[i].word) ? words[i].kind : kind;
        }
        read_simple(reader, kind);
    }
}

struct statements statements_read(const char *text, size_t size)
{
    struct statements all = {NULL, 0};
    struct reader reader = {.tokens = tokens_read(text, size), .all = &all};
    while (reader.at < reader.tokens.count) {
        read_statement(&reader);
    }
    tokens_free(&reader.tokens);
    free(reader.open);
    free(reader.codes);
    return all;
}

void statements_free(struct statements *statements)
{
    free(statements->list);
    *statements = (struct statements){NULL, 0};
}
