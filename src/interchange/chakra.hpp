// Chakra execution traces, in the form in which ASTRA-sim reads custom collectives: a file for each
// rank, PREFIX.RANK.et, with a message GlobalMetadata and then a message for each send, receive or
// calculation, each after its length.
//
// Sources: et_def.proto and the feeder of github.com/mlcommons/chakra, and CustomAlgorithm.cc of
// github.com/astra-sim/astra-sim. ASTRA-sim matches sends and receives by ranks and tag, takes the
// sizes from the file, and calculates in whole microseconds (1 ns if there are none).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/interchange/rank_nodes.hpp"

namespace tutti { inline namespace interchange {

// True if `text` begins like a trace.
[[nodiscard]] bool is_chakra(std::string_view text);

struct ChakraFiles {
  RankNodes nodes;
  std::vector<std::uint64_t> ids;  // of each node in its file
};

// Reads the traces of all ranks. `path` is the file of one of them; the files of the others are
// beside it. Throws UserError, which names the file and the node: for a file that ends too early or
// is damaged, for a node of another type than send, receive or calculation, for a missing
// attribute, and for a dependency on a node that the file does not have.
[[nodiscard]] ChakraFiles parse_chakra(const std::string& path);
// Parses the contents of the files of all ranks. `names` are their names in error messages.
[[nodiscard]] ChakraFiles parse_chakra(std::span<const std::string_view> texts,
                                       std::span<const std::string> names);
// Parses the files, and makes an application from their nodes.
[[nodiscard]] Application read_chakra(const std::string& path);

// Writes the trace of one rank. A calculation is rounded to a microsecond.
void write_chakra(const RankNodes& nodes, Rank rank, std::ostream& out);

}}  // namespace tutti::interchange
