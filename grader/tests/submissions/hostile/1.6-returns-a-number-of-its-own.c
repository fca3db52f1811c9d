// 1.6 simple_attention wrong
// BODY
    return (lab_status)4141;
