/*
 * format.c - numbers as Python prints them.
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
