/*
 * prelude.c - modules that are written in the language itself (prelude/NAME.py), compiled when they are first imported.
 * Their events and errors are attributed to the line of the program that called them.
 */
#include "lang/modules/modules.h"
#include "lang/run/frame.h"
#include "lang/types/rows.h"
#include <stdio.h>

#include "lang/modules/prelude.inc"                     /* made: `static const unsigned char text_NAME[]` for each */

typedef struct Library { const char *name; const unsigned char *text; size_t size; } Library;
static const Library libraries[] = {
#define LIBRARY(name, file) { name, text_##file, sizeof text_##file },
#include "lang/modules/prelude.def"
};

void library_names(void (*each)(void *to, const char *name), void *to)
{
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++)
        if (libraries[k].name[0] != '_' && !strchr(libraries[k].name, '+'))
            each(to, libraries[k].name);
}

/* Runs the text: its names with what they hold. */
static Dict *run_library(Session *s, const Library *library, Err *err)
{
    Place where;
    char name[64];
    Value names = value_unset();
    snprintf(name, sizeof name, "<%s>", library->name);
    int source = source_add(s, name, (const char *)library->text, library->size, err);
    Code *code = source ? compile_source(s, source, COMPILE_LIBRARY, &where, err) : NULL;
    Frame *back = s->frame, *frame = code ? frame_new_module(s, code, err) : NULL;
    bool ok = frame;
    if (ok) {
        frame->entry = true;
        s->frame = frame;
        ok = vm_run(s, frame, &names, err) == RUN_RETURNED;
        s->frame = back;
    }
    if (code)
        object_release(&code->head);
    return ok ? (Dict *)names.object : NULL;
}

/* Its classes call themselves after the module. */
static void name_classes(Dict *dict, const char *name)
{
    Value key, value;
    for (int64_t at = 0; dict_next(dict, &at, &key, &value); )
        if (value_is(value, TYPE_CLASS) && !strcmp(((Class *)value.object)->module, "__main__"))
            ((Class *)value.object)->module = name;
}

Module *library_more(Module *m, const char *name)
{
    char more[64];
    snprintf(more, sizeof more, "%s+", name);
    for (size_t k = 0; m && k < sizeof libraries / sizeof *libraries; k++)
        m->more = m->more || !strcmp(libraries[k].name, more);
    return m;
}

static bool has_row(const Module *m, const Str *name)
{
    for (const NativeRow *row = m->rows; row && row->name; row++)
        if (!strcmp(row->name, name->s))
            return true;
    return false;
}

bool module_load_more(Session *s, Module *m, Err *err)
{
    char more[64];
    const Library *library = NULL;
    Value key, value;
    snprintf(more, sizeof more, "%s+", m->name->s);
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++)
        if (!strcmp(libraries[k].name, more))
            library = &libraries[k];
    m->more = false;
    Dict *dict = library ? run_library(s, library, err) : NULL;
    bool ok = dict;
    if (ok)
        name_classes(dict, m->name->s);
    for (int64_t at = 0; ok && dict_next(dict, &at, &key, &value); )
        ok = value_is(value, TYPE_MODULE) || has_row(m, (Str *)key.object) || dict_find_str(m->dict, (Str *)key.object)
          || dict_set(s, m->dict, key, value, err);
    if (dict)
        object_release(&dict->head);
    return ok;
}

Module *library_module(Session *s, const char *name, Err *err)
{
    const Library *library = NULL;
    for (size_t k = 0; !library && k < sizeof libraries / sizeof *libraries; k++)
        if (!strcmp(libraries[k].name, name))
            library = &libraries[k];
    Module *m = library ? module_new(s, name, NULL, err) : NULL;
    if (!m)
        return NULL;
    Dict *dict = run_library(s, library, err);
    if (!dict) {
        object_release(&m->head);
        return NULL;
    }
    name_classes(dict, library->name);
    object_release(&m->dict->head);
    m->dict = dict;
    return m;
}
