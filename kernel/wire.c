/*
 * wire.c - frames to a message: delimiter, signature, header, in this order.
 */
#include "kernel/wire.h"
#include <sodium.h>
#include <string.h>

void wire_sign(Bytes key, const Bytes dict[DICTS], char signature[SIGNATURE_SIZE + 1])
{
    crypto_auth_hmacsha256_state state;
    unsigned char mac[crypto_auth_hmacsha256_BYTES];
    signature[0] = 0;
    if (!key.n)
        return;
    crypto_auth_hmacsha256_init(&state, (const unsigned char *)key.s, key.n);
    for (int k = 0; k < DICTS; k++)
        crypto_auth_hmacsha256_update(&state, (const unsigned char *)dict[k].s, dict[k].n);
    crypto_auth_hmacsha256_final(&state, mac);
    sodium_bin2hex(signature, SIGNATURE_SIZE + 1, mac, sizeof mac);
}

json_t *wire_header(Bytes text)
{
    json_t *header = json_read_object(text);
    if (json_is_string(json_object_get(header, "msg_id")) && json_is_string(json_object_get(header, "msg_type")))
        return header;
    json_decref(header);
    return NULL;
}

bool wire_read(const Bytes *frame, size_t frames, Bytes key, Wire *wire)
{
    char wanted[SIGNATURE_SIZE + 1];
    size_t at = 0;
    while (at < frames && (frame[at].n != strlen(WIRE_DELIMITER) || memcmp(frame[at].s, WIRE_DELIMITER, frame[at].n)))
        at++;
    if (at > WIRE_IDENTITIES || frames - at < 2 + DICTS)
        return false;
    wire->identities = at;
    memcpy(wire->dict, frame + at + 2, sizeof wire->dict);
    if (key.n) {
        const Bytes *given = &frame[at + 1];
        wire_sign(key, wire->dict, wanted);
        if (given->n != SIGNATURE_SIZE || sodium_memcmp(given->s, wanted, SIGNATURE_SIZE))
            return false;
    }
    json_t *header = wire_header(wire->dict[DICT_HEADER]);
    json_decref(header);
    return header;
}
