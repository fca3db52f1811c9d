// memory_host.cpp - host code that the simulator does not observe; see memory.cu.

void fill(int *x, int n, int from)
{
    for (int i = 0; i < n; i++) {
        x[i] = from + i;
    }
}
