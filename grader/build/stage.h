// stage.h - the workbook's headers in a folder of their own, for compilers in boxes.
//
//   labs/common/printing.h        scratch/headers/labs/common/printing.h
//   labs/01_simple_attention/...  scratch/headers/labs/01_simple_attention/...    one mount: labs
//
// A compiler may read seventy headers, but not the programs in the same folders. Mounting each
// of them took five times as long as everything else about a box. So an untrusted run copies
// them once to folders of their own, which a box mounts in place of the workbook's. Most are second names
// (hard links) of copies that an earlier run has made.

#ifndef GRADER_STAGE_H
#define GRADER_STAGE_H

#include <stddef.h>

#include "build/workshop.h"
#include "sandbox/box.h"

enum { MOST_STAGED = 4 };

// Puts the headers below the scratch folder. Ends the grader if that fails.
void stage_headers(const struct workshop *workshop);

// Lists the folders to mount: those of the copies, and that of the precompiled header, which is too
// large to copy. Returns their number. The caller frees both paths of each.
size_t stage_mounts(const struct workshop *workshop, struct box_path mounts[MOST_STAGED]);

#endif
