/*
 * owners.h - what keeps a storage alive: every chain of references from a name to it, and the fewest `del`s that would free it.
 * Plain data in one arena, as a snapshot is.
 */
#ifndef LANG_OWNERS_H
#define LANG_OWNERS_H
#include "lang/session.h"

typedef struct Sharer {                 /* a living tensor over the storage */
    TensorFact fact;
    uint64_t   object, id;              /* serial; what id() returns */
    bool       is_array;                /* an ndarray */
    uint64_t   base;                    /* serial of the tensor it is a view of; 0: none */
} Sharer;

typedef struct Chain {                  /* from a tensor up to a name: "keep[1]", "keep" */
    size_t       sharer;                /* whose */
    uint64_t     base_of;               /* the serial of a view of it over the same storage that holds it; 0 else. Then 0 links */
    const char **link;                  /* the nearest to the tensor first, the name last; 0 links: nothing with a name */
    size_t       links;
    bool         hidden;                /* the last is "_" or the last error */
} Chain;

typedef struct Owners {
    uint64_t storage, target;           /* serials of the storage and of the object that was asked about */
    Sharer  *sharer;                    /* the target first, the others by age */
    size_t   sharers;
    Chain   *chain;                     /* by sharer */
    size_t   chains;
    bool     more;                      /* there are more chains than are listed */
    const char **del;                   /* what to let go of: "X", "keep[1]", "_" */
    bool     *del_hidden;               /* "_", the last error: no name, %xdel or the next value lets go of it */
    size_t   dels;
    int64_t  freed;                     /* bytes that this gives back, of all storages */
    bool     frees_target;              /* false: only a cycle, or something without a name, keeps it then */
    struct Arena *arena;
} Owners;

/*
 * About the tensor that `expression` gives (n bytes of UTF-8: a name, `net.weight`, `L[0]`); it is evaluated silently.
 * NULL: err is what evaluating raised, TypeError when it is no tensor, MemoryError.
 */
Owners *session_owners(Session *session, const char *expression, size_t n, Err *err);
void    owners_free(Owners *owners);                    /* NULL is allowed */
#endif
