// ask_line.c - see ask_line.h.

#include "class/ask_line.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// How well a token goes with a word: the function sqrtf says more about "sqrt(d)" than d does.
static int likeness(const struct code *code, size_t token, const char *word)
{
    char has[32];
    code_word(code, token, has);
    size_t length = strlen(word);
    bool same = strncmp(has, word, length) == 0 &&
                (has[length] == '\0' || (has[length] == 'f' && has[length + 1] == '\0'));
    bool called = code->tokens.list[token].kind == TOKEN_NAME && // not "if ("
                  code_is(code, token + 1, "(");
    return !same || strcmp(word, "a") == 0 ? 0 : called ? LIKE_FUNCTION : 1;
}

// The line of the function that has most of the words of a sentence, and how many.
int line_about(const struct code *code, const char *sentence, uint32_t *line)
{
    int best = 0, score = 0;
    uint32_t current = 0;
    for (size_t i = code->from; i < code->to; i++) {
        uint32_t at = code->tokens.list[i].line;
        score = at == current ? score : 0;
        current = at;
        for (const char *word = sentence; *word != '\0';) {
            char one[32];
            size_t length = 0;
            while (isalnum((unsigned char)word[length]) || word[length] == '_') {
                length++;
            }
            snprintf(one, sizeof one, "%.*s", (int)length, word);
            int more = length > 0 ? likeness(code, i, one) : 0;
            // However often sizes come, they say less than one function.
            score += more < LIKE_FUNCTION && score % LIKE_FUNCTION > 50 ? 0 : more;
            word += length > 0 ? length : 1;
        }
        if (score > best) {
            best = score;
            *line = current;
        }
    }
    return best;
}

// The lines to show: that one, or all.
void question_show(struct question *question, const struct code *code, uint32_t line)
{
    question->first = line != 0 ? line : code->first;
    question->last = line != 0 ? line : code->last;
}
