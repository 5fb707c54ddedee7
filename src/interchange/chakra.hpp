// Chakra execution traces, in the form in which ASTRA-sim reads custom collectives: a file for each
// rank, PREFIX.RANK.et, with a message GlobalMetadata and then a message for each send, receive or
// calculation, each after its length.
//
// Sources: et_def.proto and the feeder of github.com/mlcommons/chakra, and CustomAlgorithm.cc of
// github.com/astra-sim/astra-sim. ASTRA-sim matches sends and receives by ranks and tag, takes the
// sizes from the file, and calculates in whole microseconds (1 ns if there are none).
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "src/interchange/rank_nodes.hpp"

namespace tutti::inline interchange {

// True if `text` begins like a trace.
[[nodiscard]] bool is_chakra(std::string_view text);

// Reads a trace of all ranks. `path` is the file of one of them; the files of the others are beside
// it. Throws UserError, which names the file and the node: for a file that ends too early or is
// damaged, for a node of another type than send, receive or calculation, for a missing attribute,
// and for a dependency on a node that the file does not have.
[[nodiscard]] Application read_chakra(const std::string& path);

// Writes the trace of one rank. A calculation is rounded to a microsecond.
void write_chakra(const RankNodes& nodes, Rank rank, std::ostream& out);

}  // namespace tutti::inline interchange
