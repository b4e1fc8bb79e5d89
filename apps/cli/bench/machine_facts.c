/* machine_facts.c — asks /proc and the build. */
#include "machine_facts.h"

#include <dent_commit.h> /* made by the build: DENT_COMMIT */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_OF(x) #x
#define NUMBER_TEXT(x) TEXT_OF(x)

static void processor_name(char *name, size_t size)
{
    snprintf(name, size, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
            break;
        }
    }
    fclose(file);
}

void machine_name(char *buffer, size_t size)
{
    char processor[256];
    processor_name(processor, sizeof processor);
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(buffer, size, "%s; %ld processors", processor, count > 0 ? count : 1);
    for (char *at = buffer; *at != '\0'; at++) {
        if (*at == ',' || *at == '"' || (unsigned char)*at < 0x20) {
            *at = ' '; /* it goes into tables as it is */
        }
    }
}

const char *compiler_name(void)
{
#if defined(__clang__)
    return "clang " NUMBER_TEXT(__clang_major__) "." NUMBER_TEXT(__clang_minor__) "." NUMBER_TEXT(__clang_patchlevel__);
#elif defined(__GNUC__)
    return "gcc " NUMBER_TEXT(__GNUC__) "." NUMBER_TEXT(__GNUC_MINOR__) "." NUMBER_TEXT(__GNUC_PATCHLEVEL__);
#else
    return "unknown";
#endif
}

const char *commit_name(void)
{
    return DENT_COMMIT;
}
