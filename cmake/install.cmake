# Filled by the install helper.
