/*
 * startup.c - from starting a program to its end: the least wall time, and the least peak of resident memory.
 * A program of its own, since the peak that the system reports for a child begins with that of the process that
 * forked it.
 *
 * usage: startup RUNS PROGRAM [ARGUMENT]...
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void become(char **argv)
{
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    execvp(argv[0], argv);
    _exit(127);
}

int main(int argc, char **argv)
{
    int runs = argc > 2 ? atoi(argv[1]) : 0;
    double least = 0, peak = 0;
    if (runs < 1) {
        fprintf(stderr, "usage: startup RUNS PROGRAM [ARGUMENT]...\n");
        return 2;
    }
    for (int k = 0; k < runs; k++) {
        struct rusage used;
        int status;
        double start = now();
        pid_t child = fork();
        if (!child)
            become(argv + 2);
        if (child < 0 || wait4(child, &status, 0, &used) != child || status) {
            fprintf(stderr, "startup: %s did not end well\n", argv[2]);
            return 1;
        }
        double took = now() - start, bytes = (double)used.ru_maxrss * 1024;
        if (!k || took < least)
            least = took;
        if (!k || bytes < peak)
            peak = bytes;
    }
    printf("{\"name\": \"start-up\", \"value\": %.0f, \"unit\": \"ns\"}\n", least * 1e9);
    printf("{\"name\": \"start-up, peak\", \"value\": %.0f, \"unit\": \"bytes\"}\n", peak);
    return 0;
}
