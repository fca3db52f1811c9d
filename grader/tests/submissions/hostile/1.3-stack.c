// 1.3 attention_scores crash
static int deeper(volatile char *above, int depth)
{
    volatile char here[4096];
    here[0] = above[0];
    return deeper(here, depth + 1) + here[0];
}
// BODY
    volatile char start[1] = {0};
    scores[0] = (float)deeper(start, 0);
    return LAB_OK;
