// Converts a tutti-schedule/1 document to the rounds that are drawn.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti { inline namespace pictures {

// All messages from one rank to another in one round.
struct DrawnMessage {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint64_t bytes = 0;
  std::uint32_t count = 0;  // number of messages
  std::vector<std::uint64_t> blocks;
  // True if `blocks` are places in scratch, where any blocks may be. Places of slot 1 follow those
  // of slot 0.
  bool scratch = false;
};

struct DrawnWork {
  std::uint32_t rank = 0;
  bool reduces = false;  // true: reduces; false: copies
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> blocks;
  bool scratch = false;  // as in DrawnMessage
};

struct DrawnRound {
  std::uint64_t number = 0;
  std::vector<DrawnMessage> messages;  // ordered by sender, then receiver
  std::vector<DrawnWork> work;
};

struct DrawnSchedule {
  std::string title;  // "allreduce/ring on 8 ranks, 1 MiB"
  std::uint32_t ranks = 1;
  std::uint64_t blocks = 0;  // number of blocks; 0 if messages have no blocks, or unknown blocks
  std::uint64_t messages = 0;
  std::uint32_t ports = 1;  // the largest number of messages that a rank sends in a step
  // True if levels overlap, as in a pipeline, and ranks do not have ports for all messages of a
  // level at a time. A round is then a step, in which a rank sends and receives at most `ports`
  // messages.
  bool steps = false;
  std::uint64_t levels = 0;           // number of levels that have a message, as `verify` counts
  std::uint32_t ports_of_levels = 0;  // ports with which each level is one step
  std::vector<DrawnRound> rounds;

  // Returns the size of every message; nothing if sizes differ, or if a rank sends several messages
  // to the same rank in a round.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of_all() const;
};

// Reads a tutti-schedule/1 document. Throws UserError if the schedule is invalid.
[[nodiscard]] DrawnSchedule drawn_schedule(const nlohmann::json& schedule);

// Lists blocks: "b3", "b0-3", "b1,3,5"; "all" if there are several blocks and `blocks` has all of
// them. `of_blocks` is the number of blocks of the vector. If `scratch` is true, `blocks` are
// places in scratch: "s0-2".
[[nodiscard]] std::string blocks_in_words(const std::vector<std::uint64_t>& blocks,
                                          std::uint64_t of_blocks, bool scratch = false);

}}  // namespace tutti::pictures
