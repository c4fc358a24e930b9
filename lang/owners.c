/*
 * owners.c - what keeps a storage alive. The graph of all references is made once; what lies above the storage's tensors is walked
 * up to names for the chains. The fewest `del`s are a least cut between all names and the storage (L. R. Ford and D. R. Fulkerson,
 * 1956): a name, an element and an attribute can be cut, nothing else can. What that frees is counted by letting the references go
 * in a copy of their counts.
 */
#include "lang/owners.h"
#include "lang/graph.h"
#include "lang/run/frame.h"
#include "lang/syntax/ast.h"
#include "lang/types/rows.h"
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 64, STEPS = 20000, DEPTH = 64 };

typedef struct Root {                   /* a reference from outside of the graph */
    const char *name;
    uint32_t node;
    uint32_t order;                     /* by age of the name */
    bool hidden, fixed, twin;           /* fixed: cannot be deleted (Out itself); twin: the second reference of the same name */
} Root;

typedef struct Search {
    Session *s;
    Graph    graph;
    Storage *storage;                   /* borrowed: the target holds it */
    Tensor  *target;
    Root    *root;                      /* owned; sorted by node */
    size_t   roots, root_capacity;
    bool    *above;                     /* owned: does a node lead to the storage? */
    Owners  *owners;
    Arena   *arena;
    size_t   chain_capacity, steps;
    bool     failed;
} Search;

/* ---- memory ---- */
static void *take(Search *q, size_t bytes)
{
    void *memory = arena_take(q->arena, bytes ? bytes : 1);
    q->failed = q->failed || !memory;
    return memory ? memset(memory, 0, bytes) : NULL;
}

static const char *keep_text(Search *q, Text *text)
{
    char *copy = text->failed ? NULL : take(q, text->n + 1);
    if (copy && text->n)
        memcpy(copy, text->s, text->n);
    q->failed = q->failed || !copy;
    text_free(text);
    return copy;
}

/* ---- the names ---- */
static void add_root(Search *q, const char *name, Value v, bool hidden, bool fixed)
{
    uint32_t node = value_tag(v) == V_OBJECT ? graph_find(&q->graph, v.object) : GRAPH_NONE;
    if (node == GRAPH_NONE || q->failed)
        return;
    if (q->roots == q->root_capacity) {
        size_t capacity = q->root_capacity ? 2 * q->root_capacity : 64;
        Root *more = realloc(q->root, capacity * sizeof *more);
        if (!more) {
            q->failed = true;
            return;
        }
        q->root = more;
        q->root_capacity = capacity;
    }
    q->root[q->roots++] = (Root){ name, node, (uint32_t)q->roots, hidden, fixed, false };
}

static void add_hidden(void *to, const char *name, Value v)
{
    Search *q = to;
    if (strncmp(name, "Out[", 4) == 0)
        return;                                         /* reached through the dict, which has a name wherever it is used */
    char *copy = take(q, strlen(name) + 1);
    if (!copy)
        return;
    size_t before = q->roots;
    add_root(q, strcpy(copy, name), v, true, false);
    if (q->roots > before && strcmp(name, "_") == 0) {  /* the name itself is a builtin's, which is a second reference */
        add_root(q, copy, v, true, false);
        q->root[q->roots - 1].twin = q->roots > before + 1;
    }
}

static void find_roots(Search *q)
{
    for (int k = 0; k < q->s->globals; k++)
        if (!value_is_unset(q->s->global[k].value))
            add_root(q, q->s->global[k].name->s, q->s->global[k].value, false, session_is_out(q->s, q->s->global[k].value));
    session_holders(q->s, add_hidden, q);
}

/* ---- what leads to the storage ---- */
static bool find_above(Search *q, uint32_t storage)
{
    const Graph *g = &q->graph;
    uint32_t *todo = malloc(((size_t)g->nodes + 1) * sizeof *todo), todos = 0;
    q->above = calloc((size_t)g->nodes + 1, sizeof *q->above);
    if (!todo || !q->above) {
        free(todo);
        return false;
    }
    q->above[storage] = true;
    todo[todos++] = storage;
    while (todos) {
        uint32_t k = todo[--todos];
        for (uint32_t i = g->node[k].in; i < g->node[k + 1].in; i++) {
            uint32_t from = g->edge[g->back[i]].from;
            if (!q->above[from]) {
                q->above[from] = true;
                todo[todos++] = from;
            }
        }
    }
    free(todo);
    return true;
}

/* ---- how a place is written ---- */
typedef enum State { PLAIN, OF_OBJECT, OF_PARTS, OF_CLOSURE } State;       /* what the dict or tuple that we are in belongs to */
typedef struct Spelling {
    const char *text;                   /* of the place reached so far: "net.layer[0]" */
    State state;
    const Function *function;           /* OF_CLOSURE */
    bool fresh;                         /* the step named a place of its own; else it only went inside one */
    bool can_del;                       /* `del` can take it away */
} Spelling;

static bool is_name(const char *kind, const char *word) { return strcmp(kind, word) == 0; }

static const char *print(Search *q, const char *format, const char *text, const char *name)
{
    Text out = { 0 };
    text_print(&out, format, text, name);
    return keep_text(q, &out);
}

static const char *print_item(Search *q, const char *holder, Value key, int64_t index)
{
    Text out = { 0 };
    Err err = { 0 };
    text_print(&out, "%s[", holder);
    if (value_is_unset(key))
        text_print(&out, "%lld", (long long)index);
    else if (value_tag(key) == V_OBJECT && key.object->type == TYPE_INSTANCE)
        text_put(&out, "\xe2\x80\xa6");                 /* its own __repr__ is not run */
    else
        value_repr(q->s, key, &out, &err);
    text_char(&out, ']');
    return keep_text(q, &out);
}

static Spelling step_value(Search *q, Spelling from, EdgeName name)
{
    bool digits = name.name && *name.name && strspn(name.name, "0123456789") == strlen(name.name);
    if (from.state == PLAIN || !name.name)
        return (Spelling){ .text = print_item(q, from.text, name.key, name.index), .fresh = true, .can_del = true };
    if (from.state == OF_OBJECT && (is_name(name.name, "_parameters") || is_name(name.name, "_buffers") || is_name(name.name, "_modules")))
        return (Spelling){ .text = from.text, .state = OF_PARTS };
    return (Spelling){ .text = print(q, digits ? "%s[%s]" : "%s.%s", from.text, name.name), .fresh = true, .can_del = true };
}

static Spelling step(Search *q, Spelling from, uint32_t e)
{
    const Graph *g = &q->graph;
    Object *holder = g->node[g->edge[e].from].object;
    EdgeName name = graph_name(g, e);
    if (is_name(name.kind, "element") && from.state == OF_CLOSURE) {
        const Code *code = from.function->code;
        const char *variable = code && name.index < code->frees ? code->local[code->free_first + name.index]->s : "?";
        return (Spelling){ .text = print(q, "closure of %s: %s", from.text, variable), .fresh = true };
    }
    if (is_name(name.kind, "element"))
        return (Spelling){ .text = print_item(q, from.text, value_unset(), name.index), .fresh = true, .can_del = holder->type == TYPE_LIST };
    if (is_name(name.kind, "value"))
        return step_value(q, from, name);
    if (is_name(name.kind, "attributes") || is_name(name.kind, "members"))
        return (Spelling){ .text = from.text, .state = OF_OBJECT };
    if (is_name(name.kind, "closure"))
        return (Spelling){ .text = from.text, .state = OF_CLOSURE, .function = (Function *)holder };
    if (is_name(name.kind, "content") || is_name(name.kind, "cell") || is_name(name.kind, "traceback"))
        return (Spelling){ .text = from.text, .state = from.state == OF_PARTS ? PLAIN : from.state };
    if (is_name(name.kind, "local"))
        return (Spelling){ .text = print(q, "%2$s in %1$s", from.text, name.name), .fresh = true };
    if (is_name(name.kind, "base of a view"))
        return (Spelling){ .text = print(q, "base of %s", from.text, ""), .fresh = true };
    return (Spelling){ .text = print(q, "%2$s of %1$s", from.text, name.kind), .fresh = true };
}

/* The place that the edges path[n - 1] … path[0] lead to from a root; links of it, nearest first, when `chain` is given. */
static Spelling spell(Search *q, const char *root, const uint32_t *path, size_t n, Chain *chain)
{
    Spelling at = { .text = root, .fresh = true };
    const char *link[DEPTH + 1];
    size_t links = 0;
    link[links++] = root;
    for (size_t k = n; k--; ) {
        at = step(q, at, path[k]);
        if (q->failed)
            return at;
        if (at.fresh)
            link[links++] = at.text;
    }
    if (chain && (chain->link = take(q, links * sizeof *chain->link))) {
        chain->links = links;
        for (size_t k = 0; k < links; k++)
            chain->link[k] = link[links - 1 - k];
    }
    return at;
}

/* ---- the chains ---- */
static int by_node(const void *a, const void *b)
{
    const Root *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : (x->order > y->order) - (x->order < y->order);
}

static size_t first_root(const Search *q, uint32_t node)
{
    size_t low = 0, high = q->roots;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (q->root[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static Chain *add_chain(Search *q, size_t sharer)
{
    Owners *o = q->owners;
    if (o->chains == CHAINS) {
        o->more = true;
        return NULL;
    }
    if (!o->chain && !(o->chain = take(q, CHAINS * sizeof *o->chain)))
        return NULL;
    o->chain[o->chains] = (Chain){ .sharer = sharer };
    return &o->chain[o->chains++];
}

static bool is_sharer(const Search *q, uint32_t node)
{
    const Object *object = q->graph.node[node].object;
    return (object->type == TYPE_TENSOR || object->type == TYPE_NDARRAY) && tensor_storage((const Tensor *)object) == q->storage;
}

static bool has_chain(const Search *q, size_t sharer)
{
    const Owners *o = q->owners;
    return o->chains && o->chain[o->chains - 1].sharer == sharer;
}

/* Every way up from `node`, whose path down to the tensor is path[0 … n). */
static void climb(Search *q, size_t sharer, uint32_t node, uint32_t *path, size_t n)
{
    const Graph *g = &q->graph;
    if (q->failed || ++q->steps > STEPS || q->owners->chains == CHAINS) {
        q->owners->more = true;
        return;
    }
    for (size_t k = first_root(q, node); k < q->roots && q->root[k].node == node; k++) {
        if (q->root[k].twin)
            continue;
        Chain *chain = add_chain(q, sharer);
        if (!chain)
            return;
        spell(q, q->root[k].name, path, n, chain);
        chain->hidden = q->root[k].hidden;
    }
    if (n == DEPTH) {
        q->owners->more = true;
        return;
    }
    for (uint32_t i = g->node[node].in; i < g->node[node + 1].in; i++) {
        uint32_t e = g->back[i], from = g->edge[e].from;
        bool round = from == node;
        for (size_t k = 0; k < n && !round; k++)
            round = g->edge[path[k]].to == from;        /* a cycle: the same place again */
        if (round)
            continue;
        if (is_sharer(q, from)) {                       /* a view: its own chains are listed with it */
            Chain *chain = has_chain(q, sharer) ? NULL : add_chain(q, sharer);      /* one stands for all */
            if (chain)
                chain->base_of = tensor_serial((Tensor *)g->node[from].object);
            continue;
        }
        path[n] = e;
        climb(q, sharer, from, path, n + 1);
    }
}

/* ---- the fewest dels: a least cut ---- */
typedef struct Pipe { uint32_t from, to; int32_t edge; bool wide; int32_t flow; } Pipe;  /* edge: of the graph; -1 - k: of root k */
typedef struct Net {
    Pipe     *pipe;                     /* owned */
    uint32_t  pipes, *start, *at;       /* owned: for each node where its pipes begin in `at`; both ends of each are listed */
    uint32_t  source, sink, nodes;
} Net;

static bool cuttable(const Graph *g, uint32_t e)
{
    const Object *holder = g->node[g->edge[e].from].object;
    if (g->edge[e].turn == GRAPH_DATA)
        return false;
    if (holder->type == TYPE_LIST)
        return true;
    return holder->type == TYPE_DICT && is_name(graph_name(g, e).kind, "value");
}

static bool net_make(Search *q, Net *net, uint32_t sink)
{
    const Graph *g = &q->graph;
    *net = (Net){ .source = g->nodes, .sink = sink, .nodes = g->nodes + 1 };
    uint32_t most = (uint32_t)q->roots;
    for (uint32_t e = 0; e < g->edges; e++)
        most += q->above[g->edge[e].to] && q->above[g->edge[e].from];
    net->pipe = malloc(((size_t)most + 1) * sizeof *net->pipe);
    net->start = calloc((size_t)net->nodes + 2, sizeof *net->start);
    net->at = malloc((2 * (size_t)most + 1) * sizeof *net->at);
    if (!net->pipe || !net->start || !net->at)
        return false;
    for (size_t k = 0; k < q->roots; k++)
        if (q->above[q->root[k].node])
            net->pipe[net->pipes++] = (Pipe){ net->source, q->root[k].node, -1 - (int32_t)k, q->root[k].fixed, 0 };
    for (uint32_t e = 0; e < g->edges; e++)
        if (q->above[g->edge[e].to] && q->above[g->edge[e].from])
            net->pipe[net->pipes++] = (Pipe){ g->edge[e].from, g->edge[e].to, (int32_t)e, !cuttable(g, e), 0 };
    for (uint32_t p = 0; p < net->pipes; p++) {
        net->start[net->pipe[p].from + 2]++;
        net->start[net->pipe[p].to + 2]++;
    }
    for (uint32_t k = 2; k < net->nodes + 2; k++)
        net->start[k] += net->start[k - 1];
    for (uint32_t p = 0; p < net->pipes; p++) {
        net->at[net->start[net->pipe[p].from + 1]++] = p;
        net->at[net->start[net->pipe[p].to + 1]++] = p;
    }
    return true;
}

static void net_free(Net *net)
{
    free(net->pipe);
    free(net->start);
    free(net->at);
}

/* Can one more unit leave `node` through the pipe? Where to. */
static bool open_pipe(const Pipe *pipe, uint32_t node, uint32_t *to)
{
    bool forward = pipe->from == node;
    *to = forward ? pipe->to : pipe->from;
    return forward ? pipe->wide || !pipe->flow : pipe->flow > 0;
}

/* Finds a way from source to sink that is open and sends a unit along it; `seen` is what can be reached. */
static bool augment(const Net *net, bool *seen, uint32_t *came, uint32_t *todo)
{
    uint32_t todos = 0;
    memset(seen, 0, (size_t)net->nodes * sizeof *seen);
    seen[net->source] = true;
    todo[todos++] = net->source;
    while (todos) {
        uint32_t node = todo[--todos], to;
        for (uint32_t i = net->start[node]; i < net->start[node + 1]; i++) {
            if (!open_pipe(&net->pipe[net->at[i]], node, &to) || seen[to])
                continue;
            seen[to] = true;
            came[to] = net->at[i];
            todo[todos++] = to;
            if (to != net->sink)
                continue;
            for (uint32_t k = to; k != net->source; ) {
                Pipe *pipe = &net->pipe[came[k]];
                bool forward = pipe->to == k;
                pipe->flow += forward ? 1 : -1;
                k = forward ? pipe->from : pipe->to;
            }
            return true;
        }
    }
    return false;
}

/* ---- what a cut gives back ---- */
static void let_go(const Graph *g, int64_t *count, uint32_t node, uint32_t *todo, int64_t *bytes)
{
    uint32_t todos = 0;
    if (--count[node])
        return;
    todo[todos++] = node;
    while (todos) {
        uint32_t k = todo[--todos];
        if (g->node[k].object->type == TYPE_STORAGE)
            *bytes += (int64_t)storage_bytes((Storage *)g->node[k].object);
        for (uint32_t e = g->node[k].out; e < g->node[k + 1].out; e++)
            if (!--count[g->edge[e].to])
                todo[todos++] = g->edge[e].to;
    }
}

/* How the holder of a cut edge is written: the way up by which it was reached first from a name. */
static const char *cut_text(Search *q, const Net *net, const Pipe *pipe, const uint32_t *came)
{
    uint32_t path[DEPTH];
    size_t n = 0;
    path[n++] = (uint32_t)pipe->edge;
    for (uint32_t k = pipe->from; ; ) {
        const Pipe *up = &net->pipe[came[k]];
        if (up->edge < 0)
            return spell(q, q->root[first_root(q, k)].name, path, n, NULL).text;       /* the oldest of its names */
        if (n == DEPTH || up->to != k)
            return NULL;
        path[n++] = (uint32_t)up->edge;
        k = up->from;
    }
}

/* Names by age, then places by their text: puts the last of them where it belongs. */
static void sort_del(Owners *o, uint32_t *order)
{
    for (size_t k = o->dels - 1; k; k--) {
        if (order[k - 1] < order[k] || (order[k - 1] == order[k] && strcmp(o->del[k - 1], o->del[k]) <= 0))
            return;
        const char *text = o->del[k];
        bool hidden = o->del_hidden[k];
        uint32_t age = order[k];
        o->del[k] = o->del[k - 1];
        o->del_hidden[k] = o->del_hidden[k - 1];
        order[k] = order[k - 1];
        o->del[k - 1] = text;
        o->del_hidden[k - 1] = hidden;
        order[k - 1] = age;
    }
}

static void find_dels(Search *q, uint32_t storage)
{
    const Graph *g = &q->graph;
    Owners *o = q->owners;
    Net net;
    bool *seen = malloc((size_t)g->nodes + 2);
    uint32_t *came = malloc(((size_t)g->nodes + 2) * sizeof *came), *todo = malloc(((size_t)g->nodes + 2) * sizeof *todo);
    int64_t *count = malloc(((size_t)g->nodes + 2) * sizeof *count);
    if (!net_make(q, &net, storage) || !seen || !came || !todo || !count)
        q->failed = true;
    size_t units = 0;
    while (!q->failed && units < net.pipes && augment(&net, seen, came, todo))
        units++;
    for (uint32_t k = 0; !q->failed && k < g->nodes; k++)
        count[k] = g->node[k].count;
    uint32_t target = graph_find(g, q->target);
    if (!q->failed)
        let_go(g, count, target, todo, &o->freed);      /* the reference that this question itself holds */
    o->del = q->failed ? NULL : take(q, (units + 1) * sizeof *o->del);
    o->del_hidden = q->failed ? NULL : take(q, (units + 1) * sizeof *o->del_hidden);
    uint32_t *order = q->failed ? NULL : take(q, (units + 1) * sizeof *order);
    for (uint32_t p = 0; !q->failed && p < net.pipes; p++) {
        const Pipe *pipe = &net.pipe[p];
        if (pipe->wide || !seen[pipe->from] || seen[pipe->to] || o->dels > units)
            continue;
        bool is_root = pipe->edge < 0;
        if (is_root && q->root[-1 - pipe->edge].twin) {
            let_go(g, count, pipe->to, todo, &o->freed);
            continue;
        }
        const char *text = is_root ? q->root[-1 - pipe->edge].name : cut_text(q, &net, pipe, came);
        o->del[o->dels] = text ? text : "?";
        order[o->dels] = is_root ? q->root[-1 - pipe->edge].order : UINT32_MAX;
        o->del_hidden[o->dels++] = is_root && q->root[-1 - pipe->edge].hidden;
        sort_del(o, order);
        let_go(g, count, pipe->to, todo, &o->freed);
    }
    o->frees_target = !q->failed && count[storage] <= 0;
    net_free(&net);
    free(seen);
    free(came);
    free(todo);
    free(count);
}

/* ---- the whole answer ---- */
static void sharer_fill(Search *q, Sharer *sharer, Tensor *t)
{
    Fact fact;
    q->failed = q->failed || !snapshot_fact(q->s, q->arena, value_tensor_take(t), 0, 0, &fact);
    if (q->failed)
        return;
    *sharer = (Sharer){ .fact = *fact.tensor, .object = fact.object, .id = fact.id, .is_array = ((Object *)t)->type == TYPE_NDARRAY,
                        .base = tensor_base(t) ? tensor_serial(tensor_base(t)) : 0 };
    size_t dims = (size_t)sharer->fact.ndim * sizeof(int64_t);
    int64_t *own = take(q, 2 * dims);                   /* the tensor may change its dims before this is read */
    if (!own)
        return;
    if (dims) {
        memcpy(own, sharer->fact.shape, dims);
        memcpy(own + sharer->fact.ndim, sharer->fact.stride, dims);
    }
    sharer->fact.shape = own;
    sharer->fact.stride = own + sharer->fact.ndim;
}

static void answer(Search *q)
{
    Owners *o = q->owners;
    Tensor **tensor = NULL;
    size_t n = 1;
    for (Tensor *t = storage_first(q->storage); t; t = tensor_next_sharer(t))
        n += t != q->target;
    o->storage = storage_serial(q->storage);
    o->target = tensor_serial(q->target);
    o->sharer = take(q, n * sizeof *o->sharer);
    if (!(tensor = malloc(n * sizeof *tensor)) || q->failed) {
        free(tensor);
        q->failed = true;
        return;
    }
    tensor[o->sharers++] = q->target;
    for (Tensor *t = storage_first(q->storage); t; t = tensor_next_sharer(t))
        if (t != q->target)
            tensor[o->sharers++] = t;
    uint32_t path[DEPTH + 1], storage = graph_find(&q->graph, q->storage);
    find_roots(q);
    if (q->roots)
        qsort(q->root, q->roots, sizeof *q->root, by_node);
    q->failed = q->failed || storage == GRAPH_NONE || !find_above(q, storage);
    for (size_t k = 0; k < n && !q->failed; k++) {
        size_t before = o->chains;
        sharer_fill(q, &o->sharer[k], tensor[k]);
        climb(q, k, graph_find(&q->graph, tensor[k]), path, 0);
        if (o->chains == before)
            add_chain(q, k);                            /* nothing with a name */
    }
    free(tensor);
    if (!q->failed)
        find_dels(q, storage);
}

void owners_free(Owners *owners)
{
    if (!owners)
        return;
    Arena *arena = owners->arena;
    Heap *heap = arena->heap;
    arena_free(arena);
    mem_free(heap, arena);
}

Owners *session_owners(Session *s, const char *expression, size_t n, Err *err)
{
    Value v;
    if (!session_compute(s, expression, n, &v, err))
        return NULL;
    if (!value_is(v, TYPE_TENSOR) && !value_is(v, TYPE_NDARRAY)) {
        err_set(err, ERR_TYPE, "'%.*s' is no tensor, but %s", (int)(n < 60 ? n : 60), expression, value_type_name(v));
        value_release(v);
        return NULL;
    }
    Arena *arena = mem_new(s->heap, sizeof *arena);
    if (arena)
        *arena = (Arena){ .heap = s->heap };
    Search q = { .s = s, .arena = arena, .target = value_tensor(v), .storage = tensor_storage(value_tensor(v)) };
    bool good = arena && (q.owners = take(&q, sizeof *q.owners)) && graph_make(s, &q.graph, err);
    if (good) {
        q.owners->arena = arena;
        answer(&q);
        good = !q.failed;
        graph_free(&q.graph);
    }
    free(q.root);
    free(q.above);
    value_release(v);
    if (good)
        return q.owners;
    if (arena) {
        arena_free(arena);
        mem_free(s->heap, arena);
    }
    err_memory(err, 0);
    return NULL;
}
