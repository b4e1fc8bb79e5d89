/* command_man.c — `dent man [COMMAND]`: the manual page of the tool or of one command, made from the same texts and tables
 * as --help. The build runs it for every command and installs the pages. */
#include "questions.h"
#include "tool.h"

#include <ctype.h>
#include <string.h>

/* ---- roff ------------------------------------------------------------------------------------------------ */

/* Text as it stands: what roff would take for a request, an escape or a hyphen is escaped. */
static void print_roff(printer *out, const char *text)
{
    bool line_begins = true;
    for (; *text != '\0'; text++) {
        if (line_begins && (*text == '.' || *text == '\'')) {
            printer_text(out, "\\&");
        }
        if (*text == '\\') {
            printer_text(out, "\\e");
        } else if (*text == '-') {
            printer_text(out, "\\-");
        } else {
            printer_bytes(out, text, 1);
        }
        line_begins = *text == '\n';
    }
}

/* Paragraphs of a help text: an empty line begins the next. */
static void print_paragraphs(printer *out, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (length == 0) {
            printer_text(out, ".PP\n");
        } else {
            char line[512];
            size_t size = length < sizeof line - 1 ? length : sizeof line - 1;
            memcpy(line, text, size);
            line[size] = '\0';
            print_roff(out, line);
            printer_text(out, "\n");
        }
        text += length + (text[length] == '\n');
    }
}

static void print_title(printer *out, const char *name, const char *summary)
{
    printer_text(out, ".TH \"");
    for (const char *c = name; *c != '\0'; c++) {
        char upper = (char)toupper((unsigned char)*c);
        printer_bytes(out, &upper, 1);
    }
    printer_format(out, "\" 1 \"\" \"dent %s\" \"User Commands\"\n.SH NAME\n", dent_version());
    print_roff(out, name);
    printer_text(out, " \\- ");
    print_roff(out, summary);
    printer_text(out, "\n");
}

static void print_item(printer *out, const char *name, const char *value, const char *text)
{
    printer_text(out, ".TP\n.B ");
    print_roff(out, name);
    if (value != NULL) {
        printer_text(out, " ");
        print_roff(out, value);
    }
    printer_text(out, "\n");
    print_roff(out, text);
    printer_text(out, "\n");
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

static void print_options(printer *out, const tool_command *command)
{
    printer_text(out, ".SH OPTIONS\n");
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        if ((command->option_bits & OPTION_BIT(id)) != 0) {
            option_info info = options_get_info((option_id)id);
            char name[64] = "";
            if (info.short_name != NULL) {
                strcat(strcat(name, info.short_name), ", ");
            }
            strncat(name, info.name, sizeof name - strlen(name) - 1);
            print_item(out, name, info.value, info.help);
        }
    }
    print_item(out, "-h, --help", NULL, "print the help text");
}

static void print_words(printer *out, const tool_command *command)
{
    if ((command->option_bits & (OPTION_BIT(OPTION_ASK) | OPTION_BIT(OPTION_BENCH_ASK))) != 0) {
        printer_text(out, ".SH QUESTIONS\n");
        for (uint32_t i = 0; i < dent_question_count(); i++) {
            const dent_question_info *info = dent_question_info_at(i);
            if ((command->option_bits & OPTION_BIT(OPTION_ASK)) != 0 ? question_has_pairs(info)
                                                                      : question_is_discrete(info)) {
                print_item(out, info->name, NULL, info->meaning);
            }
        }
    }
    if ((command->option_bits & OPTION_BIT(OPTION_METHOD)) != 0) {
        printer_text(out, ".SH METHODS\n");
        for (unsigned i = 0; i < DENT_METHOD_COUNT; i++) {
            print_item(out, dent_method_name((dent_method)i), NULL, dent_method_summary((dent_method)i));
        }
    }
}

static void print_command_page(printer *out, const tool_command *command)
{
    char name[64] = "dent-";
    strncat(name, command->name, sizeof name - 6);
    print_title(out, name, command->summary);
    printer_format(out, ".SH SYNOPSIS\n.B dent %s\n", command->name);
    print_roff(out, command->arguments);
    printer_text(out, "\n.SH DESCRIPTION\n");
    print_paragraphs(out, command->details);
    print_options(out, command);
    print_words(out, command);
    printer_text(out, ".SH SEE ALSO\n.BR dent (1)\n");
}

static void print_tool_page(printer *out)
{
    print_title(out, "dent", "exact collision detection and contact response for deformable bodies");
    printer_text(out, ".SH SYNOPSIS\n.B dent\nCOMMAND [OPTION...] [ARGUMENT...]\n.SH COMMANDS\n");
    for (uint32_t i = 0; tool_command_at(i) != NULL; i++) {
        print_item(out, tool_command_at(i)->name, NULL, tool_command_at(i)->summary);
    }
    printer_text(out, ".SH EXIT STATUS\n");
    print_item(out, "0", NULL, "success");
    print_item(out, "1", NULL, "a penetration (check), an impact (ccd) or a wrong result (ccd-queries)");
    print_item(out, "2", NULL, "an error or an incomplete result");
    print_item(out, "130", NULL, "Ctrl-C");
    printer_text(out, ".SH ENVIRONMENT\n");
    print_item(out, "DENT_DATA", NULL, "the folder of the data kit, for scenes that use it");
    print_item(out, "DENT_CHROMIUM", NULL, "the browser of dent view --snapshot and --record");
    printer_text(out, ".SH SEE ALSO\n");
    for (uint32_t i = 0; tool_command_at(i) != NULL; i++) {
        printer_format(out, ".BR dent\\-%s (1)%s\n", tool_command_at(i)->name,
                       tool_command_at(i + 1) != NULL ? "," : "");
    }
}

static int run_man(const tool_options *options, printer *out)
{
    if (options->argument_count == 0) {
        print_tool_page(out);
        return STATUS_GOOD;
    }
    for (uint32_t i = 0; tool_command_at(i) != NULL; i++) {
        if (strcmp(tool_command_at(i)->name, options->arguments[0]) == 0) {
            print_command_page(out, tool_command_at(i));
            return STATUS_GOOD;
        }
    }
    return complain("man: unknown command '%s'; dent --help lists them", options->arguments[0]);
}

const tool_command command_man_row = {
    .name = "man",
    .summary = "print the manual page of dent or of a command",
    .arguments = "[COMMAND]",
    .details = "Prints a page for man: dent man check | man -l -. The pages are installed, too: man dent-check.\n",
    .option_bits = 0,
    .argument_min = 0,
    .argument_max = 1,
    .run = run_man,
};
