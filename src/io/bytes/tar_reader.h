/* The members of a tar archive, one after the other: ustar, pax and GNU names, and the old format before them.
 *
 * Only headers are read; the data of a member is at data_offset of the stream. Every error names the archive, the
 * member and the byte where its header begins. */
#ifndef DENT_IO_TAR_READER_H
#define DENT_IO_TAR_READER_H

#include "byte_stream.h"
#include "base/containers/dynamic_array.h"

enum tar_kind {
    TAR_FILE,
    TAR_DIRECTORY,
    TAR_SYMBOLIC_LINK,
    TAR_HARD_LINK,
    TAR_DEVICE, /* devices and pipes */
    TAR_OTHER   /* volume labels and the like: no file comes of them */
};

struct tar_member {
    const char *name; /* of the reader, until the next member */
    enum tar_kind kind;
    uint64_t header_offset; /* where its first header begins, long names included */
    uint64_t data_offset;
    uint64_t size;
};

struct tar_reader {
    struct byte_stream *stream;
    uint64_t next_offset;          /* of the next header */
    uint64_t member_count;         /* so far */
    struct dynamic_array name;     /* char: the name of the member, ended by a zero byte */
    struct dynamic_array extended; /* char: data of a pax or GNU header */
};

void tar_reader_init(struct tar_reader *reader, struct byte_stream *stream);
void tar_reader_release(struct tar_reader *reader);

/* *found is false at the end of the archive. An archive without its end mark gives a notice. */
dent_status tar_reader_next(struct tar_reader *reader, struct tar_member *member, bool *found);

/* "a symbolic link" */
const char *tar_kind_name(enum tar_kind kind);

#endif
