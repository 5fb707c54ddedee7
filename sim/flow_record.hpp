// What a watched run of the flow engine has to tell beside its times.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "schedules/op.hpp"

namespace tutti::inline sim {

inline constexpr std::uint32_t kNoLink = 0xffffffffU;

// An operation to be watched.
struct WatchedOp {
  OpId id = 0;
  // A stretch of it that is under way at this moment is told as two.
  double split_s = std::numeric_limits<double>::infinity();
};

// What to watch.
struct WatchList {
  std::vector<WatchedOp> ops;        // in the order of their ids
  std::vector<std::uint32_t> links;  // of the network: how much of each is in use, and when
};
using Watched = std::shared_ptr<const WatchList>;

// A time in which one and the same held a flow back.
struct FlowStretch {
  OpId id = 0;
  std::uint32_t link = kNoLink;  // what held it; kNoLink: nothing, it was as fast as it is alone
  double from_s = 0;
  double until_s = 0;
  double moving_s = 0;  // what that which was moved takes alone; the rest is lost
};

// From then on so much of a link is in use, as a share of its capacity.
struct LoadChange {
  double at_s = 0;
  double load = 0;
  std::uint32_t link = 0;
};

struct FlowRecord {
  // Links are numbered as in the network. The cores of a host that more ranks share than it has
  // cores come after all of those: kCoresOfHost plus the host.
  static constexpr std::uint32_t kCoresOfHost = 0x80000000U;

  std::vector<FlowStretch> stretches;  // those of an operation in the order of time
  std::vector<LoadChange> loads;       // of the links that are watched, in the order of time
};

}  // namespace tutti::inline sim
