// 1.3 attention_scores_gpu nocompile whole-lab
template <int depth, long path> struct bomb {
    static constexpr long size =
        bomb<depth - 1, 2 * path>::size + bomb<depth - 1, 2 * path + 1>::size;
};
template <long path> struct bomb<0, path> {
    static constexpr long size = 1;
};
static const long explosion = bomb<40, 1>::size;
// BODY
    scores[0] = (float)explosion;
    return LAB_OK;
