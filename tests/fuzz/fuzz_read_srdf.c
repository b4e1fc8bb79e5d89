/* Fuzzer of read_srdf.c: whatever the bytes, an SRDF file is read, with names in every rule, or refused with a message
 * that names the file, and all memory comes back. Seeds: corpus/srdf. */
#define _GNU_SOURCE
#include "fuzz_recording.h"

#include <dent/srdf.h>

static bool read_srdf(dent_context *context, const char *path, size_t size)
{
    dent_srdf *srdf = NULL;
    if (dent_srdf_read(context, path, &srdf) != DENT_OK) {
        fuzz_require(srdf == NULL);
        return false;
    }
    fuzz_require(srdf->robot != NULL);
    for (uint32_t i = 0; i < srdf->rule_count; i++) {
        const dent_srdf_rule *rule = &srdf->rules[i];
        const char *other = rule->link_b != NULL ? rule->link_b : "another";
        fuzz_require(rule->link_a[0] != '\0' && strlen(rule->link_a) <= size && rule->reason != NULL);
        fuzz_require(dent_srdf_allows(srdf, rule->link_a, other) == dent_srdf_allows(srdf, other, rule->link_a));
        fuzz_require(!rule->enabled || !dent_srdf_allows(srdf, rule->link_a, other));
    }
    dent_srdf_destroy(context, srdf);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_recording(data, size, read_srdf);
}
