/* main.c — the dent tool: finds the command in the table, parses its options, runs it, sees to it that what was printed
 * arrived. A new command is a file command_<name>.c with a row, and a line in the table below. */
#include "interrupt.h"
#include "questions.h"
#include "tool.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const tool_command *const command_table[] = {
    &command_info_row,
    &command_check_row,
    &command_pairs_row,
    &command_ccd_row,
    &command_ccd_queries_row,
    &command_plan_row,
    &command_points_row,
    &command_inside_row,
    &command_scenes_row,
    &command_export_row,
    &command_run_row,
    &command_view_row,
    &command_bench_row,
    &command_paper_row,
    &command_completion_row,
    &command_man_row,
};
enum { COMMAND_COUNT = sizeof command_table / sizeof command_table[0] };

const tool_command *tool_command_at(uint32_t index)
{
    return index < COMMAND_COUNT ? command_table[index] : NULL;
}

static const tool_command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(command_table[i]->name, name) == 0) {
            return command_table[i];
        }
    }
    return NULL;
}

static void print_help(printer *out)
{
    printer_format(out,
                   "dent %s: exact collision detection and contact response for deformable bodies\n\n"
                   "usage: dent COMMAND [OPTION...] [ARGUMENT...]\n\n",
                   dent_version());
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printer_format(out, "  %-11s %s\n", command_table[i]->name, command_table[i]->summary);
    }
    printer_text(out, "\ndent COMMAND --help describes a command, dent --version prints the version.\n"
                      "Exit status: 0 success; 1 a penetration (check), an impact (ccd) or a wrong result\n"
                      "(ccd-queries); 2 an error or an incomplete result; 130 Ctrl-C.\n");
}

/* "  name      text", the text broken between words to fit the line. */
static void print_entry(printer *out, const char *name, const char *text)
{
    enum { INDENT = 29, LINE_WIDTH = 100 };
    printer_format(out, "  %-*s", INDENT - 2, name);
    int column = INDENT;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column > INDENT && column + 1 + length > LINE_WIDTH) {
            printer_format(out, "\n%*s", INDENT, "");
            column = INDENT;
        }
        printer_format(out, "%s%.*s", column > INDENT ? " " : "", length, text);
        column += length + (column > INDENT);
        text += length + (text[length] == ' ');
    }
    printer_text(out, "\n");
}

static void print_questions(printer *out, question_filter *taken)
{
    printer_text(out, "\nquestions:\n");
    for (uint32_t i = 0; i < dent_question_count(); i++) {
        const dent_question_info *info = dent_question_info_at(i);
        char text[512];
        snprintf(text, sizeof text, "%s; %s%s", info->meaning, info->numbers != NULL ? "numbers: " : "no numbers",
                 info->numbers != NULL ? info->numbers : "");
        if (taken(info)) {
            print_entry(out, info->name, text);
        }
    }
}

static void print_command_help(const tool_command *command, printer *out)
{
    char described[4096];
    option_set option_bits = command->option_bits;
    options_describe(option_bits, described, sizeof described);
    printer_format(out, "usage: dent %s %s\n\n%c%s.\n\n", command->name, command->arguments,
                   toupper((unsigned char)command->summary[0]), command->summary + 1);
    printer_text(out, command->details);
    printer_text(out, "\noptions:\n");
    printer_text(out, described);
    if ((option_bits & (OPTION_BIT(OPTION_ASK) | OPTION_BIT(OPTION_BENCH_ASK))) != 0) {
        print_questions(out, (option_bits & OPTION_BIT(OPTION_ASK)) != 0 ? question_has_pairs : question_is_discrete);
    }
    if ((option_bits & OPTION_BIT(OPTION_METHOD)) != 0) {
        printer_text(out, "\nmethods:\n");
        for (unsigned i = 0; i < DENT_METHOD_COUNT; i++) {
            print_entry(out, dent_method_name((dent_method)i), dent_method_summary((dent_method)i));
        }
    }
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = command_table[i]->name;
    }
    const char *near = nearest_word(name, names, COMMAND_COUNT);
    if (near != NULL) {
        return complain("unknown command '%s'; did you mean %s?", name, near);
    }
    return complain("unknown command '%s'; dent --help lists them", name);
}

static int run_command(const tool_command *command, int argc, char **argv, printer *out)
{
    tool_options options;
    if (!options_parse(&options, command->name, command->option_bits, argc, argv)) {
        return STATUS_ERROR;
    }
    if (options.help) {
        print_command_help(command, out);
        return STATUS_GOOD;
    }
    if (options.argument_count < command->argument_min || options.argument_count > command->argument_max) {
        return complain("%s: usage: dent %s %s", command->name, command->name, command->arguments);
    }
    return command->run(&options, out);
}

static int run_tool(int argc, char **argv, printer *out)
{
    if (argc < 2) {
        print_help(out);
        return STATUS_GOOD;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        printer_format(out, "dent %s\n", dent_version());
        return STATUS_GOOD;
    }
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (help && argc < 3) {
        print_help(out);
        return STATUS_GOOD;
    }
    const tool_command *command = find_command(help ? argv[2] : word);
    if (command == NULL) {
        return word[0] == '-' && !help ? complain("unknown option '%s'; see dent --help", word)
                                       : unknown_command(help ? argv[2] : word);
    }
    if (help) {
        print_command_help(command, out);
        return STATUS_GOOD;
    }
    return run_command(command, argc - 2, argv + 2, out);
}

int main(int argc, char **argv)
{
    printer out;
    printer_open(&out, STDOUT_FILENO);
    interrupt_install();
    return printer_finish(&out, run_tool(argc, argv, &out));
}
