// Registers the files that a command reads and writes, and finds paths that lead to the same file.
#pragma once

#include <string>
#include <vector>

namespace tutti { inline namespace base {

// Returns the target of `path` after following symbolic links, even if the last link is dangling.
[[nodiscard]] std::string follow_links(const std::string& path);

// True if both paths lead to the same regular file, or to the same name if neither exists.
// False if one of them leads to a terminal, a pipe or a device such as /dev/null.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

// Throws UserError if the name of a file or folder has control characters, such as a line end. A
// name appears in messages, comments and commands, where such a character could begin a line of its
// own. register_input() and register_output() call this function.
void check_file_name(const std::string& path);

// Registers a file that this command reads, by the path that the user wrote. Throws UserError if an
// output or standard output goes to the same file. Thread-safe, like the functions below.
void register_input(const std::string& path);

// Registers a file that this command writes. Throws UserError if the command reads the same file,
// or if another output or standard output goes to that file.
void register_output(const std::string& path);

// Returns the registered inputs in alphabetical order.
[[nodiscard]] std::vector<std::string> registered_inputs();

// Forgets all registered files. Must be called before the next command in the same process.
void forget_files();

}}  // namespace tutti::base
