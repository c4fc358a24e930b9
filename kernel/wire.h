/*
 * wire.h - a Jupyter message as frames, and back; pure functions, no socket.
 *   identities… <IDS|MSG> signature header parent metadata content buffers…
 */
#ifndef KERNEL_WIRE_H
#define KERNEL_WIRE_H
#include "kernel/json.h"

enum { DICT_HEADER, DICT_PARENT, DICT_METADATA, DICT_CONTENT, DICTS };
enum { WIRE_IDENTITIES = 32, WIRE_FRAMES = WIRE_IDENTITIES + 6, SIGNATURE_SIZE = 64 };
#define WIRE_DELIMITER "<IDS|MSG>"

typedef struct Wire {
    size_t identities;                  /* so many of the first frames */
    Bytes  dict[DICTS];                 /* JSON texts, borrowed from the frames */
} Wire;

/* False: no message, to be dropped. The key may be empty: then nothing is compared. */
bool wire_read(const Bytes *frame, size_t frames, Bytes key, Wire *wire);
/* The signature in lower-case hexadecimal, terminated; empty when the key is. */
void wire_sign(Bytes key, const Bytes dict[DICTS], char signature[SIGNATURE_SIZE + 1]);
/* The header, when it is an object with text for msg_id and msg_type; else NULL. Release it. */
json_t *wire_header(Bytes header);
#endif
