# rules.mk - the build rules; the Makefile has the targets for users. The grader is built like
# this ($B is build, or build/asan for make asan):
#
#   solutions/NN_x/*.c ──┐
#   exercises/labNN.c ───┤
#   exercises/NN/*.c ────┴─ ld -r, objcopy ──> $B/labs/NN.ref.o ──┐  only lab_NN and
#   command/ ... base/ gen/labs.c labs/common/ ───────────────────┴> $B/grade   its entries
#                                                                               stay visible
#   class/*.c  ── $B/grade-class, for whole classes, which grade becomes when it is asked to
#   worker/*.c ──────────┐
#   exercises/labNN.c ───┴─ ld -r, -DWORKER ──> build/worker/labNN.o, which grade links with
#                                               YOUR code into a program apart
#
# A .cu file is compiled twice, through cuda-to-cpp and g++, for the simulated GPU in
# grader/gpu: checked (every load and store calls libgpu-checked.a) and plain (fast).
#
# solutions/fast has the same functions at the hardware's speed (or a link, if the plain form is
# as fast). They are judged like a student's code, and nothing is judged against them.
#
# The list of labs is generated from the folders (build/gen/labs.mk), so a new lab needs no
# change here. The programs that run YOUR code apart from the judge (make train, learn, unit ...) are in
# programs.mk.

from_environment = $(strip $(foreach v,$1,$(if $(filter environment%,$(origin $v)),$(if $(value $v),$v))))
compilers := $(foreach v,$(call from_environment,CC CXX),$v=$($v))
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
# A shell's CFLAGS are for other programs: with -ffast-math, NaN would equal every number. Without
# errno, gcc can compute several square roots at once.
ifneq ($(origin CFLAGS),command line)
CFLAGS := -O3 -g -fno-math-errno
endif
inexact := $(firstword $(filter -Ofast -ffast-math -ffinite-math-only -funsafe-math-optimizations,$(CFLAGS)))
ifneq ($(inexact),)
$(error CFLAGS has $(inexact), with which NaN may pass as a number)
endif
# For the scripts. In Turkish, sed's [a-z] lacks the letter i; in German, 0.5 is 0,5.
export LC_ALL := C.UTF-8
# WSL sets NAME, to the computer's name, in every shell.
ifeq ($(origin NAME),environment)
NAME :=
endif
# The Makefile's other variables count, too, if the shell exports them. The first make says so, for what it is asked to
# do, and before it starts again with a new list of labs.
IDLE := help packages setup doctor clean
asked := $(if $(filter-out 0,$(MAKELEVEL))$(MAKE_RESTARTS)$(IN_LEARN),,$(filter-out $(IDLE),$(foreach \
             g,$(MAKECMDGOALS),$(if $(findstring /,$g),,$g))))
ours := $(call from_environment,$(patsubst %?=,%,$(filter %?=,$(subst $() ?=,?=,$(file <Makefile)))))
$(if $(and $(asked),$(ours)),$(shell awk -v goals='$(asked)' -v names='$(ours)' -f grader/tools/inherited.awk Makefile >&2))
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
LIBS := -lcjson -lseccomp -lopenblas -lpthread -lm
PYTHON ?= /usr/bin/python3

B := build
override SRC := $(patsubst %/,%,$(if $(findstring ..,$(SRC)),$(abspath $(SRC)),$(SRC)))
TOOLS := grader/tools
comma := ,
ifneq ($(word 2,$(SRC)),)
$(error a folder with a space in its name: run make programs$(comma) then build/grade check --src '$(SRC)')
endif
# Recipes put the folder in such quotes.
ifneq ($(findstring ',$(SRC)),)
$(error a folder with ' in its name: run make programs$(comma) then build/grade check --src "$(SRC)")
endif
# The text without its digits, and in capital letters.
no_digits = $(strip $(subst 9,,$(subst 8,,$(subst 7,,$(subst 6,,$(subst 5,,$(subst 4,,$(subst 3,,\
            $(subst 2,,$(subst 1,,$(subst 0,,$1)))))))))))
upper = $(strip $(subst z,Z,$(subst y,Y,$(subst x,X,$(subst w,W,$(subst v,V,$(subst u,U,$(subst t,T,\
        $(subst s,S,$(subst r,R,$(subst q,Q,$(subst p,P,$(subst o,O,$(subst n,N,$(subst m,M,\
        $(subst l,L,$(subst k,K,$(subst j,J,$(subst i,I,$(subst h,H,$(subst g,G,$(subst f,F,\
        $(subst e,E,$(subst d,D,$(subst c,C,$(subst b,B,$(subst a,A,$1)))))))))))))))))))))))))))

# make would ignore lab=1 and judge every lab.
given := $(foreach v,$(.VARIABLES),$(if $(filter command,$(origin $v)),$v))
known = $(filter DOCS FORCE NVCC,$1)$(filter file default command,$(origin $1))
$(foreach v,$(given),$(if $(filter $v,$(call upper,$v)),,$(if $(call known,$(call upper,$v)), \
    $(error the variable is $(call upper,$v)$(comma) in capital letters: $(call upper,$v)=$($v)$(comma) not $v=$($v)))))
RULES := grader/rules.mk grader/programs.mk
# Nor would it say that nobody reads one, or that a file here sets it: LABS=1 would take the list
# of labs away. The files here and the scripts name what they read. The first make asks for all of them.
set_here = $(if $(filter-out B CC CXX CFLAGS,$1),grep -qs -e '^$1 :*= ' Makefile $(RULES) build/gen/labs.mk)
unread := $(foreach v,$(if $(filter-out 0,$(MAKELEVEL)),,$(given)),$(if $(filter $v,$(call upper,$v)),$(shell $(or $(call set_here,$v),false) && \
    echo '$v' || grep -qw -e '$v' Makefile $(RULES) || grep -qr -e '[$$]{*$v\>' $(TOOLS) || echo '$v')))
$(if $(strip $(unread)),$(error there is no variable $(firstword $(unread)); make help lists them$(if $(filter \
    train generate stories,$(MAKECMDGOALS)),. Options of the program go into ARGS='--length 100')))
# Wrong values get an answer in words of make, not of the grader's options.
$(foreach v,SEED SEEDS HIDDEN Q,$(if $(call no_digits,$($v))$(word 2,$($v)), \
    $(error $v is a whole number$(comma) not '$($v)')))
$(foreach v,PROFILE WARNINGS NUMBERS,$(if $(filter-out 0 1,$($v)),$(error $v is 1 or 0$(comma) not '$($v)')))
ifneq ($(filter-out 0 1 cpu gpu gpu-simulated gpu-device all,$(GPU)),)
$(error GPU is 1 (or cpu$(comma) gpu-simulated$(comma) gpu-device or all)$(comma) not '$(GPU)')
endif
ifneq ($(and $(filter 1,$(PROFILE)),$(if $(filter-out 0 cpu,$(GPU)),,no)),)
$(error PROFILE=1 reports on kernels: add GPU=1)
endif

# What everything was compiled with; another value, and it is compiled again, which takes minutes.
FLAGS := $(CC) $(CXX) $(CFLAGS)
ifneq ($(and $(filter-out reset skeletons format format-check golden pretrained,$(asked)),$(wildcard $B/flags)),)
ifneq ($(file <$B/flags),$(FLAGS))
by_environment := $(if $(compilers), ($(subst ','\'',$(compilers)) from the environment))
$(shell echo 'the compiler or its options have changed$(by_environment): everything is compiled again' >&2)
endif
endif

AGAIN = $(MAKE) --no-print-directory CHECKED=1
SAY = @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,echo)
# Packages are checked only before the first compilation.
PACKAGES := $(if $(CHECKED)$(wildcard $(if $(filter unit needs-unit,$(MAKECMDGOALS)), \
                build/unit/lib/libcommon.a,build/grade build/one/*/grade)),,packages)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Keeps objects. (.SECONDARY would also keep them, but not rebuild a missing one.)
.PRECIOUS: $B/obj/%.o build/worker/obj/%.o build/worker/gpu/obj/%.o $B/unit/obj/%.o \
           $B/explore/obj/%.o $B/labs/%.ref.o build/worker/lab%.o build/worker/gpu/lab%.o \
           build/worker/device/obj/%.o build/worker/device/lab%.o \
           $B/lib/%.a $B/unit/lib/%.a build/worker/lib/%.a \
           build/gpu/checked/%.o build/gpu/plain/%.o build/gpu/both/%.o build/gpu/renamed/%.o build/gpu/obj/%.o \
           build/margins/student/obj/%.o build/margins/fused/obj/%.o build/margins/kernels/obj/%.o \
           $B/trainer/%/positions.o $B/trainer/%/not_rotating.o $B/one/%/labs.c $B/one/%/labs.o
.SECONDEXPANSION:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# Targets that need the solutions are not available in the student archive (make release).
WHOLE := demo test asan figures format format-check golden skeletons margins mutants bench bench-class release \
         attack gradescope gpu-build gpu-bench gpu-check cuda-corpus
HANDOUT := $(if $(wildcard solutions),,$(WHOLE))
ifneq ($(filter $(HANDOUT),$(MAKECMDGOALS)),)
$(error make $(firstword $(filter $(HANDOUT),$(MAKECMDGOALS))) is for the whole workbook; \
    this is the student archive)
endif
ifneq ($(and $(HANDOUT),$(filter solutions solutions/%,$(SRC))),)
$(error the student archive does not contain the solutions; leave SRC=$(SRC) out)
endif

QUICK := help packages setup doctor clean demo test asan figures format format-check golden \
         gpu-build gpu-bench cuda-corpus pretrained
ifneq ($(filter-out $(QUICK),$(MAKECMDGOALS)),)
ifeq ($(shell mkdir -p build 2>/dev/null && test -w build && echo yes),)
$(error build/ cannot be written; $(if $(wildcard build),make it yours (sudo chown -R $(shell id -un) build) or )copy the workbook to a folder that is yours)
endif
include build/gen/labs.mk
endif
ifneq ($(EX),)
ifeq ($(findstring .,$(EX)),)
$(error EX is one exercise, as in EX=$(if $(filter $(EX) 0$(EX),$(LABS)),$(EX).1; LAB=$(EX) is the whole lab,3.2))
endif
ifneq ($(filter-out $(foreach l,$(firstword $(subst ., ,$(EX))),$l 0$l),$(LAB)),)
$(error EX=$(EX) is not in lab $(LAB): leave LAB out)
endif
endif

# Of two labs or exercises, the last alone would count.
ifneq ($(word 2,$(LAB)),)
$(error LAB takes one lab$(comma) not '$(LAB)')
endif
ifneq ($(word 2,$(EX)),)
$(error EX takes one exercise$(comma) not '$(EX)')
endif

# The lab's number as in its folder, and the files built from it. $(call
# objects,where,lab,source): the objects of a lab and of the labs it uses.
NN := $(filter $(LAB) 0$(LAB),$(LABS))
ifneq ($(and $(LABS),$(LAB),$(if $(NN),,no)),)
$(error there is no lab $(LAB) (there are: $(patsubst 0%,%,$(LABS))))
endif
# Others would train or write with a lab that was not asked for.
ifneq ($(and $(filter train,$(MAKECMDGOALS)),$(filter-out 6 06 8 08,$(LAB))),)
$(error make train is for lab 6$(comma) the copy task$(comma) and LAB=8$(comma) the language model)
endif
ifneq ($(and $(filter generate,$(MAKECMDGOALS)),$(filter-out 8 08 9 09,$(LAB))),)
$(error make generate is for lab 8 and$(comma) with a cache$(comma) LAB=9)
endif
ifneq ($(and $(filter train,$(MAKECMDGOALS)),$(filter 8 08,$(LAB)),$(filter-out 0,$(GPU))),)
$(error lab 8 trains on the CPU: leave out GPU=$(GPU). Only lab 6 trains on a GPU)
endif
CPU_ONLY := $(firstword $(filter unit explore plot ask gradcheck generate,$(MAKECMDGOALS)))
ifneq ($(and $(CPU_ONLY),$(filter-out 0 cpu,$(GPU))),)
$(error make $(CPU_ONLY) runs on the CPU: leave out GPU=$(GPU))
endif
ifneq ($(and $(LABS),$(if $(wildcard $(SRC)),,no)),)
$(error SRC=$(SRC): there is no such folder)
endif
# The programs of explore, train and others use the judge's objects of the solutions, if it has no sanitizers.
place_of = $(if $(and $(filter $B/explore/obj,$1),$(filter solutions solutions/fast,$2),$(if $(SANITIZE),,yes)),$B/obj,$1)
need_lab = $(if $(NN),,$(error $(if $(LAB),there is no lab $(LAB),say which lab: \
    make $(or $@,$1) LAB=3) (there are: $(patsubst 0%,%,$(LABS)))))
# Before anything is built for them.
ifneq ($(LABS),)
$(foreach t,$(filter watch unit explore plot ask handin reset,$(MAKECMDGOALS)),$(call need_lab,$t))
endif
$(if $(filter hint,$(MAKECMDGOALS)),$(if $(EX),,$(error say which exercise: make hint EX=3.2)))
ifneq ($(filter mutants margins,$(MAKECMDGOALS)),)
$(if $(EX),$(if $(foreach n,$(lastword $(subst ., ,$(EX))),$(wildcard grader/exercises/$(NN)/$n_*.c grader/exercises/$(NN)/0$n_*.c)),, \
    $(error there is no exercise $(EX))))
endif
HOSTILE := grader/tests/submissions/hostile
ifneq ($(filter attack,$(MAKECMDGOALS)),)
$(foreach n,$(filter-out files,$(NAME)),$(if $(wildcard $(HOSTILE)/$n),, \
    $(error there is no attack $n; they are the files of $(HOSTILE), and `files`)))
endif
ifneq ($(filter cuda-corpus,$(MAKECMDGOALS)),)
$(if $(and $(DIR),$(wildcard $(DIR)/.)),,$(error $(if $(DIR),DIR=$(DIR): there is no such folder,say where the clones are: make cuda-corpus DIR=...)))
endif
objects = $(foreach l,$2 $(USES_$2),$(SOURCES_$l:%.c=$(call place_of,$1,$3)/$3/$(FOLDER_$l)/%.o)) $(call fast_common,$1,$3)
# Labs 1 and 2 both have a matmul. A lab above both, say 08, gets lab 2's, which comes first.
repeats = $(if $(and $(filter 01,$1),$(filter 02,$1)),--allow-multiple-definition)
may_repeat = $(addprefix -Wl$(comma),$(call repeats,$(USES_$1)))
# The same for worked examples and explore programs, which may use more labs.
example_objects = $(foreach l,$2 $(EXAMPLES_USE_$2),$(SOURCES_$l:%.c=$(call place_of,$1,$3)/$3/$(FOLDER_$l)/%.o)) $(call fast_common,$1,$3)
# What the fast twins share. A student's file cannot include it: it would solve exercises.
FAST_COMMON := $(wildcard solutions/fast/common/*.c)
fast_common = $(if $(filter solutions/fast,$2),$(FAST_COMMON:%.c=$(call place_of,$1,$2)/%.o))
examples_may_repeat = $(addprefix -Wl$(comma),$(call repeats,$(EXAMPLES_USE_$1)))
unit_tests = $(patsubst labs/$(FOLDER_$1)/%.c,$B/unit/$(SRC)/$1/%, \
                $(wildcard labs/$(FOLDER_$1)/test_*.c))
BACKEND := $(strip $(if $(filter-out 0,$(GPU)),--backend '$(patsubst 1,gpu,$(GPU))') \
           $(if $(filter-out 0,$(PROFILE)),--profile))
BENCHES := $(patsubst grader/bench/%.c,$B/bench/%,$(wildcard grader/bench/*.c)) \
           $(if $(wildcard grader/bench/ladder),$B/bench/ladder)
EXPLORE := $(NN:%=$B/explore/$(SRC)/%)
PLOTS = $B/plots/$(SRC)/$(NN)
QUESTIONS := build/questions
# The values of the predictions, for labs whose answers earn points.
ANSWERED = $(patsubst %,$(QUESTIONS)/%.answers,$(foreach l,$(LABS), \
               $(if $(filter $(l:0%=%).q,$(ANSWER_POINTS)),$l)))
ANSWER_POINTS := $(shell sed -n 's/^\([0-9]*\.q\)[[:space:]].*/\1/p' grader/points.txt 2>/dev/null)
PREDICT = $(NN:%=$B/predict/$(SRC)/%)
TRAINED_LABS := $(patsubst labs/programs/trained/lab_%.c,%,$(wildcard labs/programs/trained/lab_*.c))
EXPLORE_OF_01 := $(if $(FOLDER_01),$B/explore/$(SRC)/01)
EXPLORE_OF_03 := $(if $(FOLDER_03),$B/explore/$(SRC)/03)
EXPLORE_OF_08 := $(if $(FOLDER_08),$B/explore/$(SRC)/08)
READS_TEXT = $(if $(filter $(NN),$(TRAINED_LABS)),$B/trained/$(SRC)/$(NN),$(error \
                 make plot TEXT=... is for these labs: $(TRAINED_LABS:0%=%)))
GRADCHECKS = $(patsubst labs/%,$B/gradcheck/solutions/%,$(foreach l,$(LABS), \
                 $(if $(wildcard labs/$(FOLDER_$l)/gradcheck.c),labs/$l))) $B/gradcheck/ours/06.so
GRADCHECK = $(NN:%=$B/gradcheck/$(SRC)/%)
GRADCHECK_OURS = $(if $(HANDOUT),,$(NN:%=$B/gradcheck/ours/%.so))
TRAINER := $(if $(FOLDER_06),$B/trainer/$(SRC)/train)
WRITER := $(if $(FOLDER_08),$B/trainer/$(SRC)/train-language $B/trainer/$(SRC)/generate)
CACHED_WRITER := $(if $(FOLDER_09),$B/trainer/$(SRC)/generate-cached)
# The program of make generate, and the note that is printed before it.
WRITES := $(if $(filter 9 09,$(LAB)),$(CACHED_WRITER),$(lastword $(WRITER)))
WRITES_NOTE := $(if $(filter 9 09,$(LAB)),$(CACHED_WRITER:%=%.note),$(firstword $(WRITER:%=%.note)))
TRAINED := $(if $(filter 8 08,$(LAB)),$(firstword $(WRITER)),$(TRAINER))
REBUILT := $(if $(HANDOUT),,$(foreach w,student fused,$(LABS:%=build/margins/$w/%.so)) \
               $(if $(GPU_LABS),$B/margins/kernels/survey))
# These would give away labs 5 and 6, so the student archive does not contain them.
OTHER_PARTS := $(if $(wildcard labs/programs/variants/*.c),$(TRAINER:%train=%variants))
NO_ROPE := $(if $(wildcard labs/programs/variants/no_rope.c),$(TRAINER:%train=%train-no-rope))
TRAINS_ON_GPU := $(wildcard labs/programs/train_gpu/*.c)

# Before build/grade exists, a target for one lab builds a grader of that lab (and of those it uses)
# alone: $B/one/01/grade. build/grade, for all labs, takes several times as long.
# Another make may build build/grade meanwhile, so a target tells the make that builds for it.
GRADE = $(or $(JUDGED_BY),$(if $(and $(NN),$(if $(wildcard $B/grade),,yes)),$B/one/$(NN)/grade,$B/grade))
lab_programs = $(if $(filter $B/grade,$(GRADE)),programs,lab-programs)
WITH = $(sort $(NN) $(USES_$(NN)) $(if $(BACKEND),$(GPU_USES_$(NN))))

# As many processes as there are processors, unless the user chose with -j.
PARALLEL = $(if $(findstring j,$(filter -j% --job%,$(MAKEFLAGS))),,-j$(shell nproc 2>/dev/null || echo 2))
# The first build of a target for students is announced in one line, instead of hundreds.
announced = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,$(TOOLS)/first.sh '$1')
# The files among the needs that are not there.
lacks = $(filter-out $(wildcard $1),$(foreach f,$1,$(if $(findstring /,$f),$f)))
FIRST = $(if $(filter learn watch,$*),$(if $(wildcard $B/learn),,$(call announced,make learn)), \
          $(if $(wildcard $(GRADE)),$(if $(filter $*,$(LEARN)),$(call announced,$(if $(call lacks,$(NEEDS_$*)),make $*))), \
            $(if $(filter $*,$(LEARN)),$(call announced,the grader$(NN:0%= of lab %)))))

# Otherwise the grader restarts itself with this setting (grader/base/surroundings.c).
ONE_THREAD := OPENBLAS_NUM_THREADS=1
# For programs that a person stops with Ctrl-C, compilers included, which reaches make and the recipe's shell too: the
# shell waits for the program and succeeds, so that make prints nothing about it. (make still ends by the signal.)
ENDS_QUIETLY := trap 'exit 0' INT;

# The program says so itself, but only after it was built.
.PHONY: has-terminal
has-terminal:
	@[ -t 0 ] && [ -t 1 ] || { echo 'learn: needs a terminal, because you control it with single keys. Without one, use'; \
	    echo 'make check, or make watch LAB=1, which judges a lab at each save until Ctrl-C'; exit 2; } >&2
made-learn: has-terminal

.PHONY: no-gpu-training
no-gpu-training:
	@echo 'train: the student archive trains only on the CPU; your instructor has the GPU version (make train)' >&2; exit 2

help:
	@help=$$(awk -v without='$(HANDOUT)' -f $(TOOLS)/help.awk Makefile) && \
	{ trap '' PIPE; printf '%s\n' "$$help" 2>/dev/null || :; } # make help | head is no error

packages:
	@$(TOOLS)/setup.sh --check gcc libc6-dev binutils libopenblas-dev libcjson-dev \
	    libseccomp-dev \
	    $(if $(filter unit needs-unit asan,$(MAKECMDGOALS)),libcriterion-dev)

build/gen/labs.mk: $(TOOLS)/list_labs.sh $(or $(wildcard solutions/[0-9]* \
                       solutions/*/*.c solutions/*/*.cu), $(wildcard labs/[0-9]* \
                       labs/*/*.c labs/*/*.cu)) $(wildcard grader/exercises grader/exercises/[0-9]* \
                       labs/[0-9]*/*.h labs/[0-9]*/test_*.c labs/[0-9]*/explore.c \
                       labs/[0-9]*/predict.c labs/[0-9]*/gradcheck.c)
	@$(TOOLS)/locked.sh $< $(@D)

# The tests of make test. grade-class, for instructors, needs libraries that a student's machine
# may lack; without them it is not built.
CLASS := $(patsubst %.c,$B/obj/%.o,$(wildcard grader/class/*.c))
CLASS_HEADERS := $(foreach h,archive.h sqlite3.h sha2.h yaml.h git2.h,$(firstword $(wildcard \
                     $(addsuffix /$h,/usr/include /usr/local/include))))
GRADE_CLASS := $(if $(CLASS),$(if $(filter 5,$(words $(CLASS_HEADERS))),$B/grade-class))
TESTS := $(patsubst grader/tests/%.c,$B/tests/%,$(wildcard grader/tests/test_*.c))
ifeq ($(GRADE_CLASS),)
TESTS := $(filter-out $B/tests/test_alike $B/tests/test_hand_ins,$(TESTS))
endif
UNITS := $(foreach l,$(LABS),$(call unit_tests,$l))
SCRIPTS := $(wildcard grader/tests/test_*.sh)
# One test checks for leftover processes. In parallel with it, only tests with a separate folder
# run.
ALONE := $(filter %/test_attack.sh,$(SCRIPTS))
BESIDE := $(filter %/test_check_tree.sh %/test_margins.sh %/test_mutants.sh %/test_release.sh %/test_tree.sh,$(SCRIPTS)) \
          $(filter $(wildcard grader/tests/test_tools*.sh),$(SCRIPTS))
# The longest first, so that no long test remains at the end.
LONG := $(filter %/test_submissions,$(TESTS)) $(filter %/test_class.sh %/test_train.sh %/test_slurm.sh,$(SCRIPTS))
run-tests: made-run-tests
	@BUILD=$B ALONE='$(ALONE)' BESIDE='$(BESIDE)' $(TOOLS)/run_tests.sh $(LONG) \
	    $(filter-out $(ALONE) $(BESIDE) $(LONG),$(SCRIPTS) $(TESTS)) $(UNITS)

# Several makes may run at once (watch, check, train, plot), but only one may build. So each
# target first starts a second make, which builds its prerequisites and holds a lock
# (locked.sh). The target's own commands run without the lock.
NEEDS_unit = $(call unit_tests,$(NN))
NEEDS_explore = $(EXPLORE) $(lab_programs) $B/attnmap
NEEDS_plot = $(if $(value TEXT),$(READS_TEXT) $B/attnmap,$(NEEDS_explore))
NEEDS_ask = $B/ask $(NN:%=$(QUESTIONS)/%.answers)
NEEDS_gradcheck = $(if $(wildcard labs/$(FOLDER_$(NN))/gradcheck.c),$(GRADCHECK) $(GRADCHECK_OURS))
NEEDS_train = $(TRAINED:%=%$(if $(BACKEND),-gpu)) $B/train \
              $(if $(filter solutions,$(SRC))$(BACKEND),,$(TRAINED:%=%.note)) \
              $(if $(filter 8 08,$(LAB)),$B/data/stories/train.txt)
NEEDS_generate = $(WRITES) $B/generate $(if $(filter solutions,$(SRC)),,$(WRITES_NOTE))
NEEDS_rope = $(if $(NO_ROPE),$(firstword $(WRITER)) $(NO_ROPE) $B/data/stories/train.txt $B/data/stories/valid.txt)
EXPERIMENTS = $(shell sed -n "/^names='/,/^'/s/^\([a-z]*\)  .*/\1/p" $(TOOLS)/experiment.sh)
NEEDS_experiment = $(if $(filter rope,$(NAME)),$(NEEDS_rope),$(if $(filter $(EXPERIMENTS),$(NAME)),$(TRAINER) $(OTHER_PARTS)))
NEEDS_stories = $B/stories
NEEDS_margins = programs $(REBUILT)
NEEDS_mutants = programs $(SIEVE)
NEEDS_bench = programs $(BENCHES) $(if $(FOLDER_11),$B/bench/plain/11_bert) \
              $(if $(FOLDER_06),$B/trainer/solutions/train $B/trainer/solutions/fast/train) \
              $(if $(GPU_LABS),$B/bench/gpu_checked $B/bench/gpu_plain build/gpu/traffic)
NEEDS_run-tests = programs $(REBUILT) $(if $(SANITIZE),,$(SIEVE)) build/box/probe build/box/reach-probe $B/box/reach-grade $B/box/groups $B/box/terminal $(TESTS) $(UNITS) \
                  $(TRAINER) $(WRITER) $(CACHED_WRITER) $(if $(FOLDER_08),$B/trainer/solutions/fast/train-language) $(if $(FOLDER_09),$B/trainer/solutions/fast/generate-cached) $(OTHER_PARTS) $(NO_ROPE) $B/train $B/stories $B/learn $B/ask $(LABS:%=$B/predict/solutions/%) $(LABS:%=$(QUESTIONS)/%.answers) \
                  $(GRADCHECKS) $B/gradcheck-wrong $(TRAINED_LABS:%=$B/trained/solutions/%) \
                  $(if $(TRAINED_LABS),$B/trained/labs/03 $B/trained/labs/05 $B/trained/labs/06) $(EXPLORE_OF_01) $(EXPLORE_OF_03) $(EXPLORE_OF_08) build/cudasim build/gpu/show build/gpu/bench-simulated build/gpu/traffic $(BENCHES) \
                  $(if $(FOLDER_11),$B/reader/solutions/read_model $B/reader/labs/read_model $B/reader/solutions/measure \
                      $(if $(wildcard grader/tests/fuzz),$B/fuzz/replay))
NEEDS_book = $(LABS:%=$(QUESTIONS)/%.answers)
NEEDS_release = programs $(LABS:%=$(QUESTIONS)/%.answers)
NEEDS_check = $(lab_programs)
NEEDS_grader = $(lab_programs)
NEEDS_handin = $(lab_programs)
NEEDS_learn = $B/learn
NEEDS_watch = $B/learn
NEEDS_hint = $(GRADE)
$(foreach t,gradescope bench-class attack gpu-check,$(eval NEEDS_$t = programs))
LEARN := check grader handin hint unit explore plot ask gradcheck train generate
BUILT := check learn watch grader handin hint unit explore plot book ask gradcheck train generate stories experiment gradescope margins mutants release bench \
         bench-class attack gpu-check run-tests
$(BUILT:%=made-%): made-%:
	+@$(ENDS_QUIETLY)$(TOOLS)/locked.sh $(FIRST) $(MAKE) --no-print-directory $(PARALLEL) needs-$* JUDGED_BY=$(GRADE)
.PHONY: $(BUILT:%=made-%)

# Files and programs requested by name.
ifneq ($(BUILD_LOCK),held)
NAMED := $(filter-out $(QUICK) $(BUILT) reset skeletons no-gpu-training \
             build/gen/labs.mk,$(MAKECMDGOALS))
UNKNOWN := $(strip $(foreach n,$(NAMED),$(if $(or $(findstring /,$n),$(wildcard $n), \
               $(filter programs gpu-programs lab-programs made-% needs-%,$n)),,$n)))
# After a target that takes them, a number is meant as an exercise or a lab.
FIRST_UNKNOWN := $(firstword $(UNKNOWN))
ifneq ($(UNKNOWN),)
ifneq ($(filter $(LABS) $(LABS:0%=%),$(firstword $(subst ., ,$(FIRST_UNKNOWN)))),)
$(error there is no target '$(FIRST_UNKNOWN)': write make $(or $(filter $(BUILT),$(MAKECMDGOALS)),check) \
    $(if $(findstring .,$(FIRST_UNKNOWN)),EX,LAB)=$(FIRST_UNKNOWN))
endif
$(error there is no target '$(FIRST_UNKNOWN)'; make alone lists them)
endif
$(firstword $(NAMED)):
	+@$(ENDS_QUIETLY)$(TOOLS)/locked.sh $(MAKE) --no-print-directory $(PARALLEL) $(NAMED)
$(wordlist 2,$(words $(NAMED)),$(NAMED)): $(firstword $(NAMED)) ; @:
.PHONY: $(NAMED)
endif

ifeq ($(BUILD_LOCK),held)
ifeq ($(shell command -v $(firstword $(CC))),)
$(error the compiler $(CC) is not installed; make setup installs gcc)
endif
$(foreach t,$(BUILT),$(eval needs-$t: $$$$(NEEDS_$t) ; @:))
.PHONY: $(BUILT:%=needs-%)

# If compilers or flags have changed, everything is compiled again. make -n shows that, and writes nothing.
ifneq ($(LABS),)
ifneq ($(file <$B/flags),$(FLAGS))
ifneq ($(findstring n,$(filter-out -%,$(firstword $(MAKEFLAGS)))),)
.PHONY: $B/flags
$B/flags: ; @:
else
$(shell mkdir -p $B)$(file >$B/flags,$(FLAGS))
endif
endif
endif

# Creates an object and its .d file, both or neither. Closes the lock (9) for processes that a
# compiler may leave running.
whole = -MMD -MP -MT $@ -MF $(@:.o=.d.tmp) -c -o $@.tmp $1 9>&- && \
    mv $(@:.o=.d.tmp) $(@:.o=.d) && mv $@.tmp $@

# $(call compile,flags) and $(call link,libraries)
define compile
$(SAY) '  compile  $<'
@mkdir -p $(@D)
@$(ENDS_QUIETLY)$(CC) -std=c17 -Wall -Wextra -I labs -I solutions -I grader $1 $(call whole,$<)
endef
define link
$(SAY) '  link     $@'
@mkdir -p $(@D)
@$(ENDS_QUIETLY)$(TOOLS)/link.sh $@ $(CC) $^ $1 $(LIBS) 9>&-
endef

$B/obj/%.o: %.c $B/flags | $(PACKAGES)
	$(call compile,-Werror $(CFLAGS) $(SANITIZE))
build/worker/obj/%.o: %.c build/flags | $(PACKAGES)
	$(call compile,-Werror -O2 -g -fPIC -DWORKER)
build/worker/gpu/obj/%.o: %.c build/flags | $(PACKAGES)
	$(call compile,-Werror -O2 -g -DWORKER -DGPU -I grader/gpu/include)
# A student's code is compiled as make check compiles it (grader/build/build.c): what passes there, with M_PI
# or an unused parameter, has no error or other warning here. Without gnu17's contraction of products and
# sums, which would change bits. The worked examples only call it: -O0 takes a third as long to compile
# their assertions.
AS_JUDGED := -std=gnu17 -ffp-contract=off -Wno-unused-parameter -Werror=implicit-function-declaration \
             -Werror=incompatible-pointer-types -Werror=int-conversion -Werror=return-type \
             $(if $(findstring clang,$(CC)),-ferror-limit=5,-fmax-errors=5)
# An editor may save a file as UTF-16, full of zeros; the compiler would print all of it.
is_text = @tr -d '\000' <$< | cmp -s - $< || { echo "$< is saved as UTF-16; save it as UTF-8" >&2; exit 1; }
# A file that is saved while it compiles must be newer than its object. So the object gets the time at which its compiler
# started.
define compile_yours
$(is_text)
@mkdir -p $(@D) && touch $@.began
$(call compile,$1)
@touch -c -r $@.began $@ && rm $@.began
endef
UNIT_LEVEL := -O1
$B/unit/obj/labs/%.o: override UNIT_LEVEL = $(if $(filter test_%,$(*F)),-O0,-O1)
$B/unit/obj/%.o: %.c $B/flags | $(PACKAGES)
	$(call compile_yours,$(AS_JUDGED) $(UNIT_LEVEL) -g $(SANITIZERS) $(UNIT_FLAGS))
$B/explore/obj/%.o: %.c $B/flags | $(PACKAGES)
	$(call compile_yours,$(AS_JUDGED) $(CFLAGS))

# A file that is not there, as after a slip with rm. (With make -B, this also runs for files that are.)
labs/%.c:
	@[ -e $@ ] || { echo "$@ is missing; make reset LAB=$(patsubst 0%,%,$(firstword $(subst _, ,$*))) writes its skeleton" >&2; exit 1; }

# The library for all labs, without and with sanitizers. The folder's time changes when a file is removed.
COMMON := $(patsubst %.c,%.o,$(wildcard labs/common/*.c))
$B/lib/libcommon.a: $(COMMON:%=$B/obj/%)
$B/unit/lib/libcommon.a: $(COMMON:%=$B/unit/obj/%)
build/worker/lib/libcommon.a: $(COMMON:%=build/worker/obj/%)
$B/lib/libfast.a: $(FAST_COMMON:%.c=$B/obj/%.o)
build/worker/lib/libfast.a: $(FAST_COMMON:%.c=build/worker/obj/%.o)
$B/lib/libcommon.a $B/unit/lib/libcommon.a build/worker/lib/libcommon.a: labs/common
%.a:
	@mkdir -p $(@D)
	@rm -f $@.tmp && ar rcs $@.tmp $(filter %.o,$^) && mv $@.tmp $@

# -O3 takes up to five times as long to compile them and does not make judging faster.
$B/obj/grader/exercises/%.o: override CFLAGS := $(subst -O3,-O2,$(CFLAGS))
# What does not compute: -O1 takes half as long to compile, and judging takes as long as before.
COLD := $(filter-out $(patsubst %,grader/class/%.c,alike fingerprint tokens passages statements clusters) \
            grader/tests/test_alike.c grader/tests/test_tile_product.c,$(wildcard grader/class/*.c \
            grader/tests/*.c grader/tests/*/*.c $(patsubst %,grader/%/*.c,command report grade judge bank build \
            sandbox base)))
$(COLD:%.c=$B/obj/%.o): override CFLAGS := $(subst -O3,-O1,$(CFLAGS))
# A lab's exercises, one file each, and their list. In the student archive, labNN.c contains
# everything.
exercises = $(patsubst %.c,$B/obj/%.o,$(wildcard grader/exercises/$1/*.c \
                                        grader/exercises/common/*.c) \
                $(if $(wildcard grader/exercises/$1/*.c),build/gen/exercises$1.c))

# A lab's reference, with all symbols hidden except two, because all labs are linked into one
# program.
$B/labs/%.ref.o: $B/obj/grader/exercises/lab%.o $$(call exercises,$$*) \
                 $$(if $(HANDOUT),,$$(call objects,$B/obj,$$*,solutions))
	@mkdir -p $(@D)
	@ld -r $(call repeats,$(USES_$*)) -o $@.tmp $^
	@objcopy --redefine-sym lab_entries=lab_$*_entries --keep-global-symbol=lab_$* \
	    --keep-global-symbol=lab_$*_entries $@.tmp $@
	@rm $@.tmp

# The workers of a lab and of its GPU side, without the student's objects.
build/worker/lab%.o: $(addprefix build/worker/obj/grader/,worker/main.o worker/image.o worker/reply.o worker/print.o \
                         worker/failing.o worker/late.o worker/heap.o worker/open.o worker/cpu.o exercises/lab%.o)
	@ld -r -o $@.tmp $^ && mv $@.tmp $@
build/worker/gpu/lab%.o: $(addprefix build/worker/gpu/obj/grader/,worker/main.o worker/image.o worker/reply.o worker/print.o \
                             worker/failing.o worker/late.o worker/open.o worker/gpu.o worker/gpu_simulated.o \
                             worker/gpu_blocks.o worker/gpu_failing.o worker/gpu_profile.o exercises/lab%.o)
	@ld -r -o $@.tmp $^ && mv $@.tmp $@

# Workers for a real device, if the toolkit is installed.
CUDA_HOME ?= /usr/local/cuda
CUDA := $(wildcard $(CUDA_HOME)/bin/nvcc)
export CUDA_HOME
build/worker/device/obj/%.o: %.c build/flags | $(PACKAGES)
	$(call compile,-Werror -O2 -g -DWORKER -DGPU -DGPU_DEVICE -isystem $(CUDA_HOME)/include)
build/worker/device/lab%.o: $(addprefix build/worker/device/obj/grader/,worker/main.o worker/image.o worker/reply.o worker/print.o \
                                worker/failing.o worker/late.o worker/gpu.o worker/gpu_card.o exercises/lab%.o)
	@ld -r -o $@.tmp $^ && mv $@.tmp $@

# The simulated GPU: the source pass, the runtime in its two builds, and .cu files for each.
# build/gpu/checked/solutions/01_simple_attention/attention.o comes from that .cu.
GPU_HOME := grader/gpu
RUNTIME := $(patsubst %.cc,%.o,$(wildcard $(GPU_HOME)/runtime/*.cc))
# The files that ask whether loads and stores are checked. The others are compiled once for both
# libraries, with a value of GPU_CHECKED that does not compile where it is used.
TWO_FORMS := $(patsubst %,$(GPU_HOME)/runtime/%.o,async atomics calls copies grid launcher memory objects pages \
                 parallel results shadow)
ONE_FORM := $(filter-out $(TWO_FORMS),$(RUNTIME))
GPU_LIBS := -l:libboost_context.a -lbacktrace
# The same flags as in the judge. A barrier is identified by its return address, so it must not
# be a tail call.
gpu_flags_checked := @$(GPU_HOME)/checked.flags
gpu_flags_plain := -O3 -fno-math-errno -Wno-sign-compare -Wno-unknown-pragmas -fno-optimize-sibling-calls

define compile_cxx
$(SAY) '  compile  $<'
@mkdir -p $(@D)
@$(ENDS_QUIETLY)$(CXX) -std=c++17 -Wall -Wextra -g -I labs -I grader -I $(GPU_HOME)/include $1 \
    $(call whole,$(or $2,$<))
endef
runtime_flags := -Werror -O2 -fno-exceptions -fno-rtti -fno-threadsafe-statics
# The judge's translator, which allows a hand-in less, and that of cudasim.
TRANSLATE := $(patsubst %.c,build/worker/obj/%.o,$(filter-out %/anything.c,$(wildcard $(GPU_HOME)/translate/*.c)))
build/worker/cuda-to-cpp: $(TRANSLATE) build/worker/obj/grader/build/policy/forbidden.o
build/gpu/cuda-to-cpp: $(TRANSLATE) build/worker/obj/$(GPU_HOME)/translate/anything.o
build/worker/cuda-to-cpp build/gpu/cuda-to-cpp:
	$(SAY) '  link     $@'
	@mkdir -p $(@D)
	@$(CC) -o $@ $^
# What every .cu file begins with, compiled with the flags of the judge (grader/build/cuda.h) and of cudasim.
# A second #include of the header finds the short file beside it. -MD: headers of the system, too. All headers of the
# simulator are prerequisites, because the judge does not use it if one of them is newer (grader/build/workshop.c).
PRECOMPILED := build/worker/gpu/precompiled/cuda_runtime.h.gch
PRECOMPILED_CUDASIM := build/gpu/precompiled/cuda_runtime.h.gch
$(PRECOMPILED): precompiled_flags := -fPIC -fno-exceptions -fno-rtti -fno-threadsafe-statics
$(PRECOMPILED_CUDASIM): precompiled_flags := -w --param=tsan-distinguish-volatile=1 -D__CUDACC__ -D__NVCC__
$(PRECOMPILED) $(PRECOMPILED_CUDASIM): $(GPU_HOME)/include/cuda_runtime.h \
        $(shell find $(GPU_HOME)/include -type f) $(GPU_HOME)/checked.flags build/flags | $(PACKAGES)
	$(SAY) '  compile  $<'
	@mkdir -p $(@D) && chmod 755 $(@D)
	@echo '#include_next <cuda_runtime.h>' >$(@:.gch=)
	@g++ @$(GPU_HOME)/checked.flags $(precompiled_flags) -I $(GPU_HOME)/include -x c++-header \
	    -MD -MP -MT $@ -MF $@.d -o $@.tmp $< 9>&- && chmod 644 $(@:.gch=) $@.tmp && mv $@.tmp $@
-include $(PRECOMPILED).d $(PRECOMPILED_CUDASIM).d
build/gpu/checked/%.o: %.cc build/flags | $(PACKAGES)
	$(call compile_cxx,$(runtime_flags) -DGPU_CHECKED=1)
build/gpu/plain/%.o: %.cc build/flags | $(PACKAGES)
	$(call compile_cxx,$(runtime_flags) -DGPU_CHECKED=0)
build/gpu/both/%.o: %.cc build/flags | $(PACKAGES)
	$(call compile_cxx,$(runtime_flags) -DGPU_CHECKED=@)
define compile_cu
@mkdir -p $(@D)
@build/worker/cuda-to-cpp $< >$(@:.o=.cpp)
$(call compile_cxx,$1,$(@:.o=.cpp))
endef
build/gpu/checked/%.o: %.cu build/worker/cuda-to-cpp $(GPU_HOME)/checked.flags build/flags | $(PACKAGES)
	$(call compile_cu,$(gpu_flags_checked))
build/gpu/plain/%.o: %.cu build/worker/cuda-to-cpp build/flags | $(PACKAGES)
	$(call compile_cu,$(gpu_flags_plain))
# The simulated GPU as a tool of its own: any CUDA program.
build/cudasim: $(GPU_HOME)/cudasim.sh build/gpu/cuda-to-cpp $(PRECOMPILED_CUDASIM) build/lib/libgpu-checked.a build/lib/libgpu-plain.a
	@ln -sf ../$< $@
build/lib/libgpu-checked.a: $(TWO_FORMS:%=build/gpu/checked/%) $(ONE_FORM:%=build/gpu/both/%)
build/lib/libgpu-plain.a: $(TWO_FORMS:%=build/gpu/plain/%) $(ONE_FORM:%=build/gpu/both/%)

# make gpu-bench on the simulated GPU: nothing is measured, but everything runs.
GPU_BENCH := $(wildcard grader/bench/gpu/*.cu) $(foreach l,01 02 03 09 10,$(wildcard solutions/$l_*/*.cu))
# Fast kernels beside the plain ones: fast_x is the name of the fast x.
GPU_BENCH_FAST := $(foreach l,09 10,$(wildcard solutions/fast/$l_*/*.cu))
FAST_NAMES := $(foreach f,attention_decode grouped_query_attention quantize_rows linear_int8 \
                  flash_attention flash_attention_backward,-D $f_gpu=fast_$f_gpu)
build/gpu/renamed/%.o: %.cu build/worker/cuda-to-cpp build/flags | $(PACKAGES)
	$(call compile_cu,$(gpu_flags_plain) $(FAST_NAMES))
build/gpu/checked-renamed/%.o: %.cu build/worker/cuda-to-cpp $(GPU_HOME)/checked.flags build/flags | $(PACKAGES)
	$(call compile_cu,$(gpu_flags_checked) $(FAST_NAMES))
build/gpu/bench-simulated: $(GPU_BENCH:%.cu=build/gpu/plain/%.o) \
                           $(GPU_BENCH_FAST:%.cu=build/gpu/renamed/%.o) build/lib/libgpu-plain.a \
                           build/lib/libcommon.a
	$(SAY) '  link     $@'
	@$(CXX) -o $@ $^ $(GPU_LIBS) $(LIBS)

# The bytes that attention moves, by formula and by count; see grader/bench/gpu_traffic.cc.
build/gpu/traffic: build/gpu/checked/grader/bench/gpu_traffic.o build/gpu/obj/solutions/10_flash_attention/traffic.o \
                   $(patsubst %.cu,build/gpu/checked/%.o,$(wildcard solutions/01_*/*.cu solutions/10_*/flash.cu)) \
                   $(patsubst %.cu,build/gpu/checked-renamed/%.o,$(wildcard solutions/fast/10_*/flash.cu)) \
                   build/lib/libgpu-checked.a build/lib/libcommon.a
	$(SAY) '  link     $@'
	@$(CXX) -o $@ $^ $(GPU_LIBS) $(LIBS)

ROOMS := command report grade judge bank build cases sandbox base
# It reads and checks the answers of make ask with the program's own parts.
ASKED := $(patsubst %,$B/obj/labs/programs/ask/%.o,check numbers progress read reader right)
JUDGE := $(patsubst %.c,$B/obj/%.o,$(wildcard $(ROOMS:%=grader/%/*.c))) $(ASKED)
MAIN := $B/obj/grader/command/main.o
$B/lib/libgrader.a: $(filter-out $(MAIN),$(JUDGE)) $B/obj/build/gen/labs.o \
                    $(LABS:%=$B/labs/%.ref.o)
$B/grade: $(MAIN) $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE))

# A grader of one lab: the same program, with a shorter list of labs.
$B/one/%/labs.c: build/gen/labs.c
	@mkdir -p $(@D)
	@awk -v labs=' $(patsubst 0%,%,$(sort $* $(USES_$*) $(GPU_USES_$*))) ' \
	    '/^    \{[1-9]/ { split($$1, number, /[{,]/); if (!index(labs, " " number[2] " ")) { next } } \
	     /^extern/ { split($$0, word, "lab_"); if (!index(labs, " " (substr(word[2], 1, 2) + 0) " ")) { next } } \
	     { print }' $< >$@.tmp && mv $@.tmp $@
$B/one/%/labs.o: $B/one/%/labs.c
	@$(CC) -std=c17 -Wall -Wextra -Werror -I labs -I grader -c -o $@ $< 9>&-
$B/one/%/grade: $(JUDGE) $B/one/%/labs.o \
                $$(foreach l,$$(sort $$* $$(USES_$$*) $$(GPU_USES_$$*)),$B/labs/$$l.ref.o) $B/lib/libcommon.a
	$(call link,$(SANITIZE))
FAST := $(if $(FAST_COMMON),build/worker/lib/libfast.a build/lib/libfast.a)
lab-programs: $(GRADE) $(filter $(WITH:%=$(QUESTIONS)/%.answers),$(ANSWERED)) $(WITH:%=build/worker/lab%.o) build/worker/link/line build/worker/lib/libcommon.a \
              $(if $(filter $(realpath solutions/fast),$(realpath $(SRC))),$(FAST)) \
              $(if $(BACKEND),$(patsubst %,build/worker/gpu/lab%.o,$(filter $(GPU_LABS),$(WITH))) \
                  $(if $(CUDA),$(patsubst %,build/worker/device/lab%.o,$(filter $(GPU_LABS),$(WITH)))) \
                  build/worker/cuda-to-cpp $(PRECOMPILED) build/lib/libgpu-checked.a)

# The solutions, compiled like a student's file (without sanitizers) and with fused multiply-adds, to check that their results stay close to the
# judge's (grader/grade/survey.c).
define compile_rebuilt
$(SAY) '  compile  $<'
@mkdir -p $(@D)
@gcc -std=gnu17 -fPIC -I labs $1 $(call whole,$<)
endef
define link_rebuilt
$(SAY) '  link     $@'
@mkdir -p $(@D)
@gcc -shared -o $@.tmp $^ $1 -lopenblas -lm 9>&- && mv $@.tmp $@
endef
rebuilt = $(call objects,build/margins/$1/obj,$2,solutions) $(COMMON:%=build/margins/$1/obj/%)
build/margins/student/obj/%.o: %.c build/flags | $(PACKAGES)
	$(call compile_rebuilt,-Og)
# For AMD's processors, gcc would otherwise not fuse the products of a sum.
fused := -march=native -ffp-contract=fast --param=avoid-fma-max-bits=0
build/margins/fused/obj/%.o: %.c build/flags | $(PACKAGES)
	$(call compile_rebuilt,-O3 $(fused))
build/margins/student/%.so: $$(call rebuilt,student,$$*)
	$(call link_rebuilt,$(call may_repeat,$*))
build/margins/fused/%.so: $$(call rebuilt,fused,$$*)
	$(call link_rebuilt,$(call may_repeat,$*))

# The same for the solutions' kernels and the fast twins that differ, as nvcc compiles them, on the
# simulated GPU (grader/tools/kernels). Each lab's are one object, with the names of all its functions
# hidden except its table's: kernels_06 or fast_kernels_06.
KERNEL_MAIN := $(patsubst %.c,$B/obj/%.o,$(wildcard $(TOOLS)/kernels/*.c))
fast_kernels = $(filter-out $(realpath $(GPU_SOURCES_$1:%=solutions/$(FOLDER_$1)/%)), \
                   $(realpath $(GPU_SOURCES_$1:%=solutions/fast/$(FOLDER_$1)/%)))
FAST_KERNELS := $(foreach l,$(GPU_LABS),$(if $(call fast_kernels,$l),$l))
kernels = build/worker/gpu/obj/grader/exercises/lab$1.o \
          $(foreach l,$1 $(GPU_USES_$1),$(GPU_SOURCES_$l:%.cu=build/margins/kernels/obj/$2/$(FOLDER_$l)/%.o))
define hide_all_but
@mkdir -p $(@D)
@ld -r $(call repeats,$(GPU_USES_$*)) -o $@.tmp $^
@objcopy --redefine-sym lab_entries=$1 --keep-global-symbol=$1 $@.tmp $@
@rm $@.tmp
endef
$(KERNEL_MAIN): override CFLAGS += -march=native -I $(GPU_HOME)/include
build/margins/kernels/obj/%.o: %.cu build/worker/cuda-to-cpp build/flags | $(PACKAGES)
	$(call compile_cu,$(gpu_flags_plain) $(fused))
build/margins/kernels/plain/%.o: $$(call kernels,$$*,solutions)
	$(call hide_all_but,kernels_$*)
build/margins/kernels/fast/%.o: $$(call kernels,$$*,solutions/fast)
	$(call hide_all_but,fast_kernels_$*)
build/margins/kernels/labs.c: build/gen/labs.mk $(wildcard solutions/fast/*/*.cu)
	@mkdir -p $(@D)
	@{ echo '#include "tools/kernels/kernels.h"'; \
	   printf 'extern const struct entry %s[];\n' $(GPU_LABS:%=kernels_%) $(FAST_KERNELS:%=fast_kernels_%); \
	   echo 'const struct built_lab kernel_labs[] = {'; \
	   printf '    {%d, "kernels, fused", kernels_%s},\n' $(foreach l,$(GPU_LABS),$(l:0%=%) $l); \
	   printf '    {%d, "fast kernels, fused", fast_kernels_%s},\n' $(foreach l,$(FAST_KERNELS),$(l:0%=%) $l); \
	   echo '    {0}};'; } >$@.tmp && mv $@.tmp $@
$B/margins/kernels/labs.o: build/margins/kernels/labs.c
	@mkdir -p $(@D)
	@$(CC) -std=c17 -Wall -Wextra -Werror -I labs -I grader -c -o $@ $< 9>&-
$B/margins/kernels/survey: $(KERNEL_MAIN) $B/margins/kernels/labs.o $(GPU_LABS:%=build/margins/kernels/plain/%.o) \
                           $(FAST_KERNELS:%=build/margins/kernels/fast/%.o) build/lib/libgpu-plain.a \
                           $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(GPU_LIBS) -lstdc++)

# The program that starts a boxed program; static, so that it starts fast.
build/box/inside: $(patsubst %,build/worker/obj/grader/sandbox/%.o,inside/main wall)
	$(SAY) '  link     $@'
	@mkdir -p $(@D)
	@$(CC) -static -o $@ $^

# Runs the tests' attempts inside a box.
build/box/probe: build/worker/obj/grader/tests/box_probe.o
	$(SAY) '  link     $@'
	@mkdir -p $(@D)
	@$(CC) -o $@ $^

# Lists the readable files there; static, because not every box has libraries.
build/box/reach-probe: build/worker/obj/grader/tests/reach/probe.o
	$(SAY) '  link     $@'
	@mkdir -p $(@D)
	@$(CC) -static -o $@ $^

# Runs the tests' attempts with control groups.
$B/box/groups: $B/obj/grader/tests/groups.o $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE))

# A pseudo-terminal for test_learn.sh.
$B/box/terminal: $B/obj/grader/tests/learn/terminal.o
	$(call link,$(SANITIZE))

CLASS_LIBS := -larchive -lsqlite3 -lmd -lyaml -lgit2
CLASS_MAIN := $B/obj/grader/class/main.o
$B/lib/libclass.a: $(filter-out $(CLASS_MAIN),$(CLASS))
$B/grade-class: $(CLASS_MAIN) $B/lib/libclass.a $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(CLASS_LIBS))

# The skeletons, which the similarity of hand-ins does not count.
SKELETONS := $(patsubst solutions/%,build/skeletons/%, \
                 $(wildcard solutions/[0-9]*/*.c solutions/[0-9]*/*.cu))
build/skeletons/%: solutions/% $(TOOLS)/skeleton.awk
	@mkdir -p $(@D)
	@awk -f $(TOOLS)/skeleton.awk $< >$@

# The linker command for workers, determined once.
STARTER := $(addprefix build/worker/obj/grader/worker/,start.o open.o)
build/worker/link/line: $(TOOLS)/link_line.sh $(STARTER) build/flags
	@$< $(@D) $(STARTER)

programs: build/box/inside $B/grade $(ANSWERED) $(GRADE_CLASS) $B/lib/libcommon.a \
          $(LABS:%=build/worker/lab%.o) build/worker/link/line build/worker/lib/libcommon.a $(FAST) \
          gpu-programs \
          $(if $(TRAINER),$B/train) $(if $(WRITER),$B/generate) $(if $(FOLDER_11),$B/read_model $B/measure) $(if $(GRADE_CLASS),$(SKELETONS)) \
          $B/attnmap
gpu-programs: $(GPU_LABS:%=build/worker/gpu/lab%.o) \
              $(if $(CUDA),$(GPU_LABS:%=build/worker/device/lab%.o)) \
              $(if $(GPU_LABS),build/worker/cuda-to-cpp $(PRECOMPILED) build/lib/libgpu-checked.a)

$B/tests/test_build: | $(PRECOMPILED) build/worker/cuda-to-cpp
$B/tests/test_alike $B/tests/test_hand_ins: $B/tests/%: $B/obj/grader/tests/%.o $B/lib/libclass.a \
                                            $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion $(CLASS_LIBS))

# The first sieve of make mutants (tools/mutant_sieve.py).
SIEVE := build/sieve/judge build/worker/obj/grader/tools/sieve/worker.o \
         build/worker/gpu/obj/grader/tools/sieve/worker.o \
         $(foreach l,$(GPU_LABS),$(GPU_SOURCES_$l:%.cu=build/gpu/checked/solutions/$(FOLDER_$l)/%.o))
build/sieve/judge: $B/obj/grader/tools/sieve/judge.o $B/obj/grader/tools/sieve/start.o \
                   $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE))

# They look around behind the walls of every step.
WALLS := $B/obj/grader/tests/reach/walls.o $B/obj/grader/tests/reach/knowledge.o
LOOKING := -Wl,--wrap=process_run,--wrap=process_start,--wrap=process_finish
$B/tests/test_reach: $B/obj/grader/tests/test_reach.o $(WALLS) $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion $(LOOKING))
$B/box/reach-grade: $B/obj/grader/tests/reach/grade.o $(MAIN) $(WALLS) $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(LOOKING)$(comma)--wrap=grade_run)
$B/tests/test_submissions: $B/obj/grader/tests/test_submissions.o $B/obj/grader/tests/snippets.o \
                           $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)
$B/tests/test_follow $B/tests/test_together: $B/tests/%: $B/obj/grader/tests/%.o $B/obj/grader/tests/tree.o \
                                            $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)
$B/tests/test_cases $B/tests/test_compare: $B/tests/%: $B/obj/grader/tests/%.o $B/obj/grader/tests/add_up.o \
                                          $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)
$B/tests/test_words_%: $B/obj/grader/tests/test_words_%.o $B/obj/grader/tests/words.o \
                       $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)
$B/tests/test_build $B/tests/test_cache: $B/tests/%: $B/obj/grader/tests/%.o $B/obj/grader/tests/folder.o \
                                         $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)
CLI_TESTS := $(filter $B/tests/test_cli%,$(TESTS))
$(CLI_TESTS): $B/tests/%: $B/obj/grader/tests/%.o $B/obj/grader/tests/folder.o $B/obj/grader/tests/ran.o \
                          $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)
$B/tests/test_gradients $B/tests/test_model_gradients: $B/tests/%: $B/obj/grader/tests/%.o $B/obj/grader/tests/gradients.o \
                                                       $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)
$B/tests/test_tile_product: $B/lib/libfast.a
$B/tests/%: $B/obj/grader/tests/%.o $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)

# The tests of the simulated GPU have their own kernels.
KERNELS := $(patsubst %.cu,%.o,$(wildcard grader/tests/gpu/*.cu))
GPU_TESTS := $(filter-out $B/tests/test_gpu_train,$(filter $B/tests/test_gpu_%,$(TESTS)))
$(GPU_TESTS:$B/tests/%=$B/obj/grader/tests/%.o): override CFLAGS += -I $(GPU_HOME)/include
$(filter-out %_plain,$(GPU_TESTS)): $(KERNELS:%=build/gpu/checked/%) build/lib/libgpu-checked.a
$(filter %_plain,$(GPU_TESTS)): $(KERNELS:%=build/gpu/plain/%) build/lib/libgpu-plain.a
$(GPU_TESTS): $B/tests/%: $B/obj/grader/tests/%.o $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(GPU_LIBS) -lstdc++ -lcriterion)

# Prints the simulator's report on each of these programs.
$B/obj/grader/tests/gpu/show.o: override CFLAGS += -I $(GPU_HOME)/include
build/gpu/show: $B/obj/grader/tests/gpu/show.o \
        $(KERNELS:%=build/gpu/checked/%) build/lib/libgpu-checked.a
	$(call link,$(SANITIZE) $(GPU_LIBS) -lstdc++)

include grader/programs.mk

-include $(wildcard $(foreach o,$B/obj build/worker/obj build/worker/gpu/obj \
             build/worker/device/obj $B/unit/obj $B/explore/obj \
             build/margins/student/obj build/margins/fused/obj build/margins/kernels/obj \
             build/gpu/checked build/gpu/plain build/gpu/both build/gpu/renamed build/gpu/obj, \
             $o/*/*.d $o/*/*/*.d $o/*/*/*/*.d $o/*/*/*/*/*.d $o/$(SRC)/*/*.d))
endif

.PHONY: help packages programs run-tests gpu-programs
