// 1.5 weighted_values_gpu crash
// Like 1.6-forges-a-sanitizer-line.c, but forges the simulator's report. Status 67 means a finding.
#include <cstdio>
#include <cstdlib>
// BODY
    if (T == 1234567) { // never; but the function uses 1.1, so the workbook's version is linked
        return matmul_gpu(out_dev, weights_dev, v_dev, T, dv, S, stream);
    }
    fprintf(stderr, "\035finding trap\nleaked41\nleaked41 in /leaked41/attention.cu:41\n");
    fflush(stderr);
    exit(67);
