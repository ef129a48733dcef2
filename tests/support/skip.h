/* SPDX-License-Identifier: MIT */
/* skip.h: a case that cannot be tried here says why; tools/count_tests.py repeats it in the last
 * line. */
#ifndef FIRN_TESTS_SKIP_H
#define FIRN_TESTS_SKIP_H

#define SKIP(why)                                                                                  \
    do {                                                                                           \
        print_message("skipped: %s\n", why);                                                       \
        skip();                                                                                    \
    } while (0)

#endif
