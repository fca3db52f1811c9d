// block_tensors.h - names for the tensors of a block, for the adaptors of lab05.c (also in
// the student archive) and for the tables of 5.6 and 5.7.

#ifndef GRADER_05_BLOCK_TENSORS_H
#define GRADER_05_BLOCK_TENSORS_H

// In the order of the parts.
enum {
    OUT, // or streams
    WEIGHTS,
    X,
    LN1_GAIN,
    LN1_BIAS,
    W_QKV,
    B_QKV,
    W_O,
    B_O,
    LN2_GAIN,
    LN2_BIAS,
    W_FC,
    B_FC,
    W_PROJ,
    B_PROJ,
    LN1,
    LN1_MEAN,
    LN1_RSTD,
    QKV,
    Q,
    K,
    V,
    Q_HEADS,
    K_HEADS,
    V_HEADS,
    SCORES,
    OUT_HEADS,
    MERGED,
    MASK,
    ATTENDED,
    MIDDLE,
    LN2,
    LN2_MEAN,
    LN2_RSTD,
    HIDDEN,
    ACTIVATED,
    PROJECTED,
    BLOCK_TENSORS,
};

#endif
