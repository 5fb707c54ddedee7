// A recording as arrays to draw from: tutti-recording/1, read and found to be sound.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::inline pictures {

enum class RecordedKind : std::uint8_t { message, reduction, copy };

struct RecordedRun {
  std::string title;
  double total_s = 0;
  std::uint32_t ranks = 1;
  // A row is a rank, or so many neighbours.
  std::uint32_t rows = 1;
  std::uint32_t ranks_per_row = 1;
  std::uint64_t operations = 0;  // of the run: as many as entries, or more where these are sums

  // An entry is an operation, or what two rows did in a round.
  std::vector<std::uint8_t> kind;
  std::vector<std::uint32_t> src;
  std::vector<std::uint32_t> dst;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> round;
  std::vector<double> ready_s;
  std::vector<double> start_s;
  std::vector<double> end_s;
  std::vector<std::int64_t> held_by;  // -1, or a place in link_places
  std::vector<double> lost_s;
  std::vector<std::uint64_t> count;  // of operations; empty where an entry is one

  std::vector<std::uint32_t> chain;
  std::vector<std::string> link_places;
  std::string account;  // where the time went, in a line; "" where nobody asked

  [[nodiscard]] std::size_t size() const { return kind.size(); }
  [[nodiscard]] bool merged() const { return !count.empty(); }
  [[nodiscard]] RecordedKind kind_of(std::size_t i) const {
    return static_cast<RecordedKind>(kind[i]);
  }
  [[nodiscard]] bool is_message(std::size_t i) const { return kind_of(i) == RecordedKind::message; }
  [[nodiscard]] std::uint64_t count_of(std::size_t i) const { return merged() ? count[i] : 1; }
  // Entries that are messages, and the operations behind entries of a kind.
  [[nodiscard]] std::size_t message_entries() const;
  [[nodiscard]] std::uint64_t operations_of(RecordedKind kind) const;
  // "3", "64-127".
  [[nodiscard]] std::string row_label(std::uint32_t row) const;
  // "rank 3", "ranks 64-127".
  [[nodiscard]] std::string row_in_words(std::uint32_t row) const;
};

// Throws UserError as check_recording() does.
[[nodiscard]] RecordedRun recorded_run(const nlohmann::json& recording);

// "705.5 us = 228.4 published formula + 477.1 slowed by sharing leaf down-links", of the
// explanation in a recording, with the links of its network; "" where there is none.
[[nodiscard]] std::string account_line(const nlohmann::json& explanation,
                                       const nlohmann::json& links);

}  // namespace tutti::inline pictures
