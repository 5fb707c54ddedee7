// The bucket algorithm on a torus: a ring algorithm in each dimension, one dimension after the
// other. In a reduce-scatter, the ring in a dimension leaves each rank with the blocks of all ranks
// that have the same coordinate as this rank in that dimension. The ring in the following dimension
// continues with these blocks. An allgather does the same in reverse.
//
// Each channel moves its own part of every block. Channel 0 starts with the first dimension and
// goes up, channel 1 also starts with the first dimension but goes down, channels 2 and 3 start
// with the second dimension, and so on. With two channels per dimension, all links of a torus of
// equal dimensions are always in use.
//
// Source: Jain and Sabharwal, "Optimal Bucket Algorithms for Large MPI Collectives on Torus
// Interconnects", ICS 2010; Barnett et al., "Interprocessor Collective Communication Library",
// SHPCC 1994.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/patterns/block_parts.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

class Bucket {
 public:
  explicit Bucket(const Problem& problem);

  [[nodiscard]] std::uint32_t channels() const { return channels_; }
  // Number of steps of a reduce-scatter or an allgather in each channel: the sum of (size - 1) over
  // all dimensions.
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  [[nodiscard]] std::size_t messages() const { return std::size_t{steps_} * ranks_ * channels_; }

  // reduce_scatter() and allgather() emit step 0 of all channels, then step 1 of all channels, and
  // so on. `rounds` has one entry per channel.
  void reduce_scatter(std::vector<Rounds>& rounds) const;
  void allgather(std::vector<Rounds>& rounds) const;
  [[nodiscard]] std::vector<Rounds> rounds(ScheduleBuilder& builder) const {
    return std::vector<Rounds>(channels_, Rounds(builder));
  }

 private:
  struct Axis {
    std::uint32_t size;
    // Difference between the rank numbers of neighbours.
    std::uint32_t distance;
    [[nodiscard]] std::uint32_t place(Rank rank) const { return rank / distance % size; }
  };
  struct Ring {
    Axis axis;
    bool up;
    // Dimensions of the rings that come before this one in a reduce-scatter.
    std::vector<Axis> before;
    // Offsets of the blocks that travel together: one for each combination of places in later
    // rings.
    std::vector<std::uint32_t> blocks;
  };

  // Returns the place on the ring that is `back` steps behind the place of `rank`, in the ring's
  // direction.
  [[nodiscard]] static std::uint32_t place(const Ring& ring, Rank rank, std::uint32_t back);
  [[nodiscard]] static Rank next(const Ring& ring, Rank rank);
  // Calls visit() with the blocks that travel together, namely the blocks of the place that is
  // `back` steps behind `rank`. The argument is a BlockSet if there is one channel, otherwise a
  // list of BlockPairs.
  template <typename Visit>
  void with_blocks(std::uint32_t channel, const Ring& ring, Rank rank, std::uint32_t back,
                   Visit&& visit) const;

  std::uint32_t ranks_;
  std::uint32_t channels_;
  std::uint32_t steps_ = 0;
  // The rings of each channel, in the order of a reduce-scatter.
  std::vector<std::vector<Ring>> rings_;
};

// Returns the sizes that --dims gives, or by default two sizes that are as close to a square as p
// allows.
[[nodiscard]] std::vector<std::uint32_t> grid_of(const Problem& problem);

[[nodiscard]] BlockLayout bucket_layout(const Problem& problem);

// Implements Algorithm::refusal.
[[nodiscard]] std::optional<Sentence> refuse_bucket(const Problem& problem);
inline constexpr std::array<std::string_view, 2> kBucketLimits{
    "$dims whose product is not p", "more than two $channels per dimension"};

// Provides the functions of an Algorithm: a reduce-scatter, an allgather, or a reduce-scatter
// followed by an allgather.
template <bool kReduces, bool kGathers>
struct BucketOf {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.options |= bit(Option::channels) | bit(Option::dims);
    own.own_numbers = {&kOneChannel, 1};
    own.refusal = refuse_bucket;
    own.limits = kBucketLimits;
    own.layout = bucket_layout;
    own.exact_s = exact_s;
    own.emit = emit;
    own.has_alike_rounds = true;
    own.one_shape = always;
    return own;
  }
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    if (!problem.block_bytes.empty() || problem.channels > 1) {
      return std::nullopt;
    }
    constexpr int kPasses = (kReduces ? 1 : 0) + (kGathers ? 1 : 0);
    const double p = problem.ranks;
    const double share = (p - 1) / p * static_cast<double>(problem.bytes);
    return kPasses * Bucket(problem).steps() * prices.alpha_s +
           share * (kPasses * prices.beta_s_per_byte + (kReduces ? prices.gamma_s_per_byte : 0));
  }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    const Bucket bucket(problem);
    const std::size_t messages = bucket.messages();
    builder.reserve(((kReduces ? 2 : 0) + (kGathers ? 1 : 0)) * messages,
                    ((kReduces ? 5 : 0) + (kGathers ? 4 : 0)) * messages);
    std::vector<Rounds> rounds = bucket.rounds(builder);
    if constexpr (kReduces) {
      bucket.reduce_scatter(rounds);
    }
    if constexpr (kGathers) {
      bucket.allgather(rounds);
    }
  }
};

}}  // namespace tutti::schedules
