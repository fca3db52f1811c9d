// 1.3 attention_scores memory whole-lab
// No computer has room for this array. The program cannot even be loaded, so no call is reached.
static char room[1UL << 45];
// BODY
    room[T] = 1;
    scores[0] = (float)room[S];
    return LAB_OK;
