/*
 * main.c - locus-kernel: options, and the state of the process before anything else runs.
 */
#include "kernel/install.h"
#include "kernel/socket.h"
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: locus-kernel [-f] FILE [--trace FILE] [--verbose]      serve the clients of a connection file\n"
    "       locus-kernel install [--user | --prefix DIR] [--name N] [--display-name S]\n"
    "       locus-kernel uninstall [--user | --prefix DIR] [--name N]\n"
    "       locus-kernel --help | --version\n";

static int bad_usage(const char *why, const char *what)
{
    fprintf(stderr, "locus-kernel: %s%s\n%s", why, what, usage);
    return 2;
}

/* The value of an option written as two words or with "="; NULL: it is another one. *missing: there is no value. */
static const char *option_value(const char *name, int argc, char **argv, int *at, bool *missing)
{
    size_t n = strlen(name);
    if (strncmp(argv[*at], name, n) || (argv[*at][n] && argv[*at][n] != '='))
        return NULL;
    if (argv[*at][n])
        return argv[*at] + n + 1;
    *missing = *at + 1 >= argc;
    return *missing ? "" : argv[++*at];
}

/* ---- install and uninstall ---------------------------------------------------------------------------- */
static int install_main(int argc, char **argv)
{
    bool installs = !strcmp(argv[1], "install"), missing = false;
    Spec spec = { .name = "locus", .display_name = "Locus" };
    const char *value;
    for (int at = 2; at < argc; at++) {
        if (!strcmp(argv[at], "--user"))
            spec.user = true;
        else if ((value = option_value("--prefix", argc, argv, &at, &missing)))
            spec.prefix = value;
        else if ((value = option_value("--name", argc, argv, &at, &missing)))
            spec.name = value;
        else if (installs && (value = option_value("--display-name", argc, argv, &at, &missing)))
            spec.display_name = value;
        else if (installs && (value = option_value("--program", argc, argv, &at, &missing)))
            spec.program = value;                       /* for `make install`: where it will be */
        else
            return bad_usage("what is ", argv[at]);
        if (missing)
            return bad_usage("a value is missing after ", argv[at]);
    }
    if (spec.user && spec.prefix)
        return bad_usage("it is either --user or --prefix", "");
    if (spec.prefix && !*spec.prefix)
        return bad_usage("--prefix needs a folder", "");
    return installs ? spec_install(&spec) : spec_remove(&spec);
}

/* ---- serving ------------------------------------------------------------------------------------------ */
/* Descriptors 0 to 2 exist from here on, so that no socket becomes one of them. */
static void open_standard(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd > STDERR_FILENO)
        close(fd);
}

static void hold_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int parent_to_watch(void)
{
    const char *text = getenv("JPY_PARENT_PID");
    int parent = text ? atoi(text) : 0;
    return parent > 1 && parent == getppid() ? parent : 0;
}

static int serve(const char *path, const char *trace, bool verbose)
{
    Connection connection;
    char problem[600], id[33];
    unsigned char random[16];
    Life life = { .verbose = verbose, .parent = parent_to_watch() };
    KernelOptions options = { .trace = trace, .session = id };
    if (sodium_init() < 0) {
        fputs("locus-kernel: libsodium does not start\n", stderr);
        return 1;
    }
    if (!connection_read(path, &connection, problem, sizeof problem)) {
        fprintf(stderr, "locus-kernel: %s\n", problem);
        return 1;
    }
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(id, sizeof id, random, sizeof random);
    int status = socket_serve(&connection, &options, &life);
    connection_free(&connection);
    return status;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *trace = NULL, *value;
    bool verbose = false, missing = false;
    open_standard();
    if (argc > 1 && (!strcmp(argv[1], "install") || !strcmp(argv[1], "uninstall")))
        return install_main(argc, argv);
    for (int at = 1; at < argc; at++) {
        if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h"))
            return fputs(usage, stdout) < 0;
        if (!strcmp(argv[at], "--version"))
            return puts("locus-kernel " KERNEL_VERSION) < 0;
        if (!strcmp(argv[at], "--verbose"))
            verbose = true;
        else if ((value = option_value("--trace", argc, argv, &at, &missing)))
            trace = value;
        else if (argv[at][0] == '-' && (value = option_value("-f", argc, argv, &at, &missing)) && !path)
            path = value;
        else if (argv[at][0] != '-' && !path)
            path = argv[at];
        else
            return bad_usage("what is ", argv[at]);
        if (missing)
            return bad_usage("a value is missing after ", argv[at]);
    }
    if (!path)
        return bad_usage("there is no connection file", "");
    hold_signals();
    return serve(path, trace, verbose);
}
