/* command.c - the `%` commands and `obj?`: which one a line means, and the short ones themselves. */
#include "show/past.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Ask {                    /* a command's line, and where its answer goes */
    Show *show;
    const char *argument;               /* without blanks around it */
    const Layout *layout;
    Text *text, *html;
} Ask;
typedef bool Run(const Ask *ask, Err *err);

static Run run_who, run_map, run_why, run_at, run_back, run_timeline, run_memory, run_reset, run_xdel, run_help;

static const struct { const char *name, *arguments; Run *run; const char *help; } commands[] = {
#define COMMAND(name, arguments, run, help) { name, arguments, run_##run, help },
#include "show/commands.def"
};
static const struct { const char *line, *why; } skipped[] = {
#define SKIP(line, why) { line, why },
#include "show/commands.def"
};
#define COUNT(array) (sizeof (array) / sizeof *(array))

/* ---- the commands ---- */
static bool run_who(const Ask *ask, Err *err)
{
    if (*ask->argument)
        return err_set(err, ERR_TYPE, "%%who takes no argument, but '%s' was given", ask->argument);
    return show_who(ask->show, ask->layout, ask->text, ask->html, err);
}

static bool run_map(const Ask *ask, Err *err)
{
    ask->show->shown_at = 0;
    return show_map(ask->show, ask->argument, ask->layout, ask->text, ask->html, err);
}

static bool run_why(const Ask *ask, Err *err)
{
    if (!*ask->argument)
        return err_set(err, ERR_TYPE, "%%why needs the name of a tensor");
    return show_why(ask->show, ask->argument, ask->layout, ask->text, ask->html, err);
}

static bool run_at(const Ask *ask, Err *err)
{
    char *end;
    long number = strtol(ask->argument, &end, 10);
    if (!*ask->argument || *end || number < 0 || number > INT_MAX) {
        err_set(err, ERR_TYPE, "%%at needs the number of a statement, but '%.60s' was given", ask->argument);
        return err_hint(err, "%%timeline shows the numbers");
    }
    return show_at(ask->show, (int)number, ask->layout, ask->text, ask->html, err);
}

static bool run_back(const Ask *ask, Err *err)
{
    Show *show = ask->show;
    if (*ask->argument)
        return err_set(err, ERR_TYPE, "%%back takes no argument, but '%s' was given", ask->argument);
    return show_at(show, (show->shown_at ? show->shown_at : show->last_statement) - 1, ask->layout, ask->text, ask->html, err);
}

static bool run_timeline(const Ask *ask, Err *err)
{
    if (*ask->argument)
        return err_set(err, ERR_TYPE, "%%timeline takes no argument, but '%s' was given", ask->argument);
    return show_timeline(ask->show, ask->layout, ask->text, ask->html, err);
}

static bool run_memory(const Ask *ask, Err *err)
{
    static const char *const name[] = { "off", "brief", "normal", "full" };
    Level level;
    if (*ask->argument) {
        if (!level_parse(ask->argument, &level)) {
            err_set(err, ERR_VALUE, "%%memory knows no level '%s'", ask->argument);
            return err_hint(err, "the levels are off, brief, normal, full");
        }
        show_set_level(ask->show, level);
        return true;
    }
    HeapTotals totals = session_totals(ask->show->session);
    Digits live, peak, cached;
    text_print(ask->text, "%%memory %s\n", name[ask->show->level]);
    text_print(ask->text, "live %s   peak %s   ", digits_bytes(&live, totals.live),
               digits_bytes(&peak, totals.peak));
    text_print(ask->text, "cache %s   storages %llu\n", digits_bytes(&cached, totals.cached),
               (unsigned long long)totals.storages);
    return true;
}

/* After a command that let go of things: says by how much, and looks at what is left. */
static void say_change(const Ask *ask, int64_t before)
{
    Show *show = ask->show;
    HeapTotals totals = session_totals(show->session);
    Digits live, cached;
    Layout layout = *ask->layout;
    Line line = { ask->text, &layout, 0 };
    Text left = { 0 }, change = { 0 };
    text_print(&left, "%s %s   ", word(show->language, WORD_LIVE), digits_bytes(&live, totals.live));
    text_print(&left, "%s %s", word(show->language, WORD_CACHE), digits_bytes(&cached, totals.cached));
    text_signed_bytes(&change, totals.live - before);
    if (text_end(&left) && text_end(&change)) {
        line_put(&line, STYLE_PLAIN, left.s);
        line_to(&line, layout.width - line_width(&layout, change.s), 1);
        line_put(&line, STYLE_PLAIN, change.s);
        line_end(&line);
    }
    text_free(&left);
    text_free(&change);
    if (show->level == LEVEL_OFF)
        return;
    world_free(show->world);
    show->world = world_new(show->session);
    if (show->world)
        palette_update(show, show->world);
    if (show->world && show->past)
        past_sync(show->past, show->world);
}

static bool run_reset(const Ask *ask, Err *err)
{
    if (*ask->argument && strcmp(ask->argument, "-f") != 0)     /* -f: do not ask; nobody is asked here */
        return err_set(err, ERR_TYPE, "%%reset takes no argument, but '%s' was given", ask->argument);
    int64_t before = session_totals(ask->show->session).live;
    session_reset(ask->show->session);
    say_change(ask, before);
    return true;
}

static bool run_xdel(const Ask *ask, Err *err)
{
    if (!*ask->argument)
        return err_set(err, ERR_TYPE, "%%xdel needs the name of what to let go of");
    int64_t before = session_totals(ask->show->session).live;
    if (!session_delete(ask->show->session, ask->argument, err))
        return false;
    say_change(ask, before);
    return true;
}

static bool say_inspect(const Ask *ask, const char *name, size_t n, int detail, Err *err)
{
    char *help = session_inspect(ask->show->session, name, n, n, detail);
    if (!help)
        return err_set(err, ERR_NAME, "there is no help on '%.*s'", (int)(n < 200 ? n : 200), name);
    text_put(ask->text, help);
    if (ask->text->n && ask->text->s[ask->text->n - 1] != '\n')
        text_char(ask->text, '\n');
    free(help);
    return true;
}

static bool run_help(const Ask *ask, Err *err)
{
    const char *name = ask->argument;
    bool percent = *name == '%';
    for (size_t i = 0; i < COUNT(commands); i++)
        if (*name && strcmp(commands[i].name, name + percent) == 0) {
            text_print(ask->text, "%%%s%s%s   %s\n", commands[i].name, *commands[i].arguments ? " " : "",
                       commands[i].arguments, commands[i].help);
            return true;
        }
    if (*name)
        return say_inspect(ask, name, strlen(name), 0, err);
    for (size_t i = 0; i < COUNT(commands); i++) {
        char head[64];
        snprintf(head, sizeof head, "%%%s %s", commands[i].name, commands[i].arguments);
        text_print(ask->text, "%-32s  %s\n", head, commands[i].help);
    }
    text_print(ask->text, "%-32s  %s\n", "NAME?", "help on a name; NAME?? more of it");
    return true;
}

/* ---- which command ---- */
static size_t distance(const char *a, const char *b)    /* how many letters differ, are missing or too many */
{
    size_t n = strlen(b), row[32];
    if (n >= COUNT(row))
        return n;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t above = row[j], best = corner + (a[i - 1] != b[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            corner = above;
            row[j] = best;
        }
    }
    return row[n];
}

static bool unknown(const char *name, Err *err)
{
    size_t best = 0, least = SIZE_MAX;
    for (size_t i = 0; i < COUNT(commands); i++) {
        size_t far = distance(name, commands[i].name);
        if (far < least) {
            least = far;
            best = i;
        }
    }
    err_set(err, ERR_NAME, "there is no command '%%%.60s'", name);
    return err_hint(err, "the nearest is %%%s; %%help lists all", commands[best].name);
}

static bool command(const Ask *ask, const char *line, Err *err)
{
    char name[64];
    size_t n = strcspn(line + 1, " \t"), size = n < sizeof name ? n : sizeof name - 1;
    memcpy(name, line + 1, size);
    name[size] = 0;
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0) {
            Ask own = *ask;
            own.argument = line + 1 + n + strspn(line + 1 + n, " \t");
            return commands[i].run(&own, err);
        }
    return unknown(name, err);
}

/* Is the word before the cursor the first of its line, with a %? Then where it begins. */
static bool at_command(const char *text, size_t cursor, size_t *start)
{
    size_t at = cursor;
    while (at && text[at - 1] != '\n' && text[at - 1] != '%' && text[at - 1] != ' ')
        at--;
    if (!at || text[at - 1] != '%')
        return false;
    *start = at - 1;
    for (at--; at && (text[at - 1] == ' ' || text[at - 1] == '\t'); at--)
        continue;
    return !at || text[at - 1] == '\n';
}

static bool add_match(Completion *found, const char *name, const char *typed, size_t n)
{
    if (strncmp(name, typed, n))
        return true;
    char **more = realloc(found->match, (found->count + 1) * sizeof *more);
    if (more)
        found->match = more;
    return more && (more[found->count] = strdup(name)) && ++found->count;
}

bool show_complete(Show *show, const char *text, size_t n, size_t cursor, Completion *found)
{
    size_t start;
    if (cursor > n || !at_command(text, cursor, &start))
        return session_complete(show->session, text, n, cursor, found);
    *found = (Completion){ .start = start, .end = cursor };
    bool good = true;
    for (size_t i = 0; good && i < COUNT(commands); i++) {
        char name[64];
        snprintf(name, sizeof name, "%%%s", commands[i].name);
        good = add_match(found, name, text + start, cursor - start);
    }
    for (size_t i = 0; good && i < COUNT(skipped); i++)
        good = *skipped[i].line != '%' || add_match(found, skipped[i].line, text + start, cursor - start);
    if (!good)
        completion_free(found);
    return good;
}

bool show_command(Show *show, const char *line, size_t n, const Layout *layout, Text *text, Text *html,
                  Err *err)
{
    while (n && (*line == ' ' || *line == '\t'))
        line++, n--;
    while (n && strchr(" \t\r\n", line[n - 1]))
        n--;
    char *copy = mem_new(show->heap, n + 1);
    if (!copy)
        return err_memory(err, n + 1);
    memcpy(copy, line, n);
    copy[n] = 0;
    Ask ask = { .show = show, .argument = "", .layout = layout, .text = text, .html = html };
    bool good = true, found = false;
    for (size_t i = 0; i < COUNT(skipped) && !found; i++) {
        size_t size = strlen(skipped[i].line);
        found = strncmp(copy, skipped[i].line, size) == 0 && strchr(" \t", copy[size]);
        if (found)
            text_print(text, "skipped: %s (%s)\n", copy, skipped[i].why);
    }
    if (found)
        ;
    else if (*copy == '%')
        good = command(&ask, copy, err);
    else if (*copy == '!') {
        err_set(err, ERR_NAME, "system commands such as '%.60s' are not run", copy);
        good = err_hint(err, "only Python and the commands that %%help lists");
    } else if (*copy == '?' || (n && copy[n - 1] == '?')) {
        size_t first = strspn(copy, "? ");
        size_t marks = first;
        while (n > first && (copy[n - 1] == '?' || copy[n - 1] == ' '))
            marks += copy[--n] == '?';
        good = n > first ? say_inspect(&ask, copy + first, n - first, marks > 1, err) : run_help(&ask, err);
    } else
        good = err_set(err, ERR_SYNTAX, "'%.60s' is no command", copy);
    mem_free(show->heap, copy);
    return good;
}
