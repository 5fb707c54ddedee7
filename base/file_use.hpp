// Which files a command reads and writes, and whether two paths lead to the same file.
#pragma once

#include <string>
#include <vector>

namespace tutti::inline base {

// The target of `path` once symbolic links are followed, also if the last link is dangling.
[[nodiscard]] std::string follow_links(const std::string& path);

// True if both paths lead to the same file: by the file itself if it exists (links of either kind),
// otherwise by its name. Terminals, pipes and devices such as /dev/null are never the same file.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

// A command may not write a file that it reads, nor write one twice. Whoever opens a file registers
// it; the second of two conflicting uses throws UserError. Standard output counts as an output.
void register_input(const std::string& path);
void register_output(const std::string& path);
void forget_output(const std::string& path);
// Throws UserError if the command has read the output `path` although register_input() threw: some
// readers treat an unreadable file as missing.
void check_not_read(const std::string& path);

// The paths of all registered inputs, as the user wrote them.
[[nodiscard]] std::vector<std::string> registered_inputs();
// Called at the end of a command.
void forget_inputs();

}  // namespace tutti::inline base
