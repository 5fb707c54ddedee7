// A record of a watched run of the flow engine, in addition to the times of operations.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace sim {

inline constexpr std::uint32_t kNoLink = 0xffffffffU;

// An operation to watch.
struct WatchedOp {
  OpId id = 0;
  // A FlowStretch that is under way at this time is recorded as two stretches.
  double split_s = std::numeric_limits<double>::infinity();
};

// The operations and links to watch.
struct WatchList {
  // True: all operations are watched, and no FlowStretch is split. For runs of which the critical
  // chain is not known yet. The record is given up once an operation waits for a port or a core,
  // because a chain with such an operation needs splits, and if there are too many stretches.
  bool every_op = false;
  std::vector<WatchedOp> ops;        // in the order of their ids
  std::vector<std::uint32_t> links;  // links of the network whose load is recorded over time
};
using WatchListPtr = std::shared_ptr<const WatchList>;

// An interval throughout which one and the same link, or none, held a flow back.
struct FlowStretch {
  OpId id = 0;
  std::uint32_t link = kNoLink;  // kNoLink: the flow ran at full speed
  double from_s = 0;
  double until_s = 0;
  // Time that the bytes of this stretch would need without other flows. The rest of the stretch is
  // lost.
  double moving_s = 0;
};

// The load of a link from `at_s` on, as a share of the link's capacity.
struct LoadChange {
  double at_s = 0;
  double load = 0;
  std::uint32_t link = 0;
};

// How long a message waited at its sender for what other messages used, with a message model.
struct MessageWaits {
  OpId id = 0;
  double start_s = 0;
  double core_s = 0;
  double interface_s = 0;   // network interface of the sender's host
  double connection_s = 0;  // switches of the sender's connections
  bool switches = false;    // true if the sender's previous message went to another rank
};

struct FlowRecord {
  // False if nothing was watched, or if the record was given up (WatchList::every_op).
  bool complete = false;
  // Links are numbered as in the network. If a host has more ranks than cores, its cores are
  // recorded as link kCoresOfHost + host.
  static constexpr std::uint32_t kCoresOfHost = 0x80000000U;

  std::vector<FlowStretch> stretches;  // sorted by time for each operation
  std::vector<MessageWaits> waits;     // one for each message; only with a message model
  std::vector<LoadChange> loads;       // loads of the watched links, sorted by time
};

}}  // namespace tutti::sim
