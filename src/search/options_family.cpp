// Known algorithms with other values of their options: radices of each level, groups and what runs
// within and across them, parts of compositions, segments, channels.
#include <fmt/format.h>

#include <utility>

#include "schedules/run_words.hpp"
#include "src/search/family.hpp"
#include "src/search/option_changes.hpp"

namespace tutti { inline namespace search {

namespace {

class OptionsDraft final : public Draft {
 public:
  OptionsDraft(const Algorithm& algorithm, Problem problem)
      : algorithm_(algorithm), problem_(std::move(problem)) {}

  [[nodiscard]] Schedule schedule(Detail detail) const override {
    return make_schedule(algorithm_, problem_, detail);
  }
  [[nodiscard]] std::string in_words() const override { return with_options(algorithm_, problem_); }
  [[nodiscard]] std::optional<KnownCase> known_case() const override {
    return KnownCase{&algorithm_, problem_, 0};
  }
  [[nodiscard]] std::unique_ptr<const Draft> neighbour(SearchRandom& random) const override {
    Problem problem = problem_;
    do {
      problem = changed_options(algorithm_, problem, random);
    } while (random.below(3) == 0);
    return std::make_unique<OptionsDraft>(algorithm_, std::move(problem));
  }

 private:
  const Algorithm& algorithm_;
  Problem problem_;
};

class OptionsFamily final : public Family {
 public:
  explicit OptionsFamily(const Goal& goal) : goal_(goal) {}

  [[nodiscard]] std::string_view name() const override { return "options"; }

  [[nodiscard]] Drafts propose(SearchRandom&) const override {
    constexpr std::size_t kMost = 40;
    Drafts made;
    for (std::size_t i = 0; i < std::min(goal_.known.size(), kMost); ++i) {
      made.push_back(
          std::make_unique<OptionsDraft>(*goal_.known[i].algorithm, goal_.known[i].problem));
    }
    return made;
  }

 private:
  const Goal& goal_;
};

}  // namespace

std::unique_ptr<Family> options_family(const Goal& goal) {
  return std::make_unique<OptionsFamily>(goal);
}

}}  // namespace tutti::search
