// 05_rope_backward.c - exercise 8.5, rope_backward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/common/inputs.h"
#include "exercises/common/rope_cases.h"

#include <math.h>
#include <stdio.h>

#include "08_language_model/language_model.h"

static void make_tiny(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    scale_input(second, "dy", 0x1p-60f);
}

// BEGIN HANDED OUT
static double length(const float *row, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)row[i] * (double)row[i];
    }
    return sqrt(sum);
}

static bool lengths_stay(const struct test_case *first, const struct test_case *second,
                         char *why, size_t why_size)
{
    const size_t hs = case_dim(first, "hs");
    const float *dx = case_got(first, "dx"), *tiny = case_got(second, "dx");
    const float *dy = case_input(first, "dy");
    for (size_t row = 0; row < case_count(first, "dx") / hs; row++) {
        const double before = length(dy + row * hs, hs),
                     after = length(dx + row * hs, hs);
        if (!(fabs(before - after) <= 1e-4 * (1 + before))) {
            snprintf(why, why_size, "row %zu of dy has the length %.6g, that of dx %.6g",
                     row, before, after);
            return false;
        }
    }
    for (size_t i = 0; i < case_count(first, "dx"); i++) {
        if (dx[i] != 0x1p60f * tiny[i]) {
            snprintf(why, why_size,
                     "number %zu of dx is %.9g, and of dy times 2^-60 it is %.9g", i,
                     (double)dx[i], (double)tiny[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property rope_backward_properties[] = {
    {
        .id = "lengths-stay",
        .claim =
            "a rotation does not change the length of a row, and dy times 2^-60 gives dx "
            "times 2^-60",
        .dims = "B=2 NH=3 T=5 hs=6",
        .fill = rope_fill_gaps,
        .change = make_tiny,
        HOLDS(lengths_stay),
    },
    {0},
};

#define ROPE_ARGUMENTS                                                                   \
    float *dx, const float *dy, const size_t *positions, size_t B, size_t NH, size_t T,  \
        size_t hs

static bool rope_refuses(size_t B, size_t NH, size_t T, size_t hs)
{
    return B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0;
}

static double slowed(double base, double exponent)
{
    return pow(base, -exponent);
}

// BACK(name, angle, even, odd): replaces the channels a and b of each pair with the expressions
// even and odd, which may use the sine and cosine of angle. pair is 2i of the formula, place is
// the token's position, and row counts the B * NH * T tokens.
#define BACK(name, angle, even, odd)                                                     \
    static lab_status name(ROPE_ARGUMENTS)                                               \
    {                                                                                    \
        if (rope_refuses(B, NH, T, hs)) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t row = 0; row < B * NH * T; row++) {                                  \
            for (size_t c = 0; c < hs; c += 2) {                                         \
                const size_t t = row % T, heads = NH;                                    \
                const double pair = (double)c, place = (double)positions[t];             \
                const double width = (double)hs, a = (double)dy[row * hs + c],           \
                             b = (double)dy[row * hs + c + 1];                           \
                (void)heads, (void)pair, (void)width, (void)place, (void)b;              \
                const double cosine = cos(angle), sine = sin(angle);                     \
                (void)sine;                                                              \
                dx[row * hs + c] = (float)(even);                                        \
                dx[row * hs + c + 1] = (float)(odd);                                     \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// TURN(name, angle): the correct backward rotation, but by this angle.
#define TURN(name, angle) BACK(name, angle, a *cosine + b * sine, b * cosine - a * sine)
#define RIGHT_ANGLE (place * slowed(1e4, pair / width))

BACK(back_forward, RIGHT_ANGLE, a *cosine - b * sine, b *cosine + a * sine)
BACK(back_exchanged, RIGHT_ANGLE, a *sine + b * cosine, b *sine - a * cosine)
BACK(back_already_turned, RIGHT_ANGLE, a *cosine + b * sine,
     b *cosine - (a * cosine + b * sine) * sine)
BACK(back_cosine_only, RIGHT_ANGLE, a *cosine, b *cosine)
BACK(back_plus, RIGHT_ANGLE, a *cosine + b * sine, b *cosine + a * sine)
BACK(back_minus, RIGHT_ANGLE, a *cosine - b * sine, b *cosine - a * sine)
BACK(back_copied, RIGHT_ANGLE, a * 1 + 0 * cosine, b * 1)
TURN(back_negated_position,
     (double)(size_t)(0 - positions[t]) * slowed(1e4, pair / width))
TURN(back_over_C, place *slowed(1e4, pair / (width * (double)heads)))
TURN(back_ignored, (double)t *slowed(1e4, pair / width))
TURN(back_one_frequency, place)
TURN(back_base_1000, place *slowed(1e3, pair / width))
TURN(back_base_100000, place *slowed(1e5, pair / width))
TURN(back_base_500000, place *slowed(5e5, pair / width))
TURN(back_half_exponent, place *slowed(1e4, pair / 2 / width))
TURN(back_exponent_twice, place *slowed(1e4, 2 * pair / width))
TURN(back_multiplied, place *slowed(1e4, -pair / width))
TURN(back_one_based, (place + 1) * slowed(1e4, pair / width))
TURN(back_16_bits, (uint16_t)positions[t] * slowed(1e4, pair / width))
TURN(back_16_bits_signed, (int16_t)positions[t] * slowed(1e4, pair / width))
TURN(back_heads_as_tokens, (double)positions[row / heads % T] * slowed(1e4, pair / width))
TURN(back_float_angle, (float)(place *slowed(1e4, pair / width)))
TURN(back_float_product, (float)positions[t] * powf(1e4f, -(float)c / (float)hs))
TURN(back_float_quotient, (float)positions[t] / powf(1e4f, (float)c / (float)hs))

// Channel i goes with channel i + hs/2. If `forward`, rotates like the half-split form of rope.
static lab_status half_split(bool forward, ROPE_ARGUMENTS)
{
    if (rope_refuses(B, NH, T, hs)) {
        return LAB_ESHAPE;
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t i = 0; i < hs / 2; i++) {
            const double angle =
                (double)positions[row % T] * slowed(1e4, 2 * (double)i / (double)hs);
            const size_t low = row * hs + i, high = low + hs / 2;
            const double a = (double)dy[low], b = (double)dy[high];
            const double sine = forward ? -sin(angle) : sin(angle);
            dx[low] = (float)(a * cos(angle) + b * sine);
            dx[high] = (float)(b * cos(angle) - a * sine);
        }
    }
    return LAB_OK;
}

static lab_status back_half_split(ROPE_ARGUMENTS)
{
    return half_split(false, dx, dy, positions, B, NH, T, hs);
}

static lab_status back_half_split_forward(ROPE_ARGUMENTS)
{
    return half_split(true, dx, dy, positions, B, NH, T, hs);
}

#define FLOAT_ANGLE_WHAT "the angle is computed in float"
#define FLOAT_ANGLE_WHY                                                                  \
    "At small positions the error is tiny. At position 100000 neighboring floats are "   \
    "0.008 apart, and so are the angles. Multiply the position and the frequency as "    \
    "doubles; only sine and cosine become floats."

#define SIXTEEN_BITS_WHY                                                                 \
    "A position is a size_t: a text may be longer than that. Convert it to double, not " \
    "to a short."

#define BASE_WHY                                                                         \
    "Pair i rotates by position * 10000^(-2i/hs), here as in the forward pass."

static const struct mistake rope_backward_mistakes[] = {
    {
        .id = "turned-forward",
        .what = "the pairs rotate forward, as in rope",
        .why = "The backward pass rotates by the opposite angle, so the sine changes its "
               "sign: dx[2i] = dy[2i] cos + dy[2i + 1] sin.",
        .source = NULL,
        .function = LIKE(rope_backward, back_forward),
    },
    {
        .id = "half-split",
        .what = "channel i is paired with channel i + hs/2",
        .why = "That is the half-split form, found in many libraries. Lab 7's rope pairs "
               "neighbors, 2i and 2i + 1, so rope_backward does, too.",
        .source = "huggingface/transformers#25199, rasbt/LLMs-from-scratch#747",
        .function = LIKE(rope_backward, back_half_split),
        .convention = true,
    },
    {
        .id = "half-split-forward",
        .what = "channel i is paired with channel i + hs/2, and the pairs rotate forward",
        .why = "Lab 7's rope pairs neighbors, 2i and 2i + 1, and the gradient is rotated "
               "back.",
        .source = "huggingface/transformers#25199, rasbt/LLMs-from-scratch#747",
        .function = LIKE(rope_backward, back_half_split_forward),
    },
    {
        .id = "copied",
        .what = "dy is copied without a rotation",
        .why =
            "The forward pass rotates each pair, so the gradient must be rotated back.",
        .source = NULL,
        .function = LIKE(rope_backward, back_copied),
    },
    {
        .id = "negated-position",
        .what = "the position is negated as a size_t, which has no sign",
        .why =
            "positions holds size_t, so minus 3 becomes a number near 1.8e19. Convert "
            "the position to double before you negate it, or change the sign of the sine.",
        .source = NULL,
        .function = LIKE(rope_backward, back_negated_position),
    },
    {
        .id = "two-plus",
        .what = "both sines have a plus sign",
        .why =
            "A rotation has one minus: dy[2i] cos + dy[2i + 1] sin, and dy[2i + 1] cos - "
            "dy[2i] sin. With two plus signs, lengths change.",
        .source = NULL,
        .function = LIKE(rope_backward, back_plus),
    },
    {
        .id = "two-minus",
        .what = "both sines have a minus sign",
        .why =
            "A rotation has one minus: dy[2i] cos + dy[2i + 1] sin, and dy[2i + 1] cos - "
            "dy[2i] sin. With two minus signs, lengths change.",
        .source = NULL,
        .function = LIKE(rope_backward, back_minus),
    },
    {
        .id = "already-turned",
        .what = "the second channel of a pair uses the new value of the first",
        .why = "Both new channels need both old ones. Copy them before you write either.",
        .source = "DaVikingCode/Citrus-Engine#108",
        .function = LIKE(rope_backward, back_already_turned),
    },
    {
        .id = "exchanged",
        .what = "sine and cosine are swapped",
        .why = "At position 0 the cosine is 1 and the sine 0, so dx = dy there.",
        .source = NULL,
        .function = LIKE(rope_backward, back_exchanged),
    },
    {
        .id = "cosine-only",
        .what = "every channel is only multiplied by the cosine",
        .why = "This shrinks a pair instead of rotating it. The sine mixes each channel "
               "with its neighbor.",
        .source = "NVIDIA/ngpt#10",
        .function = LIKE(rope_backward, back_cosine_only),
    },
    {
        .id = "over-C",
        .what = "the frequencies are taken over all channels: 2i/C instead of 2i/hs",
        .why = "Every head has channels 0 ... hs-1 and the whole range of frequencies. "
               "Divide by hs.",
        .source = "Lightricks/LTX-Video#224, eole-nlp/eole#140",
        .function = LIKE(rope_backward, back_over_C),
    },
    {
        .id = "positions-ignored",
        .what = "the index t is used instead of positions[t]",
        .why =
            "The positions need not be 0 ... T-1: after a cache of 100 tokens, the next "
            "token has position 100.",
        .source = "NVIDIA/Megatron-LM#453, Blaizzy/mlx-vlm#1983",
        .function = LIKE(rope_backward, back_ignored),
    },
    {
        .id = "16-bits",
        .what = "the positions are kept in 16 bits, which end at 65535",
        .why = SIXTEEN_BITS_WHY,
        .source = NULL,
        .function = LIKE(rope_backward, back_16_bits),
    },
    {
        .id = "16-bits-signed",
        .what = "the positions are kept in 16 bits with a sign, which end at 32767",
        .why = SIXTEEN_BITS_WHY,
        .source = NULL,
        .function = LIKE(rope_backward, back_16_bits_signed),
    },
    {
        .id = "one-frequency",
        .what = "every pair rotates by the same angle",
        .why =
            "Pair i rotates by position * 10000^(-2i/hs). If the exponent is an integer "
            "division, 2 * i / hs is 0.",
        .source = "Kyubyong/transformer#81, zju3dv/LoFTR#41",
        .function = LIKE(rope_backward, back_one_frequency),
    },
    {
        .id = "half-exponent",
        .what = "the exponent is i/hs, without the 2 (or the base is 100, which is "
                "the same)",
        .why = "Pair i has the exponent 2i/hs, where 2i is the number of its first "
               "channel, and the base is 10000.",
        .source = "rasbt/LLMs-from-scratch#410",
        .function = LIKE(rope_backward, back_half_exponent),
    },
    {
        .id = "base-1000",
        .what = "the base of the frequencies is 1000, not 10000",
        .why = BASE_WHY,
        .source = NULL,
        .function = LIKE(rope_backward, back_base_1000),
    },
    {
        .id = "base-100000",
        .what = "the base of the frequencies is 100000, not 10000",
        .why = BASE_WHY,
        .source = NULL,
        .function = LIKE(rope_backward, back_base_100000),
    },
    {
        .id = "base-500000",
        .what = "the base of the frequencies is 500000, as in Llama 3, not 10000",
        .why = BASE_WHY,
        .source = NULL,
        .function = LIKE(rope_backward, back_base_500000),
        .convention = true,
    },
    {
        .id = "exponent-twice",
        .what = "the exponent is 4i/hs: 2i was counted twice",
        .why = "A loop over every second channel counts 2i already: the exponent is "
               "c/hs, not 2c/hs.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#32",
        .function = LIKE(rope_backward, back_exponent_twice),
    },
    {
        .id = "multiplied",
        .what = "the position is multiplied by 10000^(2i/hs) instead of divided by it",
        .why = "The exponent is negative: later pairs rotate more slowly.",
        .source = "labmlai/annotated_deep_learning_paper_implementations#313",
        .function = LIKE(rope_backward, back_multiplied),
    },
    {
        .id = "one-based",
        .what = "one is added to every position",
        .why =
            "positions[t] is the position. The token at position 0 is not rotated at all.",
        .source = "Physical-Intelligence/openpi#762",
        .function = LIKE(rope_backward, back_one_based),
    },
    {
        .id = "heads-as-tokens",
        .what = "dy is read as (B, T, NH, hs): heads and tokens are swapped",
        .why = "dy is (B, NH, T, hs): row r of hs channels belongs to token r % T.",
        .source = "mlfoundations/open_lm#4, facebookresearch/xformers#841",
        .function = LIKE(rope_backward, back_heads_as_tokens),
    },
    {
        .id = "float-angle",
        .what = FLOAT_ANGLE_WHAT,
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope_backward, back_float_angle),
        .convention = true,
    },
    {
        .id = "float-product",
        .what = FLOAT_ANGLE_WHAT ", from a float frequency",
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope_backward, back_float_product),
        .convention = true,
    },
    {
        .id = "float-quotient",
        .what = FLOAT_ANGLE_WHAT ", as a quotient",
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope_backward, back_float_quotient),
        .convention = true,
    },
    {0},
};

TURN(back_by_exp, place *exp(-log(1e4) * pair / width))

// rope by the negative angle.
BACK(back_negative_angle, -RIGHT_ANGLE, a *cosine - b * sine, a *sine + b * cosine)

// (a + ib) times e^(-i angle).
BACK(back_polar, RIGHT_ANGLE, sqrt(a *a + b * b) * cos(atan2(b, a) - atan2(sine, cosine)),
     sqrt(a *a + b * b) * sin(atan2(b, a) - atan2(sine, cosine)))

// Sine and cosine rounded to float, then products of floats.
BACK(back_in_float, RIGHT_ANGLE, (float)a *(float)cosine + (float)b * (float)sine,
     (float)b *(float)cosine - (float)a * (float)sine)

static const struct mistake rope_backward_alternatives[] = {
    {.id = "by-exp", .function = LIKE(rope_backward, back_by_exp)},
    {.id = "negative-angle", .function = LIKE(rope_backward, back_negative_angle)},
    {.id = "polar", .function = LIKE(rope_backward, back_polar)},
    {.id = "in-float", .function = LIKE(rope_backward, back_in_float)},
    {0},
};

static const struct part rope_backward_part[] = {
    {
        .function = "rope_backward",
        .dims = "B NH T hs",
        .tensors =
            {
                {"dx", "B NH T hs", OUTPUT, F32, TURNED_TOLERANCE},
                {"dy", "B NH T hs", INPUT, F32, 0, 0},
                {"positions", "T", INPUT, SIZE, 0, 0},
            },
        .cases = rope_cases,
        .properties = rope_backward_properties,
        .mistakes = rope_backward_mistakes,
        .alternatives = rope_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_8_5 = {
    .id = "8.5",
    .name = "rope_backward",
    .section = "8.5 RoPE, backward",
    .hints =
        {
            "The forward pass rotated each pair of channels. What undoes a rotation?",
            "The same angle as in rope, with the sign of the sine changed: "
            "dx[2i] = dy[2i] cos + dy[2i + 1] sin, dx[2i + 1] = dy[2i + 1] cos - dy[2i] "
            "sin. Read both before you write either.",
            "for each b, h, t, and c = 0, 2, 4 ... below hs:\n"
            "    double angle = positions[t] * pow(10000.0, -(double)c / hs)\n"
            "    at = ((b * NH + h) * T + t) * hs + c\n"
            "    first = dy[at], second = dy[at + 1]\n"
            "    dx[at]     = first * cos(angle) + second * sin(angle)\n"
            "    dx[at + 1] = second * cos(angle) - first * sin(angle)",
        },
    .gpu_hints =
        {
            "Start with your kernel of lab 7. Only one sign in each line is different.",
            "Thread (t, pair), counted along x: angle = positions[t] * 10000^(-2 pair / "
            "hs) in double, its sine and cosine as floats. Then, for each head of this "
            "row of blocks, read two numbers and write two numbers.",
            "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= T * hs / 2) "
            "return\n"
            "t = i / (hs / 2); pair = i % (hs / 2); sincos of the angle, rounded to s "
            "and c\n"
            "for (row = blockIdx.y; row < B*NH; row += gridDim.y)\n"
            "    d = ((const float2 *)dy_dev)[row * T * (hs/2) + i]\n"
            "    the same element of dx = make_float2(d.x * c + d.y * s, d.y * c - d.x "
            "* s)",
        },
    .parts = rope_backward_part,
};
