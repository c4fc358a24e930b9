/*
 * script.c - running a script: output, memory lines, errors, exit status.
 */
#include "repl/script.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---------------------------------------------------------------------------------------------------- */
static bool read_stream(FILE *file, Text *text)
{
    char part[65536];
    size_t n;
    while ((n = fread(part, 1, sizeof part, file)) > 0)
        text_add(text, part, n);
    return !ferror(file);
}

char *read_whole(const char *path, size_t *n, Err *err)
{
    Text text = { 0 };
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    bool ok = file && read_stream(file, &text);
    int problem = errno;
    if (file && file != stdin)
        fclose(file);
    if (!ok) {
        text_free(&text);
        err_set(err, ERR_OS, "cannot open '%s': %s", path, strerror(problem));
        return NULL;
    }
    if (!text_end(&text)) {
        text_free(&text);
        err_memory(err, 0);
        return NULL;
    }
    *n = text.n;
    return text.s;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */
void program_write(Stream to, const char *utf8, size_t n)
{
    if (to == STREAM_OUT) {
        if (n)
            fwrite(utf8, 1, n, stdout);
        else
            fflush(stdout);
        return;
    }
    fflush(stdout);
    fwrite(utf8, 1, n, stderr);
}

void program_text(void *self, Stream to, const char *utf8, size_t n)
{
    Program *program = self;
    program_write(to, utf8, n);
    if (program->tracing)
        show_trace_output(program->show, to, utf8, n);
}

static bool interrupted_input(Program *program, Err *err)
{
    session_clear_interrupt(program->session);
    return err_set(err, ERR_KEYBOARD_INTERRUPT, "%s", "");
}

/* At a terminal: waits until there is a line, or Ctrl-C, also one that came just before reading would begin. */
static bool wait_for_line(Program *program, Err *err)
{
    struct pollfd polled[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
                                { .fd = session_interrupt_fd(program->session), .events = POLLIN } };
    if (!isatty(STDIN_FILENO))
        return true;
    while (poll(polled, 2, -1) < 0 && errno == EINTR)
        ;
    return !polled[1].revents || interrupted_input(program, err);
}

bool program_input(void *self, const char *prompt, bool password, char **line, Err *err)
{
    Program *program = self;
    size_t room = 0;
    ssize_t n;
    (void)password;
    fputs(prompt, stdout);
    fflush(stdout);
    *line = NULL;
    if (!wait_for_line(program, err))
        return false;
    errno = 0;
    if ((n = getline(line, &room, stdin)) < 0) {
        bool interrupted = errno == EINTR;
        free(*line);
        clearerr(stdin);
        return interrupted ? interrupted_input(program, err) : err_set(err, ERR_EOF, "EOF when reading a line");
    }
    if (n && (*line)[n - 1] == '\n')
        (*line)[--n] = 0;
    if (memchr(*line, 0, (size_t)n)) {
        free(*line);
        return err_set(err, ERR_VALUE, "the line holds a zero byte");
    }
    return true;
}

void program_error(Program *program, const ErrorInfo *error)
{
    Text text = { 0 };
    if (error->is_exit) {
        program->exits = true;
        program->status = error->exit_status;
        if (error->exit_says) {
            text_print(&text, "%s\n", error->message);
            program_write(STREAM_ERR, text.s, text.n);
        }
        text_free(&text);
        return;
    }
    session_print_error(error, program->layout.color != COLOR_NONE, &text);
    if (text_end(&text))
        program_write(STREAM_ERR, text.s, text.n);
    text_free(&text);
    program->status = strcmp(error->type, "KeyboardInterrupt") ? 1 : 130;
}

/* ---- the program -------------------------------------------------------------------------------------------------- */
bool program_open(Program *program, const Options *options, const Observer *observer, Err *err)
{
    SessionOptions wanted = { .report_leaks = getenv("LOCUS_LEAKS"), .fixed_addresses = options->fixed_addresses, .argc = options->argc, .argv = options->argv };
    *program = (Program){ .options = *options, .layout = layout_detect(STDERR_FILENO), .tracing = options->trace };
    if (!options->color)
        program->layout.color = COLOR_NONE;
    if (!(program->session = session_new(observer, &wanted, err)) || !(program->show = show_new(program->session, err)))
        return false;
    show_set_level(program->show, options->level);
    return !options->trace || show_trace_open(program->show, options->trace, err);
}

void program_close(Program *program)
{
    if (program->tracing && program->show)
        show_trace_close(program->show);
    show_free(program->show);
    session_free(program->session);
}

static void script_statement(void *self, const Statement *done)
{
    Program *program = self;
    Text text = { 0 };
    Err err;
    show_statement(program->show, done);
    if (program->tracing && !show_trace_statement(program->show, done, &err)) {
        fprintf(stderr, "locus: %s\n", err.message);
        program->tracing = false;
        program->status = 1;
    }
    show_text(program->show, &program->layout, &text);
    if (text.n)
        program_write(STREAM_ERR, text.s, text.n);
    text_free(&text);
    if (done->error)
        program_error(program, done->error);
}

static Session *interrupted_session;    /* the one that Ctrl-C stops: a signal handler has no other way to it */

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if (interrupted_session)
        session_interrupt(interrupted_session);
}

int script_run(const Options *options, const char *name, const char *utf8, size_t n)
{
    Program program;
    Observer observer = { &program, program_text, script_statement, program_input, NULL };
    Err err = { 0 };
    struct sigaction action = { .sa_handler = on_interrupt };
    if (!program_open(&program, options, &observer, &err)) {
        fprintf(stderr, "locus: %s\n", err.message);
        program_close(&program);
        return 1;
    }
    interrupted_session = program.session;
    sigaction(SIGINT, &action, NULL);
    if (!session_run(program.session, RUN_SCRIPT, name, utf8, n, 0, &err) && !program.status && !program.exits)
        program.status = 1;
    interrupted_session = NULL;
    program_close(&program);
    if (!fflush(stdout) && !ferror(stdout))
        return program.status;
    fprintf(stderr, "locus: standard output cannot be written: %s\n", strerror(errno));
    return program.status ? program.status : 120;       /* as python3 */
}
