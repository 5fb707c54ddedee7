// Checks a platform file before SimGrid reads it, because SimGrid aborts on some invalid files, and
// silently misreads others.
#pragma once

#include <string>

namespace tutti::inline platforms {

// Returns the text that SimGrid loads in place of the file: the same elements on the same lines,
// and nothing that was not checked. Throws UserError, which names the file and the line if there is
// one, for a file that is missing, unreadable, empty, malformed or not a platform; that has neither
// a host nor a cluster; that has a speed or bandwidth which is not positive and finite, or a
// latency which is negative or infinite; that asks for FATPIPE links in a <cluster>, which SimGrid
// silently treats as shared; that includes another file; or that contains settings which do not
// describe a platform (platform_settings.hpp).
std::string check_platform_file(const std::string& file);

}  // namespace tutti::inline platforms
