// words.c - what story.c and tasks.c share: see trained.h.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tensor_file.h"
#include "programs/train/run.h"
#include "programs/trained/trained.h"

void *room_for(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        train_fail(TRAIN_FAILED, "out of memory");
    }
    return memory;
}

const char *label_of(char label[8], uint8_t byte)
{
    if (byte == ' ' || byte == '\n') {
        return byte == ' ' ? "␣" : "⏎";
    }
    label[0] = (char)byte;
    label[1] = '\0';
    return label;
}

const char *whose(const char *source)
{
    return strncmp(source, "solutions", strlen("solutions")) == 0 ? "the workbook's"
                                                                  : "your";
}

_Noreturn void run_failed(const char *failed, lab_status status)
{
    if (failed != NULL && status == LAB_TODO) {
        train_fail(TRAIN_FAILED, "%s: %s; see make check EX=%.*s", failed,
                   lab_status_message(status), (int)strcspn(failed, " "), failed);
    }
    train_fail(TRAIN_FAILED, "%s: %s", failed != NULL ? failed : "the model",
               lab_status_message(status));
}

// The characters as a JSON list of labels. The caller frees it.
static char *labels_of(const char *text, size_t T)
{
    char *list = room_for(T + 1, 12), *end = list, label[8];
    for (size_t t = 0; t < T; t++) {
        const char *quote = text[t] == '"' || text[t] == '\\' ? "\\" : "";
        end += sprintf(end, "%s\"%s%s\"", t == 0 ? "[" : ", ", quote,
                       label_of(label, (uint8_t)text[t]));
    }
    memcpy(end, "]", 2);
    return list;
}

void save_weights(const char *path, const float *weights, const char *text, size_t L,
                  size_t NH, size_t T)
{
    struct lab_tensor_file file = {0};
    const size_t shape[4] = {L, NH, T, T};
    char *labels = labels_of(text, T);
    lab_status status =
        lab_tensor_file_add(&file, "attentions", LAB_F32, weights, 4, shape);
    if (status == LAB_OK) {
        status = lab_tensor_file_add_note(&file, "tokens", labels);
    }
    if (status == LAB_OK) {
        status = lab_tensor_file_save(&file, path);
    }
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED, "cannot write %s: %s", path, file.error);
    }
    lab_tensor_file_close(&file);
    free(labels);
}

int finish(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : TRAIN_FAILED;
}
