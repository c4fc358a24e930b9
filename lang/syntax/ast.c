/*
 * ast.c - memory for a syntax tree: an arena, and a table in which each name stands once.
 */
#include "lang/syntax/ast.h"
#include <string.h>

enum { CHUNK = 16384, ALIGN = 16 };
/* A multiple of ALIGN; its memory follows. */
typedef struct Chunk { struct Chunk *next; size_t pad; } Chunk;

void *arena_take(Arena *arena, size_t bytes)
{
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if ((size_t)(arena->end - arena->at) < bytes) {
        size_t room = bytes > CHUNK / 2 ? bytes : CHUNK;
        Chunk *chunk = mem_new(arena->heap, sizeof *chunk + room);
        if (!chunk)
            return NULL;
        if (room != CHUNK && arena->chunk) {        /* a large one of its own: the current one stays in use */
            chunk->next = arena->chunk->next;
            arena->chunk->next = chunk;
            return chunk + 1;
        }
        chunk->next = arena->chunk;
        arena->chunk = chunk;
        arena->at = (char *)(chunk + 1);
        arena->end = arena->at + room;
    }
    void *taken = arena->at;
    arena->at += bytes;
    return taken;
}

void arena_free(Arena *arena)
{
    for (Chunk *chunk = arena->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        mem_free(arena->heap, chunk);
    }
    arena->chunk = NULL;
    arena->at = arena->end = NULL;
}

void tree_init(Tree *tree, Heap *heap)
{
    tree->arena = (Arena){ .heap = heap, .at = tree->room, .end = tree->room + sizeof tree->room };
    tree->bucket = memset(tree->few, 0, sizeof tree->few);
    tree->buckets = sizeof tree->few / sizeof *tree->few;
    tree->names = 0;
    tree->last = NULL;
}

void tree_free(Tree *tree)
{
    for (Name *name = tree->last; name; name = name->before)
        if (name->str)
            object_release(&name->str->head);
    if (tree->bucket != tree->few)
        mem_free(tree->arena.heap, tree->bucket);
    tree->bucket = NULL;
    arena_free(&tree->arena);
}

Node *tree_node(Tree *tree, NodeKind kind, uint32_t start, uint32_t end)
{
    bool large = kind >= EXPRESSIONS || kind == E_LAMBDA || kind == E_COMPREHENSION;
    size_t bytes = large ? sizeof(Node) : offsetof(Node, scope);
    Node *node = arena_take(&tree->arena, bytes);
    if (!node)
        return NULL;
    memset(node, 0, bytes);
    node->kind = (uint8_t)kind;
    node->start = start;
    node->end = end;
    return node;
}

static bool grow(Tree *tree)
{
    size_t buckets = 4 * tree->buckets;
    Name **bucket = mem_new(tree->arena.heap, buckets * sizeof *bucket);
    if (!bucket)
        return false;
    memset(bucket, 0, buckets * sizeof *bucket);
    for (size_t i = 0; i < tree->buckets; i++)
        for (Name *name = tree->bucket[i], *chain; name; name = chain) {
            chain = name->chain;
            name->chain = bucket[name->hash % buckets];
            bucket[name->hash % buckets] = name;
        }
    if (tree->bucket != tree->few)
        mem_free(tree->arena.heap, tree->bucket);
    tree->bucket = bucket;
    tree->buckets = buckets;
    return true;
}

Name *tree_name(Tree *tree, const char *s, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)s[i]) * 16777619u;
    for (Name *name = tree->bucket[hash % tree->buckets]; name; name = name->chain)
        if (name->hash == hash && name->n == n && memcmp(name->s, s, n) == 0)
            return name;
    if (tree->names >= tree->buckets && !grow(tree))
        return NULL;
    Name *name = arena_take(&tree->arena, sizeof *name + n + 1);
    if (!name)
        return NULL;
    *name = (Name){ .chain = tree->bucket[hash % tree->buckets], .before = tree->last, .hash = hash, .n = (uint32_t)n };
    memcpy(name->s, s, n);
    name->s[n] = 0;
    tree->bucket[hash % tree->buckets] = tree->last = name;
    tree->names++;
    return name;
}
