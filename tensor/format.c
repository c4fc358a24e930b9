/*
 * format.c - numbers as Python prints them, and tensors as PyTorch does.
 * A first look at the elements that will be shown decides on one form and one width for all of them; the second prints.
 */
#include "tensor/impl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The fewest digits that read back as the same double, laid out as repr() does: an exponent below 1e-4 and from 1e16 on. */
static void double_print(double f, Text *text)
{
    char digits[40];
    int precision = 1;
    if (isnan(f) || isinf(f)) {
        text_put(text, isnan(f) ? "nan" : f > 0 ? "inf" : "-inf");
        return;
    }
    do
        snprintf(digits, sizeof digits, "%.*e", precision - 1, f);
    while (strtod(digits, NULL) != f && precision++ < 17);
    char *mark = strchr(digits, 'e');
    int exponent = atoi(mark + 1);
    if (exponent >= -4 && exponent < 16) {
        int decimals = precision - 1 - exponent;
        text_print(text, "%.*f", decimals > 1 ? decimals : 1, f);
        return;
    }
    *mark = 0;
    text_print(text, "%se%c%02d", digits, exponent < 0 ? '-' : '+', abs(exponent));
}

void number_print(Number number, Text *text)
{
    if (number.kind == DKIND_FLOAT)
        double_print(number.f, text);
    else if (number.kind == DKIND_INT)
        text_print(text, "%lld", (long long)number.i);
    else
        text_put(text, number.b ? "True" : "False");
}

/* ---- one form for all elements ------------------------------------------------------------------------------ */
typedef struct Form {
    const PrintOptions *options;
    bool   floats, whole, scientific, any;      /* any: a finite number other than 0 was met */
    bool   summarize;
    double least, most;                         /* of their absolute values */
    int    width;
} Form;

static const char *element_address(const Tensor *t, const char *at, int dim, int64_t i)
{
    return at + i * strides_of(t)[dim] * (int64_t)dtype_size((DType)t->dtype);
}

/* Calls `each` for the elements that are shown: all, or some from both ends of every dimension. */
typedef void (*Each)(Form *form, Number number);

static void look(Form *form, const Tensor *t, const char *at, int dim, Each each)
{
    if (dim == t->ndim) {
        each(form, number_load((DType)t->dtype, at));
        return;
    }
    int64_t size = shape_of(t)[dim], edge = form->options->edgeitems;
    bool cut = form->summarize && size > 2 * edge;
    for (int64_t i = 0; i < size; i++) {
        if (cut && i == edge)
            i = size - edge;
        if (i < size)
            look(form, t, element_address(t, at, dim, i), dim + 1, each);
    }
}

static bool counts(Number number)
{
    return isfinite(number.f) && number.f != 0;
}

static void look_at_range(Form *form, Number number)
{
    if (!counts(number))
        return;
    double size = fabs(number.f);
    form->least = !form->any || size < form->least ? size : form->least;
    form->most = !form->any || size > form->most ? size : form->most;
    form->whole &= number.f == ceil(number.f);
    form->any = true;
}

static int number_text(const Form *form, Number number, char *text, size_t size)
{
    if (number.kind == DKIND_BOOL)
        return snprintf(text, size, "%s", number.b ? "True" : "False");
    if (number.kind == DKIND_INT)
        return snprintf(text, size, "%lld", (long long)number.i);
    if (isnan(number.f) || isinf(number.f))
        return snprintf(text, size, "%s", isnan(number.f) ? "nan" : number.f > 0 ? "inf" : "-inf");
    if (form->scientific)
        return snprintf(text, size, "%.*e", form->options->precision, number.f);
    if (form->whole)
        return snprintf(text, size, "%.0f.", number.f);
    return snprintf(text, size, "%.*f", form->options->precision, number.f);
}

enum { NUMBER_TEXT = 400 };             /* the largest double in fixed notation has 309 digits */

static void look_at_width(Form *form, Number number)
{
    char text[NUMBER_TEXT];
    if (number.kind == DKIND_FLOAT && !counts(number))
        return;
    int width = number_text(form, number, text, sizeof text);
    form->width = width > form->width ? width : form->width;
}

static void choose_form(Form *form, const Tensor *t)
{
    const PrintOptions *options = form->options;
    form->floats = dtype_kind((DType)t->dtype) == DKIND_FLOAT;
    form->whole = true;
    form->any = form->scientific = false;
    form->width = 1;
    if (form->floats)
        look(form, t, data_of(t), 0, look_at_range);
    if (form->floats && form->any)
        form->scientific = form->most / form->least > 1000 || form->most > 1e8 || (!form->whole
                && form->least < 1e-4);
    look(form, t, data_of(t), 0, look_at_width);
    if (options->sci_mode >= 0)
        form->scientific = options->sci_mode != 0;
}

/* ---- the brackets -------------------------------------------------------------------------------------------- */
static void print_number(const Form *form, Number number, Text *text)
{
    char s[NUMBER_TEXT];
    int n = number_text(form, number, s, sizeof s);
    if (n < form->width)
        text_fill(text, ' ', (size_t)(form->width - n));
    text_put(text, s);
}

static void print_row(const Form *form, const Tensor *t, const char *at, int indent, Text *text)
{
    int dim = t->ndim - 1, on_line = 0, per_line = (form->options->linewidth - indent) / (form->width + 2);
    int64_t size = shape_of(t)[dim], edge = form->options->edgeitems;
    bool cut = form->summarize && size > 2 * edge, first = true;
    if (per_line < 1)
        per_line = 1;
    text_char(text, '[');
    for (int64_t i = 0; i < size; i++) {
        bool dots = cut && i == edge;
        if (!first)
            text_char(text, ',');
        if (on_line == per_line) {
            text_char(text, '\n');
            text_fill(text, ' ', (size_t)indent + 1);
            on_line = 0;
        } else if (!first) {
            text_char(text, ' ');
        }
        if (dots) {
            text_put(text, edge ? " ..." : "...");
            i = size - edge - 1;
        } else {
            print_number(form, number_load((DType)t->dtype, element_address(t, at, dim, i)), text);
        }
        on_line++;
        first = false;
    }
    text_char(text, ']');
}

static void print_dims(const Form *form, const Tensor *t, const char *at, int dim, int indent, Text *text)
{
    if (t->ndim == 0) {
        print_number(form, number_load((DType)t->dtype, at), text);
        return;
    }
    if (dim == t->ndim - 1) {
        print_row(form, t, at, indent, text);
        return;
    }
    int64_t size = shape_of(t)[dim], edge = form->options->edgeitems;
    bool cut = form->summarize && size > 2 * edge, first = true;
    text_char(text, '[');
    for (int64_t i = 0; i < size; i++) {
        if (!first) {
            text_char(text, ',');
            text_fill(text, '\n', (size_t)(t->ndim - dim - 1));
            text_fill(text, ' ', (size_t)indent + 1);
        }
        first = false;
        if (cut && i == edge) {
            text_put(text, "...");
            i = size - edge - 1;
            continue;
        }
        print_dims(form, t, element_address(t, at, dim, i), dim + 1, indent + 1, text);
    }
    text_char(text, ']');
}

/* ---- the words behind ------------------------------------------------------------------------------------------ */
static void print_suffix(const PrintOptions *options, int *column, int indent, const char *suffix, Text *text)
{
    int n = (int)strlen(suffix);
    if (*column + n + 2 > options->linewidth) {
        text_put(text, ",\n");
        text_fill(text, ' ', (size_t)indent);
        *column = indent + n;
    } else {
        text_put(text, ", ");
        *column += n + 2;
    }
    text_put(text, suffix);
}

bool tensor_print(Context *ctx, const Tensor *t, Text *text, Err *err)
{
    static const char prefix[] = "tensor(";
    Form form = { .options = &ctx->print };
    int indent = sizeof prefix - 1;
    size_t start = text->n;
    DType dtype = (DType)t->dtype;
    bool usual = dtype == ctx->default_dtype || ((dtype == DT_I64 || dtype == DT_BOOL) && t->numel);
    text_put(text, prefix);
    if (t->numel) {
        form.summarize = t->numel > ctx->print.threshold;
        choose_form(&form, t);
        print_dims(&form, t, data_of(t), 0, indent, text);
    } else {
        text_put(text, "[]");
    }
    if (text->failed)
        return err_memory(err, text->capacity);
    size_t line = text->n;              /* where the last line begins */
    while (line > start && text->s[line - 1] != '\n')
        line--;
    int column = (int)(text->n - line) + 2;
    char suffix[300];
    if (t->storage->device.type != DEVICE_CPU) {
        Text device = { 0 };
        device_print(t->storage->device, &device);
        const char *where = text_end(&device);
        snprintf(suffix, sizeof suffix, "device='%s'", where ? where : "");
        text_free(&device);
        print_suffix(&ctx->print, &column, indent, suffix, text);
    }
    if (!t->numel && t->ndim != 1) {
        char shape[250];
        shape_print_to(shape, sizeof shape, t->ndim, shape_of(t));
        snprintf(suffix, sizeof suffix, "size=%s", shape);
        print_suffix(&ctx->print, &column, indent, suffix, text);
    }
    if (!usual) {
        snprintf(suffix, sizeof suffix, "dtype=torch.%s", dtype_name(dtype));
        print_suffix(&ctx->print, &column, indent, suffix, text);
    }
    if (tensor_requires_grad(t) && tensor_is_leaf(t))
        print_suffix(&ctx->print, &column, indent, "requires_grad=True", text);
    text_char(text, ')');
    return text->failed ? err_memory(err, text->capacity) : true;
}
