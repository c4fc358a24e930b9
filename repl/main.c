/*
 * main.c - the program locus: options; a script, text from the command line, or a prompt.
 */
#include "repl/loop.h"
#include "repl/script.h"
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION "0.1.0"

static const char usage[] =
    "usage: locus [options] [SCRIPT | - | -c CODE] [arguments]\n"
    "\n"
    "Runs Python with PyTorch's tensors and shows after each statement what happened to memory: which\n"
    "object a name holds, where its bytes lie, what was allocated, shared, written or freed. Without a\n"
    "script: a prompt. `-` reads the script from standard input.\n"
    "\n"
    "  -c CODE              run CODE\n"
    "  --memory=LEVEL       off, brief, normal (the default) or full: how much is shown; on standard error\n"
    "  --trace FILE         write one JSON line for each statement to FILE\n"
    "  --no-color           no colours (also: NO_COLOR in the environment)\n"
    "  --fixed-addresses    the same addresses in every run\n"
    "  --version, --help\n"
    "\n"
    "At the prompt: %help lists the commands that look at memory, name? explains a name, Ctrl-D ends.\n"
    "Exit status: 1 after an uncaught error, 2 for bad usage, else what sys.exit() says.\n";

static int bad_usage(const char *form, const char *what)
{
    fprintf(stderr, "locus: ");
    fprintf(stderr, form, what);
    fprintf(stderr, "\n(locus --help lists the options)\n");
    return 2;
}

/* --name=value, or --name value: the value; NULL when arg is another option. *missing: it has none. */
static const char *option_value(const char *name, int argc, char **argv, int *at, bool *missing)
{
    size_t n = strlen(name);
    *missing = false;
    if (strncmp(argv[*at], name, n))
        return NULL;
    if (argv[*at][n] == '=')
        return argv[*at] + n + 1;
    if (argv[*at][n])
        return NULL;
    if (*at + 1 < argc)
        return argv[++*at];
    *missing = true;
    return "";
}

/* Descriptors 0 to 2 exist from here on, so that the file of a trace does not become one of them. */
static void open_standard(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd > STDERR_FILENO)
        close(fd);
}

int main(int argc, char **argv)
{
    Options options = { .level = LEVEL_NORMAL, .color = true };
    const char *code = NULL, *value;
    int at = 1;
    bool missing;
    open_standard();
    setlocale(LC_ALL, "");
    for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
        if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h"))
            return fputs(usage, stdout) < 0;
        if (!strcmp(argv[at], "--version"))
            return puts("locus " VERSION) < 0;
        if (!strcmp(argv[at], "--no-color"))
            options.color = false;
        else if (!strcmp(argv[at], "--fixed-addresses"))
            options.fixed_addresses = true;
        else if (!strcmp(argv[at], "-c")) {
            if (++at == argc)
                return bad_usage("-c needs the code to run%s", "");
            code = argv[at++];
            break;
        } else if ((value = option_value("--memory", argc, argv, &at, &missing))) {
            if (!level_parse(value, &options.level))
                return bad_usage("--memory is off, brief, normal or full, not '%s'", value);
        } else if ((value = option_value("--trace", argc, argv, &at, &missing))) {
            if (missing || !*value)
                return bad_usage("--trace needs a file%s", "");
            options.trace = value;
        } else
            return bad_usage("there is no option '%s'", argv[at]);
    }
    if (code) {
        options.argc = argc - at + 1;
        options.argv = argv + at - 1;
        options.argv[0] = "-c";
        return script_run(&options, "<string>", code, strlen(code));
    }
    options.argc = at < argc ? argc - at : 1;
    options.argv = at < argc ? argv + at : (char *[]){ "", NULL };
    if (at == argc && isatty(STDIN_FILENO))
        return loop_run(&options);
    const char *path = at < argc ? argv[at] : "-";
    Err err = { 0 };
    size_t n;
    char *text = read_whole(path, &n, &err);
    if (!text) {
        fprintf(stderr, "locus: %s\n", err.message);
        return 2;
    }
    int status = script_run(&options, strcmp(path, "-") ? path : "<stdin>", text, n);
    free(text);
    return status;
}
