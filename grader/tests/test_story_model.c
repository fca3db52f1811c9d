// test_story_model.c - the shipped story model is the one that datasets/README.md describes, and has the
// held-out loss that it states. The loss is computed by the reference solutions.

#define _POSIX_C_SOURCE 200809L

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "exercises/exercise.h"
#include "programs/language/story.h"
#include "programs/train/stored.h"

static const char path[] = "datasets/story_model.safetensors";

enum { HELD_OUT = 20000 };

static any_function find(const char *name)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (const struct entry *e = place->entries; e->name != NULL; e++) {
            if (place->number == 8 && strcmp(e->name, name) == 0) {
                return e->function;
            }
        }
    }
    cr_assert(false, "the grader knows no %s", name);
    return NULL;
}

#define REFERENCE(name) ((__typeof__(name) *)find(#name))

static void read_model(struct language *model, struct alphabet *alphabet)
{
    struct story_settings settings = {0};
    saved_settings(&settings, alphabet, path);
    cr_assert_eq(language_new(model, &settings.shape, false), LAB_OK);
    saved_parameters(model, path);
}

// The first HELD_OUT characters of valid.txt, as the trainer takes them.
static void held_out_text(uint8_t *text)
{
    const char *build = getenv("BUILD");
    char command[300];
    snprintf(command, sizeof command, "%s/stories --seed 2000000000 --bytes %d",
             build != NULL ? build : "build", HELD_OUT);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    cr_assert_eq(fread(text, 1, HELD_OUT, pipe), (size_t)HELD_OUT);
    while (fgetc(pipe) != EOF) {
    }
    cr_assert_eq(pclose(pipe), 0, "%s failed", command);
}

// Of a BF16 tensor of another shape, a reader was told that F32 is expected.
Test(story_model, another_shape_is_told_in_the_types_of_the_file)
{
    struct lab_tensor_file file;
    float x[2];
    cr_assert_eq(lab_tensor_file_open(&file, path), LAB_OK, "%s", file.error);
    cr_assert_not(stored_read(x, &file, "norm1", 1, (size_t[]){2}));
    cr_expect_not_null(strstr(file.error, "is BF16 ("), "%s", file.error);
    cr_expect_not_null(strstr(file.error, "expected BF16 (2)"), "%s", file.error);
    lab_tensor_file_close(&file);
}

Test(story_model, has_the_stated_size)
{
    struct language model;
    struct alphabet alphabet;
    struct stat file;
    read_model(&model, &alphabet);
    const struct language_shape *s = &model.shape;
    cr_expect(s->V == 64 && s->C == 96 && s->NH == 6 && s->H == 256 && s->L == 4 &&
              s->T == 256);
    cr_expect_eq(model.P, 455520);
    cr_expect_eq(stat(path, &file), 0);
    cr_expect(file.st_size <= 2000000);
    language_free(&model);
}

Test(story_model, has_the_stated_held_out_loss)
{
    struct language model;
    struct alphabet alphabet;
    uint8_t text[HELD_OUT];
    size_t stream[HELD_OUT];
    double loss;
    held_out_text(text);
    read_model(&model, &alphabet);
    cr_assert_eq(REFERENCE(encode)(stream, text, alphabet.bytes, HELD_OUT, alphabet.V),
                 LAB_OK);
    cr_assert_eq(REFERENCE(held_out_loss)(&loss, &model.activations, &model.params,
                                          stream, HELD_OUT, &model.shape),
                 LAB_OK);
    cr_expect_float_eq(loss, 0.1590, 0.0002,
                       "the held-out loss is %.5f; datasets/README.md says 0.1590", loss);
    language_free(&model);
}
