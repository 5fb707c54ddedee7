// Parts of a Chakra trace that its readers share.
#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"
#include "src/interchange/chakra.pb.h"

namespace tutti { inline namespace interchange {

inline constexpr std::string_view kChakraEnding = ".et";
// The exact time of a calculation, which no other tool reads; duration_micros rounds it.
inline constexpr const char* kChakraNanoseconds = "duration_nanos";

// A collective of a trace: the value of comm_type, and tutti's name.
struct ChakraCollective {
  std::string_view name;
  Collective collective;
  bool whole_vector;  // comm_size is the size of the largest buffer
};
// The position is the number in comm_type.
inline constexpr std::array<ChakraCollective, 10> kChakraCollectives{
    {{"ALL_REDUCE", Collective::allreduce, true},
     {"REDUCE", Collective::reduce, true},
     {"ALL_GATHER", Collective::allgather, false},
     {"GATHER", Collective::gather, false},
     {"SCATTER", Collective::scatter, false},
     {"BROADCAST", Collective::bcast, true},
     {"ALL_TO_ALL", Collective::alltoall, true},
     {"REDUCE_SCATTER", Collective::reduce_scatter, true},
     {"REDUCE_SCATTER_BLOCK", Collective::reduce_scatter_block, true},
     {"BARRIER", Collective::barrier, true}}};
// Returns the collective of a node; null if the node names none that is known.
[[nodiscard]] const ChakraCollective* chakra_collective(const chakra::Node& node);

// Reads the next message after its length. Returns false at the end of the file, or if the message
// is damaged.
[[nodiscard]] bool read_chakra_message(google::protobuf::io::CodedInputStream& in,
                                       google::protobuf::MessageLite& message, bool& damaged);

// Return the value of an attribute: a number, a text or a truth value. They are empty, "" or false
// if the node does not have it, or has another type.
[[nodiscard]] std::optional<std::uint64_t> chakra_number(const chakra::Node& node,
                                                         std::string_view name);
[[nodiscard]] std::string chakra_text(const chakra::Node& node, std::string_view name);
// Returns chakra_number() in digits, with its sign; "" if the node does not have it.
[[nodiscard]] std::string chakra_number_text(const chakra::Node& node, std::string_view name);
[[nodiscard]] bool chakra_truth(const chakra::Node& node, std::string_view name);

// Rounds to microseconds.
[[nodiscard]] constexpr std::uint64_t chakra_microseconds(std::uint64_t ns) {
  return (ns + 500) / 1000;
}
// Returns the exact time of a calculation, unless the trace has none, or another tool has changed
// the time in microseconds since.
[[nodiscard]] std::optional<std::uint64_t> exact_chakra_ns(const chakra::Node& node);

// Returns the name of the files of a trace up to the number of the rank. Throws UserError for
// another name than PREFIX.RANK.et.
[[nodiscard]] std::string chakra_prefix(std::string_view path);
// Returns the files of all ranks, of which `path` is one. Throws UserError if one is missing.
[[nodiscard]] std::vector<std::string> chakra_files(const std::string& path);

}}  // namespace tutti::interchange
