// Prints which algorithm a library itself chooses for a call, level by level, and the resulting
// schedule.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/built_in/built_in.hpp"
#include "src/formats/text_table.hpp"

namespace tutti::inline output {

// Returns the command that simulates `call` with the algorithm `choice`: "tutti simulate
// bcast/pipeline -p 16 -n 64KiB --tree knomial". Returns "" if `choice` names no algorithm of
// tutti, or if the algorithm needs switches that reduce.
[[nodiscard]] std::string simulate_command(const LibraryCall& call, const Choice& choice);

// A table with a line for each call of a collective. Its first columns are the number of ranks p
// and, if the collective has them, the size n and the block size. The columns that are passed to
// the constructor follow; add() takes the contents of these columns.
class ChoiceTable {
 public:
  ChoiceTable(Collective collective, std::vector<TableColumn> columns);
  void add(std::uint32_t ranks, std::uint64_t bytes, const std::vector<std::string>& cells);
  void print(std::ostream& out) const;

 private:
  Collective collective_;
  Table table_;
};
void print_library_choices(std::string_view library, std::uint32_t ranks_per_host,
                           const std::vector<std::pair<LibraryCall, LibraryDecision>>& chosen,
                           std::ostream& out);
void print_library_choice(std::string_view library, const LibraryCall& call,
                          const LibraryDecision& decision, std::ostream& out);
// Returns an object with the chosen algorithm and its options, the call, the path (what each level
// of the library chose, and why), and the command of simulate_command().
[[nodiscard]] nlohmann::ordered_json library_choice_json(std::string_view library,
                                                         const LibraryCall& call,
                                                         const LibraryDecision& decision);

}  // namespace tutti::inline output
