/* SPDX-License-Identifier: MIT */
#include "geometry/mesh/mesh_edges.h"
#include "base/memory.h"

#include <stdlib.h>

static int compare_edges(const void *a, const void *b)
{
    const firn_mesh_edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    if (x->opposite != y->opposite) return x->opposite < y->opposite ? -1 : 1;
    return x->triangle != y->triangle ? (x->triangle < y->triangle ? -1 : 1) : 0;
}

firn_mesh_edge *firn_mesh_edges(const firn_mesh *mesh, int64_t *n)
{
    firn_mesh_edge *edges = firn_memory_array(NULL, 3 * (size_t)mesh->n_triangles, sizeof *edges);
    *n = 0;
    if (!edges) return NULL;
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int k = 0; k < 3; k++) {
            const uint32_t *corners = mesh->triangles + 3 * t, a = corners[k],
                           b = corners[(k + 1) % 3];
            if (a == b) continue;
            edges[(*n)++] = (firn_mesh_edge){a < b ? a : b, a < b ? b : a, corners[(k + 2) % 3],
                                             (uint32_t)t, a};
        }
    qsort(edges, (size_t)*n, sizeof *edges, compare_edges);
    return edges;
}

void firn_mesh_edges_release(firn_mesh_edge *edges, int64_t n_triangles)
{
    firn_memory_release(NULL, edges, 3 * (size_t)n_triangles * sizeof *edges);
}

int64_t firn_mesh_edges_end(const firn_mesh_edge *edges, int64_t n, int64_t i)
{
    int64_t j = i + 1;
    while (j < n && edges[j].low == edges[i].low && edges[j].high == edges[i].high) j++;
    return j;
}
