// 4.1 view_as like-pytorch
    // Axes that belong together form a run; a run may be cut in any way, two runs stay apart.
    if (count_in != count_out) {
        return LAB_ESHAPE;
    }
    struct view view = {.data = in->data, .axes = axes};
    size_t to = axes;
    for (size_t end = in->axes; end > 0;) {
        size_t begin = end - 1, run = in->size[begin], step = in->stride[begin];
        while (begin > 0 &&
               (in->size[begin - 1] == 1 || in->stride[begin - 1] == run * step)) {
            run *= in->size[--begin];
        }
        size_t made = 1;
        while (to > 0 && (made < run || size[to - 1] == 1)) {
            to--;
            view.size[to] = size[to];
            view.stride[to] = made * step;
            made *= size[to];
        }
        if (made != run) {
            return LAB_ESHAPE;
        }
        end = begin;
    }
    *out = view;
    return LAB_OK;
