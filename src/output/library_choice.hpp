// Prints which algorithm a library itself chooses for a call, level by level, and the resulting
// schedule.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/built_in/built_in.hpp"

namespace tutti { inline namespace output {

// Returns the command that simulates `call` with the algorithm `choice`: "tutti simulate
// bcast/pipeline -p 16 -n 64KiB --tree knomial". Returns "" if `choice` names no algorithm of
// tutti, or if the algorithm needs switches that reduce.
[[nodiscard]] std::string simulate_command(const LibraryCall& call, const Choice& choice);

// If `has_tables`, the library reads the user's files, and each row names the rule that decided.
void print_library_choices(std::string_view library, std::uint32_t ranks_per_host,
                           const std::vector<std::pair<LibraryCall, LibraryDecision>>& chosen,
                           bool has_tables, std::ostream& out);
void print_library_choice(std::string_view library, const LibraryCall& call,
                          const LibraryDecision& decision, std::ostream& out);
}}  // namespace tutti::output
