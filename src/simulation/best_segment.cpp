#include "src/simulation/best_segment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "sim/critical_path/critical_path_engine.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Maximum number of messages in a schedule that is built only to time a segment size.
constexpr std::uint64_t kMostMessages = 4'000'000;
// Maximum number of segments with unlimited ports. Then a rank starts all its messages at once, so
// that shorter segments never take longer on the longest path, and thousands of messages at once
// would take minutes to simulate.
constexpr std::uint64_t kMostAtOnce = 512;
// A time replaces the best time so far only if it is below this factor times the best time.
// Differences due to rounding therefore do not decide, and among equal times the fewest segments
// win.
constexpr double kShorter = 1 - 1e-12;

class Search {
 public:
  // `elements`: number of elements in each piece that is cut into segments.
  Search(const Algorithm& algorithm, const Problem& problem, std::uint64_t elements,
         const Prices& prices, RunSetup setup)
      : algorithm_(algorithm),
        problem_(problem),
        elements_(elements),
        prices_(prices),
        setup_(std::move(setup)) {
    setup_.disturbance = {};  // the size is chosen for an undisturbed machine
  }

  // True if the algorithm rejects the problem with `count` segments.
  [[nodiscard]] bool refuses(std::uint64_t count) const {
    return algorithm_.refusal != nullptr && algorithm_.refusal(problem_cut_into(count));
  }

  // Returns the time with `count` segments, and keeps the time if no shorter one was found before.
  // Returns nothing if the closed form does not hold. refuses(count) must be false.
  std::optional<double> by_closed_form(std::uint64_t count) {
    if (setup_.ports != 1 || setup_.curves || setup_.eager_bytes >= 0 ||
        algorithm_.exact_s == nullptr) {
      return std::nullopt;
    }
    const Problem cut = problem_cut_into(count);
    const auto seconds = algorithm_.exact_s(cut, prices_);
    if (seconds) {
      keep(count, cut.segment_bytes, *seconds);
    }
    return seconds;
  }

  double by_any_means(std::uint64_t count) {
    if (const auto seconds = by_closed_form(count)) {
      return *seconds;
    }
    best_.by_closed_form = false;
    const Problem cut = problem_cut_into(count);
    // Segments of a small piece have the same size for several counts.
    if (const auto known = times_s_.find(cut.segment_bytes); known != times_s_.end()) {
      return known->second;
    }
    const Schedule schedule =
        make_schedule(algorithm_, cut, setup_.curves ? Detail::payload : Detail::times_only);
    const double seconds = CriticalPathEngine(prices_).run_total(schedule, setup_).total_s;
    keep(count, cut.segment_bytes, seconds);
    return seconds;
  }

  [[nodiscard]] std::uint64_t best_count() const { return best_count_; }
  [[nodiscard]] const BestSegment& best() const { return best_; }

 private:
  // Returns the problem with the shortest segments that cut a piece into at most `count` segments.
  // Such a segment has ceil(elements / count) elements.
  [[nodiscard]] Problem problem_cut_into(std::uint64_t count) const {
    Problem cut = problem_;
    cut.segment_bytes = (elements_ + count - 1) / count * problem_.element_bytes;
    return cut;
  }

  void keep(std::uint64_t count, std::uint64_t bytes, double seconds) {
    if (count == 1) {
      best_.whole_s = seconds;
    }
    times_s_.emplace(bytes, seconds);
    best_.tried = times_s_.size();
    if (seconds < best_s_ * kShorter) {
      best_s_ = seconds;
      best_count_ = count;
      best_.bytes = bytes;
      best_.predicted_s = seconds;
    }
  }

  const Algorithm& algorithm_;
  const Problem& problem_;
  std::uint64_t elements_;
  const Prices& prices_;
  RunSetup setup_;
  BestSegment best_;
  double best_s_ = std::numeric_limits<double>::infinity();
  std::uint64_t best_count_ = 1;
  std::unordered_map<std::uint64_t, double> times_s_;  // by segment size in bytes
};

// Tries numbers of segments up to `most`, in ascending order, for a piece of `elements` elements.
// Skips a number if its segments are as long as those of the number tried before. Returns false if
// the closed form does not hold for one of these numbers.
bool try_all(Search& search, std::uint64_t elements, std::uint64_t most) {
  for (std::uint64_t count = 1; count <= most && !search.refuses(count);) {
    if (!search.by_closed_form(count)) {
      return false;
    }
    const std::uint64_t size = (elements + count - 1) / count;
    if (size == 1) {
      break;
    }
    count = (elements + size - 2) / (size - 1);
  }
  return true;
}

void try_some(Search& search, std::uint64_t most) {
  double best_s = std::numeric_limits<double>::infinity();
  int risen = 0;
  for (std::uint64_t count = 1; count <= most && risen < 2 && !search.refuses(count); count *= 2) {
    const double seconds = search.by_any_means(count);
    risen = seconds < best_s ? 0 : risen + 1;
    best_s = std::min(best_s, seconds);
  }
  // Tries numbers on both sides of the best number so far, at distances of 1/2, 1/4, ... 1/64 of
  // that number.
  for (std::uint64_t step = search.best_count() / 2; step > 0 && step * 64 >= search.best_count();
       step /= 2) {
    const std::uint64_t around = search.best_count();
    for (const std::uint64_t count : {around - step, around + step}) {
      if (count <= most && !search.refuses(count)) {
        search.by_any_means(count);
      }
    }
  }
}

}  // namespace

BestSegment best_segment(const Algorithm& algorithm, const Problem& problem, const Prices& prices,
                         const RunSetup& setup) {
  TUTTI_INVARIANT(takes(algorithm, Option::segment));
  Problem whole = problem;
  whole.segment_bytes = problem.bytes;
  check(algorithm, whole);
  if (problem.elements() == 0) {
    return {};
  }
  // Segmentation cuts each block of the unsegmented schedule, such as each block of a ring, or each
  // half of the vector in a split tree.
  const BlockLayout layout = algorithm.layout != nullptr
                                 ? algorithm.layout(whole)
                                 : make_schedule(algorithm, whole, Detail::times_only).layout();
  const std::uint64_t elements = layout.size_bytes(0) / problem.element_bytes;
  const std::uint64_t most = std::min<std::uint64_t>(elements, kMaxSegment);
  Search search(algorithm, problem, elements, prices, setup);
  if (!try_all(search, elements, most)) {
    const std::uint64_t at_once = setup.ports == kUnlimitedPorts ? kMostAtOnce : kMaxSegment;
    try_some(search,
             std::clamp<std::uint64_t>(kMostMessages / problem.ranks, 1, std::min(most, at_once)));
  }
  return search.best();
}

std::string BestSegment::in_words() const {
  if (bytes == 0) {
    return "no data to segment";
  }
  return fmt::format("{}, the best of {} by {}: {}, against {} if not segmented",
                     counted(bytes, "byte"), counted(tried, "size"),
                     by_closed_form ? "the closed form" : "the longest path with ports and cores",
                     human_time(predicted_s), human_time(whole_s));
}

}}  // namespace tutti::simulation
