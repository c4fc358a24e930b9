/* words.h - the words of the screen, and numbers as it writes them. */
#ifndef SHOW_WORDS_H
#define SHOW_WORDS_H
#include "tensor/tensor.h"
#include <stdint.h>

typedef enum WordId {
#define WORD(id, english, chinese) WORD_##id,
#include "show/words.def"
    WORD_COUNT
} WordId;

typedef enum Language { LANGUAGE_ENGLISH, LANGUAGE_CHINESE } Language;

const char *word(Language language, WordId id);
/* Adds a phrase whose %s are filled with the texts that follow, in their order (const char *). */
void say(Text *text, Language language, WordId id, ...);
/* Marks in texts of the display: what stands between them is bold. */
#define BOLD_ON  "\1"
#define BOLD_OFF "\2"
/* A decimal number with commas; the buffer belongs to the caller and is returned. */
typedef struct Digits { char s[40]; } Digits;
const char *digits(Digits *to, int64_t number);
const char *digits_bytes(Digits *to, int64_t bytes);        /* "4,194,304 B" */
const char *digits_round(Digits *to, int64_t bytes);        /* "12 MiB" where exact, else as above */
/* "+48 B", "−48 B", "0 B" */
void text_signed_bytes(Text *text, int64_t bytes);
void text_dims(Text *text, int ndim, const int64_t *dims);  /* a Python tuple */
/* As the object itself says it: a tensor's in elements, an ndarray's in bytes. */
bool is_ndarray(const char *type);
void text_strides(Text *text, const char *type, DType dtype, int ndim, const int64_t *stride);
/* Adds utf8 as one line: stretches of blanks and newlines become one blank; control characters "?". */
void text_flat(Text *text, const char *utf8, size_t n);
/* The display width of n bytes; marks count nothing. */
int  text_width(const char *utf8, size_t n);
/* How many bytes to show in so many columns: all, or fewer by the column that "…" needs. */
size_t text_fit(const char *utf8, size_t n, int columns);
#endif
