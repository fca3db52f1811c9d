#!/bin/sh
# test_cuda_to_cpp.sh - the program that rewrites .cu files for g++: its output is right, lines
# keep their numbers, and a faulty file gives one line with the position and no crash.
set -u
cd "$(dirname "$0")/../.."
pass=build/worker/cuda-to-cpp
work=$(mktemp -d "${TMPDIR:-/tmp}/cuda-to-cpp.XXXXXX")
trap 'rm -rf "$work"' EXIT
in=$work/in.cu out=$work/out.cpp err=$work/err

make --no-print-directory -s CHECKED=1 "$pass" >"$work/make" 2>&1 || {
    cat "$work/make" >&2
    exit 1
}

failed=0
verdict() { # name condition-status
    if [ "$2" -eq 0 ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        cat "$err" >&2
        failed=1
    fi
}

translate() { # text on stdin
    cat >"$in"
    "$pass" "$in" in.cu >"$out" 2>"$err"
}

becomes() { # name expected-text; input on stdin
    translate && grep -qF -- "$2" "$out"
    verdict "$1" $?
}

stays() { # name; input on stdin: the output equals the input
    translate && sed '1,/^#line 1/d' "$out" | cmp -s - "$in"
    verdict "$1" $?
}

refuses() { # name line words; input on stdin
    translate
    status=$?
    [ "$status" -eq 1 ] && grep -q "^in.cu:$2: error: .*$3" "$err" &&
        [ "$(wc -l <"$err")" -eq 1 ] && [ ! -s "$out" ]
    verdict "$1" $?
}

becomes a_launch_becomes_a_call \
    '(gpu_configure(GPU_NAME(k), __FILE__, 1, 2, 3), k(a, b));' <<'EOF'
void f() { k<<<2, 3>>>(a, b); }
EOF
becomes shared_bytes_and_stream_are_passed_on '2, dim3(4, 5), n * sizeof(float), s), k(a))' <<'EOF'
void f() { k<<<2, dim3(4, 5), n * sizeof(float), s>>>(a); }
EOF
becomes a_kernel_begins_with_its_launch '{ if (gpu_configured) { gpu_start(static_cast' <<'EOF'
__global__ void k(float *x) {}
EOF
becomes a_template_starts_its_own_instance '(k<n, T, gpu_p' <<'EOF'
template <int n, typename T, int> __global__ __launch_bounds__(128) void k(T *x) {}
EOF
becomes a_parameter_without_a_name_gets_one ', int gpu_p' <<'EOF'
__global__ void k(float *x, int) {}
EOF
becomes a_parameter_may_hide_a_type 'gpu_bare<decltype(float2)>::type)>(k<n, size_t>), x, half, float2)' <<'EOF'
template <int n, size_t size_t> __global__ void k(float *x, const int half, long float2) {}
EOF
for type in 'half' 'const half' 'half const' 'const size_t' 'struct pair' 'enum kind' \
    'unsigned __int128' 'wchar_t'; do
    becomes "$(echo "$type" | tr ' ' _)_alone_is_a_type" "($type gpu_p" <<EOF
__global__ void k($type) {}
EOF
done
stays a_declared_kernel <<'EOF'
template <int n> __global__ void k(float *x, int m = 2);
EOF
becomes a_name_may_have_a_namespace 'a::b::k(x))' <<'EOF'
void f() { a::b::k<<<1, 2>>>(x); }
EOF
becomes a_template_may_have_several_lines ', ns::k<1, 2>(x))' <<'EOF'
void f() { ns::k<1,
    2><<<1, 2>>>(x); }
EOF
becomes a_pointer_may_be_launched ', table[i].kernel(x))' <<'EOF'
void f() { table[i].kernel<<<1, 2>>>(x); }
EOF
becomes an_expression_may_be_launched ', (yes ? a : b)(x))' <<'EOF'
void f() { if (go) (yes ? a : b)<<<1, 2>>>(x); }
EOF
becomes a_macro_may_launch '__LINE__, 1, 2), kernel(__VA_ARGS__))' <<'EOF'
#define RUN(kernel, ...) kernel<<<1, 2>>>(__VA_ARGS__)
EOF
becomes a_macro_may_declare_shared_memory 'gpu_key_##name' <<'EOF'
#define BUFFER(name) __shared__ float name[32]
EOF
becomes managed_variables_have_their_own_place 'GPU_MANAGED_VARIABLE  int counter;' <<'EOF'
__device__ __managed__ int counter;
EOF
becomes dynamic_shared_memory_is_a_pointer 'static float *const __attribute__((unused)) s =' <<'EOF'
__global__ void k() { extern __shared__ float s[]; }
EOF
becomes aligned_dynamic_shared_memory_is_one_too 'static unsigned char *const' <<'EOF'
__global__ void k() { extern __shared__ __align__(16) unsigned char s[]; }
EOF
becomes shared_memory_becomes_a_reference 'auto &b = gpu_shared<decltype(' <<'EOF'
__global__ void k() { __shared__ float a[4], b[2][3]; }
EOF
becomes device_variables_are_gathered 'GPU_DEVICE_VARIABLE int counter;' <<'EOF'
__device__ int counter;
EOF
becomes noinline_becomes_an_attribute 'static  __attribute__((noinline)) float f();' <<'EOF'
static __device__ __noinline__ float f();
EOF
becomes noinline_in_a_macro_becomes_one_too 'define SLOW static __attribute__((noinline))' <<'EOF'
#define SLOW static __noinline__
EOF
stays noinline_as_an_attributes_name <<'EOF'
#define SLOW __attribute__((__noinline__))
__attribute__((unused, __noinline__)) void f();
[[gnu::__noinline__]] void my__noinline__();
EOF
stays strings_and_comments_are_left_alone <<'EOF'
// k<<<1, 2>>>(x) and __shared__ and "
/* k<<<1, 2>>>(x) ' */ const char *a = "k<<<1, 2>>>(x) \" __shared__", b = '"', c = '\'';
const char *raw = R"x(k<<<1, 2>>>(x) )" __shared__)x"; int million = 1'000'000;
std::vector<std::vector<int>> v; int shifted = a << 3 >> 2;
EOF

lines() { sed '1,/^#line 1/d' "$1" | wc -l; }
translate <<'EOF'
template <int n>
__global__ void k(float *x)
{
    __shared__ float a[4],
        b[4];
}
void f()
{
    k<3>
        <<<1,
           2>>>(
            x);
}
EOF
[ "$(lines "$out")" -eq "$(wc -l <"$in")" ]
verdict lines_keep_their_numbers $?

refuses an_open_comment 2 'never closed' <<'EOF'
int a;
/* no end
EOF
refuses an_open_string 1 'never closed' <<'EOF'
const char *a = "no end;
EOF
refuses an_open_raw_string 1 'never closed' <<'EOF'
const char *a = R"x(no end)y";
EOF
stays an_apostrophe_in_text_left_out <<'EOF'
#if 0
It's not closed, and "neither is this.
#endif
#ifdef NOTES
don't
#else
int a;
#endif
EOF
printf 'const char *a = "one \\\r\ntwo";\n' >"$work/continued"
stays a_string_continued_on_a_line_of_windows <"$work/continued"
refuses an_open_string_behind_text_left_out 4 'never closed' <<'EOF'
#if 0
it's
#endif
const char *a = "no end;
EOF
refuses an_open_launch 1 '>>> is missing' <<'EOF'
void f() { k<<<1, 2(x); }
EOF
refuses a_launch_with_one_value 1 'two to four' <<'EOF'
void f() { k<<<1>>>(x); }
EOF
refuses a_launch_without_arguments 1 'arguments are missing' <<'EOF'
void f() { k<<<1, 2>>>; }
EOF
refuses a_launch_without_a_name 1 'name of a kernel' <<'EOF'
void f() { 3<<<1, 2>>>(x); }
EOF
refuses a_launch_of_no_kernel 1 'k is launched in line 2, so it must be a kernel' <<'EOF'
void k(float *x) { x[0] = 1; }
void f() { k<<<1, 2>>>(x); }
EOF
refuses a_launch_of_a_function_of_the_device 2 'write __global__ before void' <<'EOF'
int a;
static __device__ void k(float *x) { x[0] = 1; }
void f() { k<<<1, 2>>>(x); }
EOF
becomes a_kernel_by_an_unknown_word_may_be_launched ', k(x))' <<'EOF'
KERNEL void k(float *x) { x[0] = 1; }
void f() { k<<<1, 2>>>(x); }
EOF
refuses shared_memory_with_a_value 1 'cannot be initialized' <<'EOF'
__global__ void k() { __shared__ float a = 1; }
EOF
refuses shared_memory_outside_a_kernel 1 'inside the kernel' <<'EOF'
__shared__ float a[4];
EOF
refuses names_of_the_simulator 1 'belongs to the simulator' <<'EOF'
void __tsan_read4(void *) {}
EOF
refuses assembly 1 'assembly.*write it in CUDA C++' <<'EOF'
void f() { asm("nop"); }
EOF

refuses assembly_in_a_macro 2 'assembly' <<'EOF'
int a;
#define SAY __asm__ volatile
EOF
refuses assembly_over_two_lines 2 'assembly' <<'EOF'
int a;
void f() { __a\
sm__("nop"); }
EOF
refuses assembly_behind_a_quote_in_a_directive 2 'assembly' <<'EOF'
#define A "/*
void f() { __asm__("nop"); } /* */
EOF
refuses assembly_behind_a_raw_string_left_out 4 'assembly' <<'EOF'
#if 0
R"(
#endif
void f() { __asm__("nop"); } /* )" */
EOF
refuses the_word_in_a_raw_string 2 'words in a raw string are checked, too' <<'EOF'
const char *a =
    R"(asm("nop"))";
EOF
refuses assembly_behind_digits 1 'assembly' <<'EOF'
int a = 1'0; void f() { __asm__("nop"); } int b = 1'0;
EOF
refuses a_continued_raw_string 1 'raw string' <<'EOF'
const char *a = R"x( )x\
" /* )x"; void f() { __asm__("nop"); } /* */
EOF
refuses names_of_the_simulator_in_a_macro 1 'belongs to the simulator' <<'EOF'
#define U GPU_UNCHECKED
EOF
refuses pasted_names 1 'pasted' <<'EOF'
#define C(a, b) a##b
EOF
refuses pasted_names_by_digraphs 1 'pasted' <<'EOF'
%:define C(a, b) a%:%:b
EOF
stays a_comma_may_vanish <<'EOF'
#define SAY(format, ...) fprintf(stderr, format, ##__VA_ARGS__)
EOF
refuses builtins 1 'builtins' <<'EOF'
void f(void *a, void *b) { __builtin_memcpy(a, b, 4); }
EOF
refuses intrinsics 1 'immintrin' <<'EOF'
#include <immintrin.h>
EOF
# What is not there: the line says what to write instead.
refuses thrust 1 'write a kernel instead' <<'EOF'
#include <thrust/device_vector.h>
EOF
refuses cub 1 'cooperative_groups/reduce.h' <<'EOF'
#include <cub/cub.cuh>
EOF
refuses tensor_cores 1 'no tensor cores' <<'EOF'
#include <mma.h>
EOF
refuses pipelines_of_cpp 1 'include cuda_pipeline.h' <<'EOF'
#include <cuda/pipeline>
EOF
refuses strings 1 'const char' <<'EOF'
#include <string>
EOF
refuses another_standard_header 1 'in this file' <<'EOF'
#include <optional>
EOF
refuses gccs_builtins 1 'builtins are not CUDA; use .*__popc' <<'EOF'
int f(int x) { return __builtin_popcount(x); }
EOF
stays nvccs_builtins <<'EOF'
float *f(float *p, int n)
{
    __builtin_assume(n > 0);
    if (__builtin_expect(n == 0, 0)) {
        __builtin_unreachable();
    }
    return (float *)__builtin_assume_aligned(p, 16);
}
EOF
refuses a_header_of_ones_own 2 'in this file' <<'EOF'
#include "01_simple_attention/attention_gpu.h"
#include "mine.h"
EOF
refuses another_file_of_a_lab 1 'in this file' <<'EOF'
#include "01_simple_attention/../../solutions/a.h"
EOF
refuses a_header_named_by_a_macro 1 'write the header' <<'EOF'
#include HEADER
EOF
refuses options_of_the_compiler 1 'pragma GCC' <<'EOF'
#pragma GCC optimize("O0")
EOF
refuses a_string_for_the_assembler 2 '#ident' <<'EOF'
int a;
/* even here */ #/* or
there */ident "x"
EOF
refuses a_linemarker 1 '#33' <<'EOF'
# 33 "other.cu"
EOF
refuses a_directive_behind_a_raw_string_left_out 3 'raw string' <<'EOF'
int a;
#if 0
R"(
#endif
#ident "x"
/* )" */
EOF
refuses another_name_by_a_pragma 1 'redefine_extname' <<'EOF'
#pragma redefine_extname mine other
EOF
refuses a_pragma_as_a_word 1 'a separate line' <<'EOF'
_Pragma("redefine_extname mine other") extern int mine;
EOF
refuses a_section 1 'attribute section' <<'EOF'
__attribute__((aligned(16), section(".data"))) int a;
EOF
refuses a_section_in_brackets 1 'attribute section' <<'EOF'
[[gnu::unused, gnu::section(".data")]] int a;
EOF
refuses a_section_by_using 1 'write the attribute literally' <<'EOF'
[[using gnu: section(".data")]] int a;
EOF
refuses another_name_by_an_attribute 1 'attribute __weakref__' <<'EOF'
static int a __attribute((__weakref__("b")));
EOF
refuses attributes_by_a_macro 1 'write the attribute literally' <<'EOF'
#define A __attribute__
EOF
refuses a_macro_in_an_attribute 2 'attribute MINE' <<'EOF'
#define MINE section(".data")
int a __attribute__((MINE));
EOF
refuses a_macro_with_an_attributes_name 1 'is the name of an attribute' <<'EOF'
#define aligned(n) section(".data")
EOF
refuses a_parameter_with_an_attributes_name 1 'is the name of an attribute' <<'EOF'
#define A(unused) __attribute__((unused)) int a;
EOF
refuses a_macro_that_closes_a_bracket 1 'close each bracket' <<'EOF'
#define WIDE 16), section(".data"
EOF
refuses a_macro_that_hides_a_bracket_in_digits 1 'close each bracket' <<'EOF'
#define WIDE 1'0), section(".data"), a(1'0
EOF
refuses new_at_an_address 2 'assign to the variable' <<'EOF'
struct one { float v; } f();
void k(one *p) { new (p) one(f()); }
EOF
stays usual_attributes <<'EOF'
#define ALIGNED(n) __attribute__((aligned(n)))
#define LOG(...) printf("(" __VA_ARGS__) // (
#define CHECK(call) do { if ((call) != ')') { exit(1); } } while (0) /* ( */
struct __attribute__((packed, __aligned__(16))) a { int b; };
struct [[gnu::aligned(16)]] b { int c; };
struct __align__(16) c { int d; };
static __attribute__ ((unused)) inline __attribute__((always_inline)) int f([[maybe_unused]] int x) { return 0; }
[[nodiscard]] int g(const float *__restrict__ p);
int *h() { return new (std::nothrow) int[2]; }
#pragma once
#pragma nv_diag_suppress 177
#
EOF
stays usual_directives <<'EOF'
#include <cuda_runtime.h>
# include "common/gpu.h" // it's there
#pragma GCC diagnostic ignored "-Wunused"
#if __cplusplus < 2
#error it's old
#endif
EOF

# Every header that a .cu file may include, compiled as the judge does it, in two orders.
headers() { # list of headers on stdin
    sed 's/.*/#include <&>/' && printf '__device__ __noinline__ float f(float x) { return x; }\n'
}
compiles() { # gcc 15 has a #warning in headers that C++17 deprecates
    translate && ${CXX:-g++} -std=c++17 -I labs -I grader/gpu/include @grader/gpu/checked.flags \
        -Wall -Wextra -Werror -Wno-unused-function -Wno-error=cpp -c -o "$work/out.o" "$out" 2>>"$err"
}
sed -n '/known\[\] = {/,/NULL}/s/.*"\([^"]*\)".*/\1/p' \
    grader/build/policy/forbidden.c >"$work/known"
[ "$(wc -l <"$work/known")" -ge 40 ] && grep -q '^iostream$' "$work/known" &&
    headers <"$work/known" | compiles
verdict every_known_header_compiles $?
sort -r "$work/known" | headers | compiles
verdict every_known_header_compiles_in_another_order $?

# A file may include gpu.h before cuBLAS.
printf '%s\n' '#include "common/gpu/gpu.h"' '#include "02_batching/batching_gpu.h"' \
    'lab_status f(cublasStatus_t s) { return lab_cublas(s); }' | compiles
verdict lab_cublas_is_there_in_any_order_of_headers $?

printf 'int a;\n\0int b;\n' >"$work/nul"
refuses a_nul_byte 2 'NUL byte' <"$work/nul"
printf '\357\273\277#include <math.h>\n' >"$work/mark"
becomes a_byte_order_mark_becomes_blanks '   #include <math.h>' <"$work/mark"
printf '\357\273\277#include <immintrin.h>\n' >"$work/mark"
refuses what_a_byte_order_mark_hides 1 'cannot be simulated' <"$work/mark"
printf '// \\\r \n#define COPY __builtin_memcpy\n' >"$work/return"
refuses what_a_carriage_return_hides 1 'carriage return' <"$work/return"
printf '// \\\r\nint a;\r\n' >"$work/return"
stays lines_of_windows <"$work/return"
awk 'BEGIN { printf "int a = 0"; for (i = 0; i < 200000; i++) printf " + %d", i; print ";" }' \
    >"$work/long"
stays a_line_of_a_megabyte <"$work/long"
# Each of these took more than ten seconds, because every word was followed by a search to the end of the text.
good=0
for unit in '__global__ ' '__global__ a ' '__global__ a() ' '__global__ a<b ' '> __global__ ' \
    'template<a> __global__ void ' '__device__ ' '__managed__ ' 'asm('; do
    awk -v unit="$unit" 'BEGIN { for (n = 0; n < 250000; n += length(unit)) printf "%s", unit }' >"$in"
    (ulimit -t 4 && exec "$pass" "$in") >"$out" 2>"$err"
    [ $? -le 1 ] || { good=1 && echo "too slow: $unit" >&2; }
done
verdict a_text_that_only_repeats_a_word_is_read_once "$good"
refuses a_brace_that_a_macro_leaves_open 2 'names no variable' <<'EOF'

#define TILE __shared__ {
EOF
# A real file cut off at any point: the program must not crash.
good=0
for n in $(seq 1 97 6000); do
    head -c "$n" grader/tests/gpu/fine.cu >"$in"
    "$pass" "$in" >"$out" 2>"$err"
    [ $? -le 1 ] || good=1
done
verdict a_file_that_ends_anywhere "$good"
"$pass" "$work/absent.cu" >"$out" 2>"$err"
[ $? -eq 2 ] && grep -q 'cannot open' "$err"
verdict a_file_that_is_absent $?
exit "$failed"
