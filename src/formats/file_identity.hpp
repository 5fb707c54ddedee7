// Which file a path stands for.
#pragma once

#include <string>

namespace tutti {

// What a path leads to when symbolic links are followed, also where the last one leads to nothing.
[[nodiscard]] std::string follow_links(const std::string& path);

// One name for each file, however the path says it; also where the file, or folders on the way to
// it, are not there yet.
[[nodiscard]] std::string unique_name(const std::string& path);

// Whether two paths lead to the same file: by the file itself where it is there (links of either
// kind), by its name where it is not. What is no regular file, such as a terminal or /dev/null, is
// never the same.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

}  // namespace tutti
