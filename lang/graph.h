/*
 * graph.h - the references between all living objects of a session, as arrays of numbers: what points at what, and who holds whom.
 * Made for one question and freed; nothing of the program runs while it exists.
 */
#ifndef LANG_GRAPH_H
#define LANG_GRAPH_H
#include "lang/run/state.h"

typedef struct GraphNode {
    Object  *object;                    /* borrowed */
    int64_t  count;                     /* its references when the graph was made */
    uint32_t out, in;                   /* its first edge in Graph.edge, and in Graph.back; the next node's ends them */
} GraphNode;

typedef struct GraphEdge {
    uint32_t from, to;
    uint32_t turn;                      /* the how manieth edge its holder's visit names; GRAPH_DATA: a tensor's storage */
} GraphEdge;
enum { GRAPH_NONE = UINT32_MAX, GRAPH_DATA = UINT32_MAX };

typedef struct Graph {
    GraphNode *node;                    /* owned; by address; one more at the end */
    uint32_t   nodes;
    GraphEdge *edge;                    /* owned; by holder */
    uint32_t  *back;                    /* owned; numbers of edges, by what they point at */
    uint32_t   edges;
} Graph;

/* Every object that can hold others, every tensor and storage. False: err is MemoryError, and there is nothing to free. */
bool graph_make(Session *s, Graph *graph, Err *err);
void graph_free(Graph *graph);
uint32_t graph_find(const Graph *graph, const void *object);        /* GRAPH_NONE: it is not among them */

/* What an edge is called: as the holder's visit says it. The texts lie in living objects. */
typedef struct EdgeName { const char *kind, *name; int64_t index; Value key; } EdgeName;   /* key: of a dict's value, else unset */
EdgeName graph_name(const Graph *graph, uint32_t edge);
#endif
