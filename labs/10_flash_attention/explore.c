// explore.c - experiments with your lab 10: a softmax put together from parts, the tiles that the
// causal rule needs, and what attention costs with its weights stored and without.
//
//     make explore LAB=10      builds, runs, prints
//     make plot LAB=10         builds, runs, draws
//     explore OUTDIR           writes the tables into the folder OUTDIR
//
// Written to OUTDIR (tab-separated; a file appears whole or not at all):
//     keys.tsv      key, its score for one query
//     row.tsv       keys so far, then of the same query: maximum, sum before the last tile, the same
//                   rescaled, sum, logsumexp
//     tiles.tsv     map, query, key, and whether this score was seen, masked or skipped
//     cost.tsv      T, then bytes and milliseconds of one head, nan if not measured
//
// Exit status: 0 done, 1 an exercise failed, 2 wrong arguments, 3 one of 10.1 to 10.3 is not written
// yet. If another exercise is not written yet, the program says so and goes on. Start reading at
// main.

#include "10_flash_attention/flash_attention.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "04_multi_head/heads.h"
#include "common/explore.h"
#include "common/rng.h"

// Sizes as in a real model: tokens, width of a head, tiles.
enum { FIRST_T = 256, LAST_T = 16384, SIZES = 7, WIDTH = 64, TILE = 64 };

// Like explore_need, but an exercise that is not written yet is only named.
static bool written(lab_status status, const char *what)
{
    if (status == LAB_TODO) {
        printf("    %s is not written yet\n\n", what);
        return false;
    }
    explore_need(status, what);
    return true;
}

static void *allocated(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        explore_need(LAB_ENOMEM, "the workspaces");
    }
    return memory;
}

// ---- one query, four keys -------------------------------------------------------------------

// The example of the handout. Value s is 1 in channel s, so outputs show weights.
enum { KEYS = 4, HALF = 2, HS = 4 };
static const float one_q[HS] = {2, 0, 0, 0};
static const float one_k[KEYS * HS] = {1, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0};
static const float one_v[KEYS * HS] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const float one_dout[HS] = {1, 0, 0, 0};

struct partial {
    float max, sum, weighted[HS];
};

static struct partial partial_of(size_t first, size_t keys)
{
    struct partial part;
    float scores[KEYS];
    explore_blank(part);
    explore_blank(scores);
    explore_need(partial_attention(&part.max, &part.sum, part.weighted, scores, one_q,
                                   one_k + first * HS, one_v + first * HS, 1, keys, HS,
                                   (ptrdiff_t)keys),
                 "10.1 partial_attention");
    return part;
}

static void show_numbers(const char *name, const float *numbers, size_t count)
{
    printf("    %-16s", name);
    for (size_t i = 0; i < count; i++) {
        printf("  %9.6f", (double)numbers[i]);
    }
    printf("\n");
}

static void show_partial(const char *name, const struct partial *part)
{
    printf("    %-16s  %9.6f  %9.6f ", name, (double)part->max, (double)part->sum);
    for (size_t i = 0; i < HS; i++) {
        printf("  %9.6f", (double)part->weighted[i]);
    }
    printf("\n");
}

static void two_parts(void)
{
    explore_title("1. One query and four keys, in two parts");
    printf("                            max        sum    weighted\n");
    const struct partial a = partial_of(0, HALF), b = partial_of(HALF, HALF);
    struct partial both = a;
    explore_need(online_softmax_merge(&both.max, &both.sum, both.weighted, &b.max, &b.sum,
                                      b.weighted, 1, HS),
                 "10.1 online_softmax_merge");
    show_partial("part a, keys 0 1", &a);
    show_partial("part b, keys 2 3", &b);
    show_partial("merged", &both);
    printf("\n");
}

// ---- one row, tile by tile ------------------------------------------------------------------

enum { ROW_KEYS = 768, ROW_TILES = ROW_KEYS / TILE };

// A query, its keys, and what is known of its softmax after each tile.
struct row {
    float q[WIDTH], k[ROW_KEYS * WIDTH], v[ROW_KEYS * WIDTH];
    float score[ROW_KEYS], max[ROW_TILES], sum[ROW_TILES];
};

// A softmax over one key has the key's score as its maximum.
static void scores_of_row(struct row *row)
{
    float sum, weighted[WIDTH], score;
    for (size_t s = 0; s < ROW_KEYS; s++) {
        explore_blank(row->score[s]);
        explore_blank(weighted);
        explore_need(partial_attention(&row->score[s], &sum, weighted, &score, row->q,
                                       row->k + s * WIDTH, row->v + s * WIDTH, 1, 1,
                                       WIDTH, 1),
                     "10.1 partial_attention");
    }
}

static void tiles_of_row(struct row *row)
{
    float max = -INFINITY, sum = 0, weighted[WIDTH] = {0};
    float tile_max, tile_sum, tile_weighted[WIDTH], scores[TILE];
    for (size_t i = 0; i < ROW_TILES; i++) {
        const size_t first = i * TILE * WIDTH;
        explore_blank(tile_max);
        explore_blank(tile_sum);
        explore_blank(tile_weighted);
        explore_blank(scores);
        explore_need(partial_attention(&tile_max, &tile_sum, tile_weighted, scores,
                                       row->q, row->k + first, row->v + first, 1, TILE,
                                       WIDTH, TILE),
                     "10.1 partial_attention");
        explore_need(online_softmax_merge(&max, &sum, weighted, &tile_max, &tile_sum,
                                          tile_weighted, 1, WIDTH),
                     "10.1 online_softmax_merge");
        row->max[i] = max;
        row->sum[i] = sum;
    }
}

static void show_row(const struct explore *e, const struct row *row)
{
    printf("    keys so far   maximum   old sum, rescaled   new sum   max + log(sum)\n");
    struct lab_replacement table =
        explore_table(e, "row.tsv", "keys\tmaximum\told\trescaled\tsum\tlogsumexp");
    double old = 0, old_max = -INFINITY;
    for (size_t i = 0; i < ROW_TILES; i++) {
        const size_t keys = (i + 1) * TILE;
        const double max = (double)row->max[i], sum = (double)row->sum[i];
        const double rescaled = old * exp(old_max - max);
        printf("    %11zu %9.4f %19.4f %9.4f %16.4f\n", keys, max, rescaled, sum,
               max + log(sum));
        fprintf(table.file, "%zu\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\n", keys, max, old,
                rescaled, sum, max + log(sum));
        old = sum;
        old_max = max;
    }
    printf("\n");
    explore_table_end(e, "row.tsv", &table);
    table = explore_table(e, "keys.tsv", "key\tscore");
    for (size_t s = 0; s < ROW_KEYS; s++) {
        fprintf(table.file, "%zu\t%.5f\n", s, (double)row->score[s]);
    }
    explore_table_end(e, "keys.tsv", &table);
}

static void one_row(const struct explore *e)
{
    static struct row row;
    struct lab_rng rng;
    lab_rng_seed(&rng, 6);
    lab_rng_randn(&rng, row.q, WIDTH);
    lab_rng_randn(&rng, row.k, ROW_KEYS * WIDTH);
    lab_rng_randn(&rng, row.v, ROW_KEYS * WIDTH);
    for (size_t i = 0; i < WIDTH; i++) {
        row.q[i] *= 1.5F; // scores that are further apart
    }
    explore_title("2. A query and %d keys in tiles of %d", ROW_KEYS, TILE);
    scores_of_row(&row);
    tiles_of_row(&row);
    show_row(e, &row);
}

// ---- tiles ----------------------------------------------------------------------------------

static struct flash_buffers new_buffers(size_t Br, size_t Bc, size_t hs)
{
    return (struct flash_buffers){.scores = allocated(Br * Bc, sizeof(float)),
                                  .max = allocated(Br, sizeof(float)),
                                  .sum = allocated(Br, sizeof(float)),
                                  .weighted = allocated(Br * hs, sizeof(float)),
                                  .tile_max = allocated(Br, sizeof(float)),
                                  .tile_sum = allocated(Br, sizeof(float)),
                                  .tile_weighted = allocated(Br * hs, sizeof(float))};
}

static size_t buffers_bytes(size_t Br, size_t Bc, size_t hs)
{
    return (Br * Bc + 2 * Br * (2 + hs)) * sizeof(float);
}

static void free_buffers(struct flash_buffers *z)
{
    free(z->scores);
    free(z->max);
    free(z->sum);
    free(z->weighted);
    free(z->tile_max);
    free(z->tile_sum);
    free(z->tile_weighted);
}

// The attention of the handout's query.
struct attention {
    float out[HS], logsumexp;
};

static struct attention two_tiles(void)
{
    struct attention one;
    struct flash_buffers z = new_buffers(1, HALF, HS);
    explore_title("3. The same query: its attention from two tiles");
    explore_blank(one);
    explore_need(flash_attention(one.out, &one.logsumexp, &z, one_q, one_k, one_v, false,
                                 1, 1, 1, KEYS, HS, 1, HALF),
                 "10.2 flash_attention");
    free_buffers(&z);
    show_numbers("out", one.out, HS);
    show_numbers("logsumexp", &one.logsumexp, 1);
    printf("\n");
    return one;
}

// How many tiles flash_attention_causal visits in a head of width 1.
static size_t visited_tiles(size_t T, size_t S, size_t Br, size_t Bc)
{
    struct flash_buffers z = new_buffers(Br, Bc, 1);
    float *zeros = allocated(T + S, sizeof *zeros), *out = allocated(2 * T, sizeof *out);
    size_t visited = 0;
    explore_need(flash_attention_causal(out, out + T, &visited, &z, zeros, zeros, zeros,
                                        1, 1, T, S, 1, Br, Bc),
                 "10.3 flash_attention_causal");
    free(zeros);
    free(out);
    free_buffers(&z);
    return visited;
}

// How many tiles are visited for the queries before `queries`. These alone, with the keys up to
// their last one's, are a smaller call of the same function.
static size_t visited_before(size_t queries, size_t T, size_t S, size_t Br, size_t Bc)
{
    return queries == 0 || queries + S <= T
               ? 0
               : visited_tiles(queries, queries + S - T, Br, Bc);
}

enum { SHAPES = 3, LONGEST = 24, TALL = 4, WIDE = 6 };

// A score matrix, and how many tiles are visited for each tile of queries.
struct map {
    size_t T, S, visited, tiles[LONGEST / TALL];
};

static struct map map_of(size_t T, size_t S)
{
    struct map map = {.T = T, .S = S, .visited = visited_tiles(T, S, TALL, WIDE)};
    for (size_t i = 0; i < T / TALL; i++) {
        map.tiles[i] = visited_before((i + 1) * TALL, T, S, TALL, WIDE) -
                       visited_before(i * TALL, T, S, TALL, WIDE);
    }
    return map;
}

static void show_map(const struct map *map)
{
    printf("    T = %zu, S = %zu: %zu of %zu tiles visited\n", map->T, map->S,
           map->visited, map->T / TALL * (map->S / WIDE));
    for (size_t i = 0; i < map->T / TALL; i++) {
        const size_t t0 = i * TALL;
        printf("        queries %2zu to %2zu  ", t0, t0 + TALL - 1);
        for (size_t j = 0; j < map->S / WIDE; j++) {
            const size_t s_last =
                (j + 1) * WIDE - 1; // seen by query t0, and by all others?
            printf(" %c", j >= map->tiles[i]               ? '.'
                          : s_last + map->T <= t0 + map->S ? '#'
                                                           : '/');
        }
        printf("\n");
    }
    printf("\n");
}

// Tiles are visited from key 0 on, so the number for a tile of queries tells which they are.
static void write_maps(const struct explore *e, const struct map *maps)
{
    struct lab_replacement table =
        explore_table(e, "tiles.tsv", "map\tquery\tkey\tstate");
    for (size_t m = 0; m < SHAPES; m++) {
        const size_t T = maps[m].T, S = maps[m].S;
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                const bool visited = s / WIDE < maps[m].tiles[t / TALL];
                const bool seen = s + T <= t + S;
                fprintf(table.file, "%zu\t%zu\t%zu\t%s\n", m, t, s,
                        !visited ? "skipped"
                        : seen   ? "seen"
                                 : "masked");
            }
        }
    }
    explore_table_end(e, "tiles.tsv", &table);
}

static void tiles(const struct explore *e)
{
    explore_title("4. Tiles under the causal rule, Br = %d, Bc = %d", TALL, WIDE);
    const struct map maps[SHAPES] = {map_of(LONGEST, LONGEST),
                                     map_of(LONGEST / 2, LONGEST),
                                     map_of(LONGEST, LONGEST / 2)};
    printf("    # every query sees every key   / some do   . not visited\n\n");
    for (size_t m = 0; m < SHAPES; m++) {
        show_map(&maps[m]);
    }
    write_maps(e, maps);
    const size_t T = LAST_T, all = T / TILE * (T / TILE);
    const size_t visited = visited_tiles(T, T, TILE, TILE);
    printf("    T = S = %zu, tiles of %d by %d: %zu of %zu visited, %.1f %%\n\n", T, TILE,
           TILE, visited, all, 100 * (double)visited / (double)all);
}

// ---- back, many parts, bytes ----------------------------------------------------------------

// Channel 0 of a gradient of keys or values.
static void show_channel(const char *name, const float *gradient)
{
    float channel[KEYS];
    for (size_t i = 0; i < KEYS; i++) {
        channel[i] = gradient[i * HS];
    }
    show_numbers(name, channel, KEYS);
}

static void backward(const struct attention *one)
{
    float delta, weights[KEYS], dscores[KEYS];
    float dq[HS], dk[KEYS * HS], dv[KEYS * HS];
    const struct flash_backward_buffers z = {&delta, weights, dscores};
    explore_title("5. The same query, backward, with dout = 1 0 0 0");
    if (!written(flash_attention_backward(dq, dk, dv, &z, one_dout, one->out,
                                          &one->logsumexp, one_q, one_k, one_v, false, 1,
                                          1, 1, KEYS, HS, 1, HALF),
                 "10.4 flash_attention_backward")) {
        return;
    }
    show_channel("dv, channel 0", dv);
    show_channel("dk, channel 0", dk);
    show_numbers("dq", dq, HS);
    printf("\n");
}

static void many_parts(void)
{
    enum { P = KEYS / HALF };
    float out[HS], logsumexp, part_out[P * HS], part_logsumexp[P], scores[HALF];
    const size_t length = KEYS;
    explore_title("6. The same query, its keys in two finished parts");
    if (!written(flash_decode(out, &logsumexp, part_out, part_logsumexp, scores, one_q,
                              one_k, one_v, &length, 1, 1, KEYS, HS, HALF),
                 "10.5 flash_decode")) {
        return;
    }
    for (size_t p = 0; p < P; p++) {
        printf("    part %c\n", "ab"[p]);
        show_numbers("  out", part_out + p * HS, HS);
        show_numbers("  logsumexp", part_logsumexp + p, 1);
        printf("    %-16s  %9.6f\n", "  share",
               exp((double)part_logsumexp[p] - (double)logsumexp));
    }
    show_numbers("out", out, HS);
    show_numbers("logsumexp", &logsumexp, 1);
    printf("\n");
}

static const double MIB = 1 << 20;

static void traffic(void)
{
    enum { FAST = 100 << 10 };
    size_t Br = 0, Bc = 0, standard, tiled;
    explore_title("7. MiB that one head moves, with %d KiB of fast memory and hs = %d",
                  FAST >> 10, WIDTH);
    if (!written(flash_tile_sizes(&Br, &Bc, FAST, WIDTH), "10.6 flash_tile_sizes") ||
        !written(memory_traffic(&standard, &tiled, 1, 1, WIDTH, FAST),
                 "10.6 memory_traffic")) {
        return;
    }
    printf("    tiles of %zu queries and %zu keys\n\n"
           "        T = S   standard    tiled   ratio\n",
           Br, Bc);
    for (size_t T = 1024; T <= 16384; T *= 2) {
        standard = tiled = 0;
        explore_need(memory_traffic(&standard, &tiled, T, T, WIDTH, FAST),
                     "10.6 memory_traffic");
        printf("    %9zu %10.1f %8.1f %7.1f\n", T, (double)standard / MIB,
               (double)tiled / MIB, (double)standard / (double)tiled);
    }
    printf("\n");
}

// ---- memory and time ------------------------------------------------------------------------

// One head, as lab 4 computes it and as this lab does: whatever the T x T numbers cost, q, k, v
// and out are the same and not counted.
enum way { STANDARD, FLASH, CAUSAL, WAYS };

struct head {
    size_t T;
    float *q, *k, *v, *out, *logsumexp;
    float *scores, *weights; // (T, T), or NULL: only for STANDARD
    struct flash_buffers tile;
};

struct cost {
    size_t T, standard_bytes, flash_bytes;
    double ms[WAYS]; // NaN: not measured
};

// Bytes that programs can still get without swapping; a gigabyte if the system does not say.
static size_t available_memory(void)
{
    size_t kilobytes = 1 << 20;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemAvailable: %zu kB", &kilobytes) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes << 10;
}

static void compute(const struct head *head, enum way way)
{
    const size_t T = head->T;
    size_t visited;
    switch (way) {
    case STANDARD:
        explore_need(scaled_dot_product_attention(head->out, head->weights, head->scores,
                                                  head->q, head->k, head->v, NULL, 1, 1,
                                                  T, T, WIDTH),
                     "4.5 scaled_dot_product_attention");
        break;
    case FLASH:
        explore_need(flash_attention(head->out, head->logsumexp, &head->tile, head->q,
                                     head->k, head->v, false, 1, 1, T, T, WIDTH, TILE,
                                     TILE),
                     "10.2 flash_attention");
        break;
    default:
        explore_need(flash_attention_causal(head->out, head->logsumexp, &visited,
                                            &head->tile, head->q, head->k, head->v, 1, 1,
                                            T, T, WIDTH, TILE, TILE),
                     "10.3 flash_attention_causal");
    }
}

// Processor time, which does not count other programs: the fastest of some runs, of fewer if one is
// slow.
static double milliseconds(const struct head *head, enum way way)
{
    enum { RUNS = 7 };
    double fastest = INFINITY, total = 0;
    for (size_t i = 0; i < RUNS && total < 300; i++) {
        const clock_t start = clock();
        compute(head, way);
        const double ms = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
        fastest = fmin(fastest, ms);
        total += ms;
    }
    return fastest;
}

// A size that would take too long, by the four times shorter one before it, is not measured. Nor are
// T x T numbers that would fill more than half of the free memory.
static struct cost cost_of(const struct head *inputs, const struct cost *before, size_t T)
{
    const double longest_ms = 4000;
    struct head head = *inputs;
    struct cost cost = {.T = T};
    head.T = T;
    cost.standard_bytes = 2 * T * T * sizeof(float);
    cost.flash_bytes = buffers_bytes(TILE, TILE, WIDTH) + T * sizeof(float);
    for (enum way way = STANDARD; way < WAYS; way++) {
        cost.ms[way] = NAN;
        if ((before != NULL && !(4 * before->ms[way] < longest_ms)) ||
            (way == STANDARD && cost.standard_bytes > available_memory() / 2)) {
            continue;
        }
        if (way == STANDARD) {
            head.scores = allocated(T * T, sizeof(float));
            head.weights = allocated(T * T, sizeof(float));
        }
        cost.ms[way] = milliseconds(&head, way);
        free(head.scores);
        free(head.weights);
        head.scores = head.weights = NULL;
    }
    return cost;
}

static void show_costs(const struct explore *e, const struct cost *costs)
{
    printf("              beside q k v out, MiB   processor time, milliseconds\n"
           "        T     standard     flash     standard      flash     causal\n");
    struct lab_replacement table = explore_table(
        e, "cost.tsv", "T\tstandard_bytes\tflash_bytes\tstandard\tflash\tcausal");
    for (size_t i = 0; i < SIZES; i++) {
        const struct cost *c = costs + i;
        printf("    %5zu   %10.2f %9.3f   ", c->T, (double)c->standard_bytes / MIB,
               (double)c->flash_bytes / MIB);
        fprintf(table.file, "%zu\t%zu\t%zu", c->T, c->standard_bytes, c->flash_bytes);
        for (enum way way = STANDARD; way < WAYS; way++) {
            if (isnan(c->ms[way])) {
                printf("          -");
            } else {
                printf(" %10.2f", c->ms[way]);
            }
            fprintf(table.file, "\t%.5f", c->ms[way]);
        }
        printf("\n");
        fprintf(table.file, "\n");
    }
    printf("\n");
    explore_table_end(e, "cost.tsv", &table);
}

static void costs(const struct explore *e)
{
    struct cost costs[SIZES];
    struct lab_rng rng;
    openblas_set_num_threads(1);
    struct head head = {.T = LAST_T, .tile = new_buffers(TILE, TILE, WIDTH)};
    float **const tensors[] = {&head.q, &head.k, &head.v, &head.out};
    lab_rng_seed(&rng, 1);
    for (size_t i = 0; i < 4; i++) {
        *tensors[i] = allocated((size_t)LAST_T * WIDTH, sizeof(float));
        lab_rng_randn(&rng, *tensors[i], (size_t)LAST_T * WIDTH);
    }
    head.logsumexp = allocated(LAST_T, sizeof(float));

    explore_title("8. Memory and time of one head, hs = %d, tiles of %d by %d", WIDTH,
                  TILE, TILE);
    size_t T = FIRST_T;
    for (size_t i = 0; i < SIZES; i++, T *= 2) {
        costs[i] = cost_of(&head, i > 0 ? &costs[i - 1] : NULL, T);
    }
    show_costs(e, costs);

    for (size_t i = 0; i < 4; i++) {
        free(*tensors[i]);
    }
    free(head.logsumexp);
    free_buffers(&head.tile);
}

int main(int argc, char **argv)
{
    struct explore e = {.lab = 10};
    explore_arguments(&e, argc, argv);

    EXPLORE_PART(&e, two_parts());
    EXPLORE_PART(&e, one_row(&e));
    EXPLORE_PART(&e, const struct attention one = two_tiles(); tiles(&e); backward(&one));
    EXPLORE_PART(&e, many_parts());
    EXPLORE_PART(&e, traffic());
    EXPLORE_PART(&e, costs(&e));
    return explore_end(&e);
}
