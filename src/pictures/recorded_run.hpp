// A recording (tutti-recording/1), checked and converted to arrays from which it is drawn.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti { inline namespace pictures {

// Nouns for the kinds of operations. The index is the kind in a recording.
inline constexpr std::array<const char*, 3> kKindNouns{"message", "reduction", "copy"};

struct RecordedRun {
  std::string title;
  double total_s = 0;
  std::uint32_t ranks = 1;
  // A row is a rank, or a group of neighbouring ranks.
  std::uint32_t rows = 1;
  std::uint32_t ranks_per_row = 1;

  // An entry is an operation, or the sum of all operations between two rows in a round.
  std::vector<std::uint8_t> kind;
  std::vector<std::uint32_t> src;
  std::vector<std::uint32_t> dst;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> round;
  std::vector<double> ready_s;
  std::vector<double> start_s;
  std::vector<double> end_s;
  // Index in link_places of the link that cost the entry the most time; -1 if no link cost time.
  std::vector<std::int64_t> held_by;
  std::vector<double> lost_s;
  // Number of operations in each entry; empty if every entry is one operation.
  std::vector<std::uint64_t> count;

  std::vector<std::uint32_t> chain;
  std::vector<std::string> link_places;
  std::string account;  // where the time went, in one line; "" without an explanation

  [[nodiscard]] std::size_t size() const { return kind.size(); }
  [[nodiscard]] bool merged() const { return !count.empty(); }
  [[nodiscard]] bool is_message(std::size_t i) const { return kind[i] == 0; }
  // Return the number of entries that are messages, and the number of operations in all entries of
  // one kind.
  [[nodiscard]] std::size_t message_entries() const;
  [[nodiscard]] std::uint64_t operations_of(std::size_t wanted) const;
  // The label of a row: "3", "64-127".
  [[nodiscard]] std::string row_label(std::uint32_t row) const;
  // The label in words: "rank 3", "ranks 64-127".
  [[nodiscard]] std::string row_in_words(std::uint32_t row) const;
};

// Converts a recording, which must conform to its schema. Throws the same errors as
// check_recording().
[[nodiscard]] RecordedRun recorded_run(const nlohmann::json& recording);

// Checks that the parts of a recording are consistent, which a schema cannot express. Throws
// UserError that names the inconsistency: arrays of different lengths; a rank, operation, node or
// link that does not exist; an end before its start.
void check_recording(const nlohmann::json& recording);

// Says in one line where the time goes: "705.5 us = 228.4 published formula + 477.1 slowed by
// sharing leaf down-links". `explanation` and `links` are members of a recording. Returns "" if
// there is no explanation.
[[nodiscard]] std::string account_line(const nlohmann::json& explanation,
                                       const nlohmann::json& links);

}}  // namespace tutti::pictures
