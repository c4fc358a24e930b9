/*
 * str_methods.c - methods of str: case, tests, padding, translation, and the table of all.
 */
#include "lang/types/str_search.h"
#include <string.h>
#include <utf8proc.h>

#define SELF const Str *str = (Str *)self.object
#define METHOD(name) static bool name(Session *s, Value self, Value *arg, Value *out, Err *err)

static void add_point(Text *text, int32_t point)
{
    utf8proc_uint8_t utf8[4];
    text_add(text, (char *)utf8, (size_t)utf8proc_encode_char(point, utf8));
}

/* ---- case ----------------------------------------------------------------------------------------------- */
typedef enum Casing { UPPER, LOWER, TITLE, CAPITALIZE, SWAPCASE, CASEFOLD } Casing;

static bool is_upper(int32_t point)
{
    return utf8proc_isupper(point);
}

static bool is_lower(int32_t point)
{
    return utf8proc_islower(point);
}

static bool is_cased(int32_t point)
{
    return is_upper(point) || is_lower(point) || utf8proc_category(point) == UTF8PROC_CATEGORY_LT;
}

static void add_upper(Text *text, int32_t point)
{
    if (point == 0xdf)                  /* the one letter that teaching texts have whose capital is two */
        text_put(text, "SS");
    else
        add_point(text, utf8proc_toupper(point));
}

static void add_lower(Text *text, int32_t point, bool fold)
{
    if (fold && point == 0xdf)
        text_put(text, "ss");
    else
        add_point(text, utf8proc_tolower(point));
}

/* The large form that begins a word: of the sharp s two letters. */
static void add_title(Text *text, int32_t point)
{
    if (point == 0xdf)
        text_put(text, "Ss");
    else
        add_point(text, utf8proc_totitle(point));
}

METHOD(casing)
{
    SELF;
    Text text = { 0 };
    bool inside = false;                /* after a cased letter */
    for (int64_t at = 0, next; at < str->size; at = next) {
        int32_t point = str_point(str, at, &next);
        switch ((Casing)arg[-1].i) {
        case UPPER: add_upper(&text, point); break;
        case LOWER: case CASEFOLD: add_lower(&text, point, arg[-1].i == CASEFOLD); break;
        case SWAPCASE: is_upper(point) ? add_lower(&text, point, false) : add_upper(&text, point); break;
        case CAPITALIZE: at ? add_lower(&text, point, false) : add_title(&text, point); break;
        case TITLE:
            inside ? add_lower(&text, point, false) : add_title(&text, point);
            inside = is_cased(point);
            break;
        }
    }
    return text_out(s, &text, out, err);
}

/* ---- tests ---------------------------------------------------------------------------------------------- */
typedef enum Test { ALPHA, DIGIT, DECIMAL, NUMERIC, ALNUM, SPACE, IS_UPPER, IS_LOWER, IS_TITLE, PRINTABLE, ASCII, IDENTIFIER } Test;

static bool is_alpha(utf8proc_category_t c)
{
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO;
}

static bool is_digit(int32_t point, utf8proc_category_t c)
{
    return c == UTF8PROC_CATEGORY_ND || point == 0xb2 || point == 0xb3 || point == 0xb9 || (point >= 0x2070 && point <= 0x2089 && c == UTF8PROC_CATEGORY_NO);
}

static bool is_numeric(utf8proc_category_t c)
{
    return c == UTF8PROC_CATEGORY_ND || c == UTF8PROC_CATEGORY_NL || c == UTF8PROC_CATEGORY_NO;
}

static bool passes(Test test, int32_t point, bool first)
{
    utf8proc_category_t c = utf8proc_category(point);
    switch (test) {
    case ALPHA: return is_alpha(c);
    case DIGIT: return is_digit(point, c);
    case DECIMAL: return c == UTF8PROC_CATEGORY_ND;
    case NUMERIC: return is_numeric(c);
    case ALNUM: return is_alpha(c) || is_numeric(c);
    case SPACE: return point_is_space(point);
    case ASCII: return point < 0x80;
    case PRINTABLE:
        return point == ' ' || (c != UTF8PROC_CATEGORY_CN && c < UTF8PROC_CATEGORY_ZS);
    default:
        return point == '_' || is_alpha(c) || c == UTF8PROC_CATEGORY_NL
            || (!first && (c == UTF8PROC_CATEGORY_ND || c == UTF8PROC_CATEGORY_MN || c == UTF8PROC_CATEGORY_MC || c == UTF8PROC_CATEGORY_PC));
    }
}

METHOD(test)
{
    SELF;
    Test which = (Test)arg[-1].i;
    bool yes = str->size || which == ASCII || which == PRINTABLE, cased = false, inside = false;
    (void)s, (void)err;
    for (int64_t at = 0, next; yes && at < str->size; at = next) {
        int32_t point = str_point(str, at, &next);
        bool upper = is_upper(point), lower = is_lower(point);
        switch (which) {
        case IS_UPPER: yes = !lower; break;
        case IS_LOWER: yes = !upper; break;
        case IS_TITLE:
            yes = upper ? !inside : lower ? inside : true;
            inside = upper || lower;
            break;
        default: yes = passes(which, point, !at);
        }
        cased = cased || upper || lower;
    }
    if (which >= IS_UPPER && which <= IS_TITLE)
        yes = yes && cased;
    *out = value_bool(yes);
    return true;
}

/* ---- padding and stripping ------------------------------------------------------------------------------ */
typedef enum Side { BOTH, LEFT, RIGHT } Side;

/* center, ljust (text to the left), rjust */
METHOD(pad)
{
    SELF;
    int64_t width;
    if (!value_index(s, arg[0], "width", &width, err))
        return false;
    if (!value_is(arg[1], TYPE_STR) || ((Str *)arg[1].object)->length != 1)
        return err_set(err, ERR_TYPE, "The fill character must be exactly one character long");
    const Str *fill = (Str *)arg[1].object;
    int64_t room = width - str->length;
    if (room <= 0)
        return *out = value_retain(self), true;
    if (room > (INT64_C(1) << 40))
        return err_memory(err, (size_t)room);
    int64_t left = arg[-1].i == LEFT ? 0 : arg[-1].i == RIGHT ? room : room / 2 + (room & width & 1);
    Text text = { 0 };
    for (int64_t i = 0; i < left && !text.failed; i++)
        text_add(&text, fill->s, (size_t)fill->size);
    text_add(&text, str->s, (size_t)str->size);
    for (int64_t i = left; i < room && !text.failed; i++)
        text_add(&text, fill->s, (size_t)fill->size);
    return text_out(s, &text, out, err);
}

METHOD(zfill)
{
    SELF;
    int64_t width;
    bool sign = str->size && (*str->s == '-' || *str->s == '+');
    if (!value_index(s, arg[0], "width", &width, err))
        return false;
    if (width <= str->length)
        return *out = value_retain(self), true;
    if (width > (INT64_C(1) << 40))
        return err_memory(err, (size_t)width);
    Text text = { 0 };
    text_add(&text, str->s, sign);
    text_fill(&text, '0', (size_t)(width - str->length));
    text_add(&text, str->s + sign, (size_t)(str->size - sign));
    return text_out(s, &text, out, err);
}

static bool is_stripped(const Str *str, int64_t at, int64_t next, const Str *which)
{
    int64_t unused;
    if (!which)
        return point_is_space(str_point(str, at, &unused));
    return memmem(which->s, (size_t)which->size, str->s + at, (size_t)(next - at)) != NULL;
}

METHOD(strip)
{
    SELF;
    const Str *which = NULL;
    int64_t from = 0, to = str->size, next;
    if (!value_is_none(arg[0])) {
        if (!value_is(arg[0], TYPE_STR))
            return err_set(err, ERR_TYPE, "strip arg must be None or str");
        which = (Str *)arg[0].object;
    }
    while (arg[-1].i != RIGHT && from < to) {
        str_point(str, from, &next);
        if (!is_stripped(str, from, next, which))
            break;
        from = next;
    }
    while (arg[-1].i != LEFT && to > from) {
        int64_t last = to - 1;
        while (((unsigned char)str->s[last] & 0xc0) == 0x80)
            last--;
        if (!is_stripped(str, last, to, which))
            break;
        to = last;
    }
    if (from == 0 && to == str->size)
        return *out = value_retain(self), true;
    return str_out(str_new(s, str->s + from, to - from, err), out);
}

METHOD(expandtabs)
{
    SELF;
    int64_t size, column = 0;
    Text text = { 0 };
    if (!value_index(s, arg[0], "tabsize", &size, err))
        return false;
    for (int64_t at = 0, next; at < str->size; at = next) {
        int32_t point = str_point(str, at, &next);
        if (point == '\t') {
            int64_t more = size > 0 ? size - column % size : 0;
            text_fill(&text, ' ', (size_t)more);
            column += more;
            continue;
        }
        column = point == '\n' || point == '\r' ? 0 : column + 1;
        text_add(&text, str->s + at, (size_t)(next - at));
    }
    return text_out(s, &text, out, err);
}

/* ---- formatting, encoding, translation ------------------------------------------------------------------ */
METHOD(format)
{
    return format_braces(s, (Str *)self.object, arg[0], arg[1], out, err);
}

METHOD(format_map)
{
    Tuple *none = tuple_new(s, 0, err);
    if (!none)
        return false;
    bool ok = format_braces(s, (Str *)self.object, value_object_take(none), arg[0], out, err);
    object_release(&none->head);
    return ok;
}

METHOD(encode)
{
    SELF;
    if (!value_is(arg[0], TYPE_STR))
        return err_set(err, ERR_TYPE, "the encoding must be str, not %s", value_type_name(arg[0]));
    const char *encoding = ((Str *)arg[0].object)->s;
    bool ascii = !strcasecmp(encoding, "ascii");
    if (!ascii && strcasecmp(encoding, "utf-8") && strcasecmp(encoding, "utf8"))
        return err_set(err, ERR_LOOKUP, "unknown encoding: %.100s", encoding) || err_hint(err, "Locus knows utf-8 and ascii");
    if (ascii && !(str->head.flags & STR_ASCII))
        return err_set(err, ERR_UNICODE, "the text has characters that are not ASCII");
    return str_out(bytes_new(s, str->s, str->size, err), out);
}

static int32_t only_point(Value v)
{
    int64_t next;
    if (value_is(v, TYPE_STR) && ((Str *)v.object)->length == 1)
        return str_point((Str *)v.object, 0, &next);
    return -1;
}

/* str.maketrans(dict) or (from, to[, delete]): a dict of code points. */
METHOD(maketrans)
{
    (void)self;
    Dict *table = dict_new(s, err);
    bool ok = table;
    int64_t at = 0, to_at = 0, next;
    Value key, value;
    if (ok && value_is_unset(arg[1])) {
        if (!value_is(arg[0], TYPE_DICT))
            ok = err_set(err, ERR_TYPE, "maketrans() with one argument takes a dict");
        while (ok && dict_next((Dict *)arg[0].object, &at, &key, &value)) {
            int32_t point = only_point(key);
            ok = value_is_int(key) ? dict_set(s, table, key, value, err)
               : point >= 0 ? dict_set(s, table, int_new(s, point), value, err)
               : err_set(err, ERR_VALUE, "keys of a translation must be ints or texts of length 1");
        }
    } else if (ok) {
        if (!value_is(arg[0], TYPE_STR) || !value_is(arg[1], TYPE_STR) || (!value_is_unset(arg[2]) && !value_is(arg[2], TYPE_STR)))
            ok = err_set(err, ERR_TYPE, "maketrans() takes texts");
        const Str *from = (Str *)arg[0].object, *to = (Str *)arg[1].object;
        if (ok && from->length != to->length)
            ok = err_set(err, ERR_VALUE, "the first two maketrans arguments must have equal length");
        for (; ok && at < from->size; at = next) {
            int32_t point = str_point(from, at, &next);
            int64_t to_next;
            int32_t with = str_point(to, to_at, &to_next);
            to_at = to_next;
            ok = dict_set(s, table, int_new(s, point), int_new(s, with), err);
        }
        const Str *gone = ok && !value_is_unset(arg[2]) ? (Str *)arg[2].object : NULL;
        for (at = 0; gone && ok && at < gone->size; at = next)
            ok = dict_set(s, table, int_new(s, str_point(gone, at, &next)), value_none(), err);
    }
    if (ok)
        *out = value_object_take(table);
    else if (table)
        object_release(&table->head);
    return ok;
}

METHOD(translate)
{
    SELF;
    Text text = { 0 };
    Value with;
    if (!value_is(arg[0], TYPE_DICT))
        return err_set(err, ERR_TYPE, "translate() takes a dict, not %s", value_type_name(arg[0]));
    for (int64_t at = 0, next; at < str->size; at = next) {
        int32_t point = str_point(str, at, &next);
        if (!dict_get(s, (Dict *)arg[0].object, int_new(s, point), &with, err))
            return text_free(&text), false;
        if (value_is_unset(with))
            text_add(&text, str->s + at, (size_t)(next - at));
        else if (value_tag(with) == V_INT && with.i >= 0 && with.i < 0x110000)
            add_point(&text, (int32_t)with.i);
        else if (value_is(with, TYPE_STR))
            text_add(&text, ((Str *)with.object)->s, (size_t)((Str *)with.object)->size);
        else if (!value_is_none(with)) {
            text_free(&text);
            return err_set(err, ERR_TYPE, "character mapping must return integer, None or str");
        }
    }
    return text_out(s, &text, out, err);
}

#define PART(name, payload, doc) { name, str_method_find, "sub, start = None, end = None, /", payload, doc }
#define TEST(name, which, doc) { name, test, "", which, doc }
const NativeRow str_methods[] = {
    { "capitalize", casing, "", CAPITALIZE, "The first letter large, the others small." },
    { "casefold", casing, "", CASEFOLD, "Small letters, for comparing." },
    { "center", pad, "width, fillchar = ' ', /", BOTH, "In the middle of so many characters." },
    { "count", str_method_count, "sub, start = None, end = None, /", 0, "How often a text is in it, without overlaps." },
    { "encode", encode, "encoding = 'utf-8', errors = 'strict'", 0, "Its bytes." },
    { "endswith", str_method_affix, "suffix, start = None, end = None, /", 1, "Does it end with the text, or one of a tuple?" },
    { "expandtabs", expandtabs, "tabsize = 8", 0, "Tabs become spaces." },
    PART("find", FIND_FIRST, "Where a text is first, or -1."),
    { "format", format, "*args, **kwargs", 0, "Puts values in the place of {}." },
    { "format_map", format_map, "mapping, /", 0, "Puts values of a dict in the place of {name}." },
    PART("index", FIND_FIRST + FIND_OR_RAISE, "Where a text is first, or ValueError."),
    TEST("isalnum", ALNUM, "Letters and digits only?"),
    TEST("isalpha", ALPHA, "Letters only?"),
    TEST("isascii", ASCII, "ASCII only?"),
    TEST("isdecimal", DECIMAL, "Decimal digits only?"),
    TEST("isdigit", DIGIT, "Digits only?"),
    TEST("isidentifier", IDENTIFIER, "Could it be a name?"),
    TEST("islower", IS_LOWER, "Small letters, and no large ones?"),
    TEST("isnumeric", NUMERIC, "Numbers only?"),
    TEST("isprintable", PRINTABLE, "Does repr() leave it as it is?"),
    TEST("isspace", SPACE, "White space only?"),
    TEST("istitle", IS_TITLE, "Does each word begin large?"),
    TEST("isupper", IS_UPPER, "Large letters, and no small ones?"),
    { "join", str_method_join, "iterable, /", 0, "The texts of an iterable, with this one between them." },
    { "ljust", pad, "width, fillchar = ' ', /", LEFT, "At the left of so many characters." },
    { "lower", casing, "", LOWER, "In small letters." },
    { "lstrip", strip, "chars = None, /", LEFT, "Without white space (or these characters) at the beginning." },
    { "maketrans", maketrans, "x, y = ..., z = ..., /", ROW_STATIC, "A table for translate()." },
    { "partition", str_method_partition, "sep, /", 0, "What is before the separator, the separator, and the rest." },
    { "removeprefix", str_method_remove_affix, "prefix, /", 0, "Without the text at the beginning." },
    { "removesuffix", str_method_remove_affix, "suffix, /", 1, "Without the text at the end." },
    { "replace", str_method_replace, "old, new, count = -1, /", 0, "With another text in the place of each of one." },
    PART("rfind", FIND_LAST, "Where a text is last, or -1."),
    PART("rindex", FIND_LAST + FIND_OR_RAISE, "Where a text is last, or ValueError."),
    { "rjust", pad, "width, fillchar = ' ', /", RIGHT, "At the right of so many characters." },
    { "rpartition", str_method_partition, "sep, /", 1, "What is before the last separator, the separator, and the rest." },
    { "rsplit", str_method_split, "sep = None, maxsplit = -1", 1, "A list of its parts, counted from the right." },
    { "rstrip", strip, "chars = None, /", RIGHT, "Without white space (or these characters) at the end." },
    { "split", str_method_split, "sep = None, maxsplit = -1", 0, "A list of its parts between white space, or between a text." },
    { "splitlines", str_method_splitlines, "keepends = False", 0, "A list of its lines." },
    { "startswith", str_method_affix, "prefix, start = None, end = None, /", 0, "Does it begin with the text, or one of a tuple?" },
    { "strip", strip, "chars = None, /", BOTH, "Without white space (or these characters) at both ends." },
    { "swapcase", casing, "", SWAPCASE, "Large letters small, small ones large." },
    { "title", casing, "", TITLE, "Each word with a large first letter." },
    { "translate", translate, "table, /", 0, "With characters replaced as a table says." },
    { "upper", casing, "", UPPER, "In large letters." },
    { "zfill", zfill, "width, /", 0, "With zeros before it, behind a sign." },
    { 0 }
};
