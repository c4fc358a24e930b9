/* test_trace.c - the JSON lines: keys, numbers that JSON has not, events, errors. */
#include "session14.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static char path[] = "/tmp/locus-trace-XXXXXX";

static Prop *value(const char *name, Fact fact)
{
    Prop *p = &stage.prop[stage.props++];
    p->fact = fact;
    Entry *entry = &stage.entry[stage.entries++];
    strcpy(entry->name, name);
    entry->prop = p;
    return p;
}

static json_t *line(FILE *file)
{
    char text[65536];
    json_error_t error;
    assert_non_null(fgets(text, sizeof text, file));
    json_t *o = json_loads(text, JSON_ALLOW_NUL, &error);
    assert_non_null(o);
    return o;
}

static const char *text_at(json_t *o, const char *a, const char *b)
{
    return json_string_value(json_object_get(json_object_get(o, a), b));
}

static void check_values(void **state)
{
    (void)state;
    static Fact items[2];
    Err err;
    FILE *file = fdopen(mkstemp(path), "r");
    stage_open(LEVEL_OFF);
    assert_true(show_trace_open(stage.show, path, &err));
    assert_true(stage.watched);
    value("a", (Fact){ .kind = FACT_INT, .type = "int", .text = "9007199254740992" });
    value("b", (Fact){ .kind = FACT_INT, .type = "int", .text = "9007199254740993" });
    value("c", (Fact){ .kind = FACT_INT, .type = "int", .text = "-123456789012345678901234567890" });
    value("d", (Fact){ .kind = FACT_FLOAT, .type = "float", .f = NAN });
    value("e", (Fact){ .kind = FACT_FLOAT, .type = "float", .f = -INFINITY });
    value("f", (Fact){ .kind = FACT_FLOAT, .type = "float", .f = 0.1 });
    value("g", (Fact){ .kind = FACT_NONE, .type = "NoneType" });
    value("h", (Fact){ .kind = FACT_BOOL, .type = "bool", .b = true });
    value("i", (Fact){ .kind = FACT_STR, .type = "str", .text = "a\0\xff", .text_size = 3 });
    items[0] = (Fact){ .kind = FACT_INT, .text = "1" };
    items[1] = (Fact){ .kind = FACT_OTHER, .type = "torch.dtype" };
    value("j", (Fact){ .kind = FACT_TUPLE, .type = "tuple", .object = 9, .item = items, .items = 2 });
    value("k", (Fact){ .kind = FACT_DICT, .type = "dict", .object = 8 });
    value("l", (Fact){ .kind = FACT_HIDDEN, .type = "module" });
    value("__name__", (Fact){ .kind = FACT_STR, .type = "str", .text = "x", .text_size = 1 });
    stage_begin("print(1)", false);
    show_trace_output(stage.show, STREAM_OUT, "1\n", 2);
    show_trace_output(stage.show, STREAM_ERR, "no\n", 3);
    stage.statement.result = "tensor(1)";
    stage.statement.result_size = 9;
    assert_true(show_trace_statement(stage.show, &stage.statement, &err));

    const ErrorInfo error = { .type = "RuntimeError", .message = "no", .line = 3 };
    stage_begin("T = X.half()\nboom", false);
    stage.statement.error = &error;
    stage_alloc(7, 2, 3);
    Event *copy = stage_event(EVENT_COPY);
    copy->reason = COPY_DTYPE;
    copy->from_dtype = DT_F32;
    copy->dtype = DT_F16;
    copy->other = 1;
    copy->storage = 7;
    assert_true(show_trace_statement(stage.show, &stage.statement, &err));

    json_t *one = line(file), *vars = json_object_get(one, "vars"), *two = line(file);
    assert_string_equal(json_string_value(json_object_get(one, "stdout")), "1\n");
    assert_string_equal(json_string_value(json_object_get(one, "result")), "tensor(1)");
    assert_true(json_is_null(json_object_get(one, "error")));
    assert_int_equal(json_object_size(vars), 11);
    assert_true(json_integer_value(json_object_get(json_object_get(vars, "a"), "value")) == 9007199254740992);
    assert_string_equal(text_at(vars, "b", "value"), "9007199254740993");
    assert_string_equal(text_at(vars, "c", "value"), "-123456789012345678901234567890");
    assert_string_equal(text_at(vars, "d", "value"), "nan");
    assert_string_equal(text_at(vars, "e", "value"), "-inf");
    assert_true(json_real_value(json_object_get(json_object_get(vars, "f"), "value")) == 0.1);
    assert_true(json_is_null(json_object_get(json_object_get(vars, "g"), "value")));
    assert_true(json_is_true(json_object_get(json_object_get(vars, "h"), "value")));
    assert_int_equal(json_string_length(json_object_get(json_object_get(vars, "i"), "value")), 5);
    assert_int_equal(json_array_size(json_object_get(json_object_get(vars, "j"), "items")), 2);
    assert_string_equal(text_at(vars, "k", "kind"), "other");
    assert_string_equal(text_at(vars, "k", "type"), "dict");
    assert_string_equal(text_at(two, "error", "type"), "RuntimeError");
    assert_string_equal(json_string_value(json_object_get(two, "stdout")), "");
    json_t *events = json_object_get(two, "events"), *alloc = json_array_get(events, 0);
    assert_int_equal(json_array_size(events), 2);
    assert_string_equal(json_string_value(json_object_get(alloc, "kind")), "alloc");
    assert_string_equal(json_string_value(json_object_get(alloc, "origin")), "cache");
    assert_int_equal(json_integer_value(json_object_get(alloc, "was")), 3);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(alloc, "span"), 3)), 12);
    assert_string_equal(json_string_value(json_object_get(json_array_get(events, 1), "reason")), "dtype float32 to float16");
    json_decref(one);
    json_decref(two);
    fclose(file);
    show_trace_close(stage.show);
    assert_false(stage.watched);
    unlink(path);
    stage_close();
}

static void check_refused(void **state)
{
    (void)state;
    Err err;
    stage_open(LEVEL_NORMAL);
    assert_false(show_trace_open(stage.show, "/nowhere/at/all.jsonl", &err));
    assert_int_equal(err.kind, ERR_OS);
    if (show_trace_open(stage.show, "/dev/full", &err)) {
        stage_begin("1", false);
        assert_false(show_trace_statement(stage.show, &stage.statement, &err));
        assert_int_equal(err.kind, ERR_OS);
    }
    stage_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_values),
        cmocka_unit_test(check_refused),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
