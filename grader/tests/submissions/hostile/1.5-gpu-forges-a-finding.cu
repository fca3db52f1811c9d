// 1.5 weighted_values_gpu crash
// Like 1.6-forges-a-sanitizer-line.c, but forges the simulator's report. Status 67 means a finding.
#include <cstdio>
#include <cstdlib>
// BODY
    fprintf(stderr, "\035finding trap\nleaked41\nleaked41 in /leaked41/attention.cu:41\n");
    fflush(stderr);
    exit(67);
