// nvToolsExt.h - the older place of this header.

#include "nvtx3/nvToolsExt.h"
