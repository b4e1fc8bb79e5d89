/* view_launch.h — from an address to a browser that shows it: the user's own on this machine, or a tunnel to another. */
#ifndef DENT_VIEW_LAUNCH_H
#define DENT_VIEW_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_URL_LIMIT = 656, VIEW_FOLDER_LIMIT = 1024, VIEW_TUNNEL_LIMIT = 256 };

/** A new folder that only this user can look into, in TMPDIR or /tmp. */
bool view_make_folder(char folder[VIEW_FOLDER_LIMIT]);
/** The same, in the user's runtime folder where there is one. */
bool view_make_runtime_folder(char folder[VIEW_FOLDER_LIMIT]);
/** Writes a page, for this user alone, that leads a browser to the address: on the browser's command line other users
 * could read it. `path` gets its name. */
bool view_write_redirect(const char *folder, const char *url, bool snapshot, char *path, size_t size);
/** Removes that page and its folder. */
void view_remove_redirect(const char *folder);

bool view_has_display(void);
/** A file that can be run, in PATH unless the name has a slash. */
bool view_is_program(const char *name);
/** Starts the user's browser, by xdg-open, on a file. */
void view_open_browser(const char *path);
/** In a child process, before it becomes a browser: standard streams to nowhere, since browsers chat, and none of our
 * files and sockets, since they outlive us. */
void view_silence(void);

/** Where this process runs in an SSH session: the command that leads the port of the page to the user's own machine. The
 * token is not in it. False: it does not, and `line` is as it was or cut off. */
bool view_write_tunnel(uint16_t port, char *line, size_t size);

#endif
