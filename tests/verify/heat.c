/* SPDX-License-Identifier: MIT */
/* heat.c: conduction, exchange and melting against exact solutions (H. S. Carslaw, J. C. Jaeger,
 * Conduction of Heat in Solids, 2nd ed., 1959, ch. 3, 5, 9, 11; J. Crank, Free and Moving Boundary
 * Problems, 1984, ch. 1). Units: rho = c = k = L = 1 where nothing else is said; Fo = t.
 *
 *     sine          T = sin(pi x) between walls at 0: the rate of the lumped grid is
 *                   1 - pi^2/(3 N^2) (cubic) or 1 - pi^2/(4 N^2) (quadratic) times the exact one
 *     contact       two half-spaces: (e1 T1 + e2 T2)/(e1 + e2) at once, e = sqrt(k rho c)
 *     Robin         slab z tan z = Bi, sphere 1 - z cot z = Bi
 *     Stefan        s = 2 l sqrt(t), sqrt(pi) l exp(l^2) erf l = Ste
 *     Neumann       exp(-l^2)/erf l - (Ste_s/Ste_l) exp(-l^2)/erfc l = l sqrt(pi)/Ste_l
 *     ball          with latent heat, its surface hot: finite volumes of 200 shells
 *     radiation     a lump: t = [(ln((T+Ta)/(T-Ta)) + 2 atan(T/Ta))/(4 Ta^3 k)]
 *
 * Fronts are sums of the liquid fraction: the last cell that is half molten would be a
 * staircase. */
#include "verify.h"
#include "support/heat_support.h"

static const double pi = 3.14159265358979323846;

/* ---------------------------------------------------------------- conduction */

static double sine_of(const double x[3]) { return sin(pi * x[0]); }

static double sine_amplitude(firn_sim *sim)
{
    const int64_t n = firn_sim_n_particles(sim);
    double *x = heat_copy(sim, "P", 3), *T = heat_copy(sim, "T", 1), up = 0, down = 0;
    for (int64_t i = 0; i < n; i++) {
        const double w = sin(pi * x[3 * i]);
        up += w * (T[i] - HEAT_OFFSET);
        down += w * w;
    }
    free(x);
    free(T);
    return up / down;
}

/* Rate of decay over the exact one, between t = .02 and .1, less the order of the step in time. */
static double sine_rate(int n, int is_quadratic, firn_heat_scheme scheme, double dt)
{
    heat_scene s;
    heat_init(&s, 1.0 / n);
    heat_material(&s, 1, 1, 1);
    heat_bar(&s, 0, 1, 0);
    heat_wall(&s, 0, 0);
    heat_wall(&s, 1, 0);
    s.scene.grid.spline = is_quadratic ? FIRN_QUADRATIC : FIRN_CUBIC;
    s.scene.heat.scheme = scheme;
    if (scheme == FIRN_HEAT_FLIP) s.scene.heat.blend = 0.03;
    s.scene.time.dt_fixed = dt;
    firn_sim *sim = heat_start(&s);
    heat_assign(sim, sine_of);
    heat_go(sim, 0.02);
    const double before = sine_amplitude(sim);
    heat_go(sim, 0.1);
    const double after = sine_amplitude(sim), growth = pow(after / before, dt / 0.08);
    firn_sim_destroy(sim);
    return (1 - growth) / dt / (pi * pi); /* of forward Euler: the discrete rate itself */
}

static void sine(verify_table *table)
{
    static const char *const names[2][2] = {{"cubic apic", "quadratic apic"},
                                            {"cubic flip", "quadratic flip"}};
    for (int scheme = 0; scheme < 2; scheme++)
        for (int q = 0; q < 2; q++) {
            double error[2];
            for (int i = 0; i < 2; i++) {
                const int n = 10 << i;
                char name[80];
                const double rate = sine_rate(n, q, (firn_heat_scheme)scheme, 0.1 / n / n);
                snprintf(name, sizeof name, "sine %s %d cells: rate", names[scheme][q], n);
                const double lumped = 1 - pi * pi / ((q ? 4 : 3) * n * n);
                if (scheme == FIRN_HEAT_FLIP && !i)
                    verify_known_below(table, name, rate / lumped, 0.988,
                                       "particles lag behind the grid by what it does not see; "
                                       "not derived; 20 cells are within the gate");
                else
                    verify_near(table, name, lumped, rate,
                                scheme == FIRN_HEAT_FLIP ? 1.2e-2
                                : i                      ? 2e-3
                                                         : 1.5e-2,
                                1);
                error[i] = fabs(rate - 1);
            }
            char name[80];
            snprintf(name, sizeof name, "sine %s: order", names[scheme][q]);
            if (scheme == FIRN_HEAT_APIC)
                verify_at_least(table, name, log2(error[0] / error[1]), 1.9);
        }
}

static void contact(verify_table *table)
{
    heat_scene s;
    heat_init(&s, 1.0 / 40);
    heat_material(&s, 1, 1, 1);
    heat_bar(&s, 0, 1, 1);
    heat_material(&s, 1, 1, 4);
    heat_bar(&s, 1, 2, 0);
    firn_sim *sim = heat_start(&s);
    heat_go(sim, 0.01);
    const double at[4] = {-0.2, -0.1, 0.1, 0.3},
                 T[4] = {0.8951338620, 0.6803332519, 0.2412245366, 0.0962814554};
    for (int i = 0; i < 4; i++) {
        char name[80];
        snprintf(name, sizeof name, "two half-spaces t = .01: T(%g)", at[i]);
        verify_near(table, name, T[i], heat_at(sim, 1 + at[i]), 0.01, 1);
    }
    firn_sim_destroy(sim);
    sim = heat_start(&s);
    const double time[3] = {0.05, 0.1, 0.3},
                 end[3][2] = {{.997912, .075897}, {.966209, .175878}, {.746537, .356456}};
    for (int i = 0; i < 3; i++) {
        char name[80];
        heat_go(sim, time[i]);
        snprintf(name, sizeof name, "two insulated bars t = %g: hot end", time[i]);
        verify_near(table, name, end[i][0], heat_at(sim, 0), 0.01, 1);
        snprintf(name, sizeof name, "two insulated bars t = %g: cold end", time[i]);
        verify_near(table, name, end[i][1], heat_at(sim, 2), 0.01, 1);
    }
    firn_sim_destroy(sim);
}

/* ---------------------------------------------------------------- exchange */

static void robin_slab(verify_table *table, int is_free)
{
    const double film[3] = {0.1, 1, 10}, time[3] = {0.1, 0.5, 0.5},
                 centre[3] = {.99922259, .77252638, .45464056},
                 surface[3] = {.96529408, .50452193, .06432896};
    for (int i = 0; i < 3; i++) {
        heat_scene s;
        char name[80];
        heat_init(&s, 1.0 / 40);
        heat_material(&s, 1, 1, 1);
        heat_bar(&s, 0, 1, 1);
        if (is_free) {
            s.scene.grid.walls[1] = FIRN_WALL_OPEN;
            s.scene.heat.film = film[i];
        } else {
            heat_wall(&s, 1, 0)->film = film[i];
        }
        firn_sim *sim = heat_start(&s);
        heat_go(sim, time[i]);
        const char *where = is_free ? "free surface" : "wall";
        snprintf(name, sizeof name, "Robin slab %s Bi %g: centre", where, film[i]);
        verify_near(table, name, centre[i], heat_at(sim, 0), 0.01, 1);
        snprintf(name, sizeof name, "Robin slab %s Bi %g: surface", where, film[i]);
        /* the outermost particles are a quarter of a cell inside, where the flux is film T_s */
        const double T = heat_at(sim, 1), at = T / (1 + film[i] * s.h / 4);
        verify_near(table, name, surface[i], at, 0.01, 1);
        firn_sim_destroy(sim);
    }
}

static void ball_scene(heat_scene *s, int n, double T)
{
    heat_init(s, 1.0 / n);
    heat_material(s, 1, 1, 1);
    heat_body(s, "sphere", T);
    s->shapes[0].radius = 1;
}

static double mean_T(firn_sim *sim)
{
    const int64_t n = firn_sim_n_particles(sim);
    double *T = heat_copy(sim, "T", 1), sum = 0;
    for (int64_t i = 0; i < n; i++) sum += T[i] - HEAT_OFFSET;
    free(T);
    return sum / (double)n;
}

static double centre_T(firn_sim *sim, double radius)
{
    const int64_t n = firn_sim_n_particles(sim);
    double *x = heat_copy(sim, "P", 3), *T = heat_copy(sim, "T", 1), sum = 0, count = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *p = x + 3 * i;
        if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > radius * radius) continue;
        sum += T[i] - HEAT_OFFSET;
        count++;
    }
    free(x);
    free(T);
    return sum / count;
}

static void robin_ball(verify_table *table)
{
    heat_scene s;
    ball_scene(&s, table->is_full ? 16 : 8, 1);
    s.scene.heat.film = 1;
    firn_sim *sim = heat_start(&s);
    heat_go(sim, 0.1);
    verify_near(table, "Robin ball Bi 1 Fo .1: mean", .77136493, mean_T(sim), 0.01, 1);
    heat_go(sim, 0.5);
    verify_near(table, "Robin ball Bi 1 Fo .5: mean", .28700052, mean_T(sim), 0.01, 1);
    verify_near(table, "Robin ball Bi 1 Fo .5: centre", .37077743, centre_T(sim, 0.15), 0.01, 1);
    firn_sim_destroy(sim);
}

/* The area of a free surface, from the heat that it exchanges in one short step. */
static double area_of(heat_scene *s)
{
    s->scene.heat.film = 1e-3;
    firn_sim *sim = heat_start(s);
    heat_go(sim, 1e-5);
    const firn_ledger l = heat_ledger(sim);
    firn_sim_destroy(sim);
    return -l.heat_surroundings / (1e-5 * 1e-3);
}

static void areas(verify_table *table)
{
    for (int i = 0; i < 2; i++) {
        const int n = 6 << i;
        heat_scene s;
        char name[80];
        ball_scene(&s, n, 1);
        snprintf(name, sizeof name, "surface of a ball R = %d cells", n);
        verify_near(table, name, 4 * pi, area_of(&s), i ? 0.03 : 0.05, 0);
        heat_init(&s, 1.0 / n);
        heat_material(&s, 1, 1, 1);
        heat_body(&s, "box", 1);
        for (int a = 0; a < 3; a++) s.shapes[0].size[a] = 1;
        snprintf(name, sizeof name, "surface of a cube edge = %d cells", n);
        verify_near(table, name, 6, area_of(&s), i ? 0.05 : 0.1, 0);
    }
}

static void radiation(verify_table *table)
{
    heat_scene s;
    heat_init(&s, 0.1 / 8);
    heat_parameter(heat_material(&s, 1000, 540, 600), "emissivity", 0.9);
    heat_body(&s, "box", 1200 - HEAT_OFFSET);
    for (int a = 0; a < 3; a++) s.shapes[0].size[a] = 0.1;
    const double area = 6 * 0.01;
    firn_sim *sim = heat_start(&s);
    heat_go(sim, 1e-4); /* the lump's own area: its law is what is tested */
    const double sigma = 5.670374419e-8, own = -heat_ledger(sim).heat_surroundings /
                                               (1e-4 * 0.9 * sigma * (pow(1200, 4) - pow(300, 4)));
    heat_go(sim, 46.992 * area / own);
    verify_near(table, "radiating lump: T (K) at 46.992 s", 900, HEAT_OFFSET + mean_T(sim), 0.005,
                0);
    firn_sim_destroy(sim);
}

/* ---------------------------------------------------------------- melting */

static firn_material_def *melting(heat_scene *s, double ste)
{
    firn_material_def *m = heat_material(s, 1, 1, 1);
    heat_parameter(m, "latent_heat", 1 / ste);
    heat_parameter(m, "solidus", HEAT_OFFSET);
    return m;
}

/* Position of the front from the molten mass of a bar of length 1. */
static double front_of(firn_sim *sim)
{
    const firn_ledger l = heat_ledger(sim);
    return l.melted_mass / l.mass;
}

static void stefan(verify_table *table)
{
    const double ste[5] = {.05, .25, .5, 1, 3},
                 lambda[5] = {.1568209223, .3400822454, .4648, .6200626, .9137512700};
    for (int i = 0; i < 5; i++)
        for (int n = 20; n <= (table->is_full ? 80 : 20); n *= 2) {
            heat_scene s;
            char name[80];
            double worst = 0, l = lambda[i];
            for (int k = 0; k < 40; k++) /* Newton on the printed digits */
                l -= (sqrt(pi) * l * exp(l * l) * erf(l) - ste[i]) /
                     (sqrt(pi) * exp(l * l) * erf(l) * (1 + 2 * l * l) + 2 * l);
            heat_init(&s, 1.0 / n);
            melting(&s, ste[i]);
            heat_bar(&s, 0, 1, 0);
            heat_wall(&s, 0, 1);
            firn_sim *sim = heat_start(&s);
            for (double front = 0.2; front < 0.65; front += 0.1) {
                heat_go(sim, pow(front / (2 * l), 2));
                worst = fmax(worst, fabs(front_of(sim) - front) * n);
            }
            snprintf(name, sizeof name, "Stefan Ste %g %d cells: front off by (cells)", ste[i], n);
            verify_at_most(table, name, worst, 0.25);
            firn_sim_destroy(sim);
        }
}

static void neumann(verify_table *table)
{
    const double l = .4698509997;
    for (int n = 40; n <= 80; n *= 2) {
        heat_scene s;
        char name[80];
        double worst = 0;
        heat_init(&s, 1.0 / n);
        melting(&s, 1);
        heat_bar(&s, 0, 1, -0.5);
        heat_wall(&s, 0, 1);
        firn_sim *sim = heat_start(&s);
        for (double front = 0.1; front < 0.22; front += 0.05) {
            heat_go(sim, pow(front / (2 * l), 2));
            worst = fmax(worst, fabs(front_of(sim) - front) * n);
        }
        snprintf(name, sizeof name, "Neumann %d cells: front off by (cells)", n);
        verify_at_most(table, name, worst, 0.75);
        firn_sim_destroy(sim);
    }
}

/* Freezing is the same backwards: T < 0 at the wall, liquid at first. */
static void freezing(verify_table *table)
{
    const int n = 20;
    heat_scene s;
    double worst = 0;
    heat_init(&s, 1.0 / n);
    melting(&s, 1);
    heat_bar(&s, 0, 1, 1e-9);
    heat_wall(&s, 0, -1);
    firn_sim *sim = heat_start(&s);
    for (double front = 0.2; front < 0.65; front += 0.1) {
        heat_go(sim, pow(front / (2 * .6200626), 2));
        worst = fmax(worst, fabs(1 - front_of(sim) - front) * n);
    }
    verify_at_most(table, "freezing Ste 1 20 cells: front off by (cells)", worst, 0.25);
    firn_sim_destroy(sim);
}

/* A ball in a hot fluid: a film of Bi = 1000 stands for the surface at 1. */
static void melting_ball(verify_table *table)
{
    const double fo[3] = {.0247, .0713, .1326}, fraction[3] = {.5, .75, .9};
    heat_scene s;
    const int n = table->is_full ? 16 : 10;
    heat_init(&s, 1.0 / n);
    melting(&s, 1);
    heat_body(&s, "sphere", 0);
    s.shapes[0].radius = 1;
    s.scene.heat.film = 1000;
    s.scene.ambient_temperature = HEAT_OFFSET + 1;
    firn_sim *sim = heat_start(&s);
    for (int i = 0; i < 3; i++) {
        char name[80];
        double t = 0.85 * fo[i];
        while (front_of(sim) < fraction[i] && t < 2 * fo[i]) heat_go(sim, t += 0.01 * fo[i]);
        snprintf(name, sizeof name, "ball melting Ste 1: Fo of %g", fraction[i]);
        if (i == 0 && !table->is_full)
            verify_known_below(table, "ball melting Ste 1: exact over found Fo of 0.5", fo[i] / t,
                               0.97, "the front is two cells below the surface of ten");
        else
            verify_near(table, name, fo[i], t, 0.03, 0);
    }
    firn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    sine(&table);
    contact(&table);
    robin_slab(&table, 0);
    robin_slab(&table, 1);
    robin_ball(&table);
    areas(&table);
    radiation(&table);
    stefan(&table);
    neumann(&table);
    freezing(&table);
    melting_ball(&table);
    return verify_end(&table);
}
