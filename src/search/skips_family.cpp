// Skips of circulant graphs: all valid lists if there are few ranks, and local search otherwise.
//
// Source of the condition for valid lists: Träff, "Optimal, Non-pipelined Reduce-scatter and
// Allreduce Algorithms", Corollary 2 (schedules/patterns/circulant_skips.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/registry.hpp"
#include "src/search/family.hpp"
#include "src/search/valid_skips.hpp"

namespace tutti { inline namespace search {

namespace {

class SkipsDraft final : public Draft {
 public:
  SkipsDraft(const KnownCase& known, std::vector<std::uint32_t> skips)
      : algorithm_(*known.algorithm), problem_(known.problem) {
    problem_.skips = {Skips::Scheme::list, std::move(skips)};
  }

  [[nodiscard]] Schedule schedule(Detail detail) const override {
    return make_schedule(algorithm_, problem_, detail);
  }
  [[nodiscard]] std::string in_words() const override { return with_options(algorithm_, problem_); }
  [[nodiscard]] std::optional<KnownCase> known_case() const override {
    return KnownCase{&algorithm_, problem_, 0};
  }
  [[nodiscard]] std::unique_ptr<const Draft> neighbour(SearchRandom& random) const override {
    KnownCase known{&algorithm_, problem_, 0};
    return std::make_unique<SkipsDraft>(known,
                                        changed_skips(problem_.skips.list, problem_.ranks, random));
  }

 private:
  const Algorithm& algorithm_;
  Problem problem_;
};

class SkipsFamily final : public Family {
 public:
  explicit SkipsFamily(const Goal& goal) : goal_(goal) {}

  [[nodiscard]] std::string_view name() const override { return "skips"; }

  [[nodiscard]] Drafts propose(SearchRandom&) const override {
    // The best variant of each algorithm that takes skips.
    std::vector<const KnownCase*> variants;
    for (const KnownCase& known : goal_.known) {
      if (takes(*known.algorithm, Option::skips) &&
          std::ranges::find(variants, known.algorithm, &KnownCase::algorithm) == variants.end()) {
        variants.push_back(&known);
      }
    }
    Drafts made;
    const std::uint32_t ranks = goal_.problem.ranks;
    const std::vector<std::vector<std::uint32_t>> lists = valid_skips(ranks, kMostSkipLists);
    for (const KnownCase* known : variants) {
      if (!lists.empty()) {
        for (const std::vector<std::uint32_t>& list : lists) {
          made.push_back(std::make_unique<SkipsDraft>(*known, list));
        }
        continue;
      }
      for (const Skips::Scheme scheme : {Skips::Scheme::halving, Skips::Scheme::doubling,
                                         Skips::Scheme::sqrt, Skips::Scheme::linear}) {
        made.push_back(std::make_unique<SkipsDraft>(*known, circulant_skips({scheme, {}}, ranks)));
      }
    }
    return made;
  }

 private:
  const Goal& goal_;
};

}  // namespace

std::unique_ptr<Family> skips_family(const Goal& goal) {
  return std::make_unique<SkipsFamily>(goal);
}

}}  // namespace tutti::search
