/*
 * loop.c - the prompt: reads statements, runs them, shows values, memory lines and errors.
 */
#include "repl/loop.h"
#include "repl/prompt.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION "0.1.0"

static void show_value(Program *program, const Statement *done)
{
    if (!done->echo || !done->result)
        return;
    program_write(STREAM_OUT, done->result, done->result_size);
    program_write(STREAM_OUT, "\n", 1);
    (void)program;
}

static void statement(void *self, const Statement *done)
{
    Program *program = self;
    Text text = { 0 };
    Err err;
    show_value(program, done);
    if (done->error)
        program_error(program, done->error);
    show_statement(program->show, done);
    if (program->tracing && !show_trace_statement(program->show, done, &err)) {
        fprintf(stderr, "locus: %s\n", err.message);
        program->tracing = false;
    }
    program->layout.width = layout_detect(STDERR_FILENO).width;         /* the terminal may have been resized */
    show_text(program->show, &program->layout, &text);
    if (text.n)
        program_write(STREAM_OUT, text.s, text.n);
    text_free(&text);
}

static bool command(void *self, const char *line, size_t n, Err *err)
{
    Program *program = self;
    Text text = { 0 };
    bool ok = show_command(program->show, line, n, &program->layout, &text, NULL, err);
    if (text.n)
        program_write(STREAM_OUT, text.s, text.n);
    text_free(&text);
    return ok;
}

static Session *interrupted_session;    /* the one that Ctrl-C stops */

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if (interrupted_session)
        session_interrupt(interrupted_session);
}

int loop_run(const Options *options)
{
    Program program;
    Observer observer = { &program, program_text, statement, prompt_input, command };
    Err err = { 0 };
    struct sigaction action = { .sa_handler = on_interrupt };
    if (!program_open(&program, options, &observer, &err)) {
        fprintf(stderr, "locus: %s\n", err.message);
        program_close(&program);
        return 1;
    }
    printf("Locus " VERSION ": Python and PyTorch, with what happens to memory. %%help for commands, Ctrl-D to leave.\n");
    Prompt *prompt = prompt_open(program.session, program.show, options->color);
    interrupted_session = program.session;
    sigaction(SIGINT, &action, NULL);                   /* to the end: a second Ctrl-C must not find a moment without it */
    for (char *text; prompt && !program.exits && (text = prompt_statement(prompt)); free(text)) {
        session_run(program.session, RUN_PROMPT, "<stdin>", text, strlen(text), 0, &err);
        fflush(stdout);
    }
    interrupted_session = NULL;
    prompt_close(prompt);
    int status = program.exits ? program.status : 0;
    program_close(&program);
    return status;
}
