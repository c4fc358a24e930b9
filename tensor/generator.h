/* generator.h - the random stream of the CPU: a Mersenne Twister of 32 bits, and the normal number it keeps for later. */
#ifndef TENSOR_GENERATOR_H
#define TENSOR_GENERATOR_H
#include "tensor/impl.h"

enum { TWISTER_WORDS = 624 };

struct Generator {
    Heap    *heap;                      /* borrowed */
    uint64_t seed;
    uint32_t word[TWISTER_WORDS];
    int      left, next;                /* draws until the words are made anew, plus one; the next word */
    bool     has_normal;                /* Box and Muller make two numbers at a time */
    double   normal;
};

void   random_words(Generator *generator, uint32_t *to, int64_t n);     /* as n calls of random_32 */
double random_unit(Generator *generator);       /* 53 bits in [0, 1) */
double random_normal(Generator *generator);     /* mean 0, deviation 1; every second call takes no draw */
/* Uniform numbers for a dense run. */
void   uniform_fill_f32(Generator *generator, float *data, int64_t n, float from, float to);
void   uniform_fill_f64(Generator *generator, double *data, int64_t n, double from, double to);
/* Normal numbers for a dense run of at least 16: uniform draws in place, then groups of 16 transformed. */
void   normal_fill_f32(Generator *generator, float *data, int64_t n, float mean, float std);
void   normal_fill_wide(Generator *generator, DType dtype, char *data, int64_t n, double mean, double std);
#endif
