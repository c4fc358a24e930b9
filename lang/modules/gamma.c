/*
 * gamma.c - the gamma function and its logarithm as Python computes them: by the approximation of Lanczos, so that the last digit
 * is Python's too (the C library's differs).
 */
#include "lang/modules/gamma.h"
#include <math.h>

enum { TERMS = 13 };
static const double g = 6.024680040776729583740234375, g_minus_half = 5.524680040776729583740234375;
static const double numerator[TERMS] = {
    23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786772,
    248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408
};
static const double denominator[TERMS] = {
    0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0, 2637558.0, 357423.0, 32670.0, 1925.0, 66.0, 1.0
};

static double sum_of_terms(double x)
{
    double top = 0, bottom = 0;
    if (x < 5)
        for (int i = TERMS; --i >= 0; ) {
            top = top * x + numerator[i];
            bottom = bottom * x + denominator[i];
        }
    else
        for (int i = 0; i < TERMS; i++) {
            top = top / x + numerator[i];
            bottom = bottom / x + denominator[i];
        }
    return top / bottom;
}

static double sine_of_pi(double x)
{
    double y = fmod(fabs(x), 2.0), r;
    switch ((int)round(2.0 * y)) {
    case 0: r = sin(M_PI * y); break;
    case 1: r = cos(M_PI * (y - 0.5)); break;
    case 2: r = sin(M_PI * (1.0 - y)); break;
    case 3: r = -cos(M_PI * (y - 1.5)); break;
    default: r = sin(M_PI * (y - 2.0)); break;
    }
    return copysign(1.0, x) * r;
}

double gamma_of(double x)
{
    if (!isfinite(x))
        return isnan(x) || x > 0 ? x : NAN;
    if (x == 0)
        return copysign(INFINITY, x);
    if (x == floor(x)) {
        if (x < 0)
            return NAN;
        if (x <= 23) {
            double product = 1;
            for (int k = 2; k < (int)x; k++)
                product *= k;
            return product;
        }
    }
    double size = fabs(x), r;
    if (size < 1e-20)
        return 1.0 / x;
    if (size > 200)
        return x < 0 ? 0.0 / sine_of_pi(x) : INFINITY;
    double y = size + g_minus_half, z;
    if (size > g_minus_half) {
        double q = y - size;
        z = q - g_minus_half;
    } else {
        double q = y - g_minus_half;
        z = q - size;
    }
    z = z * g / y;
    if (x < 0) {
        r = -M_PI / sine_of_pi(size) / size * exp(y) / sum_of_terms(size);
        r -= z * r;
        if (size < 140)
            r /= pow(y, size - 0.5);
        else {
            double root = pow(y, size / 2.0 - 0.25);
            r /= root;
            r /= root;
        }
    } else {
        r = sum_of_terms(size) / exp(y);
        r += z * r;
        if (size < 140)
            r *= pow(y, size - 0.5);
        else {
            double root = pow(y, size / 2.0 - 0.25);
            r *= root;
            r *= root;
        }
    }
    return r;
}

double log_gamma_of(double x)
{
    static const double log_pi = 1.144729885849400174143427351353058711647;
    if (!isfinite(x))
        return isnan(x) ? x : INFINITY;
    if (x == floor(x) && x <= 2)
        return x <= 0 ? INFINITY : 0.0;
    double size = fabs(x);
    if (size < 1e-20)
        return -log(size);
    double r = log(sum_of_terms(size)) - g;
    r += (size - 0.5) * (log(size + g - 0.5) - 1);
    return x < 0 ? log_pi - log(fabs(sine_of_pi(size))) - log(size) - r : r;
}
