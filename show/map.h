/* map.h - what the files of %map share: one storage as cells, ranges of a large one, all blocks. */
#ifndef SHOW_MAP_H
#define SHOW_MAP_H
#include "show/cover.h"
#include "show/past.h"
#include "show/svg.h"

enum { CELLS_MOST = 64 };               /* elements of a storage that is drawn as cells */

/* Which tensors to draw lanes of; none: all that have names. */
typedef struct MapWanted { const uint64_t *object; size_t n; } MapWanted;

bool map_wants(const MapWanted *wanted, const SceneTensor *tensor);
/* Can the storage be drawn as cells? Its values are known, and few. */
bool map_has_cells(const SceneStorage *storage);
/* One storage as cells. y: where the drawing begins in the SVG, moved on; svg NULL: text only. False: no memory. */
bool map_cells(const Show *show, const SceneStorage *storage, const MapWanted *wanted, const Layout *layout, Text *text, Text *svg, double *y);
/* One storage as bars, one for each tensor over it. */
bool map_ranges(const Show *show, const SceneStorage *storage, const MapWanted *wanted, const Layout *layout, Text *text, Text *svg, double *y);
/* All blocks in the order of addresses, and the largest storages. */
bool map_blocks(const Show *show, const Scene *scene, const Layout *layout, Text *text, Text *svg, double *y);

/* "X, A": the names of a tensor, at most `most`; "#7" when it has none. */
void map_names(const SceneTensor *tensor, size_t most, Language language, Text *text);
/* The line above a storage: its serial, bytes, device, address, version. The SVG's goes to y. */
void map_head(const Show *show, const SceneStorage *storage, const Layout *layout, Text *text, Text *svg, double *y);
/* "also on S1: V (#7)" about the tensors that no lane was drawn of (the first 256 are asked); nothing when there are none. */
void map_also(const Show *show, const SceneStorage *storage, const bool *drawn, Text *text);
const char *map_int(Digits *to, int64_t number);        /* without commas */
#endif
