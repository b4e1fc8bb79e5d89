/* Which sanitizer the test was built with: some tests (fork, address-space limits) cannot run under them. */
#ifndef DENT_TESTS_SANITIZER_H
#define DENT_TESTS_SANITIZER_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define TEST_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEST_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define TEST_THREAD_SANITIZER 1
#endif
#ifndef TEST_ADDRESS_SANITIZER
#define TEST_ADDRESS_SANITIZER 0
#endif
#ifndef TEST_THREAD_SANITIZER
#define TEST_THREAD_SANITIZER 0
#endif

#endif
