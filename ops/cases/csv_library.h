// The library that reads CSV files, as we use it: it would start a thread for each file, and g++ warns that
// it cuts off a long file name, which it does on purpose.
#pragma once

#define CSV_IO_NO_THREAD
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#include <libfccp/csv.h>
#pragma GCC diagnostic pop
