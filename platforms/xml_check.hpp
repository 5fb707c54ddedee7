// A look at a platform file before SimGrid sees it: SimGrid aborts on some bad files, and loads
// others silently and wrongly.
#pragma once

#include <string>

namespace tutti::inline platforms {

// Returns what SimGrid is to load in place of the file: the same elements on the same lines, and
// nothing that was not looked at. Throws UserError, one line that names the file and, where there
// is one, the line: for a file that is missing, unreadable, empty, malformed or no platform; that
// has neither host nor cluster; that has a speed or bandwidth which is not above 0 and finite, or a
// latency below 0 or without end; that asks for FATPIPE links in a <cluster>, which SimGrid makes
// shared without a word; that includes another file; or that brings settings which are none of a
// platform's (platform_settings.hpp).
std::string check_platform_file(const std::string& file);

}  // namespace tutti::inline platforms
