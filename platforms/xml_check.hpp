// Checks a platform file before SimGrid reads it, because SimGrid aborts on some invalid files, and
// silently misreads others.
#pragma once

#include <string>

namespace tutti::inline platforms {

// Returns the text that SimGrid loads in place of the file: the same elements on the same lines,
// and nothing that was not checked. Throws UserError if the file is missing, unreadable, empty,
// malformed or not a platform; if it has neither a host nor a cluster; if a speed or bandwidth is
// not positive and finite, or a latency is negative or infinite; if a <cluster> has FATPIPE links,
// which SimGrid silently treats as shared; if the file includes another file; or if it contains
// settings that do not describe a platform (platform_settings.hpp). The message names the file and,
// if possible, the line.
std::string check_platform_file(const std::string& file);

}  // namespace tutti::inline platforms
