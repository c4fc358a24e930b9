/*
 * gamma.h - the gamma function and the logarithm of its size, to Python's last digit.
 */
#ifndef LANG_MODULES_GAMMA_H
#define LANG_MODULES_GAMMA_H

double gamma_of(double x);
double log_gamma_of(double x);
#endif
