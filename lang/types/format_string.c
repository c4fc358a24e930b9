/*
 * format_string.c - "…" % values, and "…".format(…).
 */
#include "lang/types/rows.h"
#include <ctype.h>
#include <string.h>

/* ---- % -------------------------------------------------------------------------------------------------- */
typedef struct Percent {
    Session *s;
    Err     *err;
    Value    arguments;
    int64_t  next;                      /* of a tuple */
    bool     is_tuple, by_name, used;
} Percent;

static bool next_argument(Percent *p, Value *v)
{
    const Tuple *tuple = (Tuple *)p->arguments.object;
    if (p->is_tuple ? p->next >= tuple->n : p->used)
        return err_set(p->err, ERR_TYPE, "not enough arguments for format string");
    *v = p->is_tuple ? tuple->item[p->next++] : p->arguments;
    p->used = true;
    return true;
}

typedef struct Conversion { bool left, plus, space, zero, alternate; int64_t width, precision; char type; } Conversion;

/* A width or precision: digits, or a * that takes an argument. */
static bool read_size(Percent *p, const char **at, const char *end, int64_t *size)
{
    Value v;
    if (*at < end && **at == '*') {
        ++*at;
        if (!next_argument(p, &v))
            return false;
        if (!value_is_int(v))
            return err_set(p->err, ERR_TYPE, "* wants int");
        return value_index(p->s, v, "*", size, p->err);
    }
    for (*size = 0; *at < end && isdigit((unsigned char)**at); ++*at)
        if ((*size = *size * 10 + (**at - '0')) > 10000000)
            return err_set(p->err, ERR_VALUE, "the width or precision of a format is too large");
    return true;
}

static bool read_conversion(Percent *p, const char **at, const char *end, Conversion *c)
{
    *c = (Conversion){ .precision = -1 };
    for (; *at < end; ++*at) {
        if (**at == '-')
            c->left = true;
        else if (**at == '+')
            c->plus = true;
        else if (**at == ' ')
            c->space = true;
        else if (**at == '0')
            c->zero = true;
        else if (**at == '#')
            c->alternate = true;
        else
            break;
    }
    if (!read_size(p, at, end, &c->width))
        return false;
    if (c->width < 0)
        c->left = true, c->width = -c->width;
    if (*at < end && **at == '.') {
        ++*at;
        if (!read_size(p, at, end, &c->precision))
            return false;
        c->precision = c->precision < 0 ? 0 : c->precision;
    }
    while (*at < end && strchr("hlL", **at))
        ++*at;
    if (*at == end)
        return err_set(p->err, ERR_VALUE, "incomplete format");
    c->type = *(*at)++;
    return true;
}

static void pad(const char *body, size_t n, const Conversion *c, Text *text)
{
    int64_t points = 0;
    for (size_t i = 0; i < n; i++)
        points += ((unsigned char)body[i] & 0xc0) != 0x80;
    int64_t room = c->width > points ? c->width - points : 0;
    text_fill(text, ' ', c->left ? 0 : (size_t)room);
    text_add(text, body, n);
    text_fill(text, ' ', c->left ? (size_t)room : 0);
}

/* %s, %r, %a, %c */
static bool put_text(Percent *p, const Conversion *c, Value v, Text *text)
{
    Text body = { 0 };
    bool ok;
    if (c->type == 'c' && value_is_int(v))
        ok = format_number(p->s, v, "c", 1, &body, p->err);
    else if (c->type == 'c' && (!value_is(v, TYPE_STR) || ((Str *)v.object)->length != 1))
        ok = err_set(p->err, ERR_TYPE, "%%c requires int or char");
    else
        ok = c->type == 's' || c->type == 'c' ? value_str(p->s, v, &body, p->err) : value_repr(p->s, v, &body, p->err);
    size_t n = body.n;
    if (c->precision >= 0 && c->type != 'c') {
        int64_t points = 0;
        for (n = 0; n < body.n; n++)
            if (((unsigned char)body.s[n] & 0xc0) != 0x80 && points++ == c->precision)
                break;
    }
    if (ok)
        pad(body.s ? body.s : "", n, c, text);
    ok = ok && (!body.failed || err_memory(p->err, n));
    text_free(&body);
    return ok;
}

/* A number for %d and its kin: floats are cut, tensors asked for their element. Taken over by the caller. */
static bool as_int(Percent *p, const Conversion *c, Value v, Value *number)
{
    Number n;
    if (value_is_int(v))
        return *number = value_retain(v), true;
    double f = v.f;
    if (value_is(v, TYPE_TENSOR) || value_is_array(v) || value_is(v, TYPE_NPSCALAR)) {
        if (!value_to_number(v, &n) && !tensor_item(value_tensor(v), &n, p->err))
            return false;
        if (n.kind != DKIND_FLOAT)
            return *number = int_new(p->s, n.kind == DKIND_INT ? n.i : n.b), true;
        f = n.f;
    } else if (value_tag(v) != V_FLOAT || !strchr("diu", c->type))
        return err_set(p->err, ERR_TYPE, "%%%c format: %s is required, not %s", c->type, strchr("diu", c->type) ? "a real number" : "an integer",
                       value_type_name(v));
    if (f != f)
        return err_set(p->err, ERR_VALUE, "cannot convert float NaN to integer");
    if (f - f != 0)
        return err_set(p->err, ERR_OVERFLOW, "cannot convert float infinity to integer");
    if (f > -9e18 && f < 9e18)
        return *number = int_new(p->s, (int64_t)f), true;
    return big_from_double(p->s, __builtin_trunc(f), number, p->err);
}

/* %d with a precision: at least so many digits. */
static bool put_digits(Percent *p, const Conversion *c, Value number, Text *text)
{
    Text digits = { 0 }, body = { 0 };
    char form[4] = { c->alternate ? '#' : c->type, c->alternate ? c->type : 0, 0, 0 };
    if (!format_number(p->s, number, form, strlen(form), &digits, p->err) || !text_end(&digits))
        return text_free(&digits), p->err->kind ? false : err_memory(p->err, 0);
    char *at = digits.s;
    bool negative = *at == '-';
    at += negative;
    size_t prefix = at[0] == '0' && isalpha((unsigned char)at[1]) ? 2 : 0, n = strlen(at) - prefix;
    if (negative || c->plus || c->space)
        text_char(&body, negative ? '-' : c->plus ? '+' : ' ');
    text_add(&body, at, prefix);
    int64_t wanted = c->precision >= 0 ? c->precision : c->zero && !c->left ? c->width - (int64_t)body.n : 0;
    text_fill(&body, '0', wanted > (int64_t)n ? (size_t)(wanted - (int64_t)n) : 0);
    text_put(&body, at + prefix);
    pad(body.s ? body.s : "", body.n, c, text);
    bool ok = !body.failed;
    text_free(&digits);
    text_free(&body);
    return ok || err_memory(p->err, 0);
}

static bool put_float(Percent *p, const Conversion *c, Value v, Text *text)
{
    Number n;
    bool overflow = false;
    Text form = { 0 };
    if (value_is(v, TYPE_TENSOR) || value_is_array(v) || value_is(v, TYPE_NPSCALAR)) {
        if (!value_to_number(v, &n) && !tensor_item(value_tensor(v), &n, p->err))
            return false;
        v = float_new(p->s, n.kind == DKIND_FLOAT ? n.f : n.kind == DKIND_INT ? (double)n.i : n.b);
    } else if (value_is_int(v)) {
        v = float_new(p->s, int_to_double(v, &overflow));
        if (overflow)
            return err_set(p->err, ERR_OVERFLOW, "int too large to convert to float");
    } else if (value_tag(v) != V_FLOAT)
        return err_set(p->err, ERR_TYPE, "must be real number, not %s", value_type_name(v));
    text_put(&form, c->left ? "<" : c->zero ? "" : ">");
    text_put(&form, c->plus ? "+" : c->space ? " " : "");
    text_put(&form, c->alternate ? "#" : "");
    text_put(&form, c->zero && !c->left ? "0" : "");
    if (c->width)
        text_print(&form, "%lld", (long long)c->width);
    text_print(&form, ".%lld%c", (long long)(c->precision < 0 ? 6 : c->precision), c->type);
    bool ok = text_end(&form) ? format_number(p->s, v, form.s, form.n, text, p->err) : err_memory(p->err, 0);
    text_free(&form);
    return ok;
}

static bool put_conversion(Percent *p, Conversion *c, Value v, int64_t place, Text *text)
{
    Value number;
    switch (c->type) {
    case 's': case 'r': case 'a': case 'c':
        return put_text(p, c, v, text);
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
        if (!as_int(p, c, v, &number))
            return false;
        c->type = strchr("iu", c->type) ? 'd' : c->type;
        bool ok = put_digits(p, c, number, text);
        value_release(number);
        return ok;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
        return put_float(p, c, v, text);
    default:
        return err_set(p->err, ERR_VALUE, "unsupported format character '%c' (0x%x) at index %lld", c->type, (unsigned char)c->type, (long long)place);
    }
}

bool format_percent(Session *s, Str *format, Value arguments, Value *out, Err *err)
{
    Percent p = { .s = s, .err = err, .arguments = arguments, .is_tuple = value_is(arguments, TYPE_TUPLE) };
    const char *at = format->s, *end = at + format->size;
    Text text = { 0 };
    bool ok = true;
    while (ok && at < end) {
        const char *sign = memchr(at, '%', (size_t)(end - at));
        text_add(&text, at, (size_t)((sign ? sign : end) - at));
        if (!sign)
            break;
        at = sign + 1;
        Value v = value_unset();
        bool named = at < end && *at == '(', owned = named;
        if (named) {
            const char *close = memchr(at, ')', (size_t)(end - at));
            if (!close || !value_is(arguments, TYPE_DICT)) {
                ok = close ? err_set(err, ERR_TYPE, "format requires a mapping") : err_set(err, ERR_VALUE, "incomplete format key");
                break;
            }
            Str *key = str_new(s, at + 1, close - at - 1, err);
            ok = key && value_get_item(s, arguments, value_object_take(key), &v, err);
            if (key)
                object_release(&key->head);
            p.by_name = p.used = true;
            at = close + 1;
        }
        Conversion c;
        ok = ok && read_conversion(&p, &at, end, &c);
        if (ok && c.type == '%')
            text_char(&text, '%');
        else if (ok) {
            if (!named && (ok = owned = next_argument(&p, &v)))
                value_retain(v);
            if (ok && c.type != 's' && c.type != 'r' && (value_is_int(value_content(v)) || value_tag(value_content(v)) == V_FLOAT))
                value_replace(&v, value_retain(value_content(v)));      /* of a class derived from int or float */
            ok = ok && put_conversion(&p, &c, v, at - format->s - 1, &text);
        }
        if (owned)
            value_release(v);
    }
    bool left_over = p.is_tuple ? p.next < ((Tuple *)arguments.object)->n && !p.by_name
                   : !p.used && !value_is(arguments, TYPE_DICT) && !value_is(arguments, TYPE_LIST);
    if (ok && left_over)
        ok = err_set(err, ERR_TYPE, "not all arguments converted during string formatting");
    if (!ok)
        return text_free(&text), false;
    return text_out(s, &text, out, err);
}

/* ---- {} ------------------------------------------------------------------------------------------------- */
typedef struct Braces { Session *s; Err *err; Value positional, keywords; int64_t next; int numbered; } Braces;   /* numbered: -1 by hand, 1 not */

static bool all_digits(const char *at, const char *end)
{
    for (const char *c = at; c < end; c++)
        if (!isdigit((unsigned char)*c))
            return false;
    return end > at;
}

static int64_t number_of(const char *at, const char *end)
{
    int64_t number = 0;
    for (; at < end && number < 1000000000; at++)
        number = number * 10 + (*at - '0');
    return number;
}

/* The argument that the first part of a field names: retained. */
static bool first_part(Braces *b, const char *at, const char *end, Value *v)
{
    const Tuple *all = (Tuple *)b->positional.object;
    bool digits = all_digits(at, end);
    if (at == end || digits) {
        int numbered = digits ? -1 : 1;
        if (b->numbered && b->numbered != numbered)
            return err_set(b->err, ERR_VALUE, digits ? "cannot switch from automatic field numbering to manual field specification"
                           : "cannot switch from manual field specification to automatic field numbering");
        b->numbered = numbered;
        int64_t index = digits ? number_of(at, end) : b->next++;
        if (index >= all->n)
            return err_set(b->err, ERR_INDEX, "Replacement index %lld out of range for positional args tuple", (long long)index);
        *v = value_retain(all->item[index]);
        return true;
    }
    Str *key = str_new(b->s, at, end - at, b->err);
    bool ok = key && value_get_item(b->s, b->keywords, value_object_take(key), v, b->err);
    if (key)
        object_release(&key->head);
    return ok;
}

/* "name.attribute[item]…" */
static bool field_value(Braces *b, const char *at, const char *end, Value *v)
{
    const char *stop = at;
    while (stop < end && *stop != '.' && *stop != '[')
        stop++;
    if (!first_part(b, at, stop, v))
        return false;
    for (at = stop; at < end; at = stop) {
        bool item = *at++ == '[', ok;
        Value next, key;
        for (stop = at; stop < end && (item ? *stop != ']' : *stop != '.' && *stop != '['); stop++)
            continue;
        if (stop == at || (item && stop == end)) {
            value_release(*v);
            return err_set(b->err, ERR_VALUE, stop == at ? "Empty attribute in format string" : "Missing ']' in format string");
        }
        if (item && all_digits(at, stop))
            key = int_new(b->s, number_of(at, stop));
        else
            key = str_value(str_intern(b->s, at, stop - at, b->err));
        ok = !value_is_unset(key)
            && (item ? value_get_item(b->s, *v, key, &next, b->err) : value_get_attr(b->s, *v, (Str *)key.object, &next, b->err));
        value_release(key);
        value_release(*v);
        if (!ok)
            return false;
        *v = next;
        stop += item;
        if (item && stop < end && *stop != '.' && *stop != '[') {
            value_release(*v);
            return err_set(b->err, ERR_VALUE, "Only '.' or '[' may follow ']' in format field specifier");
        }
    }
    return true;
}

static bool expand(Braces *b, const char *at, const char *end, int depth, Text *text);

/* "field!r:spec" */
static bool put_field(Braces *b, const char *at, const char *end, int depth, Text *text)
{
    const char *stop = at;
    char conversion = 0;
    Value v;
    Text spec = { 0 }, converted = { 0 };
    for (int inside = 0; stop < end && (inside || (*stop != '!' && *stop != ':')); stop++)
        inside += *stop == '[' ? 1 : *stop == ']' && inside ? -1 : 0;
    const char *form = stop;
    if (form < end && *form == '!') {
        if (end - form < 2 || !strchr("rsa", form[1]) || (end - form > 2 && form[2] != ':'))
            return err_set(b->err, ERR_VALUE, "a conversion is !r, !s or !a, at the end or before ':'");
        conversion = form[1];
        form += 2;
    }
    form += form < end;
    if (!field_value(b, at, stop, &v))
        return false;
    bool ok = expand(b, form, end, depth + 1, &spec) && (spec.n == 0 || text_end(&spec) || err_memory(b->err, 0));
    const char *spec_text = spec.n ? spec.s : "";
    if (ok && conversion) {
        ok = conversion == 's' ? value_str(b->s, v, &converted, b->err) : value_repr(b->s, v, &converted, b->err);
        ok = ok && format_text(b->s, converted.s ? converted.s : "", converted.n, spec_text, spec.n, text, b->err);
    } else
        ok = ok && value_format(b->s, v, spec_text, spec.n, text, b->err);
    text_free(&spec);
    text_free(&converted);
    value_release(v);
    return ok;
}

static bool expand(Braces *b, const char *at, const char *end, int depth, Text *text)
{
    while (at < end) {
        if (*at != '{' && *at != '}') {
            text_char(text, *at++);
            continue;
        }
        if (at + 1 < end && at[1] == *at && depth == 1) {
            text_char(text, *at);
            at += 2;
            continue;
        }
        if (*at == '}')
            return err_set(b->err, ERR_VALUE, "Single '}' encountered in format string");
        if (depth > 2)
            return err_set(b->err, ERR_VALUE, "Max string recursion exceeded");
        const char *stop = ++at;
        for (int inside = 1; stop < end; stop++) {
            inside += *stop == '{' ? 1 : *stop == '}' ? -1 : 0;
            if (!inside)
                break;
        }
        if (stop == end)
            return err_set(b->err, ERR_VALUE, at == end ? "Single '{' encountered in format string" : "expected '}' before end of string");
        if (!put_field(b, at, stop, depth, text))
            return false;
        at = stop + 1;
    }
    return true;
}

bool format_braces(Session *s, Str *format, Value positional, Value keywords, Value *out, Err *err)
{
    Braces b = { s, err, positional, keywords, 0, 0 };
    Text text = { 0 };
    if (!expand(&b, format->s, format->s + format->size, 1, &text))
        return text_free(&text), false;
    return text_out(s, &text, out, err);
}
