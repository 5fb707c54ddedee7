// Blocks of different sizes: the numbers of bytes that each rank sends to each other rank
// (--sizes), which a rule determines or a file lists, and blocks of decreasing size (--block-skew).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/experts/routing.hpp"

namespace tutti { inline namespace requests {

class PairSizes {
 public:
  // Parses one of these forms:
  // - "uniform": equal sizes;
  // - "skewed:S": the destinations are put in random order, and each receives 1 + S times as much
  //   as the one after it. Every rank sends the same, in all as much as with equal sizes;
  // - "capped:S": as skewed, but all sizes are scaled down until no rank receives more than with
  //   equal sizes;
  // - "load:L": rank 0 receives L times as much as the ranks receive on average. Every rank sends
  //   the same, in all as much as with equal sizes;
  // - "experts:E,top=K": the tokens of a mixture of experts, each of which goes to K of E experts.
  //   Further values are tokens (of each rank, default 4096), skew, capacity, nodes (with
  //   node=RANKS, the ranks of a node) and seed; see schedules/experts/routing.hpp. Every rank
  //   sends as much as with equal sizes, less what is dropped;
  // - "sparse:K": every rank sends to K others and receives from K others, drawn at random;
  // - the name of a CSV file with a row for each sender and a column for each receiver; the values
  //   are in bytes.
  //
  // The forms "skewed", "capped" and "sparse" may be followed by ":SEED", the seed of the random
  // draws (default 1). Throws a UserError that names `flag` if `text` is invalid.
  PairSizes(std::string_view flag, std::string_view text);

  // Returns the number of bytes that rank s sends to rank d, at index s * ranks + d; empty if all
  // numbers are equal. `bytes` is the sum that each rank sends, or for "capped" the largest sum
  // that one rank sends or receives; it is ignored if a file specifies the sizes. Throws UserError
  // if the K of "sparse:K" is too large, or if the file is for another number of ranks.
  [[nodiscard]] std::vector<std::uint64_t> of(std::uint32_t ranks, std::uint64_t bytes,
                                              std::uint32_t element_bytes) const;

  // True if a file specifies the sizes, and thus the total.
  [[nodiscard]] bool from_file() const { return kind_ == Kind::file; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  enum class Kind : std::uint8_t { uniform, skewed, capped, sparse, load, experts, file };
  [[nodiscard]] std::vector<std::uint64_t> skewed(std::uint32_t ranks,
                                                  std::uint64_t elements) const;
  [[nodiscard]] std::vector<std::uint64_t> capped(std::uint32_t ranks,
                                                  std::uint64_t elements) const;
  [[nodiscard]] std::vector<std::uint64_t> sparse(std::uint32_t ranks,
                                                  std::uint64_t elements) const;
  [[nodiscard]] std::vector<std::uint64_t> routed(std::uint32_t ranks,
                                                  std::uint64_t elements) const;
  void read_experts(std::string_view values);
  void read_file();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string flag_;
  std::string text_;
  Kind kind_ = Kind::uniform;
  double skew_ = 0;
  std::uint32_t partners_ = 0;
  std::uint32_t seed_ = 1;
  double load_ = 1;
  ExpertRouting routing_;
  std::uint32_t ranks_of_node_ = 0;   // 0: all ranks are on one node
  std::vector<std::uint64_t> bytes_;  // sizes from a file
  std::uint32_t rows_ = 0;
};

// Returns the number of elements in each of `blocks` blocks, `elements` in total. Block i has the
// weight (1 + skew)^-i: with a skew of 1, each block is half as large as the one before it; a huge
// skew puts all elements into the first block. Elements left over after rounding down go to the
// blocks that lost the most by rounding, so no block is larger than the one before it. A skew of 0
// means equal blocks: the result is then empty, and the caller splits evenly.
[[nodiscard]] std::vector<std::uint64_t> skewed_blocks(std::uint64_t elements, std::uint32_t blocks,
                                                       double skew);

}}  // namespace tutti::requests
