#!/bin/bash
# cudasim.sh - builds and runs CUDA programs on the simulated GPU; build/cudasim is a link to this
# file. Needs g++ and binutils. docs/gpu.md has examples.
#
# Start reading at main. Each source goes through cuda-to-cpp and g++; the program is linked with
# libgpu-checked.a or libgpu-plain.a.
set -eu

USAGE=2 NOT_COMPILED=3 FAILED=4

home=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
include=$home/grader/gpu/include
mpi=$include/one_process # behind all other folders: only for machines without MPI

usage() {
    cat <<'TEXT'
cudasim: CUDA programs without a GPU, on the CPU, with every memory access
checked

    cudasim run FILE.cu... [options] [-- arguments of the program]
    cudasim compile FILE.cu... -o PROGRAM [options]

run builds the program and runs it. compile only builds it, and takes the
options of nvcc: those that name a card or tune the code are ignored.

  --checked          check every access in kernels (default)
  --plain            check nothing, run faster
  --order ORDER      the order of threads and blocks: forward (default),
                     reversed, or a number, the seed of a shuffle
  --processors N     run the blocks of long launches on N processors
                     (default: all)
  --keep-going       go on after a finding
  --json FILE        also write the findings to FILE
  --suppress FILE    ignore the findings that FILE lists, one a line: FILE:LINE,
                     or KIND FILE:LINE
  --leaks            also report device memory that is never freed
  --profile          at the end, show what the accesses of each line would
                     cost on a card
  -o PROGRAM         keep the program (run), or its name (compile; default
                     a.out)
  -c                 compile only, to one object for each file (compile)
  -MD -MMD -MF FILE -MT NAME -MP
                     also write a rule for make: what the object depends on
  -E                 only translate and preprocess, to standard output or -o
                     (compile)
  -lib               put the objects into a static library (compile)
  -I DIR  -D NAME[=VALUE]  -U NAME  -O LEVEL  -std=NAME  -W...  -L DIR  -l NAME
                     as in g++; also --include-path and the like as in nvcc
  --verbose          show the commands
  --help, --version  show this text; show what is simulated

Exit status of run: 0 clean; 1 findings; 2 wrong usage; 3 the program does not
compile; 4 no finding, but the program itself failed (its own status is shown).
A compiled program: 1 if there were findings, otherwise its own status. It
reads GPU_ORDER, GPU_PROCESSORS, CUDASIM_KEEP_GOING=1, CUDASIM_JSON=FILE,
CUDASIM_SUPPRESS=FILE, CUDASIM_LEAKS=1 and CUDASIM_PROFILE=1.
TEXT
}

wrong() { # a message
    echo "cudasim: $1; see cudasim --help" >&2
    exit "$USAGE"
}

say() { echo "cudasim: $*" >&2; }

# ---- the command line ----------------------------------------------------------------------

sources=() objects=() headers=() flags=() link=() arguments=()
mpi_library=() rule=() rule_file='' preprocess='' archive=''
build=checked order='' processors='' on='' json='' suppress='' leaks='' profile='' output='' only_objects='' all_cuda='' verbose=''

# nvcc's options whose value is the next word, and whose value does not matter here.
skips_value() {
    case $1 in
    -arch | -code | -gencode | --gpu-architecture | --gpu-code | --generate-code | -Xptxas | \
        --ptxas-options | -Xnvlink | -maxrregcount | --maxrregcount | -ccbin | \
        --compiler-bindir | -t | --threads | -diag-suppress | --diag-suppress | -cudart | \
        -default-stream | --default-stream | -rdc | --relocatable-device-code | -Xcudafe | \
        -Xfatbin | --fatbin-options | -ftz | --ftz | -fmad | --fmad | -prec-div | --prec-div | \
        -prec-sqrt | --prec-sqrt | -keep-dir | --keep-dir | \
        -Werror | --Werror) return 0 ;;
    esac
    return 1
}

ignored() {
    case $1 in
    -arch=* | -code=* | -gencode=* | --gpu-* | --generate-code=* | -G | -g* | -lineinfo | \
        --generate-line-info | --device-debug | -use_fast_math | --use_fast_math | -rdc=* | \
        --relocatable-device-code=* | -m64 | --expt-* | --extended-lambda | -extended-lambda | \
        -Xptxas=* | --ptxas-options=* | -maxrregcount=* | --maxrregcount=* | -t=* | -t[0-9]* | \
        --threads* | -ftz=* | --ftz=* | -fmad=* | --fmad=* | -prec-*=* | \
        --prec-*=* | -restrict | --restrict | -keep | --keep | -dlto | --dlink-time-opt | \
        -Werror=* | --Werror=* | -Xcudafe=* | -Xfatbin=* | -forward-* | --forward-* | -extra-device-vectorization | -lcudart* | -lcublas* | -lcublasLt* | \
        -lcuda | -lcudadevrt | -lcurand | -lnccl | -lnvToolsExt | -lnvidia-ml | -cudart=* | --cudart=* | \
        --default-stream=* | -src-in-ptx | --source-in-ptx | -res-usage | --resource-usage | \
        -v | --diag-suppress=* | -diag-suppress=* | -split-compile=* | -ccbin=*) return 0 ;;
    esac
    return 1
}

# Ends with one line for an option of nvcc that has no meaning here.
cannot() {
    case $1 in
    -ptx | --ptx | -cubin | --cubin | -fatbin | --fatbin)
        wrong "$1: there is no code for a card here; kernels become code of this processor"
        ;;
    -dlink | --device-link)
        wrong "$1: device code needs no link of its own; give all objects to cudasim compile -o PROGRAM"
        ;;
    -shared | --shared)
        wrong "$1: the simulator is a part of programs only; compile with -c and link the objects into one"
        ;;
    -M | -MM | --generate-dependencies | --generate-nonsystem-dependencies)
        wrong "$1: use -MD or -MMD, which write the rule beside the object"
        ;;
    -run | --run) wrong "$1: use cudasim run" ;;
    esac
}

# The toolkit's own headers would replace those of the simulator.
add_include() {
    if [ -e "$1/cuda_runtime.h" ]; then
        say "-I $1 is left out: it holds CUDA headers, and the simulator has its own"
    else
        headers+=("$1")
    fi
}

parse() {
    while [ $# -gt 0 ]; do
        local word=$1 value=${2-}
        shift
        cannot "$word"
        case $word in
        --) arguments=("$@") && return ;;
        --help | -h) usage && exit 0 ;;
        --plain | --checked) build=${word#--} ;;
        --keep-going) on=1 ;;
        --leaks) leaks=1 ;;
        --profile) profile=1 ;;
        --verbose) verbose=1 ;;
        -c | --compile | -dc | --device-c) only_objects=1 ;;
        -E | --preprocess) preprocess=1 ;;
        -lib | --lib) archive=1 ;;
        -MD | --generate-dependencies-with-compile) rule+=(-MD) ;;
        -MMD | --generate-nonsystem-dependencies-with-compile) rule+=(-MMD) ;;
        -MP | --generate-dependency-targets) rule+=(-MP) ;;
        -MF | --dependency-output | -MT | --dependency-target-name)
            [ $# -gt 0 ] || wrong "$word needs a value"
            shift
            case $word in
            -MF | --dependency-output) rule_file=$value ;;
            *) rule+=(-MT "$value") ;;
            esac
            ;;
        --order | --processors | --json | --suppress | -o | --output-file | -I | --include-path | -isystem | -D | \
            --define-macro | -U | -L | --library-path | -l | --library | -std | --std | -x | -O | \
            -Xcompiler | --compiler-options | -Xlinker | --linker-options | -include)
            [ $# -gt 0 ] || wrong "$word needs a value"
            shift
            take "$word" "$value"
            ;;
        --order=* | --processors=* | --json=* | --suppress=* | --include-path=* | --std=* | --output-file=* | --define-macro=* | \
            --library=* | --library-path=* | -Xcompiler=* | --compiler-options=* | -Xlinker=*)
            take "${word%%=*}" "${word#*=}"
            ;;
        -I*) add_include "${word#-I}" ;;
        -std=*) flags+=("$word") ;;
        -D* | -U* | -O* | -w | -pthread) flags+=("$word") ;;
        -W* | -f*) ignored "$word" || skips_value "$word" || flags+=("$word")
            if skips_value "$word"; then
                [ $# -gt 0 ] || wrong "$word needs a value"
                shift
            fi
            ;;
        *) other "$word" "$@" && shift "$eaten" ;;
        esac
    done
}

take() { # option value
    case $1 in
    --order) order=$2 ;;
    --processors) processors=$2 ;;
    --json) json=$2 ;;
    --suppress) suppress=$2 ;;
    -o | --output-file) output=$2 ;;
    -x)
        case $2 in
        cu) all_cuda=1 ;;
        c | c++) ;;
        *) wrong "-x takes cu, c or c++, not $2" ;;
        esac
        ;;
    -I | --include-path | -isystem) add_include "$2" ;;
    -D | --define-macro) flags+=("-D$2") ;;
    -U | -O) flags+=("$1$2") ;;
    -std | --std) flags+=("-std=$2") ;;
    -L | --library-path) link+=("-L$2") ;;
    -l | --library) library "-l$2" ;;
    -include) flags+=(-include "$2") ;;
    -Xcompiler | --compiler-options) flags+=(${2//,/ }) && link_of_compiler "$2" ;;
    -Xlinker | --linker-options) link+=("-Wl,$2") ;;
    esac
}

library() { # -lNAME
    case $1 in
    -lmpi | -lmpi_cxx) mpi_library+=("$1") ;;
    *) ignored "$1" || link+=("$1") ;;
    esac
}

link_of_compiler() {
    case ,$1, in *,-fopenmp,*) link+=(-fopenmp) ;; esac
}

other() { # a word and those behind it; sets eaten
    eaten=0
    case $1 in
    -l*) library "$1" ;;
    -L*) link+=("$1") ;;
    *.cu | *.c | *.cc | *.cpp | *.cxx) sources+=("$1") ;;
    *.o | *.a | *.so) objects+=("$1") ;;
    *)
        if skips_value "$1"; then
            [ $# -gt 1 ] || wrong "$1 needs a value"
            eaten=1
        elif ! ignored "$1"; then
            case $1 in
            -*) wrong "unknown option $1" ;;
            *) wrong "$1 is no source file (the program's own arguments follow --)" ;;
            esac
        fi
        ;;
    esac
}

check_suppressions() { # file
    [ -r "$1" ] || wrong "cannot read $1"
    local bad
    bad=$(grep -nvE '^[[:space:]]*(#.*)?$|^[[:space:]]*([a-z-]+[[:space:]]+)?[^[:space:]]+:[0-9]+[[:space:]]*$' "$1" | head -n 1)
    [ -z "$bad" ] || wrong "$1:${bad%%:*}: a line is FILE:LINE or KIND FILE:LINE, not ${bad#*:}"
}

check() {
    [ ${#sources[@]} -gt 0 ] || [ ${#objects[@]} -gt 0 ] || wrong "no source file"
    local file
    for file in "${sources[@]}" "${objects[@]}"; do
        [ -r "$file" ] || wrong "cannot read $file"
    done
    if [ "$build" = checked ] && ! "${CXX:-g++}" --version | grep -qi 'free software'; then
        wrong "--checked needs g++; ${CXX-} can build --plain programs"
    fi
    [ -z "$suppress" ] || check_suppressions "$suppress"
    [ -z "$json" ] || [ -w "$(dirname "$json")" ] || wrong "cannot write $json"
    [ -z "$output" ] || [ -w "$(dirname "$output")" ] || wrong "cannot write $output"
    if [ "$command" = run ] && [ -n "$only_objects" ]; then
        wrong "-c belongs to compile"
    fi
    if [ "$command" = run ] && [ -n "$preprocess$archive" ]; then
        wrong "-E and -lib belong to compile"
    fi
    if [ -n "$archive" ] && [ -z "$output" ]; then
        wrong "-lib needs -o NAME.a"
    fi
    if [ "${#rule[@]}" -gt 0 ] && [ -z "$only_objects" ]; then
        wrong "${rule[0]} needs -c"
    fi
    if [ "$command" = compile ] && [ -n "$order$on$json$suppress$leaks$profile" ]; then
        wrong "--order, --keep-going, --json, --suppress, --leaks and --profile belong to run; a compiled program reads the environment"
    fi
    if [ -n "$profile" ] && [ "$build" = plain ]; then
        wrong "--profile needs --checked"
    fi
    case $order in
    '' | forward | reversed) ;;
    *[!0-9]*) wrong "--order takes forward, reversed or a number, not $order" ;;
    esac
    case $processors in
    *[!0-9]* | 0 | ?????*) wrong "--processors takes a number of 1 to 9999, not $processors" ;;
    esac
}

# ---- building ------------------------------------------------------------------------------

work=
clean() { [ -z "$work" ] || rm -rf "$work"; }

show() {
    [ -z "$verbose" ] || say "$*"
    "$@"
}

# The options for the compiler; the checked build has its own level of optimization.
build_flags() {
    local flag
    if [ "$build" = checked ]; then
        printf "%s\n" "@$home/grader/gpu/checked.flags" --param=tsan-distinguish-volatile=1
    else
        printf '%s\n' -std=c++17 -O3 -g1 -U_FORTIFY_SOURCE -fno-math-errno -fno-optimize-sibling-calls
    fi
    for flag in "${flags[@]}"; do
        case $build$flag in
        checked-O*) ;;
        *) echo "$flag" ;;
        esac
    done
}

# A kernel's malloc and new get device memory. In the checked build, memcpy and the like, also those
# that the compiler adds, check what they touch.
redirect() {
    local name names=() checking=()
    if [ "$build" = checked ]; then
        checking=(memcpy memmove memset memcmp strlen strcmp sincos sincosf modf modff frexp frexpf)
    fi
    for name in malloc free "${checking[@]}"; do
        names+=("--redefine-sym=$name=gpu_$name")
    done
    for name in Znwm Znam ZdlPv ZdaPv ZdlPvm ZdaPvm; do # operator new and delete
        names+=("--redefine-sym=_$name=gpu_$name")
    done
    objcopy "${names[@]}" "$1"
}

# Reads a compiler's messages and prints one line for each name that the simulator lacks. Fails if there is none.
explain() { # the compiler's lines
    LC_ALL=C awk -v table="$home/grader/gpu/lacking.h" '
        BEGIN { # LACKS("tex[123]D*", "textures")
            while ((getline line < table) > 0) {
                if (line !~ /^(CUDASIM_)?(LACKS|FROM_HEADER)\(/) continue
                split(line, part, "\"")
                gsub(/\*/, "[A-Za-z0-9_]*", part[2])
                pattern[++patterns] = "^" part[2] "$"
                feature[patterns] = line ~ /^FROM/ ? "<" part[4] ">" : part[4]
            }
        }
        function what(name,  i) {
            for (i = 1; i <= patterns; i++) {
                if (name ~ pattern[i]) return feature[i]
            }
            return "-"
        }
        / error: / {
            place = $0
            sub(/: (fatal )?error: .*/, "", place)
            if (match($0, /the simulator has no <[^>]*>/)) {
                text = substr($0, RSTART, RLENGTH)
            } else if ($0 ~ /was not declared|does not name a type|has not been declared|declared void|is not a member of|undeclared identifier|unknown type name|no template named/ && match($0, /error: [^\047]*\047[^\047]*\047/)) {
                name = substr($0, RSTART, RLENGTH - 1)
                sub(/.*\047/, "", name)
                sub(/^.*::/, "", name)
                family = what(name)
                if (family == "-") next
                text = "the simulator has no " (family == "" ? name : family " (" name ")")
                if (family ~ /^</) text = name " is not known: is " family " included? If so, the simulator does not have it"
                if (family == "" && match($0, /did you mean \047[^\047]*\047/)) {
                    text = text ", did you mean " substr($0, RSTART + 14, RLENGTH - 15) "?"
                }
                name = family == "" ? name : family
                if (named[name]++) next
            } else next
            if (!seen[text]++) lines[++n] = place ": error: " text "; docs/gpu.md lists what it has"
        }
        END {
            for (i = 1; i <= n; i++) print lines[i]
            exit n == 0
        }' "$1"
}

# Runs the compiler. If the simulator lacks something, prints only that, not the errors that follow from it.
compiler() {
    [ -z "$verbose" ] || say "$*"
    LC_MESSAGES=C LANGUAGE= LC_ALL=C "$@" 2>"$work/said" && { cat "$work/said" >&2; return 0; }
    if [ -n "$verbose" ] || ! explain "$work/said" >&2; then
        cat "$work/said" >&2
    fi
    return 1
}

# Sets rules, the compiler's options for a rule for make, and rule_to, the file for it. Both are empty if none is wanted.
begin_rule() { # source object
    rules=() rule_to=''
    [ ${#rule[@]} -gt 0 ] || return 0
    rule_to=${rule_file:-${2%.o}.d}
    rules=("${rule[@]}" -MF "$work/rule")
    case " ${rule[*]} " in *' -MT '*) ;; *) rules+=(-MT "$2") ;; esac
}

# Writes the compiler's rule to rule_to: the program's files instead of their translated copies, without the simulator's headers.
end_rule() { # source
    [ -n "$rule_to" ] || return 0
    awk -v source="$1" -v work="$work/" -v own="$include/" '
        function original(copy,  line) { # the first line of a copy is #line 1 "path"
            line = ""
            getline line <copy
            close(copy)
            return line ~ /^#line 1 "/ ? substr(line, 10, length(line) - 10) : source
        }
        { sub(/\\$/, "") }
        {
            for (i = 1; i <= NF; i++) {
                word = $i
                target = sub(/:$/, "", word)
                if (index(word, own) == 1) continue
                if (index(word, work) == 1) word = original(word)
                out = out (out == "" ? "" : target ? "\n" : " ") word (target ? ":" : "")
            }
        }
        END { print out }' "$work/rule" >"$rule_to"
}

compile_cuda() { # source object
    local where=() folder cpp=$2.cpp
    for folder in "${headers[@]}"; do
        where+=(-I "$folder")
    done
    mkdir -p "$2.headers"
    show "$home/build/gpu/cuda-to-cpp" -o "$cpp" --headers "$2.headers" -I "$include" \
        "${where[@]}" "$1" || return 1
    local options how=(-c -o "$2")
    [ -z "$preprocess" ] || how=(-E -o "${output:--}")
    mapfile -t options < <(build_flags)
    # g++ takes the header that the build compiled for it, if the options allow it (grader/rules.mk).
    local compiled=(-I "$home/build/gpu/precompiled")
    [ -z "$preprocess$rule_to" ] || compiled=() # these need the header's text
    compiler "${CXX:-g++}" -w "${options[@]}" -D__CUDACC__ -D__NVCC__ "${compiled[@]}" -I "$include" \
        -idirafter "$mpi" -iquote "$(dirname "$1")" "${where[@]}" "${rules[@]}" "${how[@]}" "$cpp" || return 1
    [ -n "$preprocess" ] || redirect "$2"
}

# Host code has nothing to translate but its headers: NVIDIA's may not come from the machine.
compile_host() { # source object
    local where=() folder compiler=${CXX:-g++} text=$2.cpp
    for folder in "${headers[@]}"; do
        where+=(-I "$folder")
    done
    case $1 in *.c) compiler=${CC:-gcc} text=$2.c ;; esac
    mkdir -p "$2.headers"
    show "$home/build/gpu/cuda-to-cpp" --host -o "$text" --headers "$2.headers" -I "$include" \
        "${where[@]}" "$1" || return 1
    local how=(-c -o "$2")
    [ -z "$preprocess" ] || how=(-E -o "${output:--}")
    compiler "$compiler" -O2 -g -w -I "$include" -idirafter "$mpi" -iquote "$(dirname "$1")" "${where[@]}" \
        "${flags[@]}" "${rules[@]}" "${how[@]}" "$text"
}

compile_all() {
    local file object number=0
    for file in "${sources[@]}"; do
        object=$work/$((number += 1)).o
        if [ -n "$only_objects" ]; then
            object=${output:-$(basename "${file%.*}").o}
        fi
        begin_rule "$file" "$object"
        case $all_cuda$file in
        1* | *.cu) compile_cuda "$file" "$work/now.o" ;;
        *) compile_host "$file" "$work/now.o" ;;
        esac || exit "$NOT_COMPILED"
        [ -n "$preprocess" ] || mv "$work/now.o" "$object" || exit "$NOT_COMPILED"
        end_rule "$file" || exit "$NOT_COMPILED"
        objects+=("$object")
    done
}

# cuBLAS needs OpenBLAS; no other program does.
libraries() {
    if nm -u "${objects[@]}" 2>/dev/null | grep -q ' cublas'; then
        echo -lopenblas
    fi
    # The simulator's own mpi.h needs no library, and the machine may have none.
    if [ ${#mpi_library[@]} -gt 0 ] && nm -u "${objects[@]}" 2>/dev/null | grep -q ' MPI_'; then
        echo "${mpi_library[@]}"
    fi
    echo -l:libboost_context.a -lbacktrace -lm -lpthread
}

# gold links a program in a third of the time. What is passed to a linker is for the usual one.
linker() {
    case " ${link[*]}" in
    *' -Wl,'* | *' -Xlinker'* | *' -fuse-ld'*) ;;
    *) [ ! -x /usr/bin/ld.gold ] || echo -fuse-ld=gold ;;
    esac
}

link_program() { # name
    show "${CXX:-g++}" -no-pie $(linker) -Wl,-u,gpu_standalone -Wl,--wrap=dl_iterate_phdr -o "$1" "${objects[@]}" "${link[@]}" \
        "$home/build/lib/libgpu-$build.a" $(libraries) || exit "$NOT_COMPILED"
}

# ---- running -------------------------------------------------------------------------------

run_program() { # name
    local status=0 findings
    [ -z "$order" ] || export GPU_ORDER=$order
    [ -z "$processors" ] || export GPU_PROCESSORS=$processors
    [ -z "$on" ] || export CUDASIM_KEEP_GOING=$on
    [ -z "$json" ] || export CUDASIM_JSON=$json
    [ -z "$suppress" ] || export CUDASIM_SUPPRESS=$suppress
    [ -z "$leaks" ] || export CUDASIM_LEAKS=1
    [ -z "$profile" ] || export CUDASIM_PROFILE=1
    # bash's own words on a signal go nowhere; the program's go to standard error
    { CUDASIM_STATUS=$work/status "$1" "${arguments[@]}" 2>&3; } 3>&2 2>/dev/null || status=$?
    findings=$(cat "$work/status" 2>/dev/null || echo 0)
    local how="ended with status $status"
    if [ "$status" -gt 128 ] && kill -l "$status" >/dev/null 2>&1; then
        how="was ended by signal SIG$(kill -l "$status")"
    fi
    if [ "$findings" -gt 0 ]; then
        [ "$status" -eq 1 ] || say "the program $how; findings: $findings"
        exit 1
    fi
    if [ "$status" -ne 0 ]; then
        say "the program $how, and there was no finding"
        exit "$FAILED"
    fi
    exit 0
}

main() {
    local command=${1-}
    case $command in
    run | compile) shift ;;
    --help | -h | help) usage && exit 0 ;;
    --version | -V) echo "cudasim, a simulated GPU of compute capability 9.0, CUDA release 12.4" && exit 0 ;;
    '') usage >&2 && exit "$USAGE" ;;
    *) wrong "unknown command $command" ;;
    esac
    parse "$@"
    check
    work=$(mktemp -d "${TMPDIR:-/tmp}/cudasim.XXXXXX")
    trap clean EXIT
    compile_all
    [ -z "$only_objects$preprocess" ] || exit 0
    if [ -n "$archive" ]; then
        rm -f "$output"
        show ar rcs "$output" "${objects[@]}" || exit "$NOT_COMPILED"
        exit 0
    fi
    if [ "$command" = compile ]; then
        link_program "${output:-a.out}"
        exit 0
    fi
    local program=${output:-$work/program}
    case $program in */*) ;; *) program=./$program ;; esac
    link_program "$program"
    run_program "$program"
}

main "$@"
