/* SPDX-License-Identifier: MIT */
/* preflight_print.c: what a pre-flight has found, for people. */
#include "session/preflight.h"

#include <math.h>

void firn_check_print_bytes(FILE *out, double bytes)
{
    if (isinf(bytes))
        fputs("unknown", out);
    else if (bytes < 1 << 20)
        fprintf(out, "%.0f KiB", bytes / (1 << 10));
    else if (bytes < 1 << 30)
        fprintf(out, "%.0f MiB", bytes / (1 << 20));
    else
        fprintf(out, "%.2f GiB", bytes / (1 << 30));
}

static void print_time(FILE *out, double seconds)
{
    if (seconds < 120)
        fprintf(out, "%.0f s", seconds);
    else if (seconds < 7200)
        fprintf(out, "%.0f min", seconds / 60);
    else
        fprintf(out, "%.1f h", seconds / 3600);
}

static void print_emitted(const firn_check *c, FILE *out)
{
    fprintf(out, "\nemitted    %lld until the end, without sinks", (long long)c->n_emitted);
    for (int i = 0; i < c->n_emitters; i++) {
        int64_t n = firn_forecast_count(&c->emitters[i], c->end);
        fprintf(out, "%s%s %s%lld%s", i ? ", " : ": ", c->emitters[i].name,
                c->emitters[i].is_exact ? "" : "about ", (long long)n,
                n >= c->emitters[i].most ? " (max_particles)" : "");
    }
}

static void print_transfer(const firn_check *c, FILE *out)
{
    fprintf(out, "transfer   numerical viscosity %.3g m^2/s in a layer of %.3g cells",
            c->transfer_viscosity, c->layer);
    if (c->own_viscosity > 0)
        fprintf(out, ", %.2g times the material's %.3g m^2/s",
                c->transfer_viscosity / c->own_viscosity, c->own_viscosity);
    fputc('\n', out);
}

static void print_steps(const firn_check *c, FILE *out)
{
    fprintf(out, "step       %.3g s, limited by %s%s%s; %.0f steps per frame", c->dt,
            c->stats.limit.criterion, *c->material ? " of " : "", c->material,
            ceil(c->steps_a_frame));
    const int is_faster_later = c->steps_most > 1.5 * c->steps_a_frame;
    if (is_faster_later)
        fprintf(out, ", up to %.0f when material falls or is struck", ceil(c->steps_most));
    fputc('\n', out);
    if (c->hardening > FIRN_CHECK_HARDENING)
        fprintf(out,
                "hardening  waves of %s become %.3g times as fast where it is struck at %.3g m/s\n",
                c->hardened, c->hardening, c->strike_speed);
    if (isinf(c->eta)) {
        fputs("time       unknown: no particle existed in the measured steps; try: a larger "
              "--seconds\n",
              out);
        return;
    }
    fprintf(out, "time       about ");
    print_time(out, c->eta);
    if (is_faster_later) {
        fputs(", up to ", out);
        print_time(out, c->eta * c->steps_most / c->steps_a_frame);
    }
    fprintf(out,
            " for all frames%s, at the speed of the first steps (%.3g M particle updates per "
            "second)\n",
            c->n_emitted ? " and emitted particles" : "",
            c->mean_particles / c->seconds_a_step * 1e-6);
}

static void print_sizes(const firn_check *c, FILE *out)
{
    char size[96];
    int n = 0;
    for (int i = 0; i < c->n_bodies; i++) {
        if (!(c->bodies[i].size[0] > 0)) continue;
        firn_check_write_size(&c->bodies[i], size, sizeof size);
        fprintf(out, "%s%s %s", n++ ? ", " : "\nsizes      ", c->bodies[i].name, size);
    }
}

/* Rank 0 holds all particles besides its own share while it writes. */
static void print_ranks(const firn_check *c, FILE *out)
{
    const firn_rank_forecast *f = &c->ranks;
    const double all = fmax(c->memory_expected, c->memory_peak),
                 share = all * f->imbalance / f->size;
    fprintf(out, "ranks      %d: imbalance %.3f; ", f->size, f->imbalance);
    firn_check_print_bytes(out, f->bytes);
    fprintf(out, " between them per step, %.2f times the least; memory of rank 0 up to ",
            f->least_bytes > 0 ? f->bytes / f->least_bytes : 1);
    firn_check_print_bytes(out, all + share);
    fputs(", as it holds all particles while it writes, of the others ", out);
    firn_check_print_bytes(out, share);
    if (c->is_measured)
        fprintf(out,
                "\n           efficiency %.2f expected, with %.0f GB/s per rank and %.0f us per "
                "exchange, %d exchanges per step",
                c->efficiency, FIRN_LINK_BYTES * 1e-9, FIRN_LINK_LATENCY * 1e6, f->n_exchanges);
    fputc('\n', out);
}

void firn_check_print(const firn_check *c, FILE *out)
{
    int is_counted = c->n_particles || c->n_emitters;
    int64_t n = is_counted ? c->n_particles : c->n_expected;
    fprintf(out, "particles  %lld%s", (long long)n,
            !is_counted     ? " (estimated)"
            : c->n_emitters ? " at the start"
                            : "");
    for (int i = 0; i < c->n_bodies; i++) {
        const firn_check_body *body = &c->bodies[i];
        fprintf(out, "%s%s %lld", i ? ", " : ": ", body->name,
                (long long)(is_counted ? body->n_particles : body->n_expected));
    }
    if (c->n_emitters) print_emitted(c, out);
    print_sizes(c, out);
    fputs("\nmemory     ", out);
    firn_check_print_bytes(out, c->is_measured ? c->memory_peak : c->memory_expected);
    fputs(c->is_measured ? " so far; expect up to " : " expected", out);
    if (c->is_measured) firn_check_print_bytes(out, fmax(c->memory_expected, c->memory_peak));
    fputs("; available ", out);
    firn_check_print_bytes(out, c->memory_available);
    fputc('\n', out);
    if (c->disk_free > 0) {
        fputs("disk       ", out);
        firn_check_print_bytes(out, c->disk_needed);
        fprintf(out, " for %d frames in %d files, uncompressed, and checkpoints; free ",
                c->n_frames, c->n_files);
        firn_check_print_bytes(out, c->disk_free);
        fputc('\n', out);
    }
    fputs(c->flow, out);
    if (c->ranks.size) print_ranks(c, out);
    if (!c->is_measured) return;
    if (c->transfer_viscosity > 0) print_transfer(c, out);
    print_steps(c, out);
}
