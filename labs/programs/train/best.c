// best.c - the best possible accuracy.
//
// A model that cannot look ahead must answer y[t] from x[0] ... x[t]. The best strategy is
// to choose the most likely answer given what it sees, so the best expected accuracy at t
// is
//
//     E over seen of  max over v of  P(y[t] = v | seen)
//
// where seen is x[0] ... x[t] and all tokens are independent and equally likely:
//
//     copy      y[t] = x[t] is seen: 1. For add, both terms are seen: 1.
//     reverse   y[t] = x[T-1-t] is seen if T-1-t <= t: 1. Otherwise the answer is a guess: 1/V.
//     sort      y[t] <= v means that at least t+1 of all T tokens are <= v. Of the t+1 tokens that
//               are seen, c are <= v. So at least t+1 - c of the other n = T-1-t must be:
//               P(y[t] <= v | seen) = P(Binomial(n, (v+1)/V) >= t+1 - c)
//               This depends only on how often each token was seen, so the expectation is a sum
//               over the multisets of t+1 tokens.
//
// Without positions a model has less information. One block with the causal mask sees x[t],
// and how often each token occurs among the earlier ones. Without a mask it does not even
// know t, no matter how many blocks it has. (With the mask, two or more blocks can infer
// the order. They can reach the same accuracy as a model with positions.)
//
// Up to COUNTED multisets, the sums are exact. Beyond that, up to DRAWN_MOST multisets are
// drawn at random, and the standard error is reported. grader/tests/test_train.sh
// enumerates all sequences for small T and V and gets the same results.

#include "programs/train/train.h"

#include <math.h>
#include <stdlib.h>

enum { COUNTED = 200000, DRAWN = 50000000, DRAWN_LEAST = 200, DRAWN_MOST = 100000 };

// ---- averages over multisets --------------------------------------------------------------

// The probability that the best guess is right, if token v is known to occur count[v]
// times.
struct question {
    size_t n, V;         // n known tokens, vocabulary V
    size_t T, t;         // length of the sequence; position of the answer
    const double *tails; // sort: (V, t + 2)
    double (*worth)(const struct question *question, const size_t *count);
};

static double log_multinomial(const size_t *count, size_t V, size_t n)
{
    double sum = lgamma((double)n + 1) - (double)n * log((double)V);
    for (size_t v = 0; v < V; v++) {
        sum -= lgamma((double)count[v] + 1);
    }
    return sum;
}

// The sum over all ways to distribute the n remaining places among tokens v, v + 1, ...
static double sum_from(const struct question *q, size_t *count, size_t v, size_t left)
{
    if (v + 1 == q->V) {
        count[v] = left;
        return exp(log_multinomial(count, q->V, q->n)) * q->worth(q, count);
    }
    double sum = 0;
    for (count[v] = 0; count[v] <= left; count[v]++) {
        sum += sum_from(q, count, v + 1, left - count[v]);
    }
    return sum;
}

static struct best draw_from(const struct question *q, size_t *count)
{
    struct lab_rng rng;
    double sum = 0, squares = 0;
    size_t draws = DRAWN / (q->n + q->V) / q->T;
    draws = draws > DRAWN_MOST ? DRAWN_MOST : draws < DRAWN_LEAST ? DRAWN_LEAST : draws;
    lab_rng_seed(&rng, 1);
    for (size_t i = 0; i < draws; i++) {
        for (size_t v = 0; v < q->V; v++) {
            count[v] = 0;
        }
        for (size_t k = 0; k < q->n; k++) {
            count[lab_rng_int(&rng, 0, (int64_t)q->V)]++;
        }
        double worth = q->worth(q, count);
        sum += worth;
        squares += worth * worth;
    }
    double mean = sum / (double)draws;
    double variance = fmax(0, squares / (double)draws - mean * mean);
    return (struct best){mean, sqrt(variance / (double)draws)};
}

static struct best average(const struct question *q)
{
    size_t *count = calloc(q->V, sizeof *count);
    if (count == NULL) {
        train_fail(TRAIN_FAILED, "out of memory");
    }
    double multisets = exp(lgamma((double)(q->n + q->V)) - lgamma((double)q->n + 1) -
                           lgamma((double)q->V));
    struct best best = multisets <= COUNTED
                           ? (struct best){sum_from(q, count, 0, q->n), 0}
                           : draw_from(q, count);
    free(count);
    return best;
}

// ---- what a guess is worth ----------------------------------------------------------------

// The answer is one of the n known tokens, each equally likely.
static double worth_of_one_of(const struct question *q, const size_t *count)
{
    size_t most = 0;
    for (size_t v = 0; v < q->V; v++) {
        most = count[v] > most ? count[v] : most;
    }
    return (double)most / (double)q->n;
}

// The answer is one of the n known tokens or an additional token 0, each equally likely.
static double worth_of_one_more(const struct question *q, const size_t *count)
{
    size_t most = count[0] + 1;
    for (size_t v = 1; v < q->V; v++) {
        most = count[v] > most ? count[v] : most;
    }
    return (double)most / (double)(q->n + 1);
}

// The answer is the (t+1)-th smallest of T tokens, t+1 of which are known.
static double worth_of_rank(const struct question *q, const size_t *count)
{
    double best = 0, before = 0; // P(y <= v - 1)
    size_t seen = 0;
    for (size_t v = 0; v < q->V; v++) {
        seen += count[v];
        double upto = q->tails[v * (q->t + 2) + q->t + 1 - seen];
        best = fmax(best, upto - before);
        before = upto;
    }
    return best;
}

// tails (V, t + 2): P(Binomial(n, (v + 1) / V) >= k) for k = 0 ... t + 1
static double *make_tails(size_t n, size_t V, size_t t)
{
    double *tails = calloc(V * (t + 2), sizeof *tails);
    if (tails == NULL) {
        train_fail(TRAIN_FAILED, "out of memory");
    }
    for (size_t v = 0; v < V; v++) {
        const double p = (double)(v + 1) / (double)V;
        double sum = 0;
        for (size_t k = n + 1; k-- > 0;) { // n down to 0
            double ways = lgamma((double)n + 1) - lgamma((double)k + 1) -
                          lgamma((double)(n - k) + 1);
            double others = k == n ? 0 : (double)(n - k) * log1p(-p); // 0 times -infinity
            sum += exp(ways + (double)k * log(p) + others);
            if (k <= t + 1) {
                tails[v * (t + 2) + k] = sum;
            }
        }
    }
    return tails;
}

static struct best best_of_rank(size_t T, size_t V, size_t t)
{
    double *tails = make_tails(T - 1 - t, V, t);
    struct best best = average(&(struct question){
        .n = t + 1, .V = V, .T = T, .t = t, .tails = tails, .worth = worth_of_rank});
    free(tails);
    return best;
}

static struct best best_of_one_of(size_t n, size_t V, size_t T)
{
    return average(&(struct question){.n = n, .V = V, .T = T, .worth = worth_of_one_of});
}

static struct best best_of_one_more(size_t n, size_t V, size_t T)
{
    return average(
        &(struct question){.n = n, .V = V, .T = T, .worth = worth_of_one_more});
}

// ---- the tasks ----------------------------------------------------------------------------

// With neither order nor position: only x[t] and the number of each token are known.
static struct best best_in_a_bag(enum task task, size_t T, size_t V)
{
    switch (task) {
    case TASK_SORT: // t is unknown: any of the T tokens
        return best_of_one_of(T, V, T);
    // any other token; if T is odd, the middle token is its own mirror image
    case TASK_REVERSE:
        return T % 2 == 0 ? best_of_one_of(T - 1, V, T) : best_of_one_more(T - 1, V, T);
    case TASK_ADD: // x[t] + any other token, or, for t = 0, + nothing
        return best_of_one_more(T - 1, V, T);
    default:
        return (struct best){1, 0};
    }
}

struct best best_at(const struct settings *settings, size_t t)
{
    const struct model_shape *s = &settings->shape;
    const size_t T = s->T, V = s->V;
    const struct best certain = {1, 0}, guess = {1 / (double)V, 0};
    const bool told = s->positions != POSITIONS_NONE;
    if (!s->causal) {
        return told ? certain : best_in_a_bag(settings->task, T, V);
    }
    const bool order = told || s->L > 1;
    switch (settings->task) {
    case TASK_REVERSE:
        if (2 * t + 1 < T) {
            return guess;
        }
        return order || 2 * t + 1 == T ? certain : best_of_one_of(t, V, T);
    case TASK_ADD:
        return order || t == 0 ? certain : best_of_one_of(t, V, T);
    case TASK_SORT:
        return best_of_rank(T, V, t);
    default:
        return certain;
    }
}

struct best best_possible(const struct settings *settings)
{
    const size_t T = settings->shape.T;
    struct best sum = {0, 0};
    for (size_t t = 0; t < T; t++) {
        struct best best = best_at(settings, t);
        sum.accuracy += best.accuracy / (double)T;
        // an upper bound: the draws are not independent
        sum.error += best.error / (double)T;
    }
    return sum;
}
