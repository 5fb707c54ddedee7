// Schedules as other tools see them: each rank has nodes (sends, receives and calculations), and
// dependencies between nodes of the same rank. GOAL and Chakra have this form.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/op.hpp"
#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace interchange {

enum class NodeKind : std::uint8_t { send, receive, calculation };

using NodeId = std::uint32_t;

struct RankNode {
  NodeKind kind = NodeKind::calculation;
  Rank rank = 0;
  Rank peer = 0;             // of a send or a receive
  std::uint64_t amount = 0;  // bytes, or nanoseconds of a calculation
  std::uint32_t tag = 0;     // of a send or a receive
  std::uint8_t core = 0;     // number of the rank's processor
  std::uint8_t nic = 0;      // of a send or a receive: number of the rank's network interface

  friend bool operator==(const RankNode&, const RankNode&) = default;
};

// `node` starts when `started` has started, or later. Both are nodes of the same rank.
struct StartOrder {
  NodeId node = 0;
  NodeId started = 0;

  friend auto operator<=>(const StartOrder&, const StartOrder&) = default;
};

struct RankNodes {
  std::uint32_t ranks = 0;
  std::vector<RankNode> nodes;  // rank by rank
  // Node `id` starts when the nodes dependencies[rows[id]] to dependencies[rows[id + 1] - 1] have
  // ended. These are nodes of the same rank, ascending, and may have larger ids.
  std::vector<std::uint32_t> rows{0};
  std::vector<NodeId> dependencies;
  std::vector<StartOrder> start_orders;
};

// Sorts the dependencies of each node.
void sort_dependencies(RankNodes& nodes);

// Returns the place of a node in the user's file, for error messages: "line 12".
using PlaceOfNode = std::function<std::string(NodeId)>;

// Returns an application (see Collective::application) with these nodes.
//
// The order of a rank's nodes is that of its dependencies and start orders and, where these allow
// several, of ids. Sends and receives are matched as in MPI: the first send from a rank to another
// with a tag belongs to the first receive there, and so on. A message depends on what its send and
// its receive depend on. If a message between two ranks depends on another between the same ranks
// at one of them only, a calculation of 0 ns is added at that rank. A calculation of 0 ns is also
// added for each node that a start order names as started: it waits for what this node waits for.
//
// Engines start simultaneous operations in the order of their ids. The operations of the
// application are in the order of the sends and of the other nodes of each rank, as far as
// dependencies and the orders of the other ranks allow.
//
// In a schedule, a message starts when both ranks are ready for it. If a file would then end in a
// deadlock, but not with buffers at the receivers, then the messages in question go to a buffer:
// the receive is a calculation of 0 ns after the message. `buffered` is their number.
//
// Throws UserError, which names `file` and the place, for a send without a receive, a receive
// without a send, a receive that is shorter than its message, nodes that wait for each other in a
// cycle, or a file without nodes.
struct Application {
  Schedule schedule;
  std::uint64_t buffered = 0;
};
[[nodiscard]] Application application_of(const RankNodes& nodes, std::string_view file,
                                         const PlaceOfNode& place);

// Returns the nodes of a schedule, rank by rank, in the order of operations. The tag of a message
// is its number among all messages. Calculations have the time that reductions and copies take
// according to `prices`, rounded to nanoseconds. If a rank cannot do without a reduction or copy
// (because of others' dependencies), it stays, even if its time is 0.
[[nodiscard]] RankNodes nodes_of(const Schedule& schedule, const Prices& prices);

}}  // namespace tutti::interchange
