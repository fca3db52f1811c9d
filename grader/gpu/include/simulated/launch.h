// launch.h - what kernel<<<grid, block, shared, stream>>>(arguments) becomes.
//
//     (gpu_configure("kernel", "file.cu", 41, grid, block, shared, stream), kernel(a, b))
//
// The kernel begins with: if (gpu_configured) { gpu_start(kernel, a, b); return; }. So the
// arguments are evaluated and converted to the kernel's parameter types once, and gpu_start calls
// the kernel again for each thread, with a copy of each argument (translate/kernel.c).

#ifndef GPU_SIMULATED_LAUNCH_H
#define GPU_SIMULATED_LAUNCH_H

// Code that passes kernel arguments reads the host's stack, which kernels must not do.
#if defined __SANITIZE_THREAD__
#define GPU_UNCHECKED __attribute__((no_sanitize_thread))
#else
#define GPU_UNCHECKED
#endif

struct gpu_configuration {
    const char *kernel, *file;
    int line;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *address; // the kernel's function
    bool cooperative;
    unsigned long long most; // threads of a block by __launch_bounds__; 0: not said
};

extern "C" {
// Keeps a copy until the kernel that is called next takes it.
void gpu_prepare(const gpu_configuration *configuration);
// The kernel that is called now says so.
void gpu_launch_bounds(unsigned long long threads);
// False while a kernel's threads run. (Declared const for the same reason as threadIdx.)
extern const bool gpu_configured;
// The arguments of cudaLaunchKernel between the call and gpu_start; otherwise NULL.
extern void **gpu_packed_arguments;
// True while a kernel's threads run; and whether this host thread runs them.
extern const bool gpu_on_device;
bool gpu_runs_here();
// Runs thread(data) once for each thread of the grid, with threadIdx and the others set. The
// arguments end with one of 0 bytes.
void gpu_launch(const void *kernel, void (*thread)(void *), void *data,
                const struct gpu_bytes *arguments);
}

// Stands at the beginning of a function of the host (translate/host.c).
#if defined __SANITIZE_THREAD__
extern "C" void gpu_host_in_kernel();
static inline __attribute__((always_inline)) void gpu_host_code()
{
    if (__builtin_expect(gpu_on_device, false)) {
        gpu_host_in_kernel();
    }
}
#else
#define gpu_host_code() (void)0
#endif

struct gpu_bytes {
    const void *at;
    size_t bytes;
};

inline void gpu_configure(const char *kernel, const char *file, int line, dim3 grid,
                          dim3 block, size_t shared = 0, cudaStream_t stream = 0)
{
    gpu_configuration configuration{kernel, file,   line, grid,  block,
                                    shared, stream, 0,    false, 0};
    gpu_prepare(&configuration);
}

// A kernel's name as it stands in the source, or as the argument of a macro.
#define GPU_NAME(...) #__VA_ARGS__

// Each file has its own copies of these templates. If the linker shared them among files, debug
// information would give one address to two files, and libbacktrace would then find no line for
// other addresses.
namespace
{

// A thread's own copy of an argument. In the checked build, copying a structure would call
// its copy constructor (-fno-elide-constructors), which is checked; this avoids the call.
template <typename T, bool trivial> struct gpu_own {
    typedef T passed;
    GPU_UNCHECKED static T copy(const T &value)
    {
        if constexpr (__is_trivially_copyable(T)) {
            return __builtin_bit_cast(T, value);
        } else {
            return value;
        }
    }
};
template <typename T> struct gpu_own<T &, true> {
    typedef T &passed;
    static T &copy(T &value)
    {
        return value;
    }
};

// CUDA copies the bytes of an argument to the device, whatever constructors its class has, and calls
// no destructor there (CUDA C++ Programming Guide, __global__ Function Argument Processing). A
// function gets the address of such an argument, as if its parameter were a reference.
template <typename T> struct gpu_own<T, false> {
    typedef T &passed;
    struct __attribute__((may_alias)) bytes {
        alignas(T) unsigned char of[sizeof(T)];
        GPU_UNCHECKED operator T &()
        {
            return reinterpret_cast<T &>(of);
        }
    };
    GPU_UNCHECKED static bytes copy(const T &value)
    {
        return __builtin_bit_cast(bytes, reinterpret_cast<const bytes &>(value));
    }
};

// Whether a call passes a T in registers or on the stack.
template <typename T> constexpr bool gpu_is_trivial()
{
    return __is_trivially_constructible(T, const T &) && __has_trivial_destructor(T);
}
template <typename T> using gpu_argument = gpu_own<T, gpu_is_trivial<T>()>;

template <typename T> struct gpu_same {
    typedef T type;
};

// The type of a parameter as it counts in the kernel's type: without its own const and restrict.
template <typename T> struct gpu_bare {
    typedef T type;
};
template <typename T> struct gpu_bare<const T> {
    typedef typename gpu_bare<T>::type type;
};
template <typename T> struct gpu_bare<T *__restrict__> {
    typedef T *type;
};
template <typename T> struct gpu_bare<T *const __restrict__> {
    typedef T *type;
};

// Where a list of arguments, as cudaLaunchKernel takes it, has one of type T. Of a reference, as in
// kernel(data &d), it has the address, and the launch copies the address, not what lies there.
template <typename T> struct gpu_place {
    static T &in_list(void *place)
    {
        return *static_cast<T *>(place);
    }
    static gpu_bytes bytes(const T &value, const void *const *)
    {
        return {&value, sizeof value};
    }
};
template <typename T> struct gpu_place<T &> {
    static T &in_list(void *place)
    {
        return **static_cast<T **>(place);
    }
    static gpu_bytes bytes(T &, const void *const *address)
    {
        return {address, sizeof *address};
    }
};

// The numbers 0 to N - 1.
template <size_t... indices> struct gpu_indices {
};
template <size_t n, size_t... indices>
struct gpu_indices_to : gpu_indices_to<n - 1, n - 1, indices...> {
};
template <size_t... indices> struct gpu_indices_to<0, indices...> {
    typedef gpu_indices<indices...> type;
};

template <typename... Parts>
GPU_UNCHECKED void gpu_start(void (*kernel)(Parts...),
                             typename gpu_same<Parts>::type... p);

// packed[i] points to argument i.
template <typename... Parts, size_t... indices>
GPU_UNCHECKED void gpu_start_packed(void (*kernel)(Parts...), void **packed,
                                    gpu_indices<indices...>)
{
    (void)packed;
    gpu_start(kernel,
              gpu_place<typename gpu_bare<Parts>::type>::in_list(packed[indices])...);
}

// P is taken from the kernel alone.
template <typename... Parts>
GPU_UNCHECKED __attribute__((noinline)) void
gpu_start(void (*kernel)(Parts...), typename gpu_same<Parts>::type... p)
{
    if (gpu_packed_arguments != nullptr) { // cudaLaunchKernel; p are no values
        void **packed = gpu_packed_arguments;
        gpu_packed_arguments = nullptr;
        gpu_start_packed(kernel, packed,
                         typename gpu_indices_to<sizeof...(Parts)>::type());
        return;
    }
    auto thread = reinterpret_cast<void (*)(typename gpu_argument<Parts>::passed...)>(
        reinterpret_cast<void (*)()>(kernel));
    auto call = [&]() GPU_UNCHECKED { thread(gpu_argument<Parts>::copy(p)...); };
    const void *const addresses[] = {__builtin_addressof(p)..., nullptr};
    const void *const *address = addresses;
    const gpu_bytes arguments[] = {gpu_place<Parts>::bytes(p, address++)..., {0, 0}};
    gpu_launch(
        reinterpret_cast<const void *>(kernel),
        [](void *c) GPU_UNCHECKED { (*static_cast<decltype(call) *>(c))(); }, &call,
        arguments);
}

} // namespace

// ---- shared memory ------------------------------------------------------------------------

// A __shared__ variable of type T becomes a reference into the block's shared memory. The
// key is a static variable, so each variable of each kernel, and of each template instance,
// has a separate one.
struct gpu_shared_key {
    unsigned launch;
    void *place;
    const char *file;
    int line;
};

extern "C" {
extern unsigned gpu_launch_number;
void *gpu_shared_place(gpu_shared_key *key, size_t bytes, size_t alignment,
                       const char *name, size_t element, size_t columns);
}

// The size of an array's elements, and a matrix's columns, for reports.
template <typename T> struct gpu_array {
    enum : size_t { element = sizeof(T), columns = 0 };
};
template <typename T, size_t n> struct gpu_array<T[n]> {
    enum : size_t { element = gpu_array<T>::element, columns = 0 };
};
template <typename T, size_t n, size_t m> struct gpu_array<T[n][m]>
{
    enum : size_t { element = gpu_array<T>::element, columns = m };
};
template <typename T, size_t n, size_t m, size_t k> struct gpu_array<T[n][m][k]>
{
    enum : size_t { element = gpu_array<T>::element, columns = 0 };
};

template <typename T, size_t alignment> // static: see gpu_argument
GPU_UNCHECKED static inline T &gpu_shared(gpu_shared_key *key, const char *name)
{
    void *place = key->launch == gpu_launch_number
                      ? key->place
                      : gpu_shared_place(key, sizeof(T), alignment, name,
                                         gpu_array<T>::element, gpu_array<T>::columns);
    return *static_cast<T *>(place);
}

// extern __shared__ memory is always at this address (as in runtime/shadow.h).
#define GPU_SHARED_DYNAMIC 0x190000100000
#define GPU_SHARED_WINDOW 0x190000000000ul // and all shared memory begins here

// __device__ and __constant__ variables are placed in one section, so that the runtime
// recognizes them as device memory.
#define GPU_DEVICE_VARIABLE __attribute__((section("gpu_variables")))
#define GPU_MANAGED_VARIABLE __attribute__((section("gpu_managed")))
#define __constant__ GPU_DEVICE_VARIABLE

// ---- calls that the real header gives types to --------------------------------------------

template <typename T>
__attribute__((always_inline)) inline cudaError_t cudaMalloc(T **pointer_dev,
                                                             size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void **>(pointer_dev), bytes);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T **pointer_dev, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync(reinterpret_cast<void **>(pointer_dev), bytes, stream);
}
template <typename T>
__attribute__((always_inline)) inline cudaError_t
cudaMallocManaged(T **pointer, size_t bytes, unsigned flags = 1)
{
    return cudaMallocManaged(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <typename T> inline cudaError_t cudaMallocHost(T **pointer, size_t bytes)
{
    return cudaMallocHost(reinterpret_cast<void **>(pointer), bytes);
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                   cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, 0);
}
inline cudaError_t cudaMemsetAsync(void *pointer_dev, int value, size_t bytes)
{
    return cudaMemsetAsync(pointer_dev, value, bytes, 0);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event)
{
    return cudaEventRecord(event, 0);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event)
{
    return cudaStreamWaitEvent(stream, event, 0);
}
// The size of the variable that the next copy to or from a symbol is about.
extern "C" {
void gpu_symbol_bytes(size_t bytes);
}

template <typename T> inline const void *gpu_symbol(const T &symbol)
{
    return const_cast<const void *>(static_cast<const volatile void *>(&symbol));
}

template <typename T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    gpu_symbol_bytes(sizeof symbol);
    return cudaMemcpyToSymbol(gpu_symbol(symbol), from, bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                        size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    gpu_symbol_bytes(sizeof symbol);
    return cudaMemcpyFromSymbol(to, gpu_symbol(symbol), bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaGetSymbolAddress(void **pointer_dev, const T &symbol)
{
    return cudaGetSymbolAddress(pointer_dev, gpu_symbol(symbol));
}
template <typename T> inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    *bytes = sizeof symbol;
    return cudaPeekAtLastError();
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind,
                                             cudaStream_t = 0)
{
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
inline cudaError_t cudaMemset2DAsync(void *pointer_dev, size_t pitch, int value,
                                     size_t width, size_t height)
{
    return cudaMemset2DAsync(pointer_dev, pitch, value, width, height, 0);
}
inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device)
{
    return cudaMemPrefetchAsync(pointer, bytes, device, 0);
}
template <typename T>
inline cudaError_t cudaMallocFromPoolAsync(T **pointer_dev, size_t bytes,
                                           cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(pointer_dev), bytes, pool,
                                   stream);
}
template <typename T>
inline cudaError_t cudaHostGetDevicePointer(T **pointer_dev, void *pointer,
                                            unsigned flags = 0)
{
    return cudaHostGetDevicePointer(reinterpret_cast<void **>(pointer_dev), pointer,
                                    flags);
}
template <typename... Parts>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(Parts...),
                                        cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

template <typename T>
inline cudaError_t cudaMallocPitch(T **pointer_dev, size_t *pitch, size_t width,
                                   size_t height)
{
    return cudaMallocPitch(reinterpret_cast<void **>(pointer_dev), pitch, width, height);
}
template <typename T>
inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags)
{
    return cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from,
                                           size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t = 0)
{
    gpu_symbol_bytes(sizeof symbol);
    return cudaMemcpyToSymbol(gpu_symbol(symbol), from, bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T **pointer_dev, size_t bytes, cudaMemPool_t pool,
                                   cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(pointer_dev), bytes, pool,
                                   stream);
}
template <typename T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer,
                                            size_t bytes = 0,
                                            unsigned flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(stream, static_cast<void *>(pointer), bytes, flags);
}
template <typename... Parts>
inline cudaError_t cudaFuncSetSharedMemConfig(void (*kernel)(Parts...),
                                              cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig(reinterpret_cast<const void *>(kernel), config);
}
template <typename... Parts>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                             void (*kernel)(Parts...),
                                                             int blocks, int threads)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(
        bytes, reinterpret_cast<const void *>(kernel), blocks, threads);
}
template <typename... Parts>
inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(Parts...), cudaFuncCache cache)
{
    return cudaFuncSetCacheConfig(reinterpret_cast<const void *>(kernel), cache);
}
template <typename... Parts>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                         void (*kernel)(Parts...))
{
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}
template <typename... Parts>
inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(Parts...),
                                              int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, reinterpret_cast<const void *>(kernel), threads, shared);
}
template <typename... Parts>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, void (*kernel)(Parts...), int threads, size_t shared, unsigned)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}
// The block with most threads; a grid that fills the device.
template <typename... Parts>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                                      void (*kernel)(Parts...),
                                                      size_t shared = 0, int limit = 0)
{
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(grid, kernel, *block, shared);
}
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                                      const void *kernel,
                                                      size_t shared = 0, int limit = 0)
{
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(grid, kernel, *block, shared);
}
// As above, where the shared memory depends on the size of the block.
template <typename Kernel, typename Function>
inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, Kernel kernel,
                                               Function shared, int limit = 0)
{
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    while (*block > 32 && shared(*block) > 48 << 10) {
        *block -= 32;
    }
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(grid, kernel, *block,
                                                         shared(*block));
}

template <typename... Parts>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parts...), dim3 grid, dim3 block,
                                    void **arguments, size_t shared = 0,
                                    cudaStream_t stream = 0)
{
    return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block,
                            arguments, shared, stream);
}
template <typename... Parts>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parts...), dim3 grid,
                                               dim3 block, void **arguments,
                                               size_t shared = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), grid,
                                       block, arguments, shared, stream);
}

// The configuration as a structure; of the attributes, cooperation counts. The arguments are
// converted to the kernel's own types.
template <typename... Parts, typename... Arguments>
inline __attribute__((always_inline)) cudaError_t
cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*kernel)(Parts...),
                   Arguments &&...arguments)
{
    bool cooperative = false;
    for (unsigned i = 0; i < c->numAttrs; i++) {
        cooperative = cooperative || (c->attrs[i].id == cudaLaunchAttributeCooperative &&
                                      c->attrs[i].val.cooperative != 0);
    }
    auto start = cooperative
                     ? static_cast<gpu_launch_function *>(cudaLaunchCooperativeKernel)
                     : static_cast<gpu_launch_function *>(cudaLaunchKernel);
    auto pass = [&](typename gpu_bare<Parts>::type... p) GPU_UNCHECKED {
        const void *addresses[] = {
            const_cast<const void *>(static_cast<const volatile void *>(&p))..., nullptr};
        const void **address = addresses;
        void *packed[] = {
            const_cast<void *>(
                gpu_place<typename gpu_bare<Parts>::type>::bytes(p, address++).at)...,
            nullptr};
        return start(reinterpret_cast<const void *>(kernel), c->gridDim, c->blockDim,
                     packed, c->dynamicSmemBytes, c->stream);
    };
    return pass(static_cast<Arguments &&>(arguments)...);
}

#endif
