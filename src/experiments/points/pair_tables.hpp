// The tables of benchmarks that send messages between two ranks, or between several pairs of ranks:
// osu_latency, osu_bw, osu_bibw, osu_mbw_mr and similar ones, and those of the Intel MPI Benchmarks
// (PingPong, PingPing, Sendrecv, Exchange, Uniband, Biband).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/points/point_text.hpp"

namespace tutti { inline namespace experiments {

// Messages that ranks send at the same time.
enum class PairTest : std::uint8_t {
  ping_pong,  // a message there, then one back; times are those of one of them
  stream,     // many messages in one direction
  both_ways,  // messages in both directions
};

struct PairRun {
  std::string name;  // "osu_bw", "PingPong"
  PairTest test = PairTest::ping_pong;
  std::uint32_t ranks = 2;
  // True if all ranks send to their neighbours in a ring. Otherwise, each rank of the first half
  // sends to one of the second half.
  bool in_ring = false;
  std::uint32_t sends = 1;  // messages that a rank sends in a time
  // The benchmark counts this many times the bytes of a message in a time for its bandwidth.
  std::uint32_t counts = 1;
  bool on_device = false;  // the messages are in the memory of a GPU

  // Number of messages in one direction at the same time.
  [[nodiscard]] std::uint32_t pairs() const { return in_ring ? 1 : ranks / 2; }
};

struct PairRow {
  std::size_t line = 0;
  std::uint64_t bytes = 0;  // of a message
  double time_s = 0;        // in which each rank sends `sends` messages
};

struct PairTable {
  PairRun run;
  std::vector<PairRow> rows;
};

// Returns the tables of an output of OSU micro-benchmarks or of the Intel MPI Benchmarks that have
// rows, and are of such benchmarks. Messages of 0 bytes are left out. Throws UserError for invalid
// values.
[[nodiscard]] std::vector<PairTable> pair_tables(const PointsText& file);

}}  // namespace tutti::experiments
