// main.c - the command line of build/grade.

#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bank/bank.h"
#include "judge/cuda.h"
#include "judge/grade.h"
#include "judge/margins.h"
#include "judge/memory.h"
#include "judge/process.h"
#include "judge/pool.h"
#include "judge/root.h"
#include "judge/show.h"
#include "judge/surroundings.h"
#include "report/report.h"
#include "sandbox/box.h"
#include "sandbox/cgroup.h"
#include "sandbox/wall.h"

enum { PUBLIC_SEED = 1 };

static const char help[] =
    "usage: grade check [options]    judge the exercises of a tree\n"
    "       grade hint --exercise X.Y [--hint LEVEL] [--backend gpu]\n"
    "       grade list               every exercise with its points\n"
    "       grade margins [--lab N] [--exercise X.Y] [--seed S] [--seeds N]\n"
    "                                how far each known mistake lies from the right "
    "answer\n"
    "       grade class, grade report, grade collect: for instructors; each has --help\n"
    "       grade bank DIR           write the case banks of a hand-out (make release)\n"
    "\n"
    "options of check\n"
    "  --src DIR        a tree with NN_name/file in it, like labs/ or solutions/ (labs)\n"
    "  --lab N          only this lab\n"
    "  --exercise X.Y   only this exercise\n"
    "  --backend WHAT   cpu: the .c files (the default)\n"
    "                   gpu: the .cu files, on a CUDA device if there is one, else "
    "simulated\n"
    "                   gpu-simulated, gpu-device: the .cu files, there and nowhere "
    "else\n"
    "                   all: cpu and gpu\n"
    "  --warnings       show all that the compiler warns of, not the first of what was "
    "judged\n"
    "  --profile        say what the kernels do to memory, on the simulated GPU\n"
    "  --follow WHAT    an exercise that builds on failing ones of its lab is judged "
    "once "
    "more,\n"
    "                   with the workbook's own in their place: failing (the default: if "
    "it\n"
    "                   fails too), all (also if it is todo), none\n"
    "  --seed S         draw the cases from this seed (1)\n"
    "  --seeds N        margins: on N seeds, from --seed on; the worst case of each\n"
    "  --hidden-seed S  and on the cases of this seed, of which nothing is told but that "
    "an\n"
    "                   exercise fails there (also: GRADE_HIDDEN_SEED, which nobody "
    "sees)\n"
    "  --hint LEVEL     show hints up to this level (1, 2 or 3) with a failure\n"
    "  --untrusted      strangers' code: compile and run it in a box; without one, "
    "refuse\n"
    "  --strangers      the same reports without a box: where the workbook's functions "
    "stand in,\n"
    "                   a failure is told in one sentence (--untrusted implies it)\n"
    "  --hung FILE      compile nothing: this file of the hand-in took the compiler too "
    "long\n"
    "  --jobs N         compile and judge this many things at a time (one per "
    "processor)\n"
    "  --json FILE      write Gradescope's results.json\n"
    "  --junit FILE     write JUnit XML\n"
    "  --classroom50 FILE  write Classroom 50's result.json; exit 0 whenever that is "
    "done\n"
    "  --autolab        print Autolab's scores as the last line\n"
    "  --dump FILE      write the tensors of the call that is shown (--exercise)\n"
    "  --no-color       no colours (also: NO_COLOR, or not a terminal)\n"
    "  --help           this text\n"
    "\n"
    "exit status: 0 everything asked for passes, 1 something fails, is still to do or "
    "could\n"
    "             not be run (no CUDA device),\n"
    "             2 the command line makes no sense, 3 the grader itself failed\n";

struct command_line {
    struct options options;
    const char *json, *junit, *classroom50;
    bool autolab;
    bool hidden; // judge on hidden cases, too
    uint64_t hidden_seed;
    uint64_t seeds;     // of grade margins; 0: one, and every distance is printed
    const char *folder; // of grade bank
    bool colour;
};

static _Noreturn void usage(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static _Noreturn void usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("grade: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs(" (see grade --help)\n", stderr);
    va_end(arguments);
    exit(EXIT_USAGE);
}

static unsigned long long number(const char *option, const char *word,
                                 unsigned long long least, unsigned long long most)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end != '\0' || errno != 0 || value < least ||
        value > most) {
        usage("%s takes a whole number from %llu to %llu, not '%s'", option, least, most,
              word);
    }
    return value;
}

// A hand-out has neither solutions nor mistakes: it knows the cases of one seed.
static bool is_handout(void)
{
    return lab_places[0].folder != NULL &&
           lab_places[0].lab->exercises[0]->parts[0].bank != NULL;
}

static uint64_t public_seed(void)
{
    return is_handout() ? lab_places[0].lab->bank_seed : PUBLIC_SEED;
}

static void check_seed(uint64_t seed)
{
    if (is_handout() && seed != public_seed()) {
        usage("a hand-out knows the cases of seed %llu only; leave --seed out",
              (unsigned long long)public_seed());
    }
}

static void check_whole(const char *command)
{
    if (is_handout()) {
        usage("%s needs the solutions, and a hand-out has none", command);
    }
}

static void check_lab(int lab)
{
    const struct lab_place *place = lab_places;
    while (place->folder != NULL && place->number != lab) {
        place++;
    }
    if (place->folder == NULL) {
        fprintf(stderr, "grade: there is no lab %d; there are", lab);
        for (place = lab_places; place->folder != NULL; place++) {
            fprintf(stderr, " %d", place->number);
        }
        fputc('\n', stderr);
        exit(EXIT_USAGE);
    }
}

static void check_exercise(const char *id)
{
    const struct lab_place *place;
    const struct exercise *exercise;
    if (!find_exercise(id, &place, &exercise)) {
        fprintf(stderr,
                "grade: there is no exercise %s; build/grade list names them all\n", id);
        exit(EXIT_USAGE);
    }
}

// On the GPU side not every lab and exercise is there.
static void check_side(const struct options *options)
{
    if (!options->no_cpu) {
        return;
    }
    bool any = false;
    for (const struct lab_place *place = gpu_places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            const struct exercise *exercise = *each;
            bool asked = options->exercise != NULL
                             ? strcmp(options->exercise, exercise->id) == 0
                             : options->lab == 0 || options->lab == place->number;
            any = any || (asked && has_gpu_variant(place, exercise));
        }
    }
    if (!any && options->exercise != NULL) {
        usage("exercise %s has no GPU variant", options->exercise);
    } else if (!any) {
        usage("there is no GPU variant to judge");
    }
}

// Options that contradict each other.
static void check_together(const struct command_line *line)
{
    const struct lab_place *place;
    const struct exercise *exercise;
    const struct options *options = &line->options;
    if (options->lab != 0 && options->exercise != NULL &&
        find_exercise(options->exercise, &place, &exercise) &&
        place->number != options->lab) {
        usage("exercise %s is not of lab %d", options->exercise, options->lab);
    }
    if (options->profile && options->gpu != GPU_SIMULATED) {
        usage("--profile is for the simulated GPU: --backend gpu-simulated");
    }
    if (line->json != NULL && line->junit != NULL &&
        strcmp(line->json, line->junit) == 0) {
        usage("--json and --junit both name %s", line->json);
    }
    if (options->dump != NULL && options->exercise == NULL) {
        usage("--dump writes one call: say which exercise's, with --exercise");
    }
}

static void choose_backend(struct options *options, const char *word)
{
    bool any = strcmp(word, "gpu") == 0 || strcmp(word, "all") == 0;
    options->no_cpu = strcmp(word, "cpu") != 0 && strcmp(word, "all") != 0;
    if (strcmp(word, "cpu") == 0) {
        options->gpu = CPU;
    } else if (strcmp(word, "gpu-simulated") == 0) {
        options->gpu = GPU_SIMULATED;
    } else if (strcmp(word, "gpu-device") == 0) {
        options->gpu = GPU_DEVICE;
    } else if (any) {
        options->no_device = cuda_not_here() != NULL;
        options->gpu = options->no_device ? GPU_SIMULATED : GPU_DEVICE;
    } else {
        usage("--backend is cpu, gpu, gpu-simulated, gpu-device or all, not '%s'", word);
    }
}

static enum follow follow(const char *word)
{
    static const char *const words[] = {
        [FOLLOW_FAILING] = "failing", [FOLLOW_ALL] = "all", [FOLLOW_NONE] = "none"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) == 0) {
            return (enum follow)i;
        }
    }
    usage("--follow is failing, all or none, not '%s'", word);
}

static void parse(struct command_line *line, int argc, char **argv)
{
    enum {
        SRC = 1,
        LAB,
        EXERCISE,
        SEED,
        SEEDS,
        HIDDEN_SEED,
        HINT,
        JSON,
        JUNIT,
        CLASSROOM50,
        AUTOLAB,
        DUMP,
        BACKEND,
        PROFILE,
        WARNINGS,
        FOLLOW,
        UNTRUSTED,
        STRANGERS,
        HUNG,
        JOBS,
        NO_COLOUR,
        HELP
    };
    static const struct option known[] = {
        {"src", required_argument, NULL, SRC},
        {"lab", required_argument, NULL, LAB},
        {"exercise", required_argument, NULL, EXERCISE},
        {"seed", required_argument, NULL, SEED},
        {"seeds", required_argument, NULL, SEEDS},
        {"hidden-seed", required_argument, NULL, HIDDEN_SEED},
        {"hint", required_argument, NULL, HINT},
        {"untrusted", no_argument, NULL, UNTRUSTED},
        {"strangers", no_argument, NULL, STRANGERS},
        {"hung", required_argument, NULL, HUNG},
        {"jobs", required_argument, NULL, JOBS},
        {"json", required_argument, NULL, JSON},
        {"junit", required_argument, NULL, JUNIT},
        {"classroom50", required_argument, NULL, CLASSROOM50},
        {"autolab", no_argument, NULL, AUTOLAB},
        {"dump", required_argument, NULL, DUMP},
        {"backend", required_argument, NULL, BACKEND},
        {"follow", required_argument, NULL, FOLLOW},
        {"profile", no_argument, NULL, PROFILE},
        {"warnings", no_argument, NULL, WARNINGS},
        {"no-color", no_argument, NULL, NO_COLOUR},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        switch (option) {
        case SRC:
            line->options.source = optarg;
            break;
        case LAB:
            line->options.lab = (int)number("--lab", optarg, 1, 99);
            check_lab(line->options.lab);
            break;
        case EXERCISE:
            line->options.exercise = optarg;
            check_exercise(optarg);
            break;
        case SEED:
            line->options.seed = number("--seed", optarg, 0, ULLONG_MAX);
            check_seed(line->options.seed);
            break;
        case SEEDS:
            line->seeds = number("--seeds", optarg, 1, 1000000);
            break;
        case HIDDEN_SEED:
            check_whole("--hidden-seed");
            line->hidden_seed = number("--hidden-seed", optarg, 0, ULLONG_MAX);
            line->hidden = true;
            break;
        case HINT:
            line->options.hint = (int)number("--hint", optarg, 0, HINT_LEVELS);
            break;
        case UNTRUSTED:
            line->options.untrusted = true;
            break;
        case STRANGERS:
            line->options.strangers = true;
            break;
        case HUNG:
            line->options.hung = optarg;
            break;
        case JOBS:
            line->options.jobs = number("--jobs", optarg, 1, MOST_THREADS);
            break;
        case JSON:
            line->json = optarg;
            break;
        case JUNIT:
            line->junit = optarg;
            break;
        case CLASSROOM50:
            line->classroom50 = optarg;
            break;
        case AUTOLAB:
            line->autolab = true;
            break;
        case DUMP:
            line->options.dump = optarg;
            break;
        case BACKEND:
            choose_backend(&line->options, optarg);
            break;
        case FOLLOW:
            line->options.follow = follow(optarg);
            break;
        case PROFILE:
            line->options.profile = true;
            break;
        case WARNINGS:
            line->options.warnings = true;
            break;
        case NO_COLOUR:
            line->colour = false;
            break;
        case HELP:
            fputs(help, stdout);
            exit(EXIT_PASS);
        case ':':
            usage("%s needs a value", argv[optind - 1]);
        default:
            usage("unknown option %s", argv[optind - 1]);
        }
    }
    if (optind < argc) {
        usage("unexpected argument %s", argv[optind]);
    }
    check_together(line);
    check_side(&line->options);
}

// A tree given without a trailing slash reads better in messages; one that looks like an option
// would be taken for one by the compiler.
static char *trimmed(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    return grader_print("%s%.*s", *path == '-' || *path == '@' ? "./" : "", (int)length,
                        path);
}

// A call is shown of what fails, and not of everything that does (a file that does not compile).
static void tell_of_dump(const struct grading *grading)
{
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (grading->options.dump != NULL && result->asked && result->call == NULL) {
            fprintf(stderr,
                    "grade: --dump: the report on %s shows no call; %s was not "
                    "written\n",
                    result->exercise->id, grading->options.dump);
        }
    }
}

static int command_check(struct command_line *line)
{
    surroundings_check();
    char *source = line->options.source != NULL
                       ? trimmed(line->options.source)
                       : grader_print("%s/labs", line->options.root);
    line->options.source = source;
    struct grading grading = grade_run(&line->options);
    if (line->hidden) {
        grade_hidden(&grading, line->hidden_seed);
    }
    report_terminal(stdout, &grading, line->colour);
    int code = grade_exit_code(&grading);
    if (line->json != NULL && !report_json(line->json, &grading)) {
        code = EXIT_GRADER;
    }
    if (line->junit != NULL && !report_junit(line->junit, &grading)) {
        code = EXIT_GRADER;
    }
    if (line->classroom50 != NULL) {
        bool written = report_classroom50(line->classroom50, &grading);
        code = written && code == EXIT_FAIL ? EXIT_PASS : written ? code : EXIT_GRADER;
    }
    tell_of_dump(&grading);
    if (line->autolab) {
        report_autolab(stdout, &grading);
    }
    if (fflush(stdout) != 0) {
        fprintf(stderr, "grade: cannot write the report: %s\n", strerror(errno));
        code = EXIT_GRADER;
    }
    grade_free(&grading);
    free(source);
    return code;
}

static int command_hint(const struct command_line *line)
{
    if (line->options.exercise == NULL) {
        usage("hint needs --exercise, for example --exercise 1.3");
    }
    int level = line->options.hint > 0 ? line->options.hint : 1;
    const struct lab_place *place;
    const struct exercise *exercise;
    find_exercise(line->options.exercise, &place, &exercise);
    bool gpu = line->options.gpu != CPU;
    const char *hint = (gpu ? exercise->gpu_hints : exercise->hints)[level - 1];
    printf("%s %s%s, hint %d of %d\n", exercise->id, exercise->name, gpu ? " (gpu)" : "",
           level, HINT_LEVELS);
    show_wrapped(stdout, "  ", hint != NULL ? hint : "There is none yet.");
    printf("read: labs/%s/README.md, \"%s\"\n", place->folder,
           gpu ? "On the GPU" : exercise->section);
    if (level < HINT_LEVELS) {
        printf("more: make hint EX=%s%s LEVEL=%d\n", exercise->id, gpu ? " GPU=1" : "",
               level + 1);
    }
    return EXIT_PASS;
}

static void list_exercise(const struct rubric *rubric, const struct lab_place *place,
                          const struct exercise *exercise, bool gpu)
{
    char *id = grader_print("%s%s", exercise->id, gpu ? "g" : "");
    const struct rule *rule = rubric_find(rubric, id);
    printf("%s\t%s\t%s\t%g\t%s\n", id, exercise->name, place->folder,
           rule != NULL ? rule->points : 0, gpu ? "On the GPU" : exercise->section);
    free(id);
}

static int command_list(const struct command_line *line)
{
    char *path = grader_print("%s/grader/points.txt", line->options.root);
    struct rubric *rubric = rubric_read(path);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            const struct exercise *exercise = *each;
            list_exercise(rubric, place, exercise, false);
            if (has_gpu_variant(place, exercise)) {
                list_exercise(rubric, place, exercise, true);
            }
        }
    }
    rubric_free(rubric);
    free(path);
    return EXIT_PASS;
}

// What this machine has: the wall around one's own code, the box around strangers'.
static int command_walls(const char *root)
{
    char reason[512];
    bool box = box_available(root, reason, sizeof reason);
    printf("Landlock version %d\n", wall_version());
    printf("box %s%s\n", box ? "available" : "not available: ", box ? "" : reason);
    const struct cgroup_place *groups = cgroup_place();
    if (groups->version != 0) {
        printf("control groups of version %d below %s\n", groups->version, groups->name);
    } else {
        printf("control groups not available: %s; memory is looked at every %d ms\n",
               groups->reason, WATCH_MILLISECONDS);
    }
    return wall_version() > 0 && box ? EXIT_PASS : EXIT_FAIL;
}

// What is for instructors needs libraries that a student's machine may lack: another program.
static _Noreturn void become_class_program(char **argv)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) {
        grader_fail("cannot find my own file: %s", strerror(errno));
    }
    char *program = grader_print("%.*s-class", (int)length, path);
    execv(program, argv);
    grader_fail(
        "cannot start %s: %s (make builds it where libarchive-dev, libsqlite3-dev "
        "and libmd-dev are installed: make setup)",
        program, strerror(errno));
}

// The hidden seed may come by the environment, and goes no further.
static void take_hidden_seed(struct command_line *line)
{
    const char *given = getenv("GRADE_HIDDEN_SEED");
    if (given != NULL && *given != '\0') {
        line->hidden_seed = number("GRADE_HIDDEN_SEED", given, 0, ULLONG_MAX);
        line->hidden = true;
    }
    unsetenv("GRADE_HIDDEN_SEED");
}

static int command_margins(const struct command_line *line)
{
    check_whole("margins");
    bool fine = line->seeds > 0 ? margins_survey(stdout, &line->options, line->seeds)
                                : margins_print(stdout, &line->options);
    return fine ? EXIT_PASS : EXIT_FAIL;
}

static int command_bank(const struct command_line *line)
{
    check_whole("bank");
    if (access(line->folder, W_OK) != 0) {
        usage("bank needs a folder to write to, not '%s'", line->folder);
    }
    surroundings_hide(); // one thread for each product, as when a class is judged
    return bank_write(line->folder, line->options.seed) ? EXIT_PASS : EXIT_GRADER;
}

int main(int argc, char **argv)
{
    surroundings_prepare(argv);
    signal(SIGXFSZ, SIG_IGN); // under ulimit -f a write fails, and is told
    struct command_line line = {.options = {.seed = public_seed()},
                                .colour = report_wants_colour(stdout)};
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "--help") == 0 || strcmp(command, "help") == 0) {
        fputs(help, stdout);
        return EXIT_PASS;
    }
    if (strcmp(command, "class") == 0 || strcmp(command, "report") == 0 ||
        strcmp(command, "collect") == 0) {
        check_whole(command);
        become_class_program(argv);
    }
    if (argc < 2) {
        usage("name a command: check, hint, list, margins or walls");
    }
    char *root = workbook_root();
    line.options.root = root;
    take_hidden_seed(&line);
    int code = EXIT_USAGE;
    int skipped = strcmp(command, "bank") == 0 && argc > 2 ? 2 : 1;
    line.folder = skipped == 2 ? argv[2] : ""; // DIR is no option
    parse(&line, argc - skipped, argv + skipped);
    if (strcmp(command, "check") == 0) {
        code = command_check(&line);
    } else if (strcmp(command, "hint") == 0) {
        code = command_hint(&line);
    } else if (strcmp(command, "list") == 0) {
        code = command_list(&line);
    } else if (strcmp(command, "walls") == 0) {
        code = command_walls(root);
    } else if (strcmp(command, "bank") == 0) {
        code = command_bank(&line);
    } else if (strcmp(command, "margins") == 0) {
        code = command_margins(&line);
    } else {
        usage("unknown command '%s'", command);
    }
    free(root);
    return code;
}
