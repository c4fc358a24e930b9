/*
 * prompt.c - libedit at the terminal: prompts, history, completion by Tab, automatic indentation, pasted text.
 */
#include "repl/prompt.h"
#include "show/show.h"
#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY = 10000 };

struct Prompt {
    Session  *session;                  /* borrowed */
    struct Show *show;                  /* borrowed: completes the names of commands */
    EditLine *edit;                     /* owned, like the history */
    History  *history;
    HistEvent event;
    char     *file;                     /* owned: of the history; NULL: none */
    Text      text;                     /* the statement so far */
    int       indent;                   /* columns that the next line begins with */
    bool      color;
    bool      brackets;                 /* the terminal is asked to put pasted text between two marks */
    bool      pasting;                  /* between them */
    bool      idle;                     /* the session was told that nothing is typed */
};

static volatile sig_atomic_t interrupted;       /* Ctrl-C while a line is edited */

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* ---- the history's file ------------------------------------------------------------------------------------------- */
static char *history_file(void)
{
    Text path = { 0 };
    const char *given = getenv("LOCUS_HISTORY"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (given && *given)
        text_put(&path, given);
    else if (state && *state)
        text_print(&path, "%s/locus/history", state);
    else if (home && *home)
        text_print(&path, "%s/.local/state/locus/history", home);
    return text_end(&path);
}

/* Makes the folders of a path. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
}

/* ---- what libedit asks --------------------------------------------------------------------------------------------- */
static Prompt *prompt_of(EditLine *edit)
{
    void *self = NULL;
    el_get(edit, EL_CLIENTDATA, &self);
    return self;
}

static char *prompt_text(EditLine *edit)
{
    static char first[] = "\1\033[2m\1>>>\1\033[0m\1 ", more[] = "\1\033[2m\1...\1\033[0m\1 ", plain[] = ">>> ", plain_more[] = "... ";
    const Prompt *p = prompt_of(edit);
    return p->color ? (p->text.n ? more : first) : p->text.n ? plain_more : plain;
}

/* Is more input waiting already? Then it is being pasted: no indentation is added, and blank lines end nothing. */
static bool is_pasted(const Prompt *p)
{
    struct pollfd polled = { .fd = STDIN_FILENO, .events = POLLIN };
    return p->pasting || poll(&polled, 1, 0) > 0;
}

/* Pasted text begins; what it holds is one statement or several, and is run as a whole. */
static unsigned char paste_begin(EditLine *edit, int key)
{
    (void)key;
    prompt_of(edit)->pasting = true;
    return CC_NORM;
}

/* It ends. If its last line was whole, a blank line is added, which ends a block. */
static unsigned char paste_end(EditLine *edit, int key)
{
    Prompt *p = prompt_of(edit);
    const LineInfo *line = el_line(edit);
    bool whole = p->pasting && p->text.n && line->lastchar == line->buffer;
    (void)key;
    p->pasting = false;
    if (!whole || el_insertstr(edit, "\n"))
        return CC_NORM;
    putchar('\n');
    return CC_NEWLINE;
}

/* Tab: four blanks at the beginning of a line, else completion of the word before the cursor. */
static unsigned char complete(EditLine *edit, int key)
{
    Prompt *p = prompt_of(edit);
    const LineInfo *line = el_line(edit);
    size_t before = (size_t)(line->cursor - line->buffer), blanks = 0;
    Completion found = { 0 };
    Text whole = { 0 };
    unsigned char answer = CC_ERROR;
    (void)key;
    if (p->pasting)
        return el_insertstr(edit, "\t") ? CC_ERROR : CC_REFRESH;
    while (blanks < before && line->buffer[blanks] == ' ')
        blanks++;
    if (blanks == before)
        return el_insertstr(edit, "    ") ? CC_ERROR : CC_REFRESH;
    text_add(&whole, p->text.s ? p->text.s : "", p->text.n);
    text_add(&whole, line->buffer, (size_t)(line->lastchar - line->buffer));
    if (text_end(&whole) && show_complete(p->show, whole.s, whole.n, p->text.n + before, &found) && found.count) {
        size_t typed = p->text.n + before - found.start, common = strlen(found.match[0]);
        for (size_t k = 1; k < found.count; k++) {
            size_t same = 0;
            while (same < common && found.match[k][same] == found.match[0][same])
                same++;
            common = same;
        }
        if (common > typed) {
            char *rest = strndup(found.match[0] + typed, common - typed);
            answer = rest && !el_insertstr(edit, rest) ? CC_REFRESH : CC_ERROR;
            free(rest);
        } else if (found.count > 1) {
            size_t width = 0, column = 0;
            for (size_t k = 0; k < found.count; k++)
                width = strlen(found.match[k]) > width ? strlen(found.match[k]) : width;
            putchar('\n');
            for (size_t k = 0; k < found.count && k < 200; k++) {
                if (column + width + 2 > 80) {
                    putchar('\n');
                    column = 0;
                }
                printf("%-*s", (int)width + 2, found.match[k]);
                column += width + 2;
            }
            printf(found.count > 200 ? "\nand %zu more\n" : "\n", found.count - 200);
            fflush(stdout);
            answer = CC_REDISPLAY;
        }
        completion_free(&found);
    }
    text_free(&whole);
    return answer;
}

/* ---- a character ----------------------------------------------------------------------------------------------------- */
/* Reads one for libedit: 1, 0 at the end, -1 with errno. When none comes for a while the session is told so, once a prompt. */
static int read_character(EditLine *edit, wchar_t *c)
{
    enum { IDLE_MS = 10000, LONGEST = 4 };
    Prompt *p = prompt_of(edit);
    struct pollfd polled = { .fd = STDIN_FILENO, .events = POLLIN };
    char bytes[LONGEST];
    size_t n = 0;
    if (!p->idle && poll(&polled, 1, IDLE_MS) == 0) {
        session_idle(p->session);
        p->idle = true;
    }
    if (interrupted) {
        errno = EINTR;
        return -1;
    }
    for (;;) {
        ssize_t got = read(STDIN_FILENO, bytes + n, 1);
        if (got <= 0)
            return (int)got;
        mbstate_t state = { 0 };
        size_t used = mbrtowc(c, bytes, ++n, &state);
        if (used == (size_t)-2 && n < LONGEST)
            continue;                                   /* more bytes of it are to come */
        if (used > LONGEST)
            *c = 0xfffd;                                /* no character: the parser will say so */
        return 1;
    }
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */
Prompt *prompt_open(Session *session, struct Show *show, bool color)
{
    Prompt *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->session = session;
    p->show = show;
    p->brackets = getenv("TERM") && strcmp(getenv("TERM"), "dumb");
    p->color = color && !getenv("NO_COLOR") && p->brackets;
    p->edit = el_init("locus", stdin, stdout, stderr);
    p->history = history_init();
    if (!p->edit || !p->history) {
        prompt_close(p);
        return NULL;
    }
    el_set(p->edit, EL_CLIENTDATA, p);
    el_set(p->edit, EL_GETCFN, read_character);
    el_set(p->edit, EL_PROMPT_ESC, prompt_text, '\1');
    el_set(p->edit, EL_EDITOR, "emacs");
    el_set(p->edit, EL_SIGNAL, 0);
    el_set(p->edit, EL_HIST, history, p->history);
    el_set(p->edit, EL_ADDFN, "locus-complete", "completes the word", complete);
    el_set(p->edit, EL_BIND, "^I", "locus-complete", NULL);
    el_set(p->edit, EL_ADDFN, "locus-paste-begin", "pasted text begins", paste_begin);
    el_set(p->edit, EL_ADDFN, "locus-paste-end", "pasted text ends", paste_end);
    el_set(p->edit, EL_BIND, "\033[200~", "locus-paste-begin", NULL);
    el_set(p->edit, EL_BIND, "\033[201~", "locus-paste-end", NULL);
    el_set(p->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(p->edit, NULL);
    history(p->history, &p->event, H_SETSIZE, HISTORY);
    history(p->history, &p->event, H_SETUNIQUE, 1);
    if ((p->file = history_file()))
        history(p->history, &p->event, H_LOAD, p->file);
    return p;
}

void prompt_close(Prompt *p)
{
    if (!p)
        return;
    if (p->file && p->history) {
        make_folders(p->file);
        history(p->history, &p->event, H_SAVE, p->file);
    }
    if (p->history)
        history_end(p->history);
    if (p->edit)
        el_end(p->edit);
    text_free(&p->text);
    free(p->file);
    free(p);
}

/* ---- a statement ----------------------------------------------------------------------------------------------------- */
static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r\n")] == 0;
}

/* A line as libedit gives it, borrowed, with n bytes; NULL: the end, or Ctrl-C (then *abandoned is true). */
static const char *read_line(Prompt *p, int *n, bool *abandoned)
{
    if (p->indent && !is_pasted(p)) {
        Text blanks = { 0 };
        text_fill(&blanks, ' ', (size_t)p->indent);
        if (text_end(&blanks))
            el_push(p->edit, blanks.s);
        text_free(&blanks);
    }
    interrupted = 0;
    errno = 0;
    *n = 0;
    el_set(p->edit, EL_PREP_TERM, 1);                   /* libedit would show its prompt first: a Ctrl-D typed at once would be lost */
    const char *line = el_gets(p->edit, n);
    *abandoned = interrupted || (!line && errno == EINTR);
    return *n > 0 ? line : NULL;
}

static void abandon(Prompt *p)
{
    printf("\nKeyboardInterrupt\n");
    el_reset(p->edit);
    text_free(&p->text);
    p->indent = 0;
    p->pasting = false;
}

static void remember(Prompt *p)
{
    size_t end = p->text.n;
    while (end && (p->text.s[end - 1] == '\n' || p->text.s[end - 1] == ' '))
        end--;
    p->text.s[end] = 0;
    history(p->history, &p->event, H_ENTER, p->text.s);
}

/* Reads lines until they are a whole statement. */
static char *read_statement(Prompt *p)
{
    char *whole = NULL;
    while (!whole) {
        int n;
        bool abandoned;
        const char *line = read_line(p, &n, &abandoned);
        if (abandoned) {
            abandon(p);
            continue;
        }
        if (!line) {
            putchar('\n');
            return NULL;
        }
        if (!p->text.n && is_blank(line))
            continue;
        text_add(&p->text, line, (size_t)n);
        if (p->pasting || (is_blank(line) && is_pasted(p)))
            continue;                                   /* a blank line inside a pasted block */
        if (session_check(p->session, p->text.s, p->text.n, &p->indent) == INPUT_INCOMPLETE)
            continue;
        if (!text_end(&p->text) || !(whole = strdup(p->text.s)))
            return NULL;
        remember(p);
    }
    return whole;
}

/* Asks the terminal to mark what is pasted, or to stop that: a program that input() serves could not read the marks. */
static void mark_pasted(const Prompt *p, bool on)
{
    if (p->brackets) {
        fputs(on ? "\033[?2004h" : "\033[?2004l", stdout);
        fflush(stdout);
    }
}

char *prompt_statement(Prompt *p)
{
    struct sigaction action = { .sa_handler = on_interrupt }, old;
    sigaction(SIGINT, &action, &old);
    session_clear_interrupt(p->session);                /* one that came after the last statement's end */
    mark_pasted(p, true);
    el_resize(p->edit);                                 /* to the size that the terminal has now */
    text_free(&p->text);
    p->indent = 0;
    p->pasting = p->idle = false;
    char *whole = read_statement(p);
    text_free(&p->text);
    mark_pasted(p, false);
    sigaction(SIGINT, &old, NULL);
    if (interrupted && whole)                           /* it came too late for the line, and ends the statement */
        session_interrupt(p->session);
    return whole;
}

bool prompt_input(void *self, const char *prompt, bool password, char **line, Err *err)
{
    return program_input(self, prompt, password, line, err);
}
