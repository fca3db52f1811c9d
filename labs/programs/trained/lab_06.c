// lab_06.c - the model of a task with model_forward (6.11).

#include "06_copy_task/copy_task.h"
#include "programs/trained/trained.h"

const char task_functions[] = "model_forward (6.11)";

lab_status task_run(struct model *model, const char **failed, const size_t *tokens,
                    const struct model_shape *shape)
{
    CALL_OF(failed,
            model_forward(NULL, &model->activations, &model->params, tokens, NULL, NULL,
                          shape),
            "6.11 model_forward");
    return LAB_OK;
}
