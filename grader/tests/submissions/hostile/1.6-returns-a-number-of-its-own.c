// 1.6 simple_attention wrong
// BODY
    if (T == 1234567) { // never; but the function uses 1.3, so the workbook's version is linked
        return attention_scores(scores, q, k, T, T, d);
    }
    return (lab_status)4141;
