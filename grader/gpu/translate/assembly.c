// assembly.c - inline PTX becomes calls, one for each instruction.
//
//     asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" :: "r"(to), "l"(from));
//     { ptx_cp_async_cg_shared_global((to), (from), 16); }
//
// The operands stand in their order, without brackets and braces. include/simulated/ptx.h has the
// functions. An instruction that is not in the table below becomes a name that the compiler does not
// know, which it reports if the line counts.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/translate/translate.h"

// With _ for a dot. ptx.h has a function for each.
static const char *const known[] = {
    "mov_u32",
    "mov_s32",
    "mov_b32",
    "mov_u64",
    "mov_f32",
    "cp_async_ca_shared_global",
    "cp_async_cg_shared_global",
    "cp_async_commit_group",
    "cp_async_wait_group",
    "cp_async_wait_all",
    "ldmatrix_sync_aligned_m8n8_x1_shared_b16",
    "ldmatrix_sync_aligned_m8n8_x2_shared_b16",
    "ldmatrix_sync_aligned_m8n8_x4_shared_b16",
    "ldmatrix_sync_aligned_m8n8_x1_trans_shared_b16",
    "ldmatrix_sync_aligned_m8n8_x2_trans_shared_b16",
    "ldmatrix_sync_aligned_m8n8_x4_trans_shared_b16",
    "mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32",
    "mma_sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32",
    "mma_sync_aligned_m16n8k16_row_col_f16_f16_f16_f16",
    "mma_sync_aligned_m16n8k8_row_col_f32_f16_f16_f32",
    "mma_sync_aligned_m16n8k8_row_col_f32_tf32_tf32_f32",
    "mma_sync_aligned_m16n8k16_row_col_s32_s8_s8_s32",
    "mma_sync_aligned_m16n8k32_row_col_s32_s8_s8_s32",
    "ex2_approx_f32",
    "ex2_approx_ftz_f32",
    "lg2_approx_f32",
    "lg2_approx_ftz_f32",
    "rcp_approx_f32",
    "rcp_approx_ftz_f32",
    "rsqrt_approx_f32",
    "rsqrt_approx_ftz_f32",
    "sqrt_approx_f32",
    "tanh_approx_f32",
    "cvt_rn_f16x2_f32",
    "cvt_rn_bf16x2_f32",
    "fma_rn_f32",
    "add_f32",
    "mul_f32",
    "membar_gl",
};

static bool is_known(const char *name)
{
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i], name) != 0) {
        i++;
    }
    return i < sizeof known / sizeof *known;
}

// ---- the parts of a statement --------------------------------------------------------------

enum { MOST_OPERANDS = 64 };

struct statement {
    struct text text;              // the instructions
    char *operands[MOST_OPERANDS]; // C++ expressions
    size_t count;
};

static void free_statement(struct statement *s)
{
    free(s->text.bytes);
    for (size_t i = 0; i < s->count; i++) {
        free(s->operands[i]);
    }
}

// Adds a string without its quotes; \n and \t become spaces, %% becomes %.
static void add_string(struct statement *s, const struct source *source, size_t i)
{
    const char *text = source->text + source->tokens[i].start + 1;
    const char *end = text + source->tokens[i].length - 2;
    for (; text < end; text++) {
        bool escape = *text == '\\' || (text[0] == '%' && text[1] == '%');
        text_add(&s->text, "%c", *text == '\\' ? ' ' : *text);
        text += escape && text + 1 < end;
    }
}

// The text of the tokens from first to before end, on one line.
static char *expression(const struct source *source, size_t first, size_t end)
{
    struct text text = {0};
    text_add(&text, "%s", "");
    for (size_t i = first; i < end; i++) {
        const struct token *token = &source->tokens[i];
        text_add(&text, "%s%.*s", text.length > 0 ? " " : "", (int)token->length,
                 source->text + token->start);
    }
    return text.bytes;
}

// Reads ( "text" : "=r"(a), ... : "r"(b), ... : "memory" ). Returns false if it is something else.
static bool read_statement(const struct source *source, size_t open, size_t close,
                           struct statement *s)
{
    size_t i = open + 1;
    for (; i < close && source->tokens[i].kind == TOKEN_TEXT; i++) {
        add_string(s, source, i);
    }
    for (; i < close; i++) {
        bool operand =
            source->tokens[i].kind == TOKEN_TEXT && token_is(source, i + 1, "(");
        if (operand && s->count < MOST_OPERANDS) {
            size_t end = token_close(source, i + 1);
            s->operands[s->count++] = expression(source, i + 2, end);
            i = end;
        } else if (operand || token_is(source, i, "[")) { // too many, or names
            return false;
        }
    }
    return s->text.length > 0;
}

// ---- instructions --------------------------------------------------------------------------

// From text on, the instruction's name with _ for dots and colons, without hints for caches.
static const char *read_name(struct text *name, const char *text)
{
    size_t length = strcspn(text, " \t;");
    text_add(name, "%s", "");
    for (const char *end = text + length; text < end;) {
        size_t part = strcspn(text + 1, ".;: \t") + 1;
        if (strncmp(text, ".L2", 3) == 0) {
            part = strcspn(text + 1, ".; \t") + 1;
        } else {
            text_add(name, "%s%.*s", *text == '.' ? "_" : "",
                     (int)(*text == '.' ? part - 1 : part),
                     *text == '.' ? text + 1 : text);
        }
        text += part;
    }
    return text;
}

// One operand: %3, a number, or a special register such as %laneid.
static const char *add_operand(struct text *to, const struct statement *s,
                               const char *text)
{
    size_t length = strcspn(text, " \t,;[]{}");
    size_t number = (size_t)strtoul(text + 1, NULL, 10);
    if (*text == '%' && isdigit((unsigned char)text[1]) && number < s->count) {
        text_add(to, "(%s)", s->operands[number]);
    } else if (*text == '%') {
        text_add(to, "ptx_register_%.*s()", (int)length - 1, text + 1);
    } else {
        text_add(to, "%.*s", (int)length, text);
    }
    return text + length;
}

// One instruction, up to its ; or the end.
static const char *add_instruction(struct text *to, const struct statement *s,
                                   const char *text)
{
    struct text name = {0};
    text = read_name(&name, text);
    text_add(to, "%s%s(",
             is_known(name.bytes) ? "ptx_" : "inline_assembly_is_not_simulated_",
             name.bytes);
    bool first = true;
    while (*text != '\0' && *text != ';') {
        if (strchr(" \t,[]{}", *text) != NULL) {
            text++;
            continue;
        }
        text_add(to, "%s", first ? "" : ", ");
        text = add_operand(to, s, text);
        first = false;
    }
    text_add(to, "); ");
    free(name.bytes);
    return text;
}

// Once for each file.
static void include_functions(const struct source *source, struct edits *edits)
{
    static const char *included_in;
    if (included_in != source->text) {
        included_in = source->text;
        edit_add(edits, 0, 0, "#include \"simulated/ptx.h\"\n#line 1\n");
    }
}

static bool is_assembly(const struct source *source, size_t i)
{
    return token_is(source, i, "asm") || token_is(source, i, "__asm__") ||
           token_is(source, i, "__asm");
}

size_t translate_assembly(const struct source *source, size_t i, struct edits *edits)
{
    if (!is_assembly(source, i)) {
        return i;
    }
    const struct token *token = &source->tokens[i];
    size_t open = i + 1;
    while (token_is(source, open, "volatile") || token_is(source, open, "__volatile__")) {
        open++;
    }
    struct statement s = {0};
    size_t close = token_is(source, open, "(") ? token_close(source, open) : 0;
    close = token_is(source, close, ")") ? close : 0; // it may never be closed
    bool simple = close > 0 && read_statement(source, open, close, &s) &&
                  strpbrk(s.text.bytes, "@{") == NULL;
    if (close > 0 && s.text.length > 0 && strchr(s.text.bytes, '{') != NULL) {
        // braces around an operand list, but not around instructions with registers of their own
        simple = s.text.bytes[strspn(s.text.bytes, " \t")] != '{' &&
                 strchr(s.text.bytes, '@') == NULL;
    }
    if (!simple) {
        edit_add(edits, token->start, token->start + token->length,
                 "inline_assembly_is_not_simulated");
        free_statement(&s);
        return i + 1;
    }
    include_functions(source, edits);
    struct text calls = {0};
    text_add(&calls, "{ ");
    for (const char *text = s.text.bytes; *text != '\0';) {
        text += strspn(text, " \t;");
        text = *text == '\0' ? text : add_instruction(&calls, &s, text);
    }
    text_add(&calls, "}");
    const struct token *last = &source->tokens[close];
    for (size_t at = token->start; at < last->start;
         at++) { // every line keeps its number
        if (source->text[at] == '\n') {
            text_add(&calls, source->in_macro ? "\\\n" : "\n");
        }
    }
    edit_add(edits, token->start, last->start + last->length, "%s", calls.bytes);
    free(calls.bytes);
    free_statement(&s);
    return close + 1;
}
