/* SPDX-License-Identifier: MIT */
/* Every number of the tables of principal stresses and return maps: printed figures evaluated
 * once and for all (their decimals are the tolerance), and the closed forms,
 * evaluated here, to 1e-12 (elastic) and 1e-10 (return maps) in double and to 1e-5 in float
 * lanes.
 *
 * Elastic laws, figures 5 to 7 of the thesis that firn began with: P(s) under uniaxial strain,
 * the free bar (lateral stress zero), equal stretches in two directions with the third free, and
 * simple shear. Three pairs of constants: mu = 100 with lambda = 27.78 as printed; with lambda =
 * 250/9; and mu = 125/3, lambda = 250/9, which is E = 100, nu = 0.2. */
#include "support/law_support.h"

static const double youngs[] = {221.7404914697136, 221.73913043478265, 100.00000000000001};
static const double poissons[] = {0.10870245734856786, 0.10869565217391305, 0.2};
static const double mus[] = {100, 100, 125.0 / 3}, lambdas[] = {27.78, 250.0 / 9, 250.0 / 9};
static const char *const laws[] = {"st_venant_kirchhoff", "neo_hookean", "neo_hookean_quadratic",
                                   "fixed_corotated"};
static const char *const three_laws[] = {"st_venant_kirchhoff", "neo_hookean", "fixed_corotated"};

/* clang-format off */
/* pair, stretch, P of each law in `laws` */
static const double uniaxial[][6] = {
    {0, 0.05, -5.68026375, -3659.42885119, -2021.391, -216.391},
    {0, 0.1, -11.27511, -1629.65813883, -1015.002, -205.002},
    {0, 0.2, -21.86688, -703.55092604, -502.224, -182.224},
    {0, 0.3, -31.09197, -414.82121501, -322.77933333, -159.446},
    {0, 0.4, -38.26704, -273.63639133, -226.668, -136.668},
    {0, 0.5, -42.70875, -188.51125735, -163.89, -113.89},
    {0, 0.57735, -43.83628144, -141.90067231, -127.21126336, -96.27115568},
    {0, 0.6, -43.73376, -130.31789305, -117.77866667, -91.112},
    {0, 0.7, -40.65873, -87.01204278, -81.19114286, -68.334},
    {0, 0.8, -32.80032, -52.74865982, -50.556, -45.556},
    {0, 0.9, -19.47519, -24.36323903, -23.88911111, -22.778},
    {0, 0.95, -10.54906125, -11.76308181, -11.65215789, -11.389},
    {0, 1, 0, 0, 0, 0},
    {0, 1.05, 12.25741125, 11.05275311, 11.15090476, 11.389},
    {0, 1.1, 26.30859, 21.49792436, 21.86890909, 22.778},
    {0, 1.2, 60.13392, 40.88741071, 42.22266667, 45.556},
    {0, 1.5, 213.54375, 90.84254714, 97.22333333, 113.89},
    {0, 2, 683.34, 159.62781434, 177.78, 227.78},
    {0, 3, 2733.36, 276.83981646, 322.22666667, 455.56},
    {1, 0.05, -5.68020833, -3659.29570753, -2021.38888889, -216.38888889},
    {1, 0.1, -11.275, -1629.60697028, -1015, -205},
    {1, 0.2, -21.86666667, -703.53304339, -502.22222222, -182.22222222},
    {1, 0.3, -31.09166667, -414.8122967, -322.77777778, -159.44444444},
    {1, 0.4, -38.26666667, -273.63130082, -226.66666667, -136.66666667},
    {1, 0.5, -42.70833333, -188.5081767, -163.88888889, -113.88888889},
    {1, 0.57735, -43.83585377, -141.89855803, -127.21032414, -96.27021646},
    {1, 0.6, -43.73333333, -130.3160011, -117.77777778, -91.11111111},
    {1, 0.7, -40.65833333, -87.01091047, -81.19047619, -68.33333333},
    {1, 0.8, -32.8, -52.74803998, -50.55555556, -45.55555556},
    {1, 0.9, -19.475, -24.36297888, -23.88888889, -22.77777778},
    {1, 0.95, -10.54895833, -11.76296182, -11.65204678, -11.38888889},
    {1, 1, 0, 0, 0, 0},
    {1, 1.05, 12.25729167, 11.05264985, 11.15079365, 11.38888889},
    {1, 1.1, 26.30833333, 21.49773181, 21.86868687, 22.77777778},
    {1, 1.2, 60.13333333, 40.88707307, 42.22222222, 45.55555556},
    {1, 1.5, 213.54166667, 90.84194645, 97.22222222, 113.88888889},
    {1, 2, 683.33333333, 159.62704417, 177.77777778, 227.77777778},
    {1, 3, 2733.33333333, 276.83900267, 322.22222222, 455.55555556},
    {2, 0.05, -2.77083333, -2495.54570753, -857.63888889, -105.55555556},
    {2, 0.1, -5.5, -1052.10697028, -437.5, -100},
    {2, 0.2, -10.66666667, -423.53304339, -222.22222222, -88.88888889},
    {2, 0.3, -15.16666667, -237.86785225, -145.83333333, -77.77777778},
    {2, 0.4, -18.66666667, -151.13130082, -104.16666667, -66.66666667},
    {2, 0.5, -20.83333333, -101.0081767, -76.38888889, -55.55555556},
    {2, 0.57735, -21.3833433, -74.54102662, -59.85279273, -46.9610812},
    {2, 0.6, -21.33333333, -68.09377888, -55.55555556, -44.44444444},
    {2, 0.7, -19.83333333, -44.51091047, -38.69047619, -33.33333333},
    {2, 0.8, -16, -26.49803998, -24.30555556, -22.22222222},
    {2, 0.9, -9.5, -12.04816406, -11.57407407, -11.11111111},
    {2, 0.95, -5.14583333, -5.77611972, -5.66520468, -5.55555556},
    {2, 1, 0, 0, 0, 0},
    {2, 1.05, 5.97916667, 5.3582054, 5.45634921, 5.55555556},
    {2, 1.1, 12.83333333, 10.36136818, 10.73232323, 11.11111111},
    {2, 1.2, 29.33333333, 19.49818419, 20.83333333, 22.22222222},
    {2, 1.5, 104.16666667, 42.23083534, 48.61111111, 55.55555556},
    {2, 2, 333.33333333, 72.12704417, 90.27777778, 111.11111111},
    {2, 3, 1333.33333333, 121.28344712, 166.66666667, 222.22222222},
};
/* pair, stretch, then P and the lateral stretch of three laws */
static const double free_uniaxial[][8] = {
    {0, 0.5, -41.576342, 1.039965, -180.601075, 1.07378088, -113.825753, 1.03344576},
    {0, 0.8, -31.930631, 1.019379, -51.095359, 1.02409124, -44.87839, 1.01914695},
    {0, 1.2, 58.53949, 0.975792, 39.95531, 0.98006953, 43.822436, 0.97651378},
    {0, 1.5, 207.881711, 0.929582, 89.151377, 0.9553687, 107.789718, 0.93769523},
    {0, 2, 665.221474, 0.82091, 157.402315, 0.92301338, 211.092444, 0.87292836},
    {1, 0.5, -41.576087, 1.039962, -180.599102, 1.07377628, -113.824658, 1.0334432},
    {1, 0.8, -31.930435, 1.019377, -51.094974, 1.02408974, -44.878049, 1.01914564},
    {1, 1.2, 58.53913, 0.975794, 39.955106, 0.98007078, 43.822224, 0.97651512},
    {1, 1.5, 207.880435, 0.929586, 89.15102, 0.9553715, 107.789358, 0.93769831},
    {1, 2, 665.217391, 0.820922, 157.401869, 0.92301821, 211.092063, 0.87293346},
    {2, 0.5, -18.75, 1.072381, -86.795069, 1.13645978, -55.213841, 1.07557193},
    {2, 0.8, -14.4, 1.035374, -23.47986, 1.04442009, -20.792023, 1.03814814},
    {2, 1.2, 26.4, 0.954987, 17.772362, 0.96340851, 19.355652, 0.95965054},
    {2, 1.5, 93.75, 0.866025, 39.07482, 0.9183172, 46.60444, 0.90139765},
    {2, 2, 300, 0.632456, 67.931584, 0.85981625, 89.558132, 0.81718265},
};
static const double equibiaxial[][8] = {
    {0, 1.2, 65.678953, 0.944815, 44.036378, 0.95475832, 50.609769, 0.93167278},
    {0, 1.5, 233.23492, 0.833727, 96.341702, 0.89714796, 123.567817, 0.77063143},
    {0, 2, 746.351743, 0.51792, 166.478722, 0.81879519, 224.970229, 0.48274578},
    {1, 1.2, 65.678049, 0.944819, 44.035867, 0.95476154, 50.609159, 0.93167702},
    {1, 1.5, 233.231707, 0.83374, 96.340815, 0.89715538, 123.56704, 0.7706422},
    {1, 2, 746.341463, 0.51797, 166.47763, 0.81880853, 224.970273, 0.48275862},
    {2, 1.2, 33, 0.883176, 21.452333, 0.90673746, 24.255992, 0.87511826},
    {2, 1.5, 117.1875, 0.612372, 45.300803, 0.78687425, 54.286101, 0.65116279},
    {2, 2, NAN, NAN, 75.212003, 0.62435876, 93.028624, 0.36842105},
};
/* pair, shear; s11 s12 s22 s33 of St. Venant-Kirchhoff, s11 s12 of neo-Hooke, s11 s12 s22 of
 * fixed corotated */
static const double shear[][11] = {
    {0, 0.1, 2.150289, 10.11389, 1.1389, 0.1389, 1, 10, 1.25078, 10.012477, 0.249532},
    {0, 0.5, 60.590625, 64.23625, 28.4725, 3.4725, 25, 50, 31.717937, 51.492875, 5.9715},
    {0, 1, 327.78, 213.89, 113.89, 13.89, 100, 100, 131.671843, 110.557281, 21.114562},
    {0, 2, 2677.8, 1111.12, 455.56, 55.56, 400, 200, 575.735931, 258.578644, 58.578644},
    {1, 0.1, 2.150278, 10.113889, 1.138889, 0.138889, 1, 10, 1.25078, 10.012477, 0.249532},
    {1, 0.5, 60.590278, 64.236111, 28.472222, 3.472222, 25, 50, 31.717937, 51.492875, 5.9715},
    {1, 1, 327.777778, 213.888889, 113.888889, 13.888889, 100, 100, 131.671843, 110.557281, 21.114562},
    {1, 2, 2677.777778, 1111.111111, 455.555556, 55.555556, 400, 200, 575.735931, 258.578644, 58.578644},
    {2, 0.1, 0.977778, 4.222222, 0.555556, 0.138889, 0.416667, 4.166667, 0.521158, 4.171865, 0.103972},
    {2, 0.5, 27.777778, 27.777778, 13.888889, 3.472222, 10.416667, 20.833333, 13.215807, 21.455365, 2.488125},
    {2, 1, 152.777778, 97.222222, 55.555556, 13.888889, 41.666667, 41.666667, 54.863268, 46.065534, 8.797734},
    {2, 2, 1277.777778, 527.777778, 222.222222, 55.555556, 166.666667, 83.333333, 239.889971, 107.741102, 24.407768},
};
/* friction angle in degrees, F; Kirchhoff stress */
static const double sand[][7] = {
    {15, 0.99, 1, 1, -4081.137645, -2402.935917, -2402.935917},
    {15, 0.97, 1, 1, -12368.563608, -7282.495305, -7282.495305},
    {15, 0.98, 1.01, 1, -4101.688253, -2161.933869, -2802.041767},
    {15, 0.97, 1.02, 1.005, -2275.51149, -1211.916301, -1525.419659},
    {15, 1.01, 1.01, 1, 0, 0, 0},
    {15, 1.002, 0.99, 0.995, -2528.494803, -5036.372159, -3987.74877},
    {30, 0.99, 1, 1, -4785.312796, -2050.848341, -2050.848341},
    {30, 0.97, 1, 1, -14502.683041, -6215.435589, -6215.435589},
    {30, 0.98, 1.01, 1, -5309.144674, -1200.314296, -2556.204918},
    {30, 0.97, 1.02, 1.005, -2951.54639, -698.615678, -1362.685383},
    {30, 1.01, 1.01, 1, 0, 0, 0},
    {30, 1.002, 0.99, 0.995, -2122.377829, -5400.452701, -4029.785202},
    {35, 0.99, 1, 1, -4785.312796, -2050.848341, -2050.848341},
    {35, 0.97, 1, 1, -14502.683041, -6215.435589, -6215.435589},
    {35, 0.98, 1.01, 1, -5725.283556, -868.90085, -2471.479483},
    {35, 0.97, 1.02, 1.005, -3184.535673, -521.711284, -1306.600493},
    {35, 1.01, 1.01, 1, 0, 0, 0},
    {35, 1.002, 0.99, 0.995, -2122.377829, -5400.452701, -4029.785202},
    {45, 0.99, 1, 1, -4785.312796, -2050.848341, -2050.848341},
    {45, 0.97, 1, 1, -14502.683041, -6215.435589, -6215.435589},
    {45, 0.98, 1.01, 1, -6548.730639, -213.106722, -2303.826528},
    {45, 0.97, 1.02, 1.005, -3645.570089, -171.656497, -1195.620865},
    {45, 1.01, 1.01, 1, 0, 0, 0},
    {45, 1.002, 0.99, 0.995, -2122.377829, -5400.452701, -4029.785202},
};
/* friction angle in degrees, cohesion, cohesion_loss; damage and volume gain at first, F; Kirchhoff
 * stress, damage, volume gain: the softening solved by bisection of the damage */
static const double crumbling_sand[][13] = {
    {30, 1500, 0.1, 0, 0, 0.99, 1, 1, -4785.312796, -2050.848341, -2050.848341, 0, 0},
    {30, 1500, 0.1, 0, 0, 0.97, 1.02, 1.005, -4570.371031, 530.527518, -973.003937, 0.186984935707, 0},
    {30, 1500, 0.1, 0.4, 0, 0.97, 1.02, 1.005, -3708.040608, -124.223803, -1180.583039, 0.620069289798, 0},
    {30, 1500, 0.1, 0, 0, 0.9, 1.1, 1, -5048.095015, -945.076126, -2893.838337, 1, 0},
    {30, 1500, 0.1, 0, 0, 1.01, 1.01, 1, 2093.202575, 2093.202575, 2093.202575, 0.194325953383, 0.0127990414362},
    {30, 1500, 0.1, 0, 0, 1.002, 0.99, 0.995, -2122.377829, -5400.452701, -4029.785202, 0, 0},
    {30, 1500, 0.1, 0.5, 0.02, 0.99, 0.995, 1, 1148.282909, 1148.282909, 1148.282909, 0.558025702158, 0.00104133637129},
    {30, 1500, 0.1, 0.2, 0.02, 1.001, 1.0005, 1, 2063.468464, 2063.468464, 2063.468464, 0.205770617924, 0.0144986341909},
    {35, 3000, 0.05, 0.3, 0, 1.03, 0.97, 1, 77.061792, -611.292973, -261.952155, 0.963839251511, 0},
    {35, 3000, 0.05, 0, 0, 1.008, 0.999, 1.001, 3793.717333, 1353.549200, 1897.703228, 0, 0},
    {20, 2000, 0.3, 0.1, 0.005, 0.998, 0.999, 0.997, -296.725738, -24.240064, -569.484581, 0.1, 0},
    {33, 1500, 0.1, 0, 0, 1.2, 1.1, 1.1, 0.000000, 0.000000, 0.000000, 1, 0.372941916403},
    {33, 1500, 1, 0, 0, 1.06, 0.95, 0.99, 1639.347784, -3064.413726, -1293.757090, 0.0538138802669, 0},
    {33, 1500, 0.05, 0, 0, 1.009, 0.993, 1, 1802.269403, -565.944085, 474.810232, 0.0842690350749, 0},
};
/* F; Kirchhoff stress */
static const double von_mises[][6] = {
    {1.005, 1, 1, 6713.998188, 2877.427795, 2877.427795},
    {1.05, 1, 1, 47325.136808, 37325.136808, 37325.136808},
    {1.2, 1, 1, 158601.297328, 148601.297328, 148601.297328},
    {0.8, 1, 1, -192619.626095, -182619.626095, -182619.626095},
    {1.1, 0.9090909090909091, 1, 5773.502692, -5773.502692, 0},
};
static const double snow[][6] = {
    {0.99, 1, 1, -1540, -385, -385},
    {0.975, 1, 1, -3791.666667, -947.916667, -947.916667},
    {0.95, 1, 1, -4899.905565, -1224.976391, -1224.976391},
    {0.9, 1, 1, -8182.816816, -2045.704204, -2045.704204},
    {0.8, 1, 1, -22820.915708, -5705.228927, -5705.228927},
    {0.95, 0.95, 0.95, -11597.543109, -11597.543109, -11597.543109},
    {1.005, 1, 1, 781.666667, 195.416667, 195.416667},
    {1.02, 1, 1, 1038.267248, 259.566812, 259.566812},
    {1.05, 1, 1, 770.886958, 192.721739, 192.721739},
};
/* clang-format on */

static void near(double got, double expected, double gate, const char *law, const char *what,
                 double at)
{
    if (!(fabs(got - expected) <= gate))
        fail_msg("%s, %s at %g: %.15g instead of %.15g", law, what, at, got, expected);
}

static firn_material elastic(const char *law, int pair)
{
    return material(law, "", "E", youngs[pair], "nu", poissons[pair], NULL);
}

/* ---------------------------------------------------------------- elastic laws */

/* P_i(s) of the laws in the order of `laws`, closed forms. */
static double principal(int law, int pair, const double s[3], int i)
{
    double mu = mus[pair], lambda = lambdas[pair], J = s[0] * s[1] * s[2];
    switch (law) {
    case 0:
        return lambda * s[i] * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3) / 2 +
               mu * s[i] * (s[i] * s[i] - 1);
    case 1: return mu * (s[i] - 1 / s[i]) + lambda * log(J) / s[i];
    case 2: return mu * (s[i] - 1 / s[i]) + lambda * (J - 1) * J / s[i];
    default: return 2 * mu * (s[i] - 1) + lambda * (J - 1) * J / s[i];
    }
}

/* All nominal stresses of a stretched point against the closed form, in every variant. */
static void check_stretch(int law, int pair, const double s[3])
{
    firn_material m = elastic(laws[law], pair);
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
        if (!variant_runs(m.law, variant)) continue;
        point p = at_stretch(&m.law->info, s[0], s[1], s[2]);
        run(&m, variant, 0, 0, &p, 1);
        for (int i = 0; i < 3; i++) {
            double P = principal(law, pair, s, i), size = fabs(P) + mus[pair];
            near(p.tau[i] / s[i], P, (firn_variant_is_double(variant) ? 1e-12 : 1e-5) * size,
                 laws[law], "P", s[0]);
        }
    }
}

static double nominal(const firn_material *m, const double s[3], int i)
{
    point p = at_stretch(&m->law->info, s[0], s[1], s[2]);
    run(m, FIRN_F64_SCALAR, 0, 0, &p, 1);
    return p.tau[i] / s[i];
}

static void uniaxial_strain(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof uniaxial / sizeof uniaxial[0]; k++)
        for (int law = 0; law < 4; law++) {
            const double *row = uniaxial[k], critical = 1 / sqrt(3.0);
            /* the table's 0.577350 is 1 / sqrt 3 */
            double s[3] = {fabs(row[1] - critical) < 1e-6 ? critical : row[1], 1, 1};
            firn_material m = elastic(laws[law], (int)row[0]);
            near(nominal(&m, s, 0), row[2 + law], 1e-8, laws[law], "uniaxial strain", s[0]);
            check_stretch(law, (int)row[0], s);
        }
}

/* The lateral stretch t has eight decimals at most, so what is left of the lateral stress is its
 * slope times 1e-8. */
static void check_free(const double row[8], int n_given)
{
    static const int place[] = {0, 1, 3}, decimals[] = {6, 8, 8};
    for (int law = 0; law < 3; law++) {
        double P = row[2 + 2 * law], t = row[3 + 2 * law],
               s[3] = {row[1], n_given == 2 ? row[1] : t, t};
        if (isnan(P)) continue;
        firn_material m = elastic(three_laws[law], (int)row[0]);
        double given = pow(10, -decimals[law]),
               slope = 10 * (lambdas[(int)row[0]] + 2 * mus[(int)row[0]]) * row[1] * row[1];
        near(nominal(&m, s, 2), 0, slope * given, three_laws[law], "free side", s[0]);
        near(nominal(&m, s, 0), P, 1e-6 + slope * given, three_laws[law], "P with free sides",
             s[0]);
        check_stretch(place[law], (int)row[0], s);
    }
}

static void free_sides(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof free_uniaxial / sizeof free_uniaxial[0]; k++)
        check_free(free_uniaxial[k], 1);
    for (size_t k = 0; k < sizeof equibiaxial / sizeof equibiaxial[0]; k++)
        check_free(equibiaxial[k], 2);
}

/* J = 1, so Kirchhoff and Cauchy stress are the same. */
static void simple_shear(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof shear / sizeof shear[0]; k++) {
        const double *r = shear[k];
        const double wanted[3][4] = {
            {r[2], r[3], r[4], r[5]}, {r[6], r[7], 0, 0}, {r[8], r[9], r[10], 0}};
        for (int law = 0; law < 3; law++) {
            firn_material m = elastic(three_laws[law], (int)r[0]);
            for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
                if (!variant_runs(m.law, variant)) continue;
                point p = rest(&m.law->info);
                p.F[1] = r[1];
                run(&m, variant, 0, 0, &p, 1);
                const double got[4] = {p.tau[0], p.tau[3], p.tau[1], p.tau[2]};
                double size = mus[(int)r[0]] + fabs(wanted[law][0]);
                for (int i = 0; i < 4; i++)
                    near(got[i], wanted[law][i],
                         firn_variant_is_double(variant) ? 1e-6 : 1e-5 * size, three_laws[law],
                         "shear", r[1]);
            }
        }
    }
}

/* ---------------------------------------------------------------- return maps */

/* One return map in every variant: against the table's six decimals, and against the closed form.
 */
static void check_map(const firn_material *m, const double F[3], const double table[3],
                      const double exact[3], const char *what, double at)
{
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
        if (!variant_runs(m->law, variant)) continue;
        point p = at_stretch(&m->law->info, F[0], F[1], F[2]);
        run(m, variant, 1, 0, &p, 1);
        int is_double = firn_variant_is_double(variant);
        double size = fmax(length(table, 3), 1000);
        for (int i = 0; i < 3; i++) {
            near(p.tau[i], exact[i], (is_double ? 1e-10 : 1e-5) * size, what, "closed form", at);
            if (is_double) near(p.tau[i], table[i], 1e-6, what, "table", at);
        }
        for (int i = 3; i < 6; i++)
            near(p.tau[i], 0, (is_double ? 1e-10 : 1e-5) * size, what, "shear", at);
    }
}

static void hencky(const double e[3], double lambda, double mu, double tau[3])
{
    for (int i = 0; i < 3; i++) tau[i] = lambda * (e[0] + e[1] + e[2]) + 2 * mu * e[i];
}

/* E = 3.537e5, nu = 0.3 (G. Klar et al., Drucker-Prager elastoplasticity for sand animation, ACM
 * TOG 35, 2016):
 * log strains return along their deviator onto |s| = -(3 lambda + 2 mu) / (2 mu) alpha tr e, to
 * nothing when they open. */
static void sand_returns(void **state)
{
    (void)state;
    const double E = 3.537e5, nu = 0.3, lambda = E * nu / ((1 + nu) * (1 - 2 * nu)),
                 mu = E / (2 * (1 + nu));
    for (size_t k = 0; k < sizeof sand / sizeof sand[0]; k++) {
        const double *r = sand[k], phi = r[0] * 0.017453292519943295,
                     alpha = sqrt(2.0 / 3) * 2 * sin(phi) / (3 - sin(phi));
        double e[3], trace = 0, dev[3], tau[3];
        for (int i = 0; i < 3; i++) {
            e[i] = log(r[1 + i]);
            trace += e[i];
        }
        for (int i = 0; i < 3; i++) dev[i] = e[i] - trace / 3;
        double size = length(dev, 3),
               over = size + (3 * lambda + 2 * mu) / (2 * mu) * trace * alpha;
        for (int i = 0; i < 3; i++)
            e[i] = trace >= 0 ? 0 : over > 0 ? e[i] - over * dev[i] / size : e[i];
        hencky(e, lambda, mu, tau);
        firn_material m = material("sand", "", "E", E, "nu", nu, "friction_angle", phi, NULL);
        check_map(&m, r + 1, r + 4, tau, "sand", r[0]);
    }
}

/* The surface softens within the step: what the closed form finds is what bisection finds, intact,
 * partly lost and lost, on the cone and at its apex. */
static void crumbling_sand_returns(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof crumbling_sand / sizeof crumbling_sand[0]; k++) {
        const double *r = crumbling_sand[k];
        firn_material m =
            material("sand", "", "E", 3.537e5, "nu", 0.3, "friction_angle",
                     r[0] * 0.017453292519943295, "cohesion", r[1], "cohesion_loss", r[2], NULL);
        assert_string_equal(m.law->info.name, "crumbling_sand");
        for (int variant = 0; variant < FIRN_N_VARIANTS; variant++) {
            if (!variant_runs(m.law, variant)) continue;
            point p = at_stretch(&m.law->info, r[5], r[6], r[7]);
            p.history[0] = r[4];
            p.history[1] = r[3];
            run(&m, variant, 1, 0, &p, 1);
            const int is_double = firn_variant_is_double(variant);
            for (int i = 0; i < 3; i++)
                near(p.tau[i], r[8 + i], is_double ? 1e-6 : 0.1, "crumbling_sand", "stress",
                     (double)k);
            near(p.history[1], r[11], is_double ? 1e-10 : 1e-5, "crumbling_sand", "damage",
                 (double)k);
            near(p.history[0], r[12], is_double ? 1e-11 : 1e-6, "crumbling_sand", "volume gain",
                 (double)k);
        }
    }
}

/* E = 1e6, nu = 0.3, yield 1e4: radial return of the deviator of Hencky stress onto sqrt(2/3)
 * yield. */
static void von_mises_returns(void **state)
{
    (void)state;
    const double E = 1e6, nu = 0.3, lambda = E * nu / ((1 + nu) * (1 - 2 * nu)),
                 mu = E / (2 * (1 + nu));
    firn_material m = material("von_mises", "", "E", E, "nu", nu, "yield", 1e4, NULL);
    for (size_t k = 0; k < sizeof von_mises / sizeof von_mises[0]; k++) {
        const double *r = von_mises[k];
        double e[3], trace = 0, dev[3], tau[3];
        for (int i = 0; i < 3; i++) {
            e[i] = log(r[i]);
            trace += e[i];
        }
        for (int i = 0; i < 3; i++) dev[i] = e[i] - trace / 3;
        double keep = fmin(1, sqrt(2.0 / 3) * 1e4 / (2 * mu * length(dev, 3)));
        for (int i = 0; i < 3; i++) e[i] = trace / 3 + keep * dev[i];
        hencky(e, lambda, mu, tau);
        check_map(&m, r, r + 3, tau, "von Mises", r[0]);
    }
}

/* E = 1.4e5, nu = 0.2, theta_c = 2.5e-2, theta_s = 7.5e-3, xi = 10 (A. Stomakhin et al., A
 * material point method for snow simulation, ACM TOG 32, 2013): stretches are clamped, stiffness
 * grows by exp(xi (1 - Jp)). */
static void snow_returns(void **state)
{
    (void)state;
    const double lambda = 350000.0 / 9, mu = 175000.0 / 3;
    firn_material m = material("snow", "packed_snow", NULL);
    for (size_t k = 0; k < sizeof snow / sizeof snow[0]; k++) {
        const double *r = snow[k];
        double s[3], tau[3], J = 1, Jp = 1;
        for (int i = 0; i < 3; i++) {
            s[i] = fmin(fmax(r[i], 1 - 2.5e-2), 1 + 7.5e-3);
            J *= s[i];
            Jp *= r[i] / s[i];
        }
        for (int i = 0; i < 3; i++)
            tau[i] = exp(10 * (1 - Jp)) * (2 * mu * (s[i] - 1) * s[i] + lambda * (J - 1) * J);
        check_map(&m, r, r + 3, tau, "snow", r[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniaxial_strain),        cmocka_unit_test(free_sides),
        cmocka_unit_test(simple_shear),           cmocka_unit_test(sand_returns),
        cmocka_unit_test(crumbling_sand_returns), cmocka_unit_test(von_mises_returns),
        cmocka_unit_test(snow_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
