/* graph.c - the references between all living objects, taken from each type's visit. */
#include "lang/graph.h"
#include "lang/types/rows.h"
#include <stdlib.h>
#include <string.h>

typedef struct Builder {
    Visitor  visitor;                   /* first: edges are given to it */
    Graph   *graph;
    uint32_t from, turn, node_capacity, edge_capacity;
    bool     failed;
} Builder;

static bool takes_part(const Object *object)
{
    return object->type == TYPE_STORAGE || (type_rows[object->type] && type_rows[object->type]->visit);
}

static void *grown(void *array, uint32_t n, uint32_t *capacity, size_t size)
{
    if (n < *capacity)
        return array;
    uint32_t more = *capacity ? 2 * *capacity : 1024;
    void *larger = more > *capacity ? realloc(array, (size_t)more * size) : NULL;
    if (larger)
        *capacity = more;
    return larger;
}

static void add_node(void *to, Object *object)
{
    Builder *b = to;
    Graph *g = b->graph;
    if (b->failed || !takes_part(object))
        return;
    GraphNode *node = grown(g->node, g->nodes + 1, &b->node_capacity, sizeof *node);   /* one more at the end */
    if (!node) {
        b->failed = true;
        return;
    }
    g->node = node;
    node[g->nodes++] = (GraphNode){ .object = object, .count = object->count };
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const GraphNode *)a)->object, y = (uintptr_t)((const GraphNode *)b)->object;
    return (x > y) - (x < y);
}

uint32_t graph_find(const Graph *graph, const void *object)
{
    uint32_t low = 0, high = graph->nodes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)graph->node[middle].object < (uintptr_t)object)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->nodes && graph->node[low].object == object ? low : GRAPH_NONE;
}

static void add_edge(Builder *b, const void *to, uint32_t turn)
{
    Graph *g = b->graph;
    uint32_t at = graph_find(g, to);
    if (b->failed || at == GRAPH_NONE)
        return;
    GraphEdge *edge = grown(g->edge, g->edges, &b->edge_capacity, sizeof *edge);
    if (!edge) {
        b->failed = true;
        return;
    }
    g->edge = edge;
    edge[g->edges++] = (GraphEdge){ b->from, at, turn };
}

static void on_edge(Visitor *visitor, Value to, const char *kind, const char *name, int64_t index)
{
    Builder *b = (Builder *)visitor;
    (void)kind, (void)name, (void)index;
    uint32_t turn = b->turn++;
    if (value_tag(to) == V_OBJECT)
        add_edge(b, to.object, turn);
}

/* Numbers of edges sorted by what they point at: counted, then dealt out. */
static bool sort_back(Graph *g)
{
    g->back = malloc(((size_t)g->edges + 1) * sizeof *g->back);
    if (!g->back)
        return false;
    for (uint32_t e = 0; e < g->edges; e++)
        g->node[g->edge[e].to + 1].in++;
    for (uint32_t k = 0; k < g->nodes; k++)
        g->node[k + 1].in += g->node[k].in;
    for (uint32_t e = 0; e < g->edges; e++)
        g->back[g->node[g->edge[e].to].in++] = e;
    for (uint32_t k = g->nodes; k; k--)
        g->node[k].in = g->node[k - 1].in;
    g->node[0].in = 0;
    return true;
}

bool graph_make(Session *s, Graph *graph, Err *err)
{
    *graph = (Graph){ 0 };
    Builder b = { .visitor = { on_edge }, .graph = graph };
    heap_each_object(s->heap, add_node, &b);
    if (!b.failed && graph->nodes) {
        qsort(graph->node, graph->nodes, sizeof *graph->node, by_address);
        graph->node[graph->nodes] = (GraphNode){ 0 };
        for (uint32_t k = 0; k < graph->nodes && !b.failed; k++) {
            Object *object = graph->node[k].object;
            graph->node[k].out = graph->edges;
            b.from = k;
            b.turn = 0;
            if (object->type == TYPE_STORAGE)
                continue;
            type_rows[object->type]->visit(object, &b.visitor);
            if (object->type == TYPE_TENSOR || object->type == TYPE_NDARRAY)
                for (int n = tensor_storage_holds((Tensor *)object); n; n--)
                    add_edge(&b, tensor_storage((Tensor *)object), GRAPH_DATA);
        }
        graph->node[graph->nodes].out = graph->edges;
    }
    if (b.failed || (graph->nodes && !sort_back(graph))) {
        graph_free(graph);
        return err_memory(err, 0);
    }
    return true;
}

void graph_free(Graph *graph)
{
    free(graph->node);
    free(graph->edge);
    free(graph->back);
    *graph = (Graph){ 0 };
}

/* ---- what an edge is called ---- */
typedef struct Asker { Visitor visitor; uint32_t turn, wanted; Value key; EdgeName name; } Asker;

static void on_asked(Visitor *visitor, Value to, const char *kind, const char *name, int64_t index)
{
    Asker *asker = (Asker *)visitor;
    bool is_key = strcmp(kind, "key") == 0;
    if (asker->turn++ == asker->wanted)
        asker->name = (EdgeName){ kind, name, index, strcmp(kind, "value") ? value_unset() : asker->key };
    if (is_key)
        asker->key = to;                                /* a dict names each key right before its value */
}

EdgeName graph_name(const Graph *graph, uint32_t edge)
{
    const GraphEdge *e = &graph->edge[edge];
    Asker asker = { .visitor = { on_asked }, .wanted = e->turn, .key = value_unset(), .name = { "data", NULL, 0, value_unset() } };
    Object *holder = graph->node[e->from].object;
    if (e->turn != GRAPH_DATA)
        type_rows[holder->type]->visit(holder, &asker.visitor);
    return asker.name;
}
