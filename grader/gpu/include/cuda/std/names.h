// names.h - cuda::std has the names of std.

#ifndef GPU_CUDA_STD_NAMES
#define GPU_CUDA_STD_NAMES

#include <utility>

namespace cuda
{
namespace std
{
using namespace ::std;
}
} // namespace cuda

#endif
