// Checks a platform file before SimGrid reads it, because SimGrid aborts on some invalid files, and
// silently misreads others.
#pragma once

#include <string>
#include <vector>

namespace tutti { inline namespace platforms {

struct CheckedPlatform {
  // The text that SimGrid loads in place of the file: the same elements on the same lines, with
  // SimGrid 3.32's names of settings, and without settings that cannot change a result.
  std::string xml;
  // Remarks for the user, one sentence each: settings that are ignored.
  std::vector<std::string> notes;
  // A feature that only SimGrid simulates, with its line; empty if there is none. These are
  // links or hosts whose figures change with time (a profile, a failure trace), and settings that
  // can change a result.
  std::string unmodelled;
};

// Throws UserError if the file is missing, unreadable, empty, malformed or not a platform; if it
// has neither a host nor a cluster; if a speed or bandwidth is not positive and finite, or a
// latency is negative or infinite; if a <cluster> has FATPIPE links, which SimGrid silently treats
// as shared; if the file has WiFi links or includes another file; or if it has settings that are
// invalid or that tutti does not support under this network model (platform_settings.hpp). The
// message names the file and, if possible, the line.
CheckedPlatform check_platform_file(const std::string& file,
                                    const std::string& network_model = "hockney");

}}  // namespace tutti::platforms
