// 4.1 view_of next-axis-only
    *out = (struct view){.data = data, .axes = axes};
    for (size_t a = 0; a < axes; a++) {
        out->size[a] = size[a];
        out->stride[a] = a == axes - 1 ? 1 : size[a + 1];
    }
    return LAB_OK;
