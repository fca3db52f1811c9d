// no_cache.c - lab 8's build/generate goes on without a cache.

#include "programs/language/writer.h"

const struct cached_writer *const cached_writer = NULL;
