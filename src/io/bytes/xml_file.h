/* A whole XML file read within the memory limit of the caller's context. */
#ifndef DENT_IO_XML_FILE_H
#define DENT_IO_XML_FILE_H

#include "xml_scanner.h"

/* Reads what the scanner gives, with the scanner's context and name; on success makes *result. */
typedef dent_status xml_file_reader(struct xml_scanner *xml, void *result);

/* Loads the file, packed or not, and hands a scanner over its bytes to the reader. */
dent_status xml_file_read(dent_context *context, const char *path, xml_file_reader *read, void *result);

#endif
