// cooperative_groups/scan.h - the simulator has everything in one header.

#ifndef GPU_COOPERATIVE_GROUPS_SCAN_H
#define GPU_COOPERATIVE_GROUPS_SCAN_H

#include "cooperative_groups.h"

#endif
