/*
 * format_spec.c - format specs, "[[fill]align][sign][z][#][0][width][,][.precision][type]", for numbers and text.
 */
#include "lang/types/rows.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Spec {
    const char *fill;                   /* one code point, in the spec's text */
    int     fill_size;
    char    align;                      /* < > = ^, or 0: as the type has it */
    char    sign;                       /* + - or space */
    bool    no_minus_zero, alternate;
    bool    zero;                       /* a 0 before the width */
    char    group;                      /* , _ or 0 */
    char    type;                       /* or 0 */
    int64_t width, precision;           /* precision -1: not given */
} Spec;

enum { MOST = 10000000 };               /* width and precision: more is a slip of the pen */

static bool read_number(const char **at, const char *end, int64_t *number, Err *err)
{
    *number = 0;
    while (*at < end && isdigit((unsigned char)**at)) {
        *number = *number * 10 + (*(*at)++ - '0');
        if (*number > MOST)
            return err_set(err, ERR_VALUE, "the width or precision of a format spec is too large (at most %d)", MOST);
    }
    return true;
}

static int point_size(const char *utf8, const char *end)
{
    int n = 1;
    while (utf8 + n < end && ((unsigned char)utf8[n] & 0xc0) == 0x80)
        n++;
    return n;
}

static bool is_align(char c)
{
    return c == '<' || c == '>' || c == '=' || c == '^';
}

static bool read_spec(Spec *spec, const char *at, size_t n, const char *type_name, Err *err)
{
    const char *end = at + n;
    *spec = (Spec){ .fill = " ", .fill_size = 1, .sign = '-', .precision = -1 };
    int first = n ? point_size(at, end) : 0;
    if (at + first < end && is_align(at[first])) {
        spec->fill = at;
        spec->fill_size = first;
        spec->align = at[first];
        at += first + 1;
    } else if (at < end && is_align(*at))
        spec->align = *at++;
    bool filled = spec->fill != NULL && spec->align && *spec->fill != ' ';
    if (at < end && (*at == '+' || *at == '-' || *at == ' '))
        spec->sign = *at++;
    if (at < end && *at == 'z')
        spec->no_minus_zero = true, at++;
    if (at < end && *at == '#')
        spec->alternate = true, at++;
    if (at < end && *at == '0') {
        spec->zero = true;
        if (!filled)
            spec->fill = "0", spec->fill_size = 1;
        at++;
    }
    if (!read_number(&at, end, &spec->width, err))
        return false;
    if (at < end && (*at == ',' || *at == '_'))
        spec->group = *at++;
    if (at < end && *at == '.') {
        at++;
        if (at == end || !isdigit((unsigned char)*at))
            return err_set(err, ERR_VALUE, "Format specifier missing precision");
        if (!read_number(&at, end, &spec->precision, err))
            return false;
    }
    if (end - at > 1)
        return err_set(err, ERR_VALUE, "Invalid format specifier '%.*s' for object of type '%s'", (int)(n > 100 ? 100 : n), end - n, type_name);
    if (at < end)
        spec->type = *at;
    return true;
}

static bool unknown(const Spec *spec, const char *type_name, Err *err)
{
    return err_set(err, ERR_VALUE, "Unknown format code '%c' for object of type '%s'", spec->type, type_name);
}

static int64_t count_points(const char *utf8, size_t n)
{
    int64_t points = 0;
    for (size_t i = 0; i < n; i++)
        points += ((unsigned char)utf8[i] & 0xc0) != 0x80;
    return points;
}

static void put_fill(const Spec *spec, int64_t n, Text *text)
{
    for (; n > 0 && !text->failed; n--)
        text_add(text, spec->fill, (size_t)spec->fill_size);
}

/* The body within its width. */
static void put_aligned(const Spec *spec, char align, const char *body, size_t n, Text *text)
{
    int64_t room = spec->width - count_points(body, n), left = 0;
    room = room < 0 ? 0 : room;
    if (align == '>')
        left = room;
    else if (align == '^')
        left = room / 2;
    put_fill(spec, left, text);
    text_add(text, body, n);
    put_fill(spec, room - left, text);
}

bool format_text(Session *s, const char *utf8, size_t size, const char *form, size_t n, Text *text, Err *err)
{
    Spec spec;
    (void)s;
    if (!n)
        return text_add(text, utf8, size), true;
    if (!read_spec(&spec, form, n, "str", err))
        return false;
    if (spec.type && spec.type != 's')
        return unknown(&spec, "str", err);
    if (spec.sign != '-')
        return err_set(err, ERR_VALUE, "Sign not allowed in string format specifier");
    if (spec.align == '=' || spec.alternate)
        return err_set(err, ERR_VALUE, spec.alternate ? "Alternate form (#) not allowed in string format specifier"
                       : "'=' alignment not allowed in string format specifier");
    if (spec.group)
        return err_set(err, ERR_VALUE, "Cannot specify '%c' with 's'.", spec.group);
    if (spec.precision >= 0) {
        size_t cut = 0;
        for (int64_t k = 0; k < spec.precision && cut < size; k++)
            cut += (size_t)point_size(utf8 + cut, utf8 + size);
        size = cut;
    }
    put_aligned(&spec, spec.align ? spec.align : '<', utf8, size, text);
    return true;
}

/* ---- numbers -------------------------------------------------------------------------------------------- */
/* A number in parts: sign and prefix, digits (which separators group), and what comes behind them. */
static bool put_number(const Spec *spec, bool negative, const char *prefix, const char *digits, size_t n, const char *rest, Text *text, Err *err)
{
    Text body = { 0 };
    char sign[2] = { negative ? '-' : spec->sign == '-' ? 0 : spec->sign, 0 };
    char align = spec->align ? spec->align : spec->zero ? '=' : '>';
    bool zeros = align == '=' && spec->fill_size == 1 && *spec->fill == '0';
    int64_t around = (int64_t)(strlen(sign) + strlen(prefix) + strlen(rest)), every = spec->group == '_' && spec->type && strchr("boxX", spec->type) ? 4 : 3;
    int64_t count = (int64_t)n, separators = spec->group ? (count - 1) / every : 0;
    if (zeros)                          /* zeros before the digits are grouped with them */
        while (count + separators + around < spec->width) {
            count++;
            separators = spec->group ? (count - 1) / every : 0;
        }
    for (int64_t i = 0; i < count && !body.failed; i++) {
        int64_t from_end = count - i;
        if (spec->group && i && from_end % every == 0)
            text_char(&body, spec->group);
        text_char(&body, from_end > (int64_t)n ? '0' : digits[(int64_t)n - from_end]);
    }
    text_put(&body, rest);
    if (align == '=') {
        text_put(text, sign);
        text_put(text, prefix);
        if (!zeros)
            put_fill(spec, spec->width - (int64_t)(strlen(sign) + strlen(prefix)) - (int64_t)body.n, text);
        text_add(text, body.s ? body.s : "", body.n);
    } else {
        Text whole = { 0 };
        text_put(&whole, sign);
        text_put(&whole, prefix);
        text_add(&whole, body.s ? body.s : "", body.n);
        put_aligned(spec, align, whole.s ? whole.s : "", whole.n, text);
        body.failed = body.failed || whole.failed;
        text_free(&whole);
    }
    bool ok = !body.failed;
    text_free(&body);
    return ok || err_memory(err, (size_t)spec->width);
}

static bool format_int(Session *s, Value number, Spec *spec, const char *type_name, Text *text, Err *err)
{
    Text digits = { 0 };
    int base = spec->type == 'b' ? 2 : spec->type == 'o' ? 8 : spec->type == 'x' || spec->type == 'X' ? 16 : 10;
    const char *prefix = !spec->alternate || base == 10 ? "" : base == 2 ? "0b" : base == 8 ? "0o" : spec->type == 'x' ? "0x" : "0X";
    if (spec->precision >= 0)
        return err_set(err, ERR_VALUE, "Precision not allowed in integer format specifier");
    if (spec->group == ',' && base != 10)
        return err_set(err, ERR_VALUE, "Cannot specify ',' with '%c'.", spec->type);
    if (value_tag(number) == V_BOOL)
        number = int_new(s, number.i);
    if (!int_print(number, base, &digits, err))
        return text_free(&digits), false;
    if (!text_end(&digits))
        return err_memory(err, 0);
    if (spec->type == 'X')
        for (size_t i = 0; i < digits.n; i++)
            digits.s[i] = (char)toupper((unsigned char)digits.s[i]);
    bool negative = digits.s[0] == '-';
    (void)type_name;
    bool ok = put_number(spec, negative, prefix, digits.s + negative, digits.n - negative, "", text, err);
    text_free(&digits);
    return ok;
}

/* Takes zeros at the end away, and a point that is left: 1.500 -> 1.5, 2.000 -> 2. A mantissa only. */
static void trim(char *digits)
{
    char *exponent = strchr(digits, 'e'), *end = exponent ? exponent : digits + strlen(digits), *last = end;
    if (!memchr(digits, '.', (size_t)(end - digits)))
        return;
    while (last > digits && last[-1] == '0')
        last--;
    if (last > digits && last[-1] == '.')
        last--;
    memmove(last, end, strlen(end) + 1);
}

/* Without a type but with a precision: as 'g', but always with a digit behind the point. */
static void print_general(double f, int64_t precision, char *digits, size_t room)
{
    precision = precision ? precision : 1;
    snprintf(digits, room, "%.*e", (int)precision - 1, f);
    int64_t exponent = atoi(strchr(digits, 'e') + 1);
    if (exponent < -4 || exponent >= precision - 1) {
        trim(digits);
        return;
    }
    snprintf(digits, room, "%.*f", (int)(precision - 1 - exponent > 0 ? precision - 1 - exponent : 0), f);
    trim(digits);
    if (!strchr(digits, '.'))
        strcat(digits, ".0");
}

static bool format_float(Session *s, double f, Spec *spec, const char *type_name, Text *text, Err *err)
{
    char kind = spec->type, form[16], *digits;
    bool percent = kind == '%', negative = signbit(f) && !isnan(f), upper = isupper((unsigned char)kind);
    int64_t precision = spec->precision < 0 ? 6 : spec->precision;
    (void)s;
    if (kind && !strchr("eEfFgGn%", kind))
        return unknown(spec, type_name, err);
    f = percent ? fabs(f) * 100 : fabs(f);
    size_t room = 400 + (size_t)precision;
    if (!(digits = malloc(room)))
        return err_memory(err, room);
    if (!isfinite(f))
        snprintf(digits, room, "%s", isnan(f) ? upper ? "NAN" : "nan" : upper ? "INF" : "inf");
    else if (!kind && spec->precision < 0) {
        Text shortest = { 0 };
        number_print((Number){ DKIND_FLOAT, { .f = f } }, &shortest);
        snprintf(digits, room, "%s", text_end(&shortest) ? shortest.s : "");
        text_free(&shortest);
    } else if (!kind)
        print_general(f, precision, digits, room);
    else {
        char c = percent ? 'f' : kind == 'n' ? 'g' : kind;
        snprintf(form, sizeof form, "%%%s.*%c", spec->alternate ? "#" : "", c);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(digits, room, form, (int)precision, f);
#pragma GCC diagnostic pop
    }
    if (negative && spec->no_minus_zero && strspn(digits, "0.") == strlen(digits))
        negative = false;
    size_t whole = strspn(digits, "0123456789");
    char *rest = digits + whole;
    Text tail = { 0 };
    if (!isfinite(f)) {
        whole = strlen(digits);
        rest = digits + whole;
        spec->group = 0;
    }
    text_put(&tail, rest);
    text_put(&tail, percent ? "%" : "");
    bool ok = put_number(spec, negative, "", digits, whole, text_end(&tail) ? tail.s : "", text, err);
    text_free(&tail);
    free(digits);
    return ok;
}

static bool format_character(Value number, const Spec *spec, Text *text, Err *err)
{
    char utf8[5] = { 0 };
    int64_t c = value_tag(number) == V_OBJECT ? -1 : number.i;
    if (c < 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return err_set(err, ERR_OVERFLOW, "%%c arg not in range(0x110000)");
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    utf8[0] = (char)(lead[more] | c >> (6 * more));
    for (int k = 1; k <= more; k++)
        utf8[k] = (char)(0x80 | (c >> (6 * (more - k)) & 0x3f));
    put_aligned(spec, spec->align && spec->align != '=' ? spec->align : '>', utf8, (size_t)more + 1, text);
    return true;
}

bool format_number(Session *s, Value number, const char *form, size_t n, Text *text, Err *err)
{
    Spec spec;
    bool overflow;
    const char *type_name = value_type_name(number);
    if (!n)
        return value_str(s, number, text, err);
    if (!read_spec(&spec, form, n, type_name, err))
        return false;
    if (value_tag(number) == V_FLOAT)
        return format_float(s, number.f, &spec, type_name, text, err);
    if (!spec.type || strchr("bdnoxX", spec.type))
        return format_int(s, number, &spec, type_name, text, err);
    if (spec.type == 'c')
        return format_character(number, &spec, text, err);
    if (!strchr("eEfFgG%", spec.type))
        return unknown(&spec, type_name, err);
    double f = int_to_double(number, &overflow);
    if (overflow)
        return err_set(err, ERR_OVERFLOW, "int too large to convert to float");
    return format_float(s, f, &spec, type_name, text, err);
}
