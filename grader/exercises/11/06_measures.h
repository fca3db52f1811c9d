// 06_measures.h - shared by the three files of 11.6.

#ifndef GRADER_11_06_MEASURES_H
#define GRADER_11_06_MEASURES_H

#include "exercises/exercise.h"

extern const struct mistake previous_mistakes[];
extern const struct mistake previous_alternatives[];
extern const struct mistake next_mistakes[];
extern const struct mistake next_alternatives[];
extern const struct mistake first_mistakes[];
extern const struct mistake first_alternatives[];
extern const struct mistake entropy_mistakes[];
extern const struct mistake entropy_alternatives[];
extern const struct mistake distance_mistakes[];
extern const struct mistake distance_alternatives[];
extern const struct case_spec induction_cases[];
extern const struct mistake induction_mistakes[];
extern const struct mistake induction_alternatives[];

// What several mistakes have in common.
#define ROW_IS_QUERY "A row is a query, a column is a key: weights[t * T + s]."
#define EACH_HEAD "Head n has its own map: weights + n * T * T."

#endif
