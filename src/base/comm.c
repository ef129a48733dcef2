/* SPDX-License-Identifier: MIT */
/* comm.c: comm.h for one process, where the value of this rank is that of all ranks. */
#include "base/comm.h"

firn_comm firn_comm_single(void) { return (firn_comm){.rank = 0, .size = 1}; }

void firn_comm_sum_begin(const firn_comm *comm, void *sum, size_t n_bytes)
{
    (void)comm, (void)sum, (void)n_bytes;
}

void firn_comm_sum_end(const firn_comm *comm, void *sum, size_t n_bytes)
{
    (void)comm, (void)sum, (void)n_bytes;
}

double firn_comm_max(const firn_comm *comm, double value)
{
    (void)comm;
    return value;
}

double firn_comm_min(const firn_comm *comm, double value)
{
    (void)comm;
    return value;
}

int64_t firn_comm_count(const firn_comm *comm, int64_t n)
{
    (void)comm;
    return n;
}

int firn_comm_and(const firn_comm *comm, int is_true)
{
    (void)comm;
    return is_true;
}

int firn_comm_or(const firn_comm *comm, int is_true)
{
    (void)comm;
    return is_true;
}

int firn_comm_rank_of_max(const firn_comm *comm, double value)
{
    (void)value;
    return comm->rank;
}

void firn_comm_share(const firn_comm *comm, int from, void *data, size_t n_bytes)
{
    (void)comm, (void)from, (void)data, (void)n_bytes;
}

firn_status firn_comm_allocate_ids(const firn_comm *comm, uint32_t *next_id, int64_t n,
                                   uint32_t *first)
{
    (void)comm;
    if (n < 0 || n >= (int64_t)UINT32_MAX - *next_id) return FIRN_REFUSED;
    *first = *next_id;
    *next_id += (uint32_t)n;
    return FIRN_OK;
}

void firn_comm_barrier(const firn_comm *comm) { (void)comm; }
