// shared.c - see shared.h.

#include "exercises/exercise.h"
#include "exercises/07/shared.h"

#include <math.h>

#include "07_positional_encoding/positions.h"

double frequency(double base, double exponent)
{
    return pow(base, -exponent);
}
