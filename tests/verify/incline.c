/* incline.c: Coulomb friction. An elastic block rests on a plane tilted by 24 degrees (the frame is tilted instead:
 * gravity leans). With mu = tan 15 it slides with a = g (sin 24 - mu cos 24) = 1.588758 m/s^2; with mu = tan 26 it
 * stays. The block starts at rest with its lower face on a plane of nodes. */
#include "verify.h"

#include <math.h>

static const double degree = 3.14159265358979323846 / 180, g = 9.81;

static firn_ledger slide(double mu, double from, double until, double *start_speed, double *moved, int contact)
{
    verify_scene s;
    verify_scene_init(&s, 0.05, "neo_hookean", 1e6, 0.3, 1000);
    const double low[3] = {0, 0, 0}, high[3] = {0.4, 0.2, 0.2};
    verify_box(&s, low, high, 2);
    firn_collider_def *floor = verify_floor(&s, 1, 0);
    floor->contact = contact, floor->friction = mu;
    s.scene.gravity[0] = g * sin(24 * degree), s.scene.gravity[1] = -g * cos(24 * degree);
    firn_sim *sim = verify_start(&s);
    double x0 = verify_books(sim).center[0];
    verify_go(sim, from);
    firn_ledger books = verify_books(sim);
    *start_speed = books.momentum[0] / books.mass;
    verify_go(sim, until);
    books = verify_books(sim);
    *moved = books.center[0] - x0;
    firn_sim_destroy(sim);
    return books;
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    const double a = g * (sin(24 * degree) - tan(15 * degree) * cos(24 * degree)), from = 0.2, until = 1.2;
    for (int contact = FIRN_SLIP; contact <= FIRN_SEPARATE; contact++) {
        const char *names[] = {"", "incline slides: slip", "incline slides: separate"};
        const char *stays[] = {"", "incline stays: slip (m)", "incline stays: separate (m)"};
        double v0, moved;
        firn_ledger books = slide(tan(15 * degree), from, until, &v0, &moved, contact);
        verify_near(&table, names[contact], a, (books.momentum[0] / books.mass - v0) / (until - from), 1e-3, 0);
        slide(tan(26 * degree), 0.1, 0.3, &v0, &moved, contact);
        verify_at_most(&table, stays[contact], moved, 0.002); /* its own shear: sin 24 g rho H^2 / (2 G) = 2e-4 m */
    }
    return verify_end(&table);
}
