/*
 * parse_string.c - the values of string literals: escapes, neighbours that join, and f-strings.
 * An f-string is one token; the expressions in it are parsed by the same parser from stretches of the same
 * text, so that
 * their places are right. As in Python 3.11 they hold no backslash, no comment and not the quotes of the
 * string itself.
 */
#include "lang/syntax/parse.h"
#include <string.h>
#include "lang/run/state.h"

typedef struct Gather {
    Node  *list, **tail;                /* pieces so far */
    Text   text;                        /* of the piece at hand */
    uint32_t start, end;                /* of the whole */
    bool   formatted, bytes;
} Gather;

static void put_code_point(Text *text, uint32_t c)
{
    char s[4];
    size_t n = 0;
    if (c < 0x80)
        s[n++] = (char)c;
    else if (c < 0x800)
        s[n++] = (char)(0xc0 | c >> 6);
    else if (c < 0x10000)
        s[n++] = (char)(0xe0 | c >> 12);
    else
        s[n++] = (char)(0xf0 | c >> 18);
    if (c >= 0x10000)
        s[n++] = (char)(0x80 | (c >> 12 & 0x3f));
    if (c >= 0x800)
        s[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    if (c >= 0x80)
        s[n++] = (char)(0x80 | (c & 0x3f));
    text_add(text, s, n);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F'
        ? c - 'A' + 10 : -1;
}

/* One escape, at a backslash. */
static bool escape(Parser *p, uint32_t *at, uint32_t end, Text *text)
{
    static const char plain[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
    const char *s = p->text;
    uint32_t start = *at, i = start + 1;
    char c = i < end ? s[i] : 0;
    *at = i + 1;
    if (c == '\n')
        return true;
    for (const char *row = plain; c && *row; row += 2)
        if (*row == c) {
            text_char(text, row[1]);
            return true;
        }
    if (c >= '0' && c <= '7') {
        uint32_t value = 0;
        int n = 0;
        for (; n < 3 && i < end && s[i] >= '0' && s[i] <= '7'; n++, i++)
            value = value * 8 + (uint32_t)(s[i] - '0');
        *at = i;
        put_code_point(text, value);
        return true;
    }
    if (c == 'N')
        return parse_refuse(p, start, i + 1, REFUSE_NAMED_CHARACTER);
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0) {                  /* no escape at all: both characters stay */
        text_char(text, '\\');
        *at = i;
        return true;
    }
    uint32_t value = 0;
    i++;
    for (int n = 0; n < digits; n++, i++) {
        int d = i < end ? hex_digit(s[i]) : -1;
        if (d < 0)
            return parse_error(p, start, i, ERR_SYNTAX, "'\\%c' in a string needs %d hexadecimal digits", c,
                               digits);
        value = value << 4 | (uint32_t)d;
    }
    if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return parse_error(p, start, i, ERR_SYNTAX, value > 0x10ffff ? "there is no character U+%X"
                           : "the lone surrogate U+%X is not supported by Locus", (unsigned)value);
    *at = i;
    put_code_point(text, value);
    return true;
}

/* b'…': every character stands for a byte, so the text gathered has only code points below 256. */
static bool is_bytes(const Parser *p, const Token *token)
{
    for (uint32_t at = token->start; p->text[at] != '"' && p->text[at] != '\''; at++)
        if ((p->text[at] | 32) == 'b')
            return true;
    return false;
}

static bool only_ascii(Parser *p, const Token *token)
{
    for (uint32_t at = token->start; at < token->end; at++)
        if ((unsigned char)p->text[at] >= 128)
            return parse_error(p, at, at + 1, ERR_SYNTAX, "bytes can only contain ASCII literal characters");
    return true;
}

/* \u and \N mean nothing in bytes: their backslash is a byte. */
static bool bytes_literal(Parser *p, uint32_t start, uint32_t end, Text *text)
{
    for (uint32_t at = start; at < end; ) {
        char c = p->text[at], next = at + 1 < end ? p->text[at + 1] : 0;
        if (c != '\\' || next == 'u' || next == 'U' || next == 'N') {
            text_char(text, c);
            at++;
        } else if (!escape(p, &at, end, text))
            return false;
    }
    return true;
}

static bool literal(Parser *p, uint32_t start, uint32_t end, bool raw, Text *text)
{
    for (uint32_t at = start; at < end; ) {
        const char *slash = raw ? NULL : memchr(p->text + at, '\\', end - at);
        uint32_t stop = slash ? (uint32_t)(slash - p->text) : end;
        text_add(text, p->text + at, stop - at);
        at = stop;
        if (at < end && !escape(p, &at, end, text))
            return false;
    }
    return true;
}

/* The text gathered so far becomes a piece. */
static bool flush(Parser *p, Gather *g)
{
    if (g->text.failed)
        return err_memory(p->err, g->text.n);
    if (g->text.n == 0)
        return true;
    Node *node = tree_node(p->tree, E_STRING, g->start, g->end);
    if (!node || !(node->name = tree_name(p->tree, g->text.s, g->text.n)))
        return err_memory(p->err, g->text.n);
    *g->tail = node;
    g->tail = &node->next;
    g->text.n = 0;
    return true;
}

/* Where the expression of a field ends: at `}`, `!`, `:` or `=` of the field itself. */
static bool expression_end(Parser *p, uint32_t start, uint32_t end, uint32_t *stop)
{
    const char *s = p->text;
    char quote = 0;
    bool triple = false;
    int depth = 0;
    for (uint32_t i = start; i < end; i++) {
        char c = s[i], next = i + 1 < end ? s[i + 1] : 0;
        bool three = i + 2 < end && next == c && s[i + 2] == c;
        if (c == '\\')
            return parse_error(p, i, i + 1, ERR_SYNTAX, "the {…} of an f-string may not hold a backslash");
        if (quote) {
            if (c == quote && (!triple || three)) {
                i += triple ? 2 : 0;
                quote = 0;
            }
        } else if (c == '\'' || c == '"') {
            quote = c;
            triple = three;
            i += triple ? 2 : 0;
        } else if (c == '#') {
            return parse_error(p, i, i + 1, ERR_SYNTAX, "the {…} of an f-string may not hold a comment");
        } else if (c == '(' || c == '[' || c == '{') {
            depth++;
        } else if (depth > 0) {
            depth -= c == ')' || c == ']' || c == '}';
        } else if (next == '=' && (c == '!' || c == '=' || c == '<' || c == '>')) {
            i++;
        } else if (c == '}' || c == '!' || c == ':' || c == '=') {
            *stop = i;
            return true;
        }
    }
    return parse_error(p, start - 1, end, ERR_SYNTAX, quote
                       ? "a string inside this {…} of an f-string was never closed"
                       : "'{' in an f-string was never closed");
}

/* The expression between two places, by a parser that reads only that stretch. */
static Node *expression(Parser *p, uint32_t start, uint32_t end)
{
    uint32_t from = start;
    while (from < end && strchr(" \t\n\f", p->text[from]))
        from++;
    if (from == end) {
        parse_error(p, start - 1, end + 1, ERR_SYNTAX,
                    "an expression is missing in the {…} of an f-string");
        return NULL;
    }
    Lexer outer = p->lexer;
    Token *token = p->token;
    uint32_t last_end = p->last_end;
    lex_begin(&p->lexer, p->s, p->text, start, end);
    p->lexer.inside = true;
    Node *node = NULL;
    p->fields++;
    if (lex(&p->lexer, p->err)) {
        p->token = p->lexer.token;
        node = parse_value(p);
        if (node && p->token->kind != T_END) {
            parse_unexpected(p);
            node = NULL;
        }
    }
    p->fields--;
    p->incomplete = false;
    lex_free(&p->lexer);
    p->lexer = outer;
    p->token = token;
    p->last_end = last_end;
    return node;
}

static bool pieces(Parser *p, uint32_t *at, uint32_t end, bool raw, int depth, Gather *g);

static bool field(Parser *p, uint32_t *at, uint32_t end, bool raw, int depth, Gather *g)
{
    const char *s = p->text;
    uint32_t open = *at, start = open + 1, i = start;
    if (depth > 1)
        return parse_error(p, open, open + 1, ERR_SYNTAX, "the fields of an f-string are nested too deeply");
    if (!expression_end(p, start, end, &i))
        return false;
    Node *node = tree_node(p->tree, E_FIELD, open, i);
    if (!node)
        return err_memory(p->err, sizeof *node);
    if (!(node->a = expression(p, start, i)))
        return false;
    bool shown = s[i] == '=';
    if (shown) {
        for (i++; i < end && strchr(" \t\n\f", s[i]); i++)
            ;
        text_add(&g->text, s + start, i - start);
    }
    if (!flush(p, g))
        return false;
    if (i < end && s[i] == '!') {
        char c = i + 1 < end ? s[i + 1] : 0;
        if (c != 's' && c != 'r' && c != 'a')
            return parse_error(p, i, i + 2, ERR_SYNTAX, "behind '!' in an f-string stands 's', 'r' or 'a'");
        node->op = (uint8_t)c;
        i += 2;
    }
    if (i < end && s[i] == ':') {
        Gather spec = { .start = i + 1, .end = i + 1 };
        spec.tail = &spec.list;
        i++;
        bool ok = pieces(p, &i, end, raw, depth + 1, &spec) && flush(p, &spec);
        text_free(&spec.text);
        if (!ok)
            return false;
        if (!(node->b = tree_node(p->tree, E_FORMATTED, spec.start, i)))
            return err_memory(p->err, sizeof *node);
        node->b->a = spec.list;
    } else if (shown && !node->op) {
        node->op = 'r';
    }
    if (i >= end || s[i] != '}')
        return parse_error(p, open, i, ERR_SYNTAX, "'}' is missing in an f-string");
    node->end = *at = i + 1;
    *g->tail = node;
    g->tail = &node->next;
    return true;
}

/* Text and fields up to `end`, or inside a spec to the `}` that ends it. */
static bool pieces(Parser *p, uint32_t *at, uint32_t end, bool raw, int depth, Gather *g)
{
    const char *s = p->text;
    g->formatted = true;
    while (*at < end) {
        char c = s[*at];
        bool doubled = depth == 0 && *at + 1 < end && s[*at + 1] == c;
        if ((c == '{' || c == '}') && doubled) {
            text_char(&g->text, c);
            *at += 2;
        } else if (c == '{') {
            if (!field(p, at, end, raw, depth, g))
                return false;
        } else if (c == '}') {
            if (depth > 0)
                return true;
            return parse_error(p, *at, *at + 1, ERR_SYNTAX,
                               "a single '}' in an f-string: write '}}' to show one");
        } else if (c == '\\' && !raw) {
            if (!escape(p, at, end, &g->text))
                return false;
        } else {
            text_char(&g->text, c);
            ++*at;
        }
    }
    return true;
}

/* One token: its prefix, its quotes, what is between them. */
static bool one_string(Parser *p, const Token *token, Gather *g)
{
    const char *s = p->text;
    uint32_t at = token->start, end = token->end;
    bool raw = false, formatted = false;
    for (; s[at] != '"' && s[at] != '\''; at++) {
        raw = raw || s[at] == 'r' || s[at] == 'R';
        formatted = formatted || s[at] == 'f' || s[at] == 'F';
    }
    uint32_t quotes = end - at >= 6 && s[at + 1] == s[at] && s[at + 2] == s[at] ? 3 : 1;
    at += quotes;
    end -= quotes;
    if (is_bytes(p, token))
        return only_ascii(p, token) && (raw ? literal(p, at, end, raw, &g->text) : bytes_literal(p, at, end, &g->text));
    return formatted ? pieces(p, &at, end, raw, 0, g) : literal(p, at, end, raw, &g->text);
}

Node *parse_strings(Parser *p)
{
    Gather g = { .start = p->token->start, .bytes = is_bytes(p, p->token) };
    g.tail = &g.list;
    Node *node = NULL;
    if (!parse_deep(p))
        return NULL;
    while (p->token->kind == T_STRING) {
        g.end = p->token->end;
        if (is_bytes(p, p->token) != g.bytes) {
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX, "cannot mix bytes and nonbytes literals");
            goto done;
        }
        if (!one_string(p, p->token, &g))
            goto done;
        parse_next(p);
    }
    if (g.text.failed || (g.formatted && !flush(p, &g))) {
        err_memory(p->err, g.text.n);
        goto done;
    }
    if (!(node = parse_node(p, g.formatted ? E_FORMATTED : E_STRING, g.start)))
        goto done;
    node->op = g.bytes;
    if (g.formatted)
        node->a = g.list;
    else if (!(node->name = tree_name(p->tree, g.text.n ? g.text.s : "", g.text.n))) {
        err_memory(p->err, g.text.n);
        node = NULL;
    }
done:
    text_free(&g.text);
    return node;
}
