/* install.h - the kernelspec: how Jupyter finds this program. */
#ifndef KERNEL_INSTALL_H
#define KERNEL_INSTALL_H
#include <stdbool.h>

typedef struct Spec {
    const char *prefix;                 /* PREFIX/share/jupyter/kernels; NULL: /usr/local */
    bool        user;                   /* the user's own folder instead */
    const char *name, *display_name;
    const char *program;                /* the path to write; NULL: where this program is */
} Spec;

/* Writes or removes the folder of the spec and says which on standard output. Exit status. */
int spec_install(const Spec *spec);
int spec_remove(const Spec *spec);
#endif
