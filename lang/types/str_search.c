/*
 * str_search.c - finding, splitting, joining and replacing text. Positions are code points to the user, bytes inside.
 */
#include "lang/types/str_search.h"
#include <string.h>
#include <utf8proc.h>

int32_t str_point(const Str *str, int64_t at, int64_t *next)
{
    utf8proc_int32_t point = (unsigned char)str->s[at];
    if (point < 0x80)
        *next = at + 1;
    else
        *next = at + utf8proc_iterate((const utf8proc_uint8_t *)str->s + at, str->size - at, &point);
    return point;
}

bool point_is_space(int32_t point)
{
    if (point < 0x80)
        return (point >= 9 && point <= 13) || (point >= 28 && point <= 32);
    return point == 0x85 || utf8proc_category(point) == UTF8PROC_CATEGORY_ZS || point == 0x2028 || point == 0x2029;
}

/* Code points between two byte offsets. */
static int64_t points_between(const Str *str, int64_t from, int64_t to)
{
    int64_t n = 0;
    if (str->head.flags & STR_ASCII)
        return to - from;
    for (int64_t i = from; i < to; i++)
        n += ((unsigned char)str->s[i] & 0xc0) != 0x80;
    return n;
}

/* The bytes that the arguments start and end (None: from the beginning, to the end) leave; false in *inside: none at all. */
static bool bounds(Session *s, const Str *str, Value start, Value end, int64_t *from, int64_t *to, bool *inside, Err *err)
{
    int64_t first = 0, last = str->length;
    if ((!value_is_none(start) && !value_index(s, start, "slice indices", &first, err))
        || (!value_is_none(end) && !value_index(s, end, "slice indices", &last, err)))
        return false;
    first = first < 0 ? (first + str->length < 0 ? 0 : first + str->length) : first;
    last = last < 0 ? (last + str->length < 0 ? 0 : last + str->length) : last > str->length ? str->length : last;
    *inside = first <= last && first <= str->length;
    *from = str_offset(str, *inside ? first : 0);
    *to = str_offset(str, *inside ? last : 0);
    return true;
}

static bool want(Value v, const char *what, const Str **str, Err *err)
{
    if (!value_is(v, TYPE_STR))
        return err_set(err, ERR_TYPE, "%s must be str, not %s", what, value_type_name(v));
    *str = (Str *)v.object;
    return true;
}

/* The first place of `part` in the bytes from..to; -1: none. */
static int64_t first_place(const Str *str, int64_t from, int64_t to, const Str *part)
{
    const char *found = memmem(str->s + from, (size_t)(to - from), part->s, (size_t)part->size);
    return found ? found - str->s : -1;
}

static int64_t last_place(const Str *str, int64_t from, int64_t to, const Str *part)
{
    for (int64_t at = to - part->size; at >= from; at--)
        if (!memcmp(str->s + at, part->s, (size_t)part->size))
            return at;
    return -1;
}

STR_METHOD(find)
{
    const Str *str = (Str *)self.object, *part = NULL;
    int64_t from, to, at;
    bool inside;
    if (!want(arg[0], "the text to find", &part, err) || !bounds(s, str, arg[1], arg[2], &from, &to, &inside, err))
        return false;
    at = !inside ? -1 : arg[-1].i & FIND_LAST ? last_place(str, from, to, part) : first_place(str, from, to, part);
    if (at < 0 && (arg[-1].i & FIND_OR_RAISE))
        return err_set(err, ERR_VALUE, "substring not found");
    *out = int_new(s, at < 0 ? -1 : points_between(str, 0, at));
    return true;
}

STR_METHOD(count)
{
    const Str *str = (Str *)self.object, *part = NULL;
    int64_t from, to, at, n = 0;
    bool inside;
    if (!want(arg[0], "the text to count", &part, err) || !bounds(s, str, arg[1], arg[2], &from, &to, &inside, err))
        return false;
    if (!part->size)
        n = inside ? points_between(str, from, to) + 1 : 0;
    else
        while (inside && (at = first_place(str, from, to, part)) >= 0) {
            from = at + part->size;
            n++;
        }
    *out = int_new(s, n);
    return true;
}

static bool has_affix(const Str *str, int64_t from, int64_t to, const Str *part, bool end)
{
    return part->size <= to - from && !memcmp(str->s + (end ? to - part->size : from), part->s, (size_t)part->size);
}

STR_METHOD(affix)
{
    const Str *str = (Str *)self.object, *part = NULL;
    const Tuple *several = value_is(arg[0], TYPE_TUPLE) ? (Tuple *)arg[0].object : NULL;
    int64_t from, to;
    bool inside, yes = false;
    if (!bounds(s, str, arg[1], arg[2], &from, &to, &inside, err))
        return false;
    for (int64_t k = 0; k < (several ? several->n : 1); k++) {
        Value one = several ? several->item[k] : arg[0];
        if (!value_is(one, TYPE_STR))
            return err_set(err, ERR_TYPE, "%s first arg must be str or a tuple of str, not %s", arg[-1].i ? "endswith" : "startswith",
                           value_type_name(one));
        part = (Str *)one.object;
        yes = yes || (inside && has_affix(str, from, to, part, arg[-1].i));
    }
    *out = value_bool(yes);
    return true;
}

STR_METHOD(remove_affix)
{
    const Str *str = (Str *)self.object, *part = NULL;
    if (!want(arg[0], "the text to remove", &part, err))
        return false;
    if (!part->size || !has_affix(str, 0, str->size, part, arg[-1].i))
        return *out = value_retain(self), true;
    return str_out(str_new(s, str->s + (arg[-1].i ? 0 : part->size), str->size - part->size, err), out);
}

/* ---- splitting ------------------------------------------------------------------------------------------ */
static bool add_part(Session *s, List *list, const char *utf8, int64_t n, Err *err)
{
    Str *part = str_new(s, utf8, n, err);
    if (!part)
        return false;
    bool ok = list_append(s, list, (Value){ V_OBJECT, { .object = &part->head } }, err);
    object_release(&part->head);
    return ok;
}

static void reverse(List *list)
{
    for (int64_t i = 0; i < list->n / 2; i++) {
        Value kept = list->item[i];
        list->item[i] = list->item[list->n - 1 - i];
        list->item[list->n - 1 - i] = kept;
    }
}

/* At runs of white space; none at the ends. */
static bool split_words(Session *s, const Str *str, int64_t most, List *list, Err *err)
{
    int64_t at = 0, next;
    while (at < str->size) {
        if (point_is_space(str_point(str, at, &next))) {
            at = next;
            continue;
        }
        int64_t start = at, end = str->size;
        if (list->n == most) {          /* the rest, without white space at its end */
            for (int64_t k = at; k < str->size; k = next)
                if (!point_is_space(str_point(str, k, &next)))
                    end = next;
            at = str->size;
        } else {
            while (at < str->size && !point_is_space(str_point(str, at, &next)))
                at = next;
            end = at;
        }
        if (!add_part(s, list, str->s + start, end - start, err))
            return false;
    }
    return true;
}

/* Where the code point before byte `at` begins. */
static int64_t before(const Str *str, int64_t at)
{
    at--;
    while (at > 0 && ((unsigned char)str->s[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static bool split_words_back(Session *s, const Str *str, int64_t most, List *list, Err *err)
{
    int64_t at = str->size, next;
    while (at > 0) {
        int64_t one = before(str, at), start = 0, end = at;
        if (point_is_space(str_point(str, one, &next))) {
            at = one;
            continue;
        }
        if (list->n == most)
            at = 0;                     /* the rest, white space at its beginning too */
        else {
            for (start = at; start > 0 && !point_is_space(str_point(str, before(str, start), &next)); start = before(str, start))
                continue;
            at = start;
        }
        if (!add_part(s, list, str->s + start, end - start, err))
            return false;
    }
    reverse(list);
    return true;
}

static bool split_at(Session *s, const Str *str, const Str *part, int64_t most, bool back, List *list, Err *err)
{
    int64_t from = 0, to = str->size, at;
    while (list->n != most && (at = back ? last_place(str, from, to, part) : first_place(str, from, to, part)) >= 0) {
        int64_t start = back ? at + part->size : from, end = back ? to : at;
        if (!add_part(s, list, str->s + start, end - start, err))
            return false;
        if (back)
            to = at;
        else
            from = at + part->size;
    }
    if (!add_part(s, list, str->s + from, to - from, err))
        return false;
    if (back)
        reverse(list);
    return true;
}

STR_METHOD(split)
{
    const Str *str = (Str *)self.object, *part = NULL;
    bool back = arg[-1].i, ok;
    int64_t most;
    if (!value_index(s, arg[1], "maxsplit", &most, err) || (!value_is_none(arg[0]) && !want(arg[0], "the separator", &part, err)))
        return false;
    if (part && !part->size)
        return err_set(err, ERR_VALUE, "empty separator");
    List *list = list_new(s, 0, err);
    if (!list)
        return false;
    ok = part ? split_at(s, str, part, most, back, list, err)
       : back ? split_words_back(s, str, most, list, err) : split_words(s, str, most, list, err);
    if (ok)
        *out = value_object_take(list);
    else
        object_release(&list->head);
    return ok;
}

STR_METHOD(splitlines)
{
    const Str *str = (Str *)self.object;
    bool keep;
    if (!value_truth(s, arg[0], &keep, err))
        return false;
    List *list = list_new(s, 0, err);
    bool ok = list;
    for (int64_t at = 0, next; ok && at < str->size; at = next) {
        int64_t end = at;
        int32_t point = 0;
        for (next = at; next < str->size;) {
            end = next;
            point = str_point(str, end, &next);
            if ((point >= 10 && point <= 13) || (point >= 28 && point <= 30) || point == 0x85 || point == 0x2028 || point == 0x2029)
                break;
            end = next;
        }
        if (point == '\r' && end < next && next < str->size && str->s[next] == '\n')
            next++;
        ok = add_part(s, list, str->s + at, (keep ? next : end) - at, err);
    }
    if (ok)
        *out = value_object_take(list);
    else if (list)
        object_release(&list->head);
    return ok;
}

STR_METHOD(partition)
{
    const Str *str = (Str *)self.object, *part = NULL;
    bool back = arg[-1].i;
    if (!want(arg[0], "the separator", &part, err))
        return false;
    if (!part->size)
        return err_set(err, ERR_VALUE, "empty separator");
    int64_t at = back ? last_place(str, 0, str->size, part) : first_place(str, 0, str->size, part), end = at + part->size;
    Tuple *made = tuple_new(s, 3, err);
    if (!made)
        return false;
    const int64_t from[] = { 0, at, end }, to[] = { at, end, str->size };
    for (int k = 0; k < 3; k++) {
        bool whole = k == (back ? 2 : 0);
        Str *one = at >= 0 ? str_new(s, str->s + from[k], to[k] - from[k], err) : str_new(s, whole ? str->s : "", whole ? str->size : 0, err);
        if (!one) {
            object_release(&made->head);
            return false;
        }
        made->item[k] = value_object_take(one);
    }
    *out = value_object_take(made);
    return true;
}

/* ---- joining and replacing ------------------------------------------------------------------------------ */
STR_METHOD(join)
{
    const Str *str = (Str *)self.object;
    Text text = { 0 };
    if (!value_type(arg[0])->iter)
        return err_set(err, ERR_TYPE, "can only join an iterable");
    List *list = value_to_list(s, arg[0], err);
    if (!list)
        return false;
    bool ok = true;
    for (int64_t i = 0; ok && i < list->n; i++) {
        if (!value_is(list->item[i], TYPE_STR)) {
            err_set(err, ERR_TYPE, "sequence item %lld: expected str instance, %s found", (long long)i, value_type_name(list->item[i]));
            ok = err_hint(err, "'…'.join(str(x) for x in items) makes text of each");
            break;
        }
        const Str *item = (Str *)list->item[i].object;
        if (i)
            text_add(&text, str->s, (size_t)str->size);
        text_add(&text, item->s, (size_t)item->size);
    }
    object_release(&list->head);
    if (!ok)
        return text_free(&text), false;
    return text_out(s, &text, out, err);
}

STR_METHOD(replace)
{
    const Str *str = (Str *)self.object, *old = NULL, *with = NULL;
    int64_t most, at = 0, place, next;
    if (!want(arg[0], "replace() argument 1", &old, err) || !want(arg[1], "replace() argument 2", &with, err)
        || !value_index(s, arg[2], "count", &most, err))
        return false;
    int64_t n = 0, limit = most < 0 ? INT64_MAX : most;
    if (!old->size)                     /* between all characters */
        n = limit < str->length + 1 ? limit : str->length + 1;
    else
        while (n < limit && (place = first_place(str, at, str->size, old)) >= 0) {
            at = place + old->size;
            n++;
        }
    if (!n)
        return *out = value_retain(self), true;
    if (with->size > old->size && n > (INT64_MAX / 4 - str->size) / (with->size - old->size))
        return err_memory(err, SIZE_MAX);
    Str *made = str_of_size(s, str->size + n * (with->size - old->size), str->length + n * (with->length - old->length), err);
    if (!made)
        return false;
    char *to = made->s;
    at = 0;
    for (int64_t k = 0; k < n; k++) {
        if (old->size)
            next = first_place(str, at, str->size, old);
        else if (k)
            str_point(str, at, &next);
        else
            next = 0;
        memcpy(to, str->s + at, (size_t)(next - at));
        to += next - at;
        memcpy(to, with->s, (size_t)with->size);
        to += with->size;
        at = next + old->size;
    }
    memcpy(to, str->s + at, (size_t)(str->size - at));
    *out = value_object_take(made);
    return true;
}
