/*
 * print.c - arrays and scalars as NumPy prints them: the shortest digits that tell a number from its neighbours, columns of one
 * width, lines of at most 75 characters, corners of what is large.
 */
#include "lang/numpy/numpy.h"
#include <math.h>
#include <stdlib.h>

/* ---- the shortest digits of a float ------------------------------------------------------------------------------- */
typedef struct Digits { char digit[24]; int n, point; bool negative; } Digits;  /* 0.d1d2… times 10^point */

static bool is_same(DType dtype, const char *text, double f)
{
    Number n = { .kind = DKIND_FLOAT, .f = dtype == DT_F32 ? (double)strtof(text, NULL) : strtod(text, NULL) };
    number_cast(dtype, &n);
    return n.f == f;
}

static void shortest(DType dtype, double f, Digits *d)
{
    char text[40];
    d->negative = signbit(f);
    f = fabs(f);
    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, f);
        if (is_same(dtype, text, f))
            break;
    }
    d->n = 0;
    for (const char *c = text; *c && *c != 'e'; c++)
        if (*c != '.')
            d->digit[d->n++] = *c;
    while (d->n > 1 && d->digit[d->n - 1] == '0')
        d->n--;
    d->point = f == 0 ? 1 : atoi(strchr(text, 'e') + 1) + 1;
}

/* Positional: "12.5", "3." (trailing zeros cut, the point kept), at most `places` behind the point. */
static void positional(DType dtype, double f, int places, Text *text)
{
    Digits d;
    shortest(dtype, f, &d);
    if (d.n - d.point > places) {
        char fixed[400];
        snprintf(fixed, sizeof fixed, "%.*f", places, f);
        size_t n = strlen(fixed);
        while (places && n && fixed[n - 1] == '0')
            n--;
        text_add(text, fixed, n);
        if (!places)
            text_char(text, '.');
        return;
    }
    if (d.negative)
        text_char(text, '-');
    if (d.point <= 0)
        text_char(text, '0');
    for (int k = 0; k < d.point; k++)
        text_char(text, k < d.n ? d.digit[k] : '0');
    text_char(text, '.');
    for (int k = d.point; k < 0; k++)
        text_char(text, '0');
    if (d.n > d.point)
        text_add(text, d.digit + (d.point > 0 ? d.point : 0), (size_t)(d.n - (d.point > 0 ? d.point : 0)));
}

/* Scientific, without the exponent's part: mantissa with at most `places` digits, zeros filled up to `least`. */
static int scientific(DType dtype, double f, int places, int least, Text *text)
{
    Digits d;
    char fixed[64];
    shortest(dtype, f, &d);
    int n = d.n, exponent = d.point - 1;
    const char *digit = d.digit;
    if (n - 1 > places) {
        snprintf(fixed, sizeof fixed, "%.*e", places, fabs(f));
        exponent = atoi(strchr(fixed, 'e') + 1);
        memmove(fixed + 1, fixed + 2, strlen(fixed + 2) + 1);
        digit = fixed;
        for (n = places + 1; n > 1 && digit[n - 1] == '0'; )
            n--;
    }
    if (d.negative)
        text_char(text, '-');
    text_char(text, digit[0]);
    text_char(text, '.');
    text_add(text, digit + 1, (size_t)(n - 1));
    text_fill(text, '0', least > n - 1 ? (size_t)(least - n + 1) : 0);
    return f == 0 ? 0 : exponent;
}

static void exponent_text(int exponent, int width, Text *text)
{
    text_print(text, "e%c%0*d", exponent < 0 ? '-' : '+', width, abs(exponent));
}

void scalar_text(DType dtype, Number n, Text *text)
{
    if (n.kind == DKIND_BOOL)
        text_put(text, n.b ? "True" : "False");
    else if (n.kind == DKIND_INT)
        text_print(text, "%lld", (long long)n.i);
    else if (!isfinite(n.f))
        text_put(text, isnan(n.f) ? "nan" : n.f < 0 ? "-inf" : "inf");
    else {
        double f = fabs(n.f);
        Digits d;
        shortest(dtype, n.f, &d);
        if (f == 0 || (f < 1e16 && f >= 1e-4)) {
            positional(dtype, n.f, 400, text);
            if (text->n && text->s[text->n - 1] == '.')
                text_char(text, '0');
        } else {
            int exponent = scientific(dtype, n.f, 20, 0, text);
            if (text->n && text->s[text->n - 1] == '.')
                text->n--;
            exponent_text(exponent, 2, text);
        }
    }
}

/* ---- the form of all elements --------------------------------------------------------------------------------------- */
typedef struct Form {
    const NumPy *n;
    const Tensor *t;
    DType   dtype;
    DKind   kind;
    bool    exponents, summary;
    int     left, right, places, exponent_width, width;
} Form;

/* Calls `each` with every element that will be shown. */
static void each_shown(Form *f, int dim, int64_t *index, void (*each)(Form *f, Number n, void *to), void *to)
{
    if (dim == tensor_ndim(f->t)) {
        each(f, tensor_element(f->t, index), to);
        return;
    }
    int64_t n = tensor_shape(f->t)[dim];
    bool cut = f->summary && n > 2 * f->n->edgeitems;
    for (int64_t k = 0; k < n; k++) {
        if (cut && k == f->n->edgeitems)
            k = n - f->n->edgeitems;
        index[dim] = k;
        each_shown(f, dim + 1, index, each, to);
    }
}

typedef struct Range_ { double most, least; int64_t high, low; bool finite, nonzero, other, minus_inf, any; } Range_;

static void look(Form *f, Number n, void *to)
{
    Range_ *r = to;
    if (f->kind == DKIND_INT) {
        r->high = !r->any || n.i > r->high ? n.i : r->high;
        r->low = !r->any || n.i < r->low ? n.i : r->low;
    } else if (!isfinite(n.f)) {
        r->other = true;
        r->minus_inf = r->minus_inf || (isinf(n.f) && n.f < 0);
    } else {
        double size = fabs(n.f);
        if (size != 0) {
            r->most = !r->nonzero || size > r->most ? size : r->most;
            r->least = !r->nonzero || size < r->least ? size : r->least;
            r->nonzero = true;
        }
        r->finite = true;
    }
    r->any = true;
}

static void measure(Form *f, Number n, void *to)
{
    Text text = { 0 };
    (void)to;
    if (!isfinite(n.f))
        return;
    int exponent = 0;
    if (f->exponents)
        exponent = scientific(f->dtype, n.f, f->n->precision, 0, &text);
    else
        positional(f->dtype, n.f, f->n->precision, &text);
    const char *whole = text_end(&text), *point = whole ? strchr(whole, '.') : NULL;
    if (point) {
        int left = (int)(point - whole), right = (int)strlen(point + 1);
        f->left = left > f->left ? left : f->left;
        f->right = right > f->right ? right : f->right;
    }
    if (f->exponents) {
        int digits = abs(exponent) >= 100 ? 3 : 2;
        f->exponent_width = digits > f->exponent_width ? digits : f->exponent_width;
    }
    text_free(&text);
}

static void choose_form(Form *f)
{
    int64_t index[64] = { 0 };
    Range_ r = { 0 };
    f->left = f->right = f->exponent_width = 0;
    f->exponents = false;
    if (f->kind == DKIND_BOOL) {
        f->width = tensor_ndim(f->t) ? 5 : 0;
        return;
    }
    if (tensor_numel(f->t))
        each_shown(f, 0, index, look, &r);
    if (f->kind == DKIND_INT) {
        int high = snprintf(NULL, 0, "%lld", (long long)r.high), low = snprintf(NULL, 0, "%lld", (long long)r.low);
        f->width = high > low ? high : low;
        return;
    }
    f->exponents = r.nonzero && (r.most >= 1e16 || (!f->n->suppress && (r.least < 1e-4 || r.most / r.least > 1000.0)));
    if (r.finite)
        each_shown(f, 0, index, measure, NULL);
    f->places = f->exponents ? f->right : f->n->precision;
    if (f->exponents)
        f->right += f->exponent_width + 2;
    if (r.other) {
        int room = f->right + 1, nan = 3 - room, inf = 3 + r.minus_inf - room;
        f->left = nan > f->left ? nan : f->left;
        f->left = inf > f->left ? inf : f->left;
    }
    f->width = f->left + f->right + 1;
}

static void element(const Form *f, Number n, Text *text)
{
    Text body = { 0 };
    int after = 0;
    if (f->kind == DKIND_FLOAT && isfinite(n.f)) {
        if (f->exponents) {
            int exponent = scientific(f->dtype, n.f, f->places, f->places, &body);
            exponent_text(exponent, f->exponent_width, &body);
        } else {
            positional(f->dtype, n.f, f->places, &body);
            const char *whole = text_end(&body), *point = whole ? strchr(whole, '.') : NULL;
            after = point ? f->right - (int)strlen(point + 1) : 0;
        }
    } else
        scalar_text(f->dtype, n, &body);
    int before = f->width - (int)body.n - after;
    text_fill(text, ' ', before > 0 ? (size_t)before : 0);
    text_add(text, body.s ? body.s : "", body.n);
    text_fill(text, ' ', after > 0 ? (size_t)after : 0);
    text->failed = text->failed || body.failed;
    text_free(&body);
}

/* ---- rows and brackets ------------------------------------------------------------------------------------------------ */
typedef struct Page { Form form; const char *separator; int separator_width, edge; int64_t index[64]; } Page;

/* Adds a word to the line that began at `*start` in `text`; wraps before it when it would not fit. */
static void add_word(Text *text, size_t *start, const char *word, size_t n, int width, int indent)
{
    if ((int)(text->n - *start + n) > width && (int)(text->n - *start) > indent) {
        while (text->n > *start && text->s[text->n - 1] == ' ')
            text->n--;
        text_char(text, '\n');
        *start = text->n;
        text_fill(text, ' ', (size_t)indent);
    }
    text_add(text, word, n);
}

static void rows_of(Page *p, int dim, int indent, int width, size_t *start, Text *text)
{
    const Tensor *t = p->form.t;
    int ndim = tensor_ndim(t), left = ndim - dim;
    int64_t n = tensor_shape(t)[dim];
    bool cut = p->form.summary && 2 * p->edge < n;
    text_char(text, '[');
    for (int64_t k = 0; k < n; k++) {
        bool dots = cut && k == p->edge;
        if (k) {
            text_add(text, p->separator, left == 1 ? (size_t)p->separator_width : strcspn(p->separator, " "));
            if (left > 1) {
                text_fill(text, '\n', (size_t)left - 1);
                *start = text->n;
                text_fill(text, ' ', (size_t)indent + 1);
            }
        }
        p->index[dim] = k;
        if (dots) {
            if (left == 1)
                add_word(text, start, "...", 3, width, indent + 1);
            else
                text_put(text, "...");
            k = n - p->edge - 1;
        } else if (left == 1) {
            Text word = { 0 };
            element(&p->form, tensor_element(t, p->index), &word);
            add_word(text, start, word.s ? word.s : "", word.n, width, indent + 1);
            text_free(&word);
        } else
            rows_of(p, dim + 1, indent + 1, width - 1, start, text);
    }
    text_char(text, ']');
}

static void array_body(Page *p, int indent, Text *text)
{
    const Tensor *t = p->form.t;
    int64_t none[64] = { 0 };
    if (!tensor_numel(t)) {
        text_put(text, "[]");
        return;
    }
    if (!tensor_ndim(t)) {
        element(&p->form, tensor_element(t, none), text);
        return;
    }
    size_t start = text->n - (size_t)indent;            /* what stands before belongs to the first line */
    rows_of(p, 0, indent, p->form.n->linewidth - (indent ? 2 : 1), &start, text);      /* room for `]` and `)` */
}

bool array_text(Session *s, const Tensor *t, bool repr, Text *text, Err *err)
{
    NumPy *n = numpy_state(s, err);
    int64_t none[64] = { 0 };
    if (!n)
        return false;
    DType dtype = tensor_dtype(t);
    if (!repr && !tensor_ndim(t))
        return scalar_text(dtype, tensor_element(t, none), text), true;
    Page p = { .form = { .n = n, .t = t, .dtype = dtype, .kind = dtype_kind(dtype), .summary = tensor_numel(t) > n->threshold },
               .separator = repr ? ", " : " ", .separator_width = repr ? 2 : 1, .edge = n->edgeitems };
    choose_form(&p.form);
    Text body = { 0 };
    if (repr)
        text_put(&body, "array(");
    array_body(&p, repr ? 6 : 0, &body);
    bool implied = dtype == DT_F64 || dtype == DT_I64 || dtype == DT_BOOL;
    bool shape = (!tensor_numel(t) && (tensor_ndim(t) != 1)) || p.form.summary;
    if (repr && (shape || !implied || !tensor_numel(t))) {
        Text extra = { 0 };
        if (shape) {
            text_put(&extra, "shape=(");
            for (int d = 0; d < tensor_ndim(t); d++)
                text_print(&extra, d ? ", %lld" : "%lld", (long long)tensor_shape(t)[d]);
            text_put(&extra, tensor_ndim(t) == 1 ? ",)" : ")");
        }
        if (!implied || !tensor_numel(t))
            text_print(&extra, "%sdtype=%s", shape ? ", " : "", dtype_name(dtype));
        size_t line = body.n;
        while (line && body.s[line - 1] != '\n')
            line--;
        text_char(&body, ',');
        if (body.n - line + extra.n + 2 > (size_t)n->linewidth) {
            text_char(&body, '\n');
            text_fill(&body, ' ', 6);
        } else
            text_char(&body, ' ');
        text_add(&body, extra.s, extra.n);
        text_free(&extra);
    }
    if (repr)
        text_char(&body, ')');
    text_add(text, body.s, body.n);
    text->failed = text->failed || body.failed;
    text_free(&body);
    return true;
}
