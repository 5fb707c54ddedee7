// Chakra execution traces of whole programs, with collectives: what each rank computes and
// communicates, and on what each of these nodes depends.
//
// Sources: et_def.proto, the feeder and the converters of github.com/mlcommons/chakra, commit
// 21585d8, and Workload.cc of github.com/astra-sim/astra-sim, commit 518bd51.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace interchange {

struct TraceNode {
  enum class Kind : std::uint8_t {
    no_time,  // only its dependencies matter
    compute,
    collective,
    send,
    receive,
  };
  Kind kind = Kind::no_time;
  std::uint64_t id = 0;      // in the file
  std::uint64_t amount = 0;  // nanoseconds of computing, or comm_size
  Collective collective = Collective::allreduce;
  std::uint32_t group = 0;  // index into ChakraTrace::groups
  Rank peer = 0;            // of a send or a receive
  std::int64_t tag = 0;
};

struct TraceRank {
  std::string file;
  std::vector<TraceNode> nodes;  // in the order of the file
  // Node i depends on the nodes dependencies[rows[i]] to dependencies[rows[i + 1] - 1].
  std::vector<std::uint32_t> rows{0};
  std::vector<std::uint32_t> dependencies;

  [[nodiscard]] std::span<const std::uint32_t> dependencies_of(std::uint32_t node) const {
    return std::span(dependencies).subspan(rows[node], rows[node + 1] - rows[node]);
  }
};

struct TraceGroup {
  std::string name;  // pg_name; "all" for collectives without one
  std::vector<Rank> members;
};

struct ChakraTrace {
  std::string file;  // the file that the user named
  std::vector<TraceRank> ranks;
  std::vector<TraceGroup> groups;  // those that occur
  std::vector<std::string> notes;  // sentences on what was left out, without a full stop
};

// Reads the traces of all ranks. `path` is the file of one of them. Process groups are those of the
// traces (nodes process_group:init) and otherwise of comm_group.json in the same folder. Throws
// UserError, which names the file and the node.
[[nodiscard]] ChakraTrace read_chakra_trace(const std::string& path);

}}  // namespace tutti::interchange
