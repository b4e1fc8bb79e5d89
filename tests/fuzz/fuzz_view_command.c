/* fuzz_view_command.c — what a page may send to `dent view`: anything at all. What is accepted must be within bounds.
 */
#include <view_protocol.h>

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    view_command command;
    const char *why = NULL;
    if (!view_command_parse(bytes, size, &command, &why)) {
        assert(why != NULL && why[0] != '\0');
        return 0;
    }
    assert(size <= VIEW_COMMAND_LIMIT);
    assert(command.kind >= VIEW_COMMAND_ACKNOWLEDGE && command.kind <= VIEW_COMMAND_SETTLED);
    assert(memchr(command.word, '\0', sizeof command.word) != NULL);
    assert(command.steps >= -1000 && command.steps <= 1000);
    for (int i = 0; i < 3; i++) {
        assert(isfinite(command.value[i]));
    }
    return 0;
}
