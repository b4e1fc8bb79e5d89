/* view_record.c — `dent view --record F.webm`: a headless Chromium draws every frame, makes a video of them with its own
 * encoder and sends it back through the socket of the page. */
#include "view_record.h"

#include "tool.h"
#include "view_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LIVE_FRAMES = 150, TURN_FRAMES = 120, SERIES_MOST = 100000 };

uint32_t view_record_frames(const tool_options *options, const view_source *source)
{
    if (options_have(options, OPTION_STORY_FRAMES)) {
        return options->frames;
    }
    if (source->live || source->frame_count == 0) {
        return LIVE_FRAMES;
    }
    uint32_t left = source->frame_count - source->frame;
    return source->frame_count == 1 ? TURN_FRAMES : left < SERIES_MOST ? left : SERIES_MOST;
}

static int write_file(const view_message *file, const char *path)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    size_t done = 0;
    while (descriptor >= 0 && done < file->size) {
        ssize_t written = write(descriptor, file->bytes + done, file->size - done);
        if (written < 0 && errno != EINTR) {
            break;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    bool good = descriptor >= 0 && done == file->size;
    good = (descriptor < 0 || close(descriptor) == 0) && good;
    return good ? STATUS_GOOD : complain("view: %s: cannot be written: %s", path, strerror(errno));
}

int view_record_place(tool_session *session, view_server *server, const char *folder)
{
    char path[VIEW_FOLDER_LIMIT + 16];
    view_upload_state state;
    view_message *file = view_server_take_upload(server, &state);
    int failed = STATUS_ERROR;
    if (state == VIEW_UPLOAD_DONE && file != NULL && file->size > 0) {
        snprintf(path, sizeof path, "%s/video.webm", folder);
        failed = write_file(file, path);
        failed = failed ? failed : view_place_picture(session, path, session->options->record);
    } else if (state == VIEW_UPLOAD_FAILED && file != NULL) {
        complain("view: --record: %.*s", (int)(file->size < 400 ? file->size : 400), (const char *)file->bytes);
    } else {
        complain("view: --record: Chromium made no video");
    }
    view_message_drop(file);
    return failed;
}
