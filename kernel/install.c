/*
 * install.c - writes kernel.json and the logos, and takes them away again.
 */
#include "kernel/install.h"
#include "kernel/json.h"
#include "kernel/logos/logos.inc"
#include "tensor/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct { const char *name; const unsigned char *data; size_t size; } logos[] = {
    { "logo-32x32.png", logo_32, sizeof logo_32 }, { "logo-64x64.png", logo_64, sizeof logo_64 },
    { "logo-svg.svg", logo_svg, sizeof logo_svg },
};
#define COUNT(array) (sizeof (array) / sizeof *(array))

static bool problem(const char *path)
{
    fprintf(stderr, "locus-kernel: %s: %s\n", path, strerror(errno));
    return false;
}

/* ---- where -------------------------------------------------------------------------------------------- */
static bool folder_of(const Spec *spec, Text *path)
{
    const char *data = getenv("JUPYTER_DATA_DIR"), *shared = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (!*spec->name || spec->name[0] == '.' || spec->name[strspn(spec->name, allowed)]) {
        fprintf(stderr, "locus-kernel: '%s' is no name for a kernel: letters, digits, '.', '_' and '-' are\n", spec->name);
        return false;
    }
    if (spec->user && !(data && *data) && !(shared && *shared) && !(home && *home)) {
        fprintf(stderr, "locus-kernel: HOME is not set\n");
        return false;
    }
    if (spec->user && data && *data)
        text_put(path, data);
    else if (spec->user && shared && *shared)           /* the same places, in the same order, as Jupyter */
        text_print(path, "%s/jupyter", shared);
    else if (spec->user)
        text_print(path, "%s/.local/share/jupyter", home);
    else
        text_print(path, "%s/share/jupyter", spec->prefix ? spec->prefix : "/usr/local");
    text_print(path, "/kernels/%s", spec->name);
    return text_end(path);
}

static bool make_folders(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        bool made = !mkdir(path, 0777) || errno == EEXIST;
        if (!made)
            problem(path);
        *slash = '/';
        if (!made)
            return false;
    }
    return !mkdir(path, 0777) || errno == EEXIST || problem(path);
}

/* ---- files -------------------------------------------------------------------------------------------- */
static bool write_file(const char *folder, const char *name, const void *data, size_t size)
{
    Text path = { 0 };
    text_print(&path, "%s/%s", folder, name);
    FILE *file = text_end(&path) ? fopen(path.s, "wb") : NULL;
    bool ok = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file))
        ok = false;
    if (!ok)
        problem(path.s ? path.s : name);
    text_free(&path);
    return ok;
}

static char *own_path(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0) {
        problem("/proc/self/exe");
        return NULL;
    }
    path[n] = 0;
    return strdup(path);
}

static char *spec_text(const Spec *spec)
{
    char *own = spec->program ? strdup(spec->program) : own_path();
    json_t *json = own ? json_pack("{s:[o, s, s], s:o, s:s, s:s, s:{s:b}}", "argv", json_word(own), "-f", "{connection_file}",
                                   "display_name", json_word(spec->display_name), "language", "python", "interrupt_mode", "signal",
                                   "metadata", "debugger", 0) : NULL;
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
    json_decref(json);
    free(own);
    return text;
}

int spec_install(const Spec *spec)
{
    Text folder = { 0 };
    bool ok = folder_of(spec, &folder) && make_folders(folder.s);
    char *text = ok ? spec_text(spec) : NULL;
    ok = text && write_file(folder.s, "kernel.json", text, strlen(text));
    for (size_t k = 0; ok && k < COUNT(logos); k++)
        ok = write_file(folder.s, logos[k].name, logos[k].data, logos[k].size);
    if (ok)
        printf("installed the kernel '%s' in %s\n", spec->name, folder.s);
    free(text);
    text_free(&folder);
    return !ok;
}

static bool remove_file(const char *folder, const char *name)
{
    Text path = { 0 };
    text_print(&path, "%s/%s", folder, name);
    bool ok = text_end(&path) && (!unlink(path.s) || errno == ENOENT || problem(path.s));
    text_free(&path);
    return ok;
}

int spec_remove(const Spec *spec)
{
    Text folder = { 0 };
    bool ok = folder_of(spec, &folder);
    if (ok && access(folder.s, F_OK))
        ok = problem(folder.s);
    for (size_t k = 0; ok && k < COUNT(logos); k++)
        ok = remove_file(folder.s, logos[k].name);
    ok = ok && remove_file(folder.s, "kernel.json") && (!rmdir(folder.s) || problem(folder.s));
    if (ok)
        printf("removed %s\n", folder.s);
    text_free(&folder);
    return !ok;
}
