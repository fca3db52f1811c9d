// cooperative_groups/memcpy_async.h - the simulator has everything in one header.

#ifndef GPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define GPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "cooperative_groups.h"

#endif
