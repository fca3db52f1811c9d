// 03_rope.c - exercise 7.3, rope: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/07/shared.h"
#include "exercises/common/inputs.h"
#include "exercises/common/rope_cases.h"

#include <math.h>
#include <stdio.h>

#include "07_positional_encoding/positions.h"

// BEGIN HANDED OUT
enum { SHIFT = 16 }; // all tokens have positions that much larger in the second case
// END HANDED OUT

static void move_all(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    size_t *positions = case_size(second, "positions");
    for (size_t t = 0; t < case_count(second, "positions"); t++) {
        positions[t] += SHIFT;
    }
}

// BEGIN HANDED OUT
static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

// The rows of x serve as queries and as keys: every pair of tokens of a head has a score.
static bool only_the_offset_counts(const struct test_case *first,
                                   const struct test_case *second, char *why,
                                   size_t why_size)
{
    const size_t T = case_dim(first, "T"), hs = case_dim(first, "hs");
    const float *out_1 = case_got(first, "out"), *out_2 = case_got(second, "out");
    const size_t *positions = case_input(first, "positions");
    for (size_t row = 0; row < case_count(first, "out") / hs; row++) {
        const size_t t = row % T, head = row - t; // the head's rows start at row head
        for (size_t s = 0; s < T; s++) {
            const double before = dot(out_1 + row * hs, out_1 + (head + s) * hs, hs);
            const double after = dot(out_2 + row * hs, out_2 + (head + s) * hs, hs);
            if (!(fabs(before - after) <= 3e-4 * (1 + fabs(before)))) {
                snprintf(why, why_size,
                         "the tokens at positions %zu and %zu have the score %.6g. At "
                         "positions %zu and %zu it is %.6g; expected the same",
                         positions[t], positions[s], before, positions[t] + SHIFT,
                         positions[s] + SHIFT, after);
                return false;
            }
        }
    }
    return true;
}
// END HANDED OUT

static void make_tiny(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    scale_input(second, "x", 0x1p-60f);
}

// BEGIN HANDED OUT
static bool size_is_kept(const struct test_case *first, const struct test_case *second,
                         char *why, size_t why_size)
{
    const float *out_1 = case_got(first, "out"), *out_2 = case_got(second, "out");
    for (size_t i = 0; i < case_count(first, "out"); i++) {
        if (!(fabsf(0x1p60f * out_2[i] - out_1[i]) <= 2e-5f)) {
            snprintf(why, why_size,
                     "number %zu of out is %.6g. For x times 2^-60 it is %.6g; expected "
                     "%.6g",
                     i, (double)out_1[i], (double)out_2[i],
                     (double)(0x1p-60f * out_1[i]));
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property rope_properties[] = {
    {
        .id = "size-is-kept",
        .claim = "x times 2^-60 gives out times 2^-60",
        .dims = "B=1 NH=2 T=3 hs=4",
        .fill = rope_fill_gaps,
        .change = make_tiny,
        HOLDS(size_is_kept),
    },
    {
        .id = "only-the-offset-counts",
        .claim =
            "moving all tokens by the same number of positions leaves every score q . "
            "k unchanged",
        .dims = "B=2 NH=3 T=5 hs=6",
        .fill = rope_fill_gaps,
        .change = move_all,
        HOLDS(only_the_offset_counts),
    },
    {0},
};

#define ROPE_ARGUMENTS                                                                   \
    float *out, const float *x, const size_t *positions, size_t B, size_t NH, size_t T,  \
        size_t hs

static bool rope_refuses(size_t B, size_t NH, size_t T, size_t hs)
{
    return B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0;
}

// ROPE(name, angle, even, odd): a rope that replaces the channels a and b of each pair with the
// expressions even and odd, which may use the sine and cosine of angle. pair is 2i of the
// formula, place is the token's position, and row counts the B * NH * T tokens.
#define ROPE(name, angle, even, odd)                                                     \
    static lab_status name(ROPE_ARGUMENTS)                                               \
    {                                                                                    \
        if (rope_refuses(B, NH, T, hs)) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t row = 0; row < B * NH * T; row++) {                                  \
            for (size_t c = 0; c < hs; c += 2) {                                         \
                const size_t t = row % T, heads = NH;                                    \
                const double pair = (double)c, place = (double)positions[t];             \
                const double width = (double)hs, a = (double)x[row * hs + c],            \
                             b = (double)x[row * hs + c + 1];                            \
                (void)heads, (void)pair, (void)width, (void)place, (void)b;              \
                const double cosine = cos(angle), sine = sin(angle);                     \
                (void)sine;                                                              \
                out[row * hs + c] = (float)(even);                                       \
                out[row * hs + c + 1] = (float)(odd);                                    \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// TURN(name, angle): the correct rotation, but by this angle.
#define TURN(name, angle) ROPE(name, angle, a *cosine - b * sine, a * sine + b * cosine)
#define RIGHT_ANGLE_OF_TURN (place * frequency(1e4, pair / width))

ROPE(rope_back, RIGHT_ANGLE_OF_TURN, a *cosine + b * sine, b *cosine - a * sine)
ROPE(rope_exchanged, RIGHT_ANGLE_OF_TURN, a *sine - b * cosine, a *cosine + b * sine)
ROPE(rope_already_turned, RIGHT_ANGLE_OF_TURN, a *cosine - b * sine,
     (a * cosine - b * sine) * sine + b * cosine)
ROPE(rope_cosine_only, RIGHT_ANGLE_OF_TURN, a *cosine, b *cosine)
ROPE(rope_plus, RIGHT_ANGLE_OF_TURN, a *cosine + b * sine, a *sine + b * cosine)
TURN(rope_over_C, place *frequency(1e4, pair / (width * (double)heads)))
TURN(rope_ignored, (double)t *frequency(1e4, pair / width))
TURN(rope_one_frequency, place)
TURN(rope_half_exponent, place *frequency(1e4, pair / 2 / width))
TURN(rope_exponent_twice, place *frequency(1e4, 2 * pair / width))
TURN(rope_multiplied, place *frequency(1e4, -pair / width))
TURN(rope_one_based, (place + 1) * frequency(1e4, pair / width))
TURN(rope_16_bits, (uint16_t)positions[t] * frequency(1e4, pair / width))
TURN(rope_16_bits_signed, (int16_t)positions[t] * frequency(1e4, pair / width))
TURN(rope_unsigned_exponent, c == 0 ? place : NAN)
TURN(rope_base_1000, place *frequency(1e3, pair / width))
TURN(rope_heads_as_tokens,
     (double)positions[row / heads % T] * frequency(1e4, pair / width))
TURN(rope_float_angle, (float)(place *frequency(1e4, pair / width)))
TURN(rope_float_frequency, place *(float)frequency(1e4, pair / width))
TURN(rope_float_product, (float)positions[t] * powf(1e4f, -(float)c / (float)hs))
TURN(rope_float_quotient, (float)positions[t] / powf(1e4f, (float)c / (float)hs))

// Channel i goes with channel i + hs/2.
static lab_status rope_half_split(ROPE_ARGUMENTS)
{
    if (rope_refuses(B, NH, T, hs)) {
        return LAB_ESHAPE;
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t i = 0; i < hs / 2; i++) {
            const double angle =
                (double)positions[row % T] * frequency(1e4, 2 * (double)i / (double)hs);
            const size_t low = row * hs + i, high = low + hs / 2;
            const double a = (double)x[low], b = (double)x[high];
            out[low] = (float)(a * cos(angle) - b * sin(angle));
            out[high] = (float)(a * sin(angle) + b * cos(angle));
        }
    }
    return LAB_OK;
}

// Pairs neighbors, but with the angles of the half-split form: 0 1 2 0 1 2 instead of 0 0 1 1 2
// 2.
static lab_status rope_repeated_angles(ROPE_ARGUMENTS)
{
    if (rope_refuses(B, NH, T, hs)) {
        return LAB_ESHAPE;
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c++) {
            const double exponent = 2 * (double)(c % (hs / 2)) / (double)hs;
            const double angle = (double)positions[row % T] * frequency(1e4, exponent);
            const double itself = (double)x[row * hs + c];
            const double other =
                c % 2 == 0 ? -(double)x[row * hs + c + 1] : (double)x[row * hs + c - 1];
            out[row * hs + c] = (float)(itself * cos(angle) + other * sin(angle));
        }
    }
    return LAB_OK;
}

// Each channel rotates by an angle of its own.
static lab_status rope_own_frequency(ROPE_ARGUMENTS)
{
    if (rope_refuses(B, NH, T, hs)) {
        return LAB_ESHAPE;
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c++) {
            const double angle =
                (double)positions[row % T] * frequency(1e4, (double)c / (double)hs);
            const double itself = (double)x[row * hs + c];
            const double other =
                c % 2 == 0 ? -(double)x[row * hs + c + 1] : (double)x[row * hs + c - 1];
            out[row * hs + c] = (float)(itself * cos(angle) + other * sin(angle));
        }
    }
    return LAB_OK;
}

#define FLOAT_ANGLE_WHAT "the angle is computed in float"
#define FLOAT_ANGLE_WHY                                                                  \
    "At small positions the error is tiny. At position 100000 neighboring floats are "   \
    "0.008 apart, and so are the angles. Multiply the position and the frequency as "    \
    "doubles; only sine and cosine become floats."

#define SIXTEEN_BITS_WHY                                                                 \
    "A position is a size_t: a text may be longer than that. Convert it to double, not " \
    "to a short."

static const struct mistake rope_mistakes[] = {
    {
        .id = "half-split",
        .what = "channel i is paired with channel i + hs/2",
        .why = "That is the half-split form, found in many libraries. This lab pairs "
               "neighbors, 2i and 2i + 1. A model trained with one form needs its "
               "weights reordered for the other.",
        .source = "huggingface/transformers#25199, rasbt/LLMs-from-scratch#747",
        .function = LIKE(rope, rope_half_split),
        .convention = true,
    },
    {
        .id = "turned-back",
        .what = "the pairs rotate the other way",
        .why = "The sign of the sine is reversed. Scores then still depend only on the "
               "offset, but with the opposite sign. Here the first channel gets a cos "
               "- b sin, the second a sin + b cos.",
        .source = "karpathy/nanochat#489, trymirai/lalamo#268",
        .function = LIKE(rope, rope_back),
        .convention = true,
    },
    {
        .id = "repeated-angles",
        .what = "neighbors are paired, but with the angles of the half-split form",
        .why =
            "The two channels of a pair need the same angle: 0 0 1 1 2 2 for neighbors. "
            "0 1 2 0 1 2 belongs to the half-split form. If you mix the two, the result "
            "is not a rotation.",
        .source = "xiangking/ark-nlp#47, karpathy/nanochat#264",
        .function = LIKE(rope, rope_repeated_angles),
    },
    {
        .id = "own-frequency",
        .what = "the two channels of a pair get different angles",
        .why = "A rotation has one angle: channels 2i and 2i + 1 both have the exponent "
               "2i/hs.",
        .source = NULL,
        .function = LIKE(rope, rope_own_frequency),
    },
    {
        .id = "over-C",
        .what = "the frequencies are taken over all channels: 2i/C instead of 2i/hs",
        .why = "Every head has channels 0 ... hs-1 and the whole range of frequencies. "
               "Divide by hs.",
        .source = "Lightricks/LTX-Video#224, eole-nlp/eole#140",
        .function = LIKE(rope, rope_over_C),
    },
    {
        .id = "positions-ignored",
        .what = "the index t is used instead of positions[t]",
        .why =
            "The positions need not be 0 ... T-1: after a cache of 100 tokens, the next "
            "token has position 100.",
        .source = "NVIDIA/Megatron-LM#453, Blaizzy/mlx-vlm#1983",
        .function = LIKE(rope, rope_ignored),
    },
    {
        .id = "16-bits",
        .what = "the positions are kept in 16 bits, which end at 65535",
        .why = SIXTEEN_BITS_WHY,
        .source = NULL,
        .function = LIKE(rope, rope_16_bits),
    },
    {
        .id = "16-bits-signed",
        .what = "the positions are kept in 16 bits with a sign, which end at 32767",
        .why = SIXTEEN_BITS_WHY,
        .source = NULL,
        .function = LIKE(rope, rope_16_bits_signed),
    },
    {
        .id = "one-frequency",
        .what = "every pair rotates by the same angle",
        .why =
            "Pair i rotates by position * 10000^(-2i/hs). If the exponent is an integer "
            "division, 2 * i / hs is 0.",
        .source = "Kyubyong/transformer#81, zju3dv/LoFTR#41",
        .function = LIKE(rope, rope_one_frequency),
    },
    {
        .id = "half-exponent",
        .what = "the exponent is i/hs, without the 2 (or the base is 100, which is "
                "the same)",
        .why = "Pair i has the exponent 2i/hs, where 2i is the number of its first "
               "channel, and the base is 10000.",
        .source = "rasbt/LLMs-from-scratch#410",
        .function = LIKE(rope, rope_half_exponent),
    },
    {
        .id = "exponent-twice",
        .what = "the exponent is 4i/hs: 2i was counted twice",
        .why = "A loop over every second channel counts 2i already: the exponent is "
               "c/hs, not 2c/hs.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#32",
        .function = LIKE(rope, rope_exponent_twice),
    },
    {
        .id = "multiplied",
        .what = "the position is multiplied by 10000^(2i/hs) instead of divided by it",
        .why = "The exponent is negative: later pairs rotate more slowly.",
        .source = "labmlai/annotated_deep_learning_paper_implementations#313",
        .function = LIKE(rope, rope_multiplied),
    },
    {
        .id = "one-based",
        .what = "one is added to every position",
        .why =
            "positions[t] is the position. The token at position 0 is not rotated at all.",
        .source = "Physical-Intelligence/openpi#762",
        .function = LIKE(rope, rope_one_based),
    },
    {
        .id = "unsigned-exponent",
        .what = "from the second pair on the channels are NaN",
        .why = "The exponent is negative, and a size_t has no sign: -c is a number near "
               "1.8e19, and 10000 to that power is infinite. Convert c to double first.",
        .source = NULL,
        .function = LIKE(rope, rope_unsigned_exponent),
    },
    {
        .id = "base-1000",
        .what = "the base is 1000",
        .why = "The formula has 10000, with four zeros.",
        .source = "maxjcohen/transformer#62",
        .function = LIKE(rope, rope_base_1000),
    },
    {
        .id = "heads-as-tokens",
        .what = "x is read as (B, T, NH, hs): heads and tokens are swapped",
        .why = "x is (B, NH, T, hs): row r of hs channels belongs to token r % T.",
        .source = "mlfoundations/open_lm#4, facebookresearch/xformers#841",
        .function = LIKE(rope, rope_heads_as_tokens),
    },
    {
        .id = "exchanged",
        .what = "sine and cosine are swapped",
        .why =
            "At position 0 the cosine is 1 and the sine 0, so out = x there. The first "
            "channel is a cos - b sin.",
        .source = NULL,
        .function = LIKE(rope, rope_exchanged),
    },
    {
        .id = "already-turned",
        .what = "the second channel of a pair uses the new value of the first",
        .why =
            "Both new channels need both old ones. Copy a and b before you write either.",
        .source = "DaVikingCode/Citrus-Engine#108",
        .function = LIKE(rope, rope_already_turned),
    },
    {
        .id = "cosine-only",
        .what = "every channel is only multiplied by the cosine",
        .why = "This shrinks a pair instead of rotating it. The sine mixes each channel "
               "with its neighbor.",
        .source = "NVIDIA/ngpt#10",
        .function = LIKE(rope, rope_cosine_only),
    },
    {
        .id = "no-minus",
        .what = "both sines have a plus sign",
        .why =
            "A rotation has one minus: a cos - b sin, and a sin + b cos. With two plus "
            "signs, lengths change.",
        .source = NULL,
        .function = LIKE(rope, rope_plus),
    },
    {
        .id = "float-angle",
        .what = FLOAT_ANGLE_WHAT,
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope, rope_float_angle),
        .convention = true,
    },
    {
        .id = "float-frequency",
        .what = "the frequency is kept in a float",
        .why = "A float near 1 is off by up to 3e-8. At position 100000, the angle is "
               "then off by 0.003. Compute the frequency as a double, with pow, not "
               "powf.",
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope, rope_float_frequency),
        .convention = true,
    },
    {
        .id = "float-product",
        .what = FLOAT_ANGLE_WHAT ", from a float frequency",
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope, rope_float_product),
        .convention = true,
    },
    {
        .id = "float-quotient",
        .what = FLOAT_ANGLE_WHAT ", as a quotient",
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope, rope_float_quotient),
        .convention = true,
    },
    {0},
};

TURN(rope_by_exp, place *exp(-log(1e4) * pair / width))
TURN(rope_reduced, fmod(place / pow(1e4, pair / width), 8 * atan(1)))

// Subtracts whole turns in double; the rest fits a float.
ROPE(rope_reduced_to_float, fmod(place *frequency(1e4, pair / width), 8 * atan(1)),
     (float)a *cosf((float)acos(cosine) * (sine < 0 ? -1.0f : 1.0f)) -
         (float)b * sinf((float)acos(cosine) * (sine < 0 ? -1.0f : 1.0f)),
     (float)a *(float)sine + (float)b * (float)cosine)

// (a + ib) times e^(i angle), as LLaMA's code has it.
ROPE(rope_complex, place *frequency(1e4, pair / width),
     sqrt(a *a + b * b) * cos(atan2(b, a) + atan2(sine, cosine)),
     sqrt(a *a + b * b) * sin(atan2(b, a) + atan2(sine, cosine)))

static const struct mistake rope_alternatives[] = {
    {.id = "by-exp", .function = LIKE(rope, rope_by_exp)},
    {.id = "reduced", .function = LIKE(rope, rope_reduced)},
    {.id = "reduced-to-float", .function = LIKE(rope, rope_reduced_to_float)},
    {.id = "polar", .function = LIKE(rope, rope_complex)},
    {0},
};

static const struct part rope_part[] = {
    {
        .function = "rope",
        .dims = "B NH T hs",
        .tensors =
            {
                {"out", "B NH T hs", OUTPUT, F32, TURNED_TOLERANCE},
                {"x", "B NH T hs", INPUT, F32, 0, 0},
                {"positions", "T", INPUT, SIZE, 0, 0},
            },
        .cases = rope_cases,
        .properties = rope_properties,
        .mistakes = rope_mistakes,
        .alternatives = rope_alternatives,
    },
    {0},
};

const struct exercise exercise_7_3 = {
    .id = "7.3",
    .name = "rope",
    .section = "7.3 Rotary positions",
    .hints =
        {
            "A pair of channels is a point in the plane. Rotate it about the origin. "
            "What determines the angle?",
            "angle = positions[t] * 10000^(-2i/hs), in double. With a = x[2i] and "
            "b = x[2i + 1]: out[2i] = a cos - b sin, out[2i + 1] = a sin + b cos. "
            "Read both before you write either.",
            "for each b, h, t, and c = 0, 2, 4 ... below hs:\n"
            "    double angle = positions[t] * pow(10000.0, -(double)c / hs)\n"
            "    at = ((b * NH + h) * T + t) * hs + c\n"
            "    a = x[at], b = x[at + 1]\n"
            "    out[at]     = a * cos(angle) - b * sin(angle)\n"
            "    out[at + 1] = a * sin(angle) + b * cos(angle)",
        },
    .gpu_hints =
        {
            "The angle is the expensive part. All heads of all sequences use the same "
            "one: compute it once and keep it in a register.",
            "Thread (t, pair), counted along x: angle = positions[t] * 10000^(-2 pair / "
            "hs) in double, its sine and cosine as floats. Then, for each head of this "
            "row of blocks, read two numbers and write two numbers.",
            "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= T * hs / 2) "
            "return\n"
            "t = i / (hs / 2); pair = i % (hs / 2); sincos of the angle, rounded to s "
            "and c\n"
            "for (row = blockIdx.y; row < B*NH; row += gridDim.y)\n"
            "    x = ((const float2 *)x_dev)[row * T * (hs/2) + i]\n"
            "    the same element of out = make_float2(x.x * c - x.y * s, x.x * s + x.y "
            "* c)",
        },
    .parts = rope_part,
};
