// The schedules of a step's calls, each made when it is first needed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "schedules/experts/token_exchange.hpp"
#include "schedules/schedule_union.hpp"

namespace tutti { inline namespace steps {

// An algorithm that runs, and its problem.
struct CallRun {
  const Algorithm* algorithm = nullptr;  // null if `tokens` is set
  Problem problem;
  double sent_per_byte = 1;  // UnionPart's
  // Set for a dispatch or a combine in which a token crosses the network once per node.
  std::shared_ptr<const RoutedTokens> tokens = nullptr;
  TokenExchange exchange = {};
  // True: takes no time in place of the algorithm's. A rank is through as soon as the
  // ranks whose data it needs have begun.
  bool is_free = false;
};

using SharedPart = std::shared_ptr<const UnionPart>;

class CallParts {
 public:
  // `runs` has the run of each call; nothing for a single rank. `copy_s_per_byte` is the price of a
  // copied byte on the machine.
  CallParts(std::vector<std::optional<CallRun>> runs, double copy_s_per_byte)
      : runs_(std::move(runs)), copy_s_per_byte_(copy_s_per_byte) {}

  [[nodiscard]] const std::optional<CallRun>& run(std::size_t call) const { return runs_[call]; }
  // Returns the schedule of a call over all ranks of the communicator.
  [[nodiscard]] SharedPart whole(std::size_t call) { return classes(call, 0); }
  // Returns the part of the first `count` ranks, which stand for all others; null if the ranks are
  // not equivalent.
  [[nodiscard]] SharedPart classes(std::size_t call, std::uint32_t count);

 private:
  std::vector<std::optional<CallRun>> runs_;
  double copy_s_per_byte_;
  std::map<std::pair<std::size_t, std::uint32_t>, SharedPart> made_;  // by call and count
};

}}  // namespace tutti::steps
