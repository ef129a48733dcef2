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

/* Address and thread sanitizers bring their own allocator, which ends the program where memory is
 * limited. clang tells it by a feature, gcc by a macro. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FIRN_TESTS_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FIRN_TESTS_SANITIZED 1
#endif

#endif
