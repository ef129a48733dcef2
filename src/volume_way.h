/* volume_way.h: how the surfaces of two volumes of a sequence lie to each other. */
#ifndef FIRN_VOLUME_WAY_H
#define FIRN_VOLUME_WAY_H

#include "volume.h"

/* The middle of the surface; returned is how deep the deepest voxel lies, m. */
double firn_volume_middle(const firn_volume *volume, double middle[3]);
/* How far the surfaces are apart at most when the first is moved by `shift`, m; of what is farther than a band a lower
 * bound. */
double firn_volume_way(const firn_volume *a, const firn_volume *b, const double shift[3]);
/* The greatest velocity near the surface, of three channels from `velocity` on, m/s. */
double firn_volume_speed(const firn_volume *volume, int velocity);
/* How far the surface of the first, carried for `duration` by these, comes to lie beside that of the second, and how
 * far it went along its normal: on the mean, m. */
typedef struct firn_volume_carried {
    double missed, moved;
} firn_volume_carried;
firn_volume_carried firn_volume_carry(const firn_volume *before, const firn_volume *after, int velocity,
                                      double duration);

#endif
