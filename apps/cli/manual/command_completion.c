/* command_completion.c — `dent completion SHELL`: completion of commands, options and their words for bash, zsh and fish,
 * made from the tables of commands and options. The build runs it for each shell and installs the files. */
#include "questions.h"
#include "tool.h"

#include <dent/scene.h>
#include <dent/sim_scene.h>

#include <string.h>

/* ---- the words of an option ------------------------------------------------------------------------------ */

enum { WORD_LIMIT = 64 };

/* Words that an option chooses from; 0: others, such as files and numbers. */
static size_t list_words(option_id id, const char **words)
{
    static const char *const sorts[] = {"depth", "volume", "name"};
    static const char *const kinds[] = {"vertex-face", "edge-edge"};
    static const char *const motions[] = {"constant", "screw"};
    size_t count = 0;
    switch (id) {
    case OPTION_ASK:
        return list_question_names(question_has_pairs, words);
    case OPTION_BENCH_ASK:
        return list_question_names(question_is_raced, words);
    case OPTION_METHOD:
        for (; count < DENT_METHOD_COUNT; count++) {
            words[count] = dent_method_name((dent_method)count);
        }
        return count;
    case OPTION_INSIDE_METHOD:
        for (; count < DENT_INSIDE_METHOD_COUNT; count++) {
            words[count] = dent_inside_method_name((dent_inside_method)count);
        }
        return count;
    case OPTION_ISA:
        for (; count < DENT_ISA_COUNT; count++) {
            words[count] = dent_isa_name((dent_isa)count);
        }
        return count;
    case OPTION_SORT:
        memcpy(words, sorts, sizeof sorts);
        return sizeof sorts / sizeof sorts[0];
    case OPTION_KIND:
        memcpy(words, kinds, sizeof kinds);
        return sizeof kinds / sizeof kinds[0];
    case OPTION_MOTION:
        memcpy(words, motions, sizeof motions);
        return sizeof motions / sizeof motions[0];
    default:
        return 0;
    }
}

static bool takes(const tool_command *command, unsigned id)
{
    return (command->option_bits & OPTION_BIT(id)) != 0;
}

/* Scenes stand where files do. */
static bool takes_scenes(const tool_command *command)
{
    return takes(command, OPTION_SCALE);
}

static void print_words(printer *out, option_id id)
{
    const char *words[WORD_LIMIT];
    size_t count = list_words(id, words);
    for (size_t i = 0; i < count; i++) {
        printer_text(out, i > 0 ? " " : "");
        printer_text(out, words[i]);
    }
}

static void print_commands(printer *out)
{
    for (uint32_t i = 0; tool_command_at(i) != NULL; i++) {
        printer_text(out, i > 0 ? " " : "");
        printer_text(out, tool_command_at(i)->name);
    }
}

static void print_scenes(printer *out)
{
    for (uint32_t i = 0; i < dent_scene_count(); i++) {
        printer_text(out, i > 0 ? " " : "");
        printer_text(out, dent_scene_info_at(i)->name);
    }
    for (uint32_t i = 0; i < dent_sim_scene_count(); i++) {
        if (dent_scene_find(dent_sim_scene_info_at(i)->name) == NULL) {
            printer_text(out, " ");
            printer_text(out, dent_sim_scene_info_at(i)->name);
        }
    }
}

/* ---- bash ------------------------------------------------------------------------------------------------ */

static void print_bash_command(printer *out, const tool_command *command)
{
    printer_format(out, "    %s)\n        options='", command->name);
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        if (takes(command, id)) {
            printer_format(out, "%s ", options_get_info((option_id)id).name);
        }
    }
    printer_text(out, "--help'\n        case $previous in\n");
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        const char *words[WORD_LIMIT];
        option_info info = options_get_info((option_id)id);
        if (!takes(command, id) || info.value == NULL) {
            continue;
        }
        printer_format(out, "        %s%s%s) ", info.name, info.short_name != NULL ? "|" : "",
                       info.short_name != NULL ? info.short_name : "");
        if (list_words((option_id)id, words) > 0) {
            printer_text(out, "COMPREPLY=($(compgen -W '");
            print_words(out, (option_id)id);
            printer_text(out, "' -- \"$word\")) ;;\n");
        } else {
            printer_text(out, "COMPREPLY=($(compgen -f -- \"$word\")) ;;\n");
        }
        printer_text(out, "");
    }
    printer_format(out, "        *) names='%s' ;;\n        esac ;;\n", takes_scenes(command) ? "$scenes" : "");
}

static void print_bash(printer *out)
{
    printer_text(out, "# Completion of dent for bash; made by `dent completion bash`.\n_dent() {\n"
                      "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options='' names=''\n"
                      "    local scenes='");
    print_scenes(out);
    printer_text(out, "'\n    COMPREPLY=()\n    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '");
    print_commands(out);
    printer_text(out, " --help --version' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (uint32_t i = 0; tool_command_at(i) != NULL; i++) {
        print_bash_command(out, tool_command_at(i));
    }
    printer_text(out, "    esac\n"
                      "    if ((${#COMPREPLY[@]} == 0)); then\n"
                      "        if [[ $word == -* ]]; then\n"
                      "            COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                      "        else\n"
                      "            names=${names//\\$scenes/$scenes}\n"
                      "            COMPREPLY=($(compgen -f -- \"$word\") $(compgen -W \"$names\" -- \"$word\"))\n"
                      "        fi\n"
                      "    fi\n"
                      "}\ncomplete -o filenames -F _dent dent\n");
}

/* ---- zsh and fish ---------------------------------------------------------------------------------------- */

/* In single quotes; what ends them or means something to _arguments is escaped or left out. */
static void print_quoted(printer *out, const char *text, const char *escaped)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            printer_text(out, "'\\''");
        } else {
            printer_bytes(out, "\\", strchr(escaped, *text) != NULL);
            printer_bytes(out, text, 1);
        }
    }
}

static void print_zsh_option(printer *out, option_id id)
{
    const char *words[WORD_LIMIT];
    option_info info = options_get_info(id);
    bool repeats = id == OPTION_SET || id == OPTION_ALLOW || id == OPTION_OBSTACLE || id == OPTION_PACKAGE_PATH;
    printer_format(out, " \\\n            '%s%s%s[", repeats ? "*" : "", info.name, info.value != NULL ? "=" : "");
    print_quoted(out, info.help, "[]:\\");
    printer_text(out, "]");
    if (info.value != NULL) {
        printer_text(out, ":");
        print_quoted(out, info.value, ":\\");
        if (list_words(id, words) > 0) {
            printer_text(out, ":(");
            print_words(out, id);
            printer_text(out, ")");
        } else {
            printer_text(out, ":_files");
        }
    }
    printer_text(out, "'");
}

static void print_zsh(printer *out)
{
    printer_text(out, "#compdef dent\n# Completion of dent for zsh; made by `dent completion zsh`.\n_dent() {\n"
                      "    local -a commands scenes\n    scenes=(");
    print_scenes(out);
    printer_text(out, ")\n    commands=(\n");
    for (uint32_t i = 0; tool_command_at(i) != NULL; i++) {
        printer_format(out, "        '%s:", tool_command_at(i)->name);
        print_quoted(out, tool_command_at(i)->summary, ":\\");
        printer_text(out, "'\n");
    }
    printer_text(out, "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
                      "    shift words\n    ((CURRENT--))\n    case ${words[1]} in\n");
    for (uint32_t i = 0; tool_command_at(i) != NULL; i++) {
        const tool_command *command = tool_command_at(i);
        printer_format(out, "    %s)\n        _arguments '--help[print the help text]'", command->name);
        for (unsigned id = 0; id < OPTION_COUNT; id++) {
            if (takes(command, id)) {
                print_zsh_option(out, (option_id)id);
            }
        }
        printer_format(out, " \\\n            '*:file:%s' ;;\n",
                       takes_scenes(command) ? "{_alternative \"files:file:_files\" \"scenes:scene:($scenes)\"}" : "_files");
    }
    printer_text(out, "    esac\n}\n_dent \"$@\"\n");
}

static void print_fish(printer *out)
{
    printer_text(out, "# Completion of dent for fish; made by `dent completion fish`.\n");
    for (uint32_t i = 0; tool_command_at(i) != NULL; i++) {
        const tool_command *command = tool_command_at(i);
        printer_format(out, "complete -c dent -n __fish_use_subcommand -a %s -d '", command->name);
        print_quoted(out, command->summary, "\\");
        printer_text(out, "'\n");
        for (unsigned id = 0; id < OPTION_COUNT; id++) {
            const char *words[WORD_LIMIT];
            option_info info = options_get_info((option_id)id);
            if (!takes(command, id)) {
                continue;
            }
            printer_format(out, "complete -c dent -n '__fish_seen_subcommand_from %s' -l %s", command->name,
                           info.name + 2);
            if (info.short_name != NULL) {
                printer_format(out, " -s %s", info.short_name + 1);
            }
            printer_text(out, info.value != NULL ? " -r" : "");
            if (list_words((option_id)id, words) > 0) {
                printer_text(out, " -f -a '");
                print_words(out, (option_id)id);
                printer_text(out, "'");
            }
            printer_text(out, " -d '");
            print_quoted(out, info.help, "\\");
            printer_text(out, "'\n");
        }
        if (takes_scenes(command)) {
            printer_format(out, "complete -c dent -n '__fish_seen_subcommand_from %s' -a '", command->name);
            print_scenes(out);
            printer_text(out, "'\n");
        }
    }
}

static int run_completion(const tool_options *options, printer *out)
{
    const char *shell = options->arguments[0];
    if (strcmp(shell, "bash") == 0) {
        print_bash(out);
    } else if (strcmp(shell, "zsh") == 0) {
        print_zsh(out);
    } else if (strcmp(shell, "fish") == 0) {
        print_fish(out);
    } else {
        return complain("completion: choose bash, zsh or fish; got '%s'", shell);
    }
    return STATUS_GOOD;
}

const tool_command command_completion_row = {
    .name = "completion",
    .summary = "print the completion of commands and options for a shell",
    .arguments = "bash|zsh|fish",
    .details = "Bash: source <(dent completion bash). Zsh: dent completion zsh > _dent in a folder of $fpath. Fish:\n"
               "dent completion fish | source. The files are installed, too, where shells look for them.\n",
    .option_bits = 0,
    .argument_min = 1,
    .argument_max = 1,
    .run = run_completion,
};
