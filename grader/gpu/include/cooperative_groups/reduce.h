// cooperative_groups/reduce.h - the simulator has everything in one header.

#ifndef GPU_COOPERATIVE_GROUPS_REDUCE_H
#define GPU_COOPERATIVE_GROUPS_REDUCE_H

#include "cooperative_groups.h"

#endif
