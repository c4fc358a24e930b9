/*
 * test_wire.c - frames that are a message, and frames that are none; signatures; code points.
 */
#include "kernel/wire.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof (array) / sizeof *(array))
#define HEADER "{\"msg_id\":\"1\",\"msg_type\":\"t\"}"
/* HMAC-SHA256 with the key "k" of HEADER "{}" "{}" "{}", as Python's hmac gives it. */
#define SIGNED "c82bb779a915a120aeeefa5f649d1628eead3010892b75b5e885d396ab9c9d40"
#define UPPER "C82BB779A915A120AEEEFA5F649D1628EEAD3010892B75B5E885D396AB9C9D40"

typedef struct Row {
    const char *name, *key;
    bool        good;
    size_t      identities;
    const char *frame[12];              /* up to NULL */
} Row;

static const Row rows[] = {
    { "signed", "k", true, 1, { "id", WIRE_DELIMITER, SIGNED, HEADER, "{}", "{}", "{}" } },
    { "no identity", "k", true, 0, { WIRE_DELIMITER, SIGNED, HEADER, "{}", "{}", "{}" } },
    { "three identities", "k", true, 3, { "a", "", "c", WIRE_DELIMITER, SIGNED, HEADER, "{}", "{}", "{}" } },
    { "buffers are ignored", "k", true, 0, { WIRE_DELIMITER, SIGNED, HEADER, "{}", "{}", "{}", "raw", "\xff" } },
    { "no key: no signature", "", true, 0, { WIRE_DELIMITER, "", HEADER, "{}", "{}", "{}" } },
    { "no key: any signature", "", true, 0, { WIRE_DELIMITER, "zz", HEADER, "{}", "{}", "{}" } },
    { "content is not looked at", "", true, 0, { WIRE_DELIMITER, "", HEADER, "", "[", "\xff" } },
    { "unknown fields", "", true, 0, { WIRE_DELIMITER, "", "{\"msg_id\":\"\",\"x\":[1],\"msg_type\":\"\"}", "{}", "{}", "{}" } },
    { "key, no signature", "k", false, 0, { WIRE_DELIMITER, "", HEADER, "{}", "{}", "{}" } },
    { "another key", "K", false, 0, { WIRE_DELIMITER, SIGNED, HEADER, "{}", "{}", "{}" } },
    { "one frame was changed", "k", false, 0, { WIRE_DELIMITER, SIGNED, HEADER, "{}", "{}", "{ }" } },
    { "upper case", "k", false, 0, { WIRE_DELIMITER, UPPER, HEADER, "{}", "{}", "{}" } },
    { "signature and more", "k", false, 0, { WIRE_DELIMITER, SIGNED "0", HEADER, "{}", "{}", "{}" } },
    { "no frame", "", false, 0, { NULL } },
    { "no delimiter", "", false, 0, { "id", "", HEADER, "{}", "{}", "{}" } },
    { "delimiter alone", "", false, 0, { WIRE_DELIMITER } },
    { "delimiter in a longer frame", "", false, 0, { WIRE_DELIMITER ">", "", HEADER, "{}", "{}", "{}" } },
    { "a frame too few", "", false, 0, { WIRE_DELIMITER, "", HEADER, "{}", "{}" } },
    { "header empty", "", false, 0, { WIRE_DELIMITER, "", "", "{}", "{}", "{}" } },
    { "header no JSON", "", false, 0, { WIRE_DELIMITER, "", "{", "{}", "{}", "{}" } },
    { "header a list", "", false, 0, { WIRE_DELIMITER, "", "[]", "{}", "{}", "{}" } },
    { "header without type", "", false, 0, { WIRE_DELIMITER, "", "{\"msg_id\":\"1\"}", "{}", "{}", "{}" } },
    { "header with a number for id", "", false, 0, { WIRE_DELIMITER, "", "{\"msg_id\":1,\"msg_type\":\"t\"}", "{}", "{}", "{}" } },
    { "header not UTF-8", "", false, 0, { WIRE_DELIMITER, "", "{\"msg_id\":\"\xff\",\"msg_type\":\"t\"}", "{}", "{}", "{}" } },
};

static void check(void **state)
{
    const Row *row = *state;
    Bytes frame[12];
    size_t frames = 0;
    Wire wire = { 0 };
    for (; row->frame[frames]; frames++)
        frame[frames] = bytes_of(row->frame[frames]);
    assert_int_equal(wire_read(frame, frames, bytes_of(row->key), &wire), row->good);
    if (!row->good)
        return;
    assert_int_equal(wire.identities, row->identities);
    for (int k = 0; k < DICTS; k++)
        assert_ptr_equal(wire.dict[k].s, frame[row->identities + 2 + (size_t)k].s);
}

static void check_too_many_identities(void **state)
{
    (void)state;
    Bytes frame[WIRE_FRAMES + 1];
    Wire wire;
    for (size_t k = 0; k < COUNT(frame); k++)
        frame[k] = bytes_of("id");
    frame[COUNT(frame) - 6] = bytes_of(WIRE_DELIMITER);
    frame[COUNT(frame) - 4] = bytes_of(HEADER);
    assert_false(wire_read(frame, COUNT(frame), bytes_of(""), &wire));
    assert_true(wire_read(frame + 1, COUNT(frame) - 1, bytes_of(""), &wire));
}

static void check_deep_header(void **state)
{
    (void)state;
    size_t n = 1 << 20;
    char *deep = malloc(n);
    assert_non_null(deep);
    memset(deep, '[', n);
    assert_null(wire_header((Bytes){ deep, n }));
    memcpy(deep, "{\"a\":", 5);
    assert_null(json_read_object((Bytes){ deep, n }));
    free(deep);
}

static void check_sign(void **state)
{
    (void)state;
    const Bytes dict[DICTS] = { bytes_of(HEADER), bytes_of("{}"), bytes_of("{}"), bytes_of("{}") };
    char signature[SIGNATURE_SIZE + 1];
    wire_sign(bytes_of("k"), dict, signature);
    assert_string_equal(signature, SIGNED);
    wire_sign(bytes_of(""), dict, signature);
    assert_string_equal(signature, "");
}

/* ---- text --------------------------------------------------------------------------------------------- */
static void check_points(void **state)
{
    (void)state;
    const char *s = "a\xc3\xa9\xf0\x9f\x98\x80z";       /* 1, 2, 4 and 1 bytes */
    static const size_t offset[] = { 0, 1, 3, 7, 8, 8 };
    for (size_t k = 0; k < COUNT(offset); k++)
        assert_int_equal(utf8_offset(s, 8, (int64_t)k), offset[k]);
    assert_int_equal(utf8_offset(s, 8, -1), 8);
    assert_int_equal(utf8_offset(s, 8, INT64_MAX), 8);
    assert_int_equal(utf8_offset("", 0, 0), 0);
    assert_int_equal(utf8_points(s, 8), 4);
    assert_int_equal(utf8_points(s, 3), 2);
}

static void check_whole(void **state)
{
    (void)state;
    static const size_t whole[] = { 0, 1, 1, 3, 3, 3, 3, 7, 8 };
    for (size_t n = 0; n < COUNT(whole); n++)
        assert_int_equal(utf8_whole("a\xc3\xa9\xf0\x9f\x98\x80z", n), whole[n]);
    assert_int_equal(utf8_whole("\x80\x80\x80\x80\x80", 5), 5);         /* no UTF-8 at all: nothing to wait for */
}

static void check_bad_bytes(void **state)
{
    (void)state;
    static const struct { const char *from; size_t n; const char *to; } cases[] = {
        { "abc", 3, "\"abc\"" }, { "a\xff" "b", 3, "\"a\xef\xbf\xbd" "b\"" }, { "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
        { "a\0b", 3, "\"a\\u0000b\"" }, { "\xf0\x9f\x98", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" }, { NULL, 0, "\"\"" },
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        json_t *string = json_utf8(cases[k].from, cases[k].n);
        char *text = json_dumps(string, JSON_ENCODE_ANY);
        assert_string_equal(text, cases[k].to);
        free(text);
        json_decref(string);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 6] = {
        cmocka_unit_test(check_too_many_identities), cmocka_unit_test(check_deep_header), cmocka_unit_test(check_sign),
        cmocka_unit_test(check_points), cmocka_unit_test(check_whole), cmocka_unit_test(check_bad_bytes),
    };
    for (size_t k = 0; k < COUNT(rows); k++)
        tests[6 + k] = (struct CMUnitTest){ rows[k].name, check, NULL, NULL, (void *)&rows[k] };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
