// A look at a platform file before SimGrid sees it: SimGrid aborts on some bad files, and loads
// others silently and wrongly.
#pragma once

#include <string>

namespace tutti {

// Throws UserError, one line that names the file and, where there is one, the line: for a file that
// is missing, unreadable, empty, malformed or no platform; that has neither host nor cluster; that
// has a speed or bandwidth which is not above 0, or a latency below 0; or that asks for FATPIPE
// links in a <cluster>, which SimGrid makes shared without a word.
void check_platform_file(const std::string& file);

}  // namespace tutti
