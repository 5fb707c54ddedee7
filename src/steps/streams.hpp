// The streams of a rank: what they do, and when.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/steps/account.hpp"
#include "src/steps/step_run.hpp"

namespace tutti { inline namespace steps {

enum class StreamKind : std::uint8_t { computing, collectives, sent, received };

// One statement that a rank carries out, or several that follow each other.
struct StreamSlice {
  StreamKind kind = StreamKind::computing;  // sent, received: messages between stages
  std::optional<std::uint32_t> group;       // index into StepDescription::groups
  std::uint32_t row = 0;                    // index into StepAccount::rows; of the first statement
  double start_s = 0;
  double end_s = 0;
  std::uint32_t count = 1;  // number of statements
  double busy_s = 0;        // sum of their times

  [[nodiscard]] bool same_stream(const StreamSlice& other) const {
    return kind == other.kind && group == other.group;
  }
};

struct RankStreams {
  Rank rank = 0;
  // In the order in which the description begins them. Those of a stream do not overlap, unless
  // they are messages between stages.
  std::vector<StreamSlice> slices;
};

// Returns ranks whose streams differ: the first rank of each stage, or of some of them, and the one
// that ends last; ascending, at most `most`.
[[nodiscard]] std::vector<Rank> ranks_to_show(const StepDescription& step,
                                              const StepAccount& account, std::uint32_t most);

// Returns what the streams of these ranks do. The run must have every iteration.
[[nodiscard]] std::vector<RankStreams> streams_of(const StepRun& run, const StepAccount& account,
                                                  const std::vector<Rank>& ranks);

// Returns the slices by stream, in order of time. Joins neighbours that are shorter than `least_s`
// and closer to each other than that.
[[nodiscard]] std::vector<StreamSlice> joined_slices(const std::vector<StreamSlice>& slices,
                                                     double least_s);

}}  // namespace tutti::steps
