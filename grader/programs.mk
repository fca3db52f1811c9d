# programs.mk - how the programs are built that run a student's functions, apart from the judge: worked examples,
# explore, ask, gradcheck, plot, learn, train, generate, read_model, and the measurements of make bench. rules.mk
# includes it where the rules for everything else are known.

# Worked examples and explore programs: $B/unit/SRC/03/test_causal, $B/explore/SRC/03.
$B/unit/$(SRC)/%: $B/unit/obj/labs/$$(FOLDER_$$(*D))/$$(*F).o \
                  $$(call example_objects,$B/unit/obj,$$(*D),$(SRC)) $B/unit/lib/libcommon.a
	$(call link,$(SANITIZERS) -lcriterion $(call examples_may_repeat,$(*D)))
# The explore programs of labs 8, 9 and 11 read the trained model, like the programs below.
EXPLORE_11 = $(EXPLORE_08)
EXPLORE_09 = $(EXPLORE_08)
EXPLORE_08 = $(filter %/saved.o %/options.o,$(LANGUAGE)) $(RUN)
$B/explore/$(SRC)/%: $B/explore/obj/labs/$$(FOLDER_$$*)/explore.o $$(EXPLORE_$$*) \
                     $$(call example_objects,$B/explore/obj,$$*,$(SRC)) $B/lib/libcommon.a
	$(call link,$(call examples_may_repeat,$*))

# The questions of make ask, and the values that they ask for: $B/predict/SRC/03 computes them with
# the code of SRC. In the student archive, questions.txt contains the values (cover_questions.awk).
ASK := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/ask/*.c))
$B/ask: $(ASK) $B/lib/libcommon.a
	$(call link,$(SANITIZE))
$B/predict/%: $B/explore/obj/labs/$$(FOLDER_$$(*F))/predict.o $B/obj/labs/programs/predict/main.o \
              $$(call example_objects,$B/explore/obj,$$(*F),$$(*D)) $B/lib/libcommon.a
	$(call link,$(call examples_may_repeat,$(*F)))
ifneq ($(HANDOUT),)
$(QUESTIONS)/%.answers: labs/$$(FOLDER_$$*)/questions.txt
	@mkdir -p $(@D) && : >$@
else
$(QUESTIONS)/%.answers: $B/predict/solutions/%
	@mkdir -p $(@D)
	@$(ONE_THREAD) $< >$@.tmp && mv $@.tmp $@
endif

# make gradcheck: $B/gradcheck/SRC/06 compares the backward functions of SRC with differences of its
# forward functions, or of those in $B/gradcheck/ours/06.so, which the student archive has not.
GRADCHECK_MAIN := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/gradcheck/*.c))
$B/gradcheck/ours/%.so: $$(call rebuilt,student,$$*)
	$(call link_rebuilt,-Wl$(comma)-Bsymbolic $(call may_repeat,$*))
$B/gradcheck/%: $B/explore/obj/labs/$$(FOLDER_$$(*F))/gradcheck.o $(GRADCHECK_MAIN) \
                $$(call example_objects,$B/explore/obj,$$(*F),$$(*D)) $B/lib/libcommon.a
	$(call link,-ldl $(call examples_may_repeat,$(*F)))

# A trained model with the functions of SRC in it: make plot LAB=3 TEXT="...". Labs 5 and 6 run the models
# that copy and reverse words, the others the story model. Lab 7 also needs the attention of lab 4.
TRAINED_WITH_07 := 04 $(USES_04)
trained_objects = $(foreach l,$2 $(TRAINED_WITH_$2) $(filter-out $(TRAINED_WITH_$2),$(USES_$2)), \
                      $(SOURCES_$l:%.c=$1/$3/$(FOLDER_$l)/%.o)) $(call fast_common,$1,$3)
TRAINED_OBJ := $B/obj/labs/programs/trained
TASK_TEXT = $(TRAINED_OBJ)/tasks.o $(RUN) $(patsubst %,$B/obj/labs/programs/train/%.o,checkpoint options)
STORY_TEXT = $(TRAINED_OBJ)/story.o $(TRAINED_OBJ)/host.o $(TRAINED_OBJ)/steps.o $(EXPLORE_08)
$B/trained/%: $(TRAINED_OBJ)/lab_$$(*F).o $(TRAINED_OBJ)/words.o \
              $$(if $$(filter 05 06,$$(*F)),$$(TASK_TEXT),$$(STORY_TEXT)) \
              $$(call trained_objects,$B/explore/obj,$$(*F),$$(*D)) $B/lib/libcommon.a
	$(call link,$(addprefix -Wl$(comma),$(call repeats,$(USES_$(*F)) $(TRAINED_WITH_$(*F)))))

# Backward functions with one mistake each, for test_gradcheck.sh.
$B/gradcheck-wrong: $B/obj/grader/tests/gradcheck/wrong.o $(GRADCHECK_MAIN) $B/lib/libcommon.a
	$(call link,-ldl $(SANITIZE))

# The program behind make learn and make watch. It builds the graders that it needs by calling make.
LEARNING := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/learn/*.c))
$B/learn: $(LEARNING) $B/lib/libcommon.a
	$(call link,$(SANITIZE))

# The program behind make train, with the code of SRC, and build/train, which calls it.
TRAIN := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/train/*.c))
$B/trainer/%/train: $(TRAIN) $$(call objects,$B/explore/obj,06,$$*) \
                    $B/trainer/%/positions.o $B/lib/libcommon.a
	$(call link,$(SANITIZE))
# Variants of the model, for the experiments of labs 5 and 7. Lab 7 uses lab 1, which defines
# matmul like lab 2, so only the functions of lab 7 that these programs call stay visible.
VARIANTS := $(patsubst %.c,$B/obj/%.o,$(filter-out %/no_rope.c,$(wildcard labs/programs/variants/*.c)))
$B/trainer/%/positions.o: $$(call objects,$B/explore/obj,07,$$*)
	@mkdir -p $(@D)
	@ld -r -o $@.tmp $^
	@objcopy $(addprefix --keep-global-symbol=,sinusoidal_encoding add_positions rope \
	    alibi_bias) $@.tmp $@
	@rm $@.tmp
$B/trainer/%/variants: $(VARIANTS) $$(call objects,$B/explore/obj,06,$$*) \
                       $B/trainer/%/positions.o $B/lib/libcommon.a
	$(call link,$(SANITIZE))
# The program that writes the stories for lab 8's model from a grammar.
STORIES := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/stories/*.c))
GRAMMAR := datasets/stories/stories.grammar
$B/stories: $(STORIES) $B/lib/libcommon.a
	$(call link,$(SANITIZE))
# A different seed for the held-out part, so that hardly any story is in both.
$B/data/stories/train.txt: $B/stories $(GRAMMAR)
	@mkdir -p $(@D)
	@$B/stories --seed 1 --bytes 5000000 --out $@
$B/data/stories/valid.txt: $B/stories $(GRAMMAR)
	@mkdir -p $(@D)
	@$B/stories --seed 2000000000 --bytes 500000 --out $@
$B/tests/test_stories: $B/obj/grader/tests/test_stories.o \
                       $(filter-out %/main.o,$(STORIES)) $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lcriterion)

# Lists the exercises that do not pass, before training.
$B/trainer/%/train.note: $B/trainer/%/train | programs
	@for lab in $(filter 02 03 04 05 06,$(LABS)); do \
	    $(TOOLS)/passes.sh '$*' $$lab "this trains with"; done >$@
$B/trainer/%/train-language.note: $B/trainer/%/train-language | programs
	@for lab in $(filter 02 03 04 05 06 07 08,$(LABS)); do \
	    $(TOOLS)/passes.sh '$*' $$lab "this runs with"; done >$@

$B/trainer/%/generate-cached.note: $B/trainer/%/generate-cached | programs
	@for lab in $(filter 02 03 04 05 06 07 08 09,$(LABS)); do \
	    $(TOOLS)/passes.sh '$*' $$lab "this runs with"; done >$@

# The programs of lab 8.
RUN := $(addprefix $B/obj/labs/programs/train/,run.o progress.o log.o stored.o)
LANGUAGE := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/language/*.c))
$B/trainer/%/train-language: $(filter-out %/generate.o %/no_cache.o,$(LANGUAGE)) $(RUN) \
        $$(call objects,$B/explore/obj,08,$$*) $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,08))
$B/trainer/%/generate: $(filter-out %/train.o,$(LANGUAGE)) $(RUN) \
        $$(call objects,$B/explore/obj,08,$$*) $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,08))
# Reads the shipped model as these programs do.
$B/tests/test_story_model: $B/obj/grader/tests/test_story_model.o $B/obj/labs/programs/language/saved.o \
                           $(RUN) $B/lib/libgrader.a $B/lib/libcommon.a | $B/stories
	$(call link,$(SANITIZE) -lcriterion)
# The same trainer without positions, for an experiment: see no_rope.c.
rotating = $(foreach l,07 08,$(SOURCES_$l:%.c=$(call place_of,$B/explore/obj,$1)/$1/$(FOLDER_$l)/%.o))
$B/trainer/%/not_rotating.o: $$(call rotating,$$*)
	@mkdir -p $(@D)
	@ld -r -o $@.tmp $^
	@objcopy $(foreach f,cos sin sincos cosf sinf sincosf,--redefine-sym $f=no_rope_$f) $@.tmp $@
	@rm $@.tmp
$B/trainer/%/train-no-rope: $(filter-out %/generate.o %/no_cache.o,$(LANGUAGE)) $(RUN) \
        $B/obj/labs/programs/variants/no_rope.o $B/trainer/%/not_rotating.o \
        $$(filter-out $$(call rotating,$$*),$$(call objects,$B/explore/obj,08,$$*)) $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,08))
# The same with lab 9's cache.
CACHED := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/cached/*.c))
$B/trainer/%/generate-cached: $(CACHED) $(filter-out %/train.o %/no_cache.o,$(LANGUAGE)) $(RUN) \
        $$(call objects,$B/explore/obj,09,$$*) $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,09))
$B/train $B/generate $B/read_model $B/measure: $(TOOLS)/train.sh $B/flags
	@sed "s|^B=.*|B='$B'|; s|^NAME=.*|NAME='$(@F)'|; s|^CC=.*|CC='$(CC)'|; s|^CFLAGS=.*|CFLAGS='$(CFLAGS)'|; \
	    s|^SANITIZE=.*|SANITIZE='$(SANITIZE)'|" $< >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@

# The program that runs BERT and GPT-2 with the code of SRC.
READING := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/reading/*.c))
$B/reader/%/read_model: $(READING) $$(call objects,$B/explore/obj,11,$$*) $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,11) -ljansson -lutf8proc)
# The program that measures attention weights with it.
MEASURING := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/measure/*.c))
$B/reader/%/measure: $(MEASURING) $$(call objects,$B/explore/obj,11,$$*) $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,11))

# Draws attention weights from any file. It reads .npz only if libarchive is installed, and halves only where half.c exists.
ATTNMAP := $(patsubst %.c,$B/obj/%.o,$(wildcard labs/programs/attnmap/*.c))
WITH_ARCHIVE := $(firstword $(wildcard /usr/include/archive.h /usr/local/include/archive.h))
WITH_HALVES := $(wildcard labs/programs/attnmap/half.c)
$(ATTNMAP): override CFLAGS += $(if $(WITH_ARCHIVE),-DLAB_WITH_ARCHIVE) $(if $(WITH_HALVES),-DLAB_WITH_HALVES)
$B/attnmap: $(ATTNMAP) $B/lib/libcommon.a
	$(call link,$(SANITIZE) -lz $(if $(WITH_ARCHIVE),-larchive))

# Reads bad files with both programs, in one process and under sanitizers (grader/tests/fuzz/fuzz.h).
FUZZED := $(patsubst %.c,$B/unit/obj/%.o,$(wildcard labs/programs/reading/*.c labs/programs/attnmap/*.c \
              grader/tests/fuzz/inside.c grader/tests/fuzz/readers.c grader/tests/fuzz/replay.c))
FUZZ_WRAPS := malloc calloc realloc aligned_alloc free strdup strndup exit archive_read_new archive_read_free
$(filter $B/unit/obj/labs/programs/attnmap/% %/inside.o,$(FUZZED)): override UNIT_FLAGS += \
    $(if $(WITH_ARCHIVE),-DLAB_WITH_ARCHIVE) $(if $(WITH_HALVES),-DLAB_WITH_HALVES)
$B/unit/obj/labs/programs/reading/main.o: override UNIT_FLAGS += -Dmain=read_model_main
$B/unit/obj/labs/programs/attnmap/main.o: override UNIT_FLAGS += -Dmain=attnmap_main
$B/fuzz/replay: $(FUZZED) $$(call objects,$B/unit/obj,11,solutions) $B/unit/lib/libcommon.a
	$(call link,$(SANITIZERS) $(call may_repeat,11) $(FUZZ_WRAPS:%=-Wl$(comma)--wrap=%) \
	    -ljansson -lutf8proc -lz $(if $(WITH_ARCHIVE),-larchive))

# Measures the simulated GPU, in both builds; see grader/bench/gpu_simulator.cc.
$B/bench/gpu_%: build/gpu/%/grader/bench/gpu_simulator.o build/gpu/%/grader/bench/gpu_kernels.o \
                build/lib/libgpu-%.a $$(call objects,$B/obj,01,solutions) $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(GPU_LIBS) -lstdc++)

# A measuring program of a lab's fast solutions: grader/bench/04_multi_head.c.
$B/bench/%: $B/obj/grader/bench/%.o \
            $$(call objects,$B/obj,$$(firstword $$(subst _, ,$$*)),solutions/fast) \
            $B/obj/grader/bench/rival/rival.o $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,$(firstword $(subst _, ,$*))))

# The same with the plain solutions, to see what the fast twins gain: build/bench/plain/11_bert.
$B/bench/plain/%: $B/obj/grader/bench/%.o $$(call objects,$B/obj,$$(firstword $$(subst _, ,$$*)),solutions) \
                  $B/obj/grader/bench/rival/rival.o $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,$(firstword $(subst _, ,$*))))

# Measures the steps from the plain solutions to the fast twins. Linked with the fast twins, and
# with the judge, which contains the plain solutions.
$B/bench/ladder: $(patsubst %.c,$B/obj/%.o,$(wildcard grader/bench/ladder/*.c)) \
                 $$(foreach l,09 10 11,$$(call objects,$B/obj,$$l,solutions/fast)) \
                 $B/lib/libgrader.a $B/lib/libcommon.a
	$(call link,$(SANITIZE) $(call may_repeat,09))

# Measures the cost of a box.
$B/bench/box: $B/obj/grader/bench/box.o $B/lib/libgrader.a $B/lib/libcommon.a | build/box/probe
	$(call link,$(SANITIZE))

# build/train --gpu: labs/programs/train_gpu, the launchers of labs 1 to 6, and the CPU side,
# which makes the batches. $(call on_gpu,plain,solutions) lists their objects.
build/gpu/obj/%.o: %.c build/flags | $(PACKAGES)
	$(call compile,$(CFLAGS) -DTRAIN_GPU -I $(GPU_HOME)/include)
on_gpu = $(patsubst %.c,build/gpu/obj/%.o,$(wildcard labs/programs/train_gpu/*.c)) \
         build/gpu/$1/labs/programs/train_gpu/given.o \
         $(foreach l,06 05 04 03 02 01,$(GPU_SOURCES_$l:%.cu=build/gpu/$1/$2/$(FOLDER_$l)/%.o)) \
         $(call objects,build/gpu/obj,06,$2) $(COMMON:%=build/gpu/obj/%) build/lib/libgpu-$1.a
define link_gpu
$(SAY) '  link     $@'
@mkdir -p $(@D)
@$(CXX) -o $@.tmp $^ $1 $(LIBS) $(GPU_LIBS) 9>&- && mv $@.tmp $@
endef
$B/trainer/%/train-gpu: $(TRAIN:$B/obj/%=build/gpu/obj/%) $B/trainer/%/positions.o \
                        $$(call on_gpu,plain,$$*)
	$(call link_gpu,)
$B/tests/test_gpu_train: build/gpu/obj/grader/tests/test_gpu_train.o \
                         $$(call on_gpu,checked,solutions)
	$(call link_gpu,-lcriterion)
