/* Opening, loading and closing round a reader of XML. See xml_file.h. */
#include "xml_file.h"

#include "file_bytes.h"
#include "read_scope.h"
#include "try_status.h"

static dent_status read_within(dent_context *context, const char *path, xml_file_reader *read, void *result)
{
    struct file_bytes bytes;
    struct xml_scanner xml;
    TRY(file_bytes_load(context, path, FILES_ONLY, &bytes));
    dent_status status = xml_open(&xml, context, path, bytes.data, bytes.size);
    status = status == DENT_OK ? read(&xml, result) : status;
    file_bytes_release(context, &bytes);
    return status;
}

dent_status xml_file_read(dent_context *context, const char *path, xml_file_reader *read, void *result)
{
    struct read_scope scope;
    TRY(read_scope_open(&scope, context, path, 0));
    read_scope_count_file(&scope, path);
    return read_scope_end(&scope, read_within(scope.context, path, read, result));
}
