// What is asked for: a collective, on so many ranks, of so many bytes, with the algorithm's
// options.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/op.hpp"

namespace tutti {

// Linear algorithms give every message a level of its own, and answer each.
inline constexpr std::uint32_t kMostRanks = (kMaxLevel + 1) / 2;

// How an algorithm for powers of two takes in the other ranks.
enum class Fold : std::uint8_t {
  neighbours,  // ranks 2i and 2i+1 of the first 2(p-p'): keeps rank order (MPICH)
  far,         // ranks i and i+p': [schedule document]
};

// Whose arithmetic cuts the vector: into blocks, into halves, into segments and phases. MPI
// libraries round each in ways of their own, so that messages of the same algorithm differ by a few
// elements wherever the division leaves a rest.
enum class Cuts : std::uint8_t {
  even,      // block_layout.hpp's one rule: the first blocks are one element longer
  open_mpi,  // Open MPI's coll/base; --segment 0 bytes: uncut
  mpich,     // MPICH's
};
inline constexpr std::array<std::pair<Cuts, std::string_view>, 3> kCutsNames{
    {{Cuts::even, "even"}, {Cuts::open_mpi, "open_mpi"}, {Cuts::mpich, "mpich"}}};

[[nodiscard]] constexpr std::string_view name(Cuts cuts) {
  return kCutsNames[static_cast<std::size_t>(cuts)].second;
}
[[nodiscard]] constexpr std::optional<Cuts> cuts_named(std::string_view text) {
  for (const auto& [cuts, name] : kCutsNames) {
    if (name == text) {
      return cuts;
    }
  }
  return std::nullopt;
}

// Options that only some algorithms take. Algorithm::options says which.
enum class Option : std::uint8_t {
  fold = 1,
  segment = 2,
  skips = 4,
  ranks_per_node = 8,
  tree = 16,
  block_sizes = 32,
  cuts = 64,
  parts = 128
};

struct Problem {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  // n: the largest buffer that any rank holds
  std::uint32_t element_bytes = 8;
  Rank root = 0;

  Fold fold = Fold::neighbours;
  std::uint64_t segment_bytes = 0;         // 0: the vector is not segmented
  std::string skips = "halving";           // a scheme's name, or a list such as "5,3,2,1"
  std::uint32_t ranks_per_node = 1;        // C of [schedule document]
  std::string tree = "chain";              // of pipelined algorithms
  std::vector<std::uint64_t> block_bytes;  // empty: the even split
  Cuts cuts = Cuts::even;
  std::string parts;  // of algorithms made of two collectives: patterns/composition.hpp

  [[nodiscard]] std::uint64_t elements() const { return bytes / element_bytes; }

  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace tutti
