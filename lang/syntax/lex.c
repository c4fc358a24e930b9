/*
 * lex.c - text to tokens: indentation, joined lines, names, numbers, strings, operators, and the lines that
 * only a prompt
 * or a notebook knows.
 */
#include "lang/syntax/lex.h"
#include <string.h>
#include <utf8proc.h>
#include "lang/run/state.h"

static const struct { const char *text; uint8_t size, keyword; char first; } rows[T_COUNT] = {
#define TOKEN(id, text)    [T_##id] = { text, 0, 0, 0 },
#define KEYWORD(id, text)  [T_##id] = { text, sizeof text - 1, 1, text[0] },
#define OPERATOR(id, text) [T_##id] = { text, sizeof text - 1, 0, text[0] },
#include "lang/syntax/token.def"
};
/* Which characters from '@' on a keyword begins with. */
static const uint64_t keyword_letters = 0
#define TOKEN(id, text)
#define KEYWORD(id, text)  | UINT64_C(1) << (text[0] & 63)
#define OPERATOR(id, text)
#include "lang/syntax/token.def"
;
static const struct { const char *what, *hint; } refusals[REFUSALS] = {
#define REFUSE(id, what, hint) [REFUSE_##id] = { what, hint },
#include "lang/syntax/refuse.def"
};

const char *token_text(TokenKind kind)
{
    return rows[kind].text;
}

bool refuse(Err *err, Refusal what)
{
    err_set(err, ERR_SYNTAX, "%s is not supported by Locus", refusals[what].what);
    if (*refusals[what].hint)
        err_hint(err, "%s", refusals[what].hint);
    return false;
}

uint32_t code_point(const char *text, size_t *length)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) {
        *length = 1;
        return s[0];
    }
    size_t n = *length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    uint32_t c = s[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (s[i] & 0x3f);
    return c;
}

bool is_name_start(uint32_t c)
{
    if (c < 0x80)
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU: case UTF8PROC_CATEGORY_LL: case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: case UTF8PROC_CATEGORY_NL:
        return true;
    default:
        return c == 0x2118 || c == 0x212e || c == 0x309b || c == 0x309c;
    }
}

bool is_name_part(uint32_t c)
{
    if (c < 0x80)
        return is_name_start(c) || (c >= '0' && c <= '9');
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_MN: case UTF8PROC_CATEGORY_MC: case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC:
        return true;
    default:
        return is_name_start(c) || c == 0xb7 || c == 0x387 || (c >= 0x1369 && c <= 0x1371) || c == 0x19da;
    }
}

static bool push(Lexer *x, TokenKind kind, uint32_t start, uint32_t end)
{
    if (x->tokens == x->capacity) {
        size_t capacity = x->capacity ? 2 * x->capacity : TOKENS_FEW;
        Token *token = mem_resize(x->s->heap, x->token == x->few ? NULL : x->token, capacity * sizeof *token);
        if (!token)
            return false;
        if (x->token == x->few)
            memcpy(token, x->few, sizeof x->few);
        x->token = token;
        x->capacity = capacity;
    }
    x->token[x->tokens++] = (Token){ (uint8_t)kind, start, end };
    return true;
}

/* The error has been set: its place. Always returns false, which ends the line at hand. */
static bool wrong(Lexer *x, uint32_t start, uint32_t end)
{
    x->error_start = start;
    x->error_end = end;
    return false;
}

static char peek(const Lexer *x, uint32_t ahead)
{
    return x->at + ahead < x->end ? x->text[x->at + ahead] : 0;
}

static bool is_digit(char c, int base)
{
    int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F'
        ? c - 'A' + 10 : 99;
    return d < base;
}

/* Digits with single underscores between them. False: an underscore stands wrong. */
static bool digits(Lexer *x, int base)
{
    if (!is_digit(peek(x, 0), base))
        return false;
    for (;;) {
        while (is_digit(peek(x, 0), base))
            x->at++;
        if (peek(x, 0) != '_')
            return true;
        if (!is_digit(peek(x, 1), base))
            return false;
        x->at++;
    }
}

static bool begins(const Lexer *x, const char *word)
{
    size_t n = strlen(word);
    return x->end - x->at >= n && memcmp(x->text + x->at, word, n) == 0;
}

/* What may follow a number directly: nothing of a name, but Python lets `1if x else 2` pass. */
static bool number_ends(Lexer *x, uint32_t start, const char *kind)
{
    char c = peek(x, 0);
    if (c == 'j' || c == 'J') {
        refuse(&x->error, REFUSE_IMAGINARY);
        return wrong(x, start, x->at + 1);
    }
    if (c == 0 || ((unsigned char)c < 0x80 && !is_name_part((unsigned char)c)))
        return true;
    size_t length;
    if ((unsigned char)c >= 0x80 && !is_name_part(code_point(x->text + x->at, &length)))
        return true;
    static const char *const words[] = { "and", "else", "for", "if", "in", "is", "not", "or" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(x, words[i]))
            return true;
    err_set(&x->error, ERR_SYNTAX, "invalid %s number: a name or a digit stands right behind it", kind);
    return wrong(x, start, x->at + 1);
}

static bool number(Lexer *x)
{
    uint32_t start = x->at;
    char second = peek(x, 1);
    int base = peek(x, 0) != '0' ? 10 : second == 'x' || second == 'X' ? 16 : second == 'o' || second == 'O'
        ? 8
        : second == 'b' || second == 'B' ? 2 : 10;
    if (base != 10) {
        const char *kind = base == 16 ? "hexadecimal" : base == 8 ? "octal" : "binary";
        x->at += 2;
        if (peek(x, 0) == '_')
            x->at++;
        if (!digits(x, base)) {
            err_set(&x->error, ERR_SYNTAX, "invalid %s number: a digit was expected", kind);
            return wrong(x, start, x->at + (x->at < x->end));
        }
        if (peek(x, 0) >= '0' && peek(x, 0) <= '9') {
            err_set(&x->error, ERR_SYNTAX, "the digit '%c' is not one of a %s number", peek(x, 0), kind);
            return wrong(x, x->at, x->at + 1);
        }
        return number_ends(x, start, kind) && (push(x, T_NUMBER, start, x->at) || err_memory(&x->error, 0));
    }
    bool whole = true, good = peek(x, 0) == '.' || digits(x, 10);
    if (good && peek(x, 0) == '.') {
        whole = false;
        x->at++;
        good = !is_digit(peek(x, 0), 10) ? peek(x, 0) != '_' : digits(x, 10);
    }
    if (good && (peek(x, 0) == 'e' || peek(x, 0) == 'E')) {
        uint32_t sign = peek(x, 1) == '+' || peek(x, 1) == '-';
        if (is_digit(peek(x, 1 + sign), 10)) {
            whole = false;
            x->at += 1 + sign;
            good = digits(x, 10);
        }
    }
    if (!good) {
        err_set(&x->error, ERR_SYNTAX, "invalid decimal number: an underscore may stand only between digits");
        return wrong(x, start, x->at + 1);
    }
    if (!number_ends(x, start, "decimal"))
        return false;
    if (whole && x->text[start] == '0')
        for (uint32_t i = start; i < x->at; i++)
            if (x->text[i] != '0' && x->text[i] != '_') {
                err_set(&x->error, ERR_SYNTAX,
                        "a decimal number may not begin with 0; for an octal one write 0o…");
                return wrong(x, start, x->at);
            }
    return push(x, T_NUMBER, start, x->at) || err_memory(&x->error, 0);
}

/* A string from its prefix on; x->at is at the quote. */
static bool string(Lexer *x, uint32_t start)
{
    char quote = peek(x, 0);
    bool triple = peek(x, 1) == quote && peek(x, 2) == quote;
    uint32_t opened = x->at;
    x->at += triple ? 3 : 1;
    for (;; x->at++) {
        char c = peek(x, 0);
        if (x->at >= x->end || (c == '\n' && !triple)) {
            x->incomplete = x->at >= x->end && triple;
            err_set(&x->error, ERR_SYNTAX, triple ? "this string was never closed: %.3s is missing"
                    : "this string was never closed: %.1s is missing at the end of the line",
                        x->text + opened);
            return wrong(x, start, triple ? opened + 3 : opened + 1);
        }
        if (c == '\\') {
            x->at++;
            if (x->at >= x->end)
                x->at--;
            else
                continue;
        } else if (c == quote && (!triple || (peek(x, 1) == quote && peek(x, 2) == quote))) {
            x->at += triple ? 3 : 1;
            return push(x, T_STRING, start, x->at) || err_memory(&x->error, 0);
        }
    }
}

static bool bad_character(Lexer *x)
{
    size_t length;
    uint32_t c = code_point(x->text + x->at, &length);
    if (c < 0x80 && c >= ' ')
        err_set(&x->error, ERR_SYNTAX, "'%c' has no meaning here", (int)c);
    else if (c < 0x80)
        err_set(&x->error, ERR_SYNTAX, "invalid character U+%04X", (unsigned)c);
    else
        err_set(&x->error, ERR_SYNTAX, "invalid character '%.*s' (U+%04X)", (int)length, x->text + x->at,
                (unsigned)c);
    if (c == 0x201c || c == 0x201d || c == 0x2018 || c == 0x2019)
        err_hint(&x->error, "use straight quotes: \" or '");
    else if (c == 0xa0 || c == 0x3000 || c == 0x200b)
        err_hint(&x->error, "it looks like a blank; type a plain one instead");
    else if (c >= 0xff01 && c <= 0xff5e)
        err_hint(&x->error, "type '%c' instead", (int)(c - 0xfee0));
    return wrong(x, x->at, x->at + (uint32_t)length);
}

static bool name(Lexer *x)
{
    uint32_t start = x->at;
    size_t length;
    while (x->at < x->end && is_name_part(code_point(x->text + x->at, &length)))
        x->at += (uint32_t)length;
    if (x->at == start)
        return bad_character(x);
    uint32_t n = x->at - start;
    const char *s = x->text + start;
    if (n <= 2 && (peek(x, 0) == '"' || peek(x, 0) == '\'')) {
        char a = (char)(s[0] | 0x20), b = n == 2 ? (char)(s[1] | 0x20) : 0;
        if (n == 1 ? a == 'r' || a == 'u' || a == 'b' || a == 'f' : (a == 'r' && (b == 'b' || b == 'f')) ||
                     (b == 'r' && (a == 'b' || a == 'f')))
            return string(x, start);
    }
    TokenKind kind = T_NAME;
    for (int k = T_FALSE; n <= 8 && keyword_letters >> (s[0] & 63) & 1 && k <= T_YIELD; k++)
        if (rows[k].first == s[0] && rows[k].size == n && memcmp(rows[k].text, s, n) == 0)
            kind = (TokenKind)k;
    return push(x, kind, start, x->at) || err_memory(&x->error, 0);
}

static bool opened(Lexer *x, char c)
{
    if (x->brackets == BRACKETS) {
        err_set(&x->error, ERR_SYNTAX, "too many nested parentheses (more than %d)", BRACKETS);
        return wrong(x, x->at, x->at + 1);
    }
    x->bracket[x->brackets].c = c;
    x->bracket[x->brackets++].at = x->at;
    return true;
}

static bool closed(Lexer *x, char c)
{
    if (x->brackets == 0) {
        err_set(&x->error, ERR_SYNTAX, "unmatched '%c'", c);
        return wrong(x, x->at, x->at + 1);
    }
    char open = x->bracket[x->brackets - 1].c;
    if ((open == '(' && c != ')') || (open == '[' && c != ']') || (open == '{' && c != '}')) {
        err_set(&x->error, ERR_SYNTAX, "'%c' does not close the '%c' that was opened before", c, open);
        return wrong(x, x->at, x->at + 1);
    }
    x->brackets--;
    return true;
}

static bool operator_(Lexer *x)
{
    char c = peek(x, 0), next = peek(x, 1);
    bool alone = next != '=' && next != '*' && next != '/' && next != '<' && next != '>' && next != '.';     /* no operator goes on with another */
    for (int k = alone ? T_PLUS : T_POW_SET; k < T_COUNT; k++) {        /* those of one character stand behind the others */
        if (rows[k].first != c || !begins(x, rows[k].text))
            continue;
        if ((c == '(' || c == '[' || c == '{') && !opened(x, c))
            return false;
        if ((c == ')' || c == ']' || c == '}') && !closed(x, c))
            return false;
        x->at += rows[k].size;
        return push(x, (TokenKind)k, x->at - rows[k].size, x->at) || err_memory(&x->error, 0);
    }
    return bad_character(x);
}

/* Blanks, comments, joined lines. False: an error. */
static bool skip(Lexer *x)
{
    for (;;) {
        char c = peek(x, 0);
        if (x->at >= x->end)
            return true;
        if (c == ' ' || c == '\t' || c == '\f' || (c == '\n' && (x->brackets > 0 || x->inside))) {
            x->at++;
        } else if (c == '#') {
            while (x->at < x->end && x->text[x->at] != '\n')
                x->at++;
        } else if (c == '\\') {
            if (peek(x, 1) != '\n') {
                x->incomplete = x->at + 1 >= x->end;
                err_set(&x->error, ERR_SYNTAX, x->incomplete
                        ? "the text ends where '\\' asks for another line"
                        : "after '\\' the line must end");
                return wrong(x, x->at, x->at + 1);
            }
            if (x->at + 2 >= x->end) {
                x->incomplete = true;
                err_set(&x->error, ERR_SYNTAX, "the text ends where '\\' asks for another line");
                return wrong(x, x->at, x->at + 1);
            }
            x->at += 2;
        } else {
            return true;
        }
    }
}

/* The end of the line's text, blanks at its end left out. */
static uint32_t line_end(const Lexer *x)
{
    uint32_t end = x->at;
    while (end < x->end && x->text[end] != '\n')
        end++;
    while (end > x->at && (x->text[end - 1] == ' ' || x->text[end - 1] == '\t'))
        end--;
    return end;
}

/* Is this line, from x->at on, one for the front end: `%…`, `!…`, `obj?`, `?obj`? */
static bool is_command(const Lexer *x)
{
    char c = peek(x, 0);
    if (!x->commands || x->brackets > 0)
        return false;
    if (c == '%' || c == '!' || c == '?')
        return true;
    uint32_t end = line_end(x), i = x->at;
    if (end == i || x->text[end - 1] != '?')
        return false;
    while (end > i && x->text[end - 1] == '?')
        end--;
    for (size_t length; i < end; i += (uint32_t)length) {
        uint32_t p = code_point(x->text + i, &length);
        if (p != '.' && p != '[' && p != ']' && !is_name_part(p))
            return false;
    }
    return true;
}

/* The indentation of a line that holds a statement; pushes INDENT and DEDENT. */
static bool indentation(Lexer *x, uint32_t start, int column, int alternative)
{
    int top = x->indents - 1;
    if (column == x->indent[top].column) {
        if (alternative == x->indent[top].alternative)
            return true;
    } else if (column > x->indent[top].column) {
        if (alternative > x->indent[top].alternative) {
            if (x->indents == INDENTS) {
                err_set(&x->error, ERR_INDENTATION, "too many levels of indentation (at most %d)",
                        INDENTS - 1);
                return wrong(x, start, x->at);
            }
            x->indent[x->indents].column = column;
            x->indent[x->indents++].alternative = alternative;
            return push(x, T_INDENT, start, x->at) || err_memory(&x->error, 0);
        }
    } else {
        while (x->indents > 1 && x->indent[x->indents - 1].column > column) {
            x->indents--;
            if (!push(x, T_DEDENT, x->at, x->at))
                return err_memory(&x->error, 0);
        }
        if (x->indent[x->indents - 1].column != column) {
            err_set(&x->error, ERR_INDENTATION,
                    "this line is indented less than the block before it, but not as far as any outer one");
            return wrong(x, start, x->at);
        }
        if (x->indent[x->indents - 1].alternative == alternative)
            return true;
    }
    err_set(&x->error, ERR_TAB,
            "tabs and blanks are mixed in the indentation so that it depends on the width of a tab");
    return wrong(x, start, x->at);
}

/* At the beginning of a line outside of brackets: measures it. *blank: nothing but blanks and a comment. */
static bool line_begins(Lexer *x, bool *blank)
{
    uint32_t start = x->at;
    int column = 0, alternative = 0;
    for (; x->at < x->end; x->at++) {
        char c = x->text[x->at];
        if (c == ' ')
            column++, alternative++;
        else if (c == '\t')
            column = (column / 8 + 1) * 8, alternative++;
        else if (c == '\f')
            column = alternative = 0;
        else
            break;
    }
    char c = peek(x, 0);
    *blank = x->at >= x->end || c == '\n' || c == '#';
    if (*blank) {
        while (x->at < x->end && x->text[x->at] != '\n')
            x->at++;
        x->at += x->at < x->end;
        return true;
    }
    return c == '\\' || indentation(x, start, column, alternative);
}

static bool one_token(Lexer *x)
{
    char c = peek(x, 0);
    if ((unsigned char)c >= 0x80 || is_name_start((unsigned char)c))
        return name(x);
    if (is_digit(c, 10) || (c == '.' && is_digit(peek(x, 1), 10)))
        return number(x);
    if (c == '"' || c == '\'')
        return string(x, x->at);
    return operator_(x);
}

/* One logical line. False: an error. */
static bool line(Lexer *x)
{
    bool blank = false;
    if (!x->inside && !line_begins(x, &blank))
        return false;
    if (blank)
        return true;
    if (is_command(x)) {
        uint32_t end = line_end(x);
        if (!push(x, T_COMMAND, x->at, end) || !push(x, T_NEWLINE, end, end))
            return err_memory(&x->error, 0);
        while (x->at < x->end && x->text[x->at] != '\n')
            x->at++;
        x->at += x->at < x->end;
        return true;
    }
    for (size_t before = x->tokens; ; ) {
        if (!skip(x))
            return false;
        if (x->at >= x->end || x->text[x->at] == '\n') {
            blank = x->tokens == before;            /* nothing but a joined line */
            break;
        }
        if (!one_token(x))
            return false;
    }
    if (x->brackets > 0) {
        x->incomplete = true;
        x->open = x->bracket[x->brackets - 1].at;
        err_set(&x->error, ERR_SYNTAX, "'%c' was never closed", x->bracket[x->brackets - 1].c);
        return wrong(x, x->open, x->open + 1);
    }
    if (x->inside)
        return true;
    bool ok = blank || push(x, T_NEWLINE, x->at, x->at);
    x->at += x->at < x->end;
    return ok || err_memory(&x->error, 0);
}

void lex_begin(Lexer *x, Session *s, const char *text, uint32_t at, uint32_t end)
{
    x->s = s;                                           /* field by field: its tables are large and need no clearing */
    x->text = text;
    x->at = at;
    x->end = end;
    x->commands = x->inside = x->incomplete = false;
    x->token = x->few;
    x->tokens = 0;
    x->capacity = TOKENS_FEW;
    x->error_start = x->error_end = 0;
    x->brackets = 0;
}

bool lex(Lexer *x, Err *err)
{
    x->indent[0].column = x->indent[0].alternative = 0;
    x->indents = 1;
    x->error.kind = ERR_NONE;
    x->open = UINT32_MAX;
    bool ok = true;
    while (ok && x->at < x->end)
        ok = line(x);
    if (!ok && x->error.kind == ERR_MEMORY)
        return err_memory(err, x->capacity * sizeof(Token));
    if (ok) {
        for (; x->indents > 1; x->indents--)
            if (!push(x, T_DEDENT, x->end, x->end))
                return err_memory(err, x->capacity * sizeof(Token));
        ok = push(x, T_END, x->end, x->end);
    } else {
        ok = push(x, T_ERROR, x->error_start, x->error_end);
    }
    return ok || err_memory(err, x->capacity * sizeof(Token));
}

void lex_free(Lexer *x)
{
    if (x->token != x->few)
        mem_free(x->s->heap, x->token);
    x->token = NULL;
    x->tokens = x->capacity = 0;
}
