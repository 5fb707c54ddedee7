// Schedules from matchings (src/search/matching.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/human.hpp"
#include "src/search/family.hpp"
#include "src/search/matching.hpp"
#include "src/search/transfers.hpp"

namespace tutti { inline namespace search {

namespace {

class MatchingDraft final : public Draft {
 public:
  MatchingDraft(const Goal& goal, const Matching& matching, MatchingChoices choices)
      : goal_(goal), matching_(matching), choices_(std::move(choices)) {}

  [[nodiscard]] Schedule schedule(Detail detail) const override {
    return schedule_of(goal_.problem, choices_.blocks, matching_.transfers(choices_), detail);
  }

  [[nodiscard]] std::string in_words() const override {
    return fmt::format("matching of free senders, receivers and links, {}, {} in a message",
                       counted(choices_.blocks, "block"),
                       choices_.most_blocks == 1
                           ? std::string("1 block")
                           : fmt::format("up to {} blocks", choices_.most_blocks));
  }

  [[nodiscard]] std::unique_ptr<const Draft> neighbour(SearchRandom& random) const override {
    MatchingChoices choices = choices_;
    const std::uint32_t all = choices.blocks;
    switch (random.below(8)) {
      case 0:
        choices.most_blocks = random.below(2) == 0 ? std::min(choices.most_blocks * 2, all)
                                                   : std::max(choices.most_blocks / 2, 1U);
        break;
      case 1:
        choices.nearness = random.fraction() * 4;
        choices.farthest = random.below(2) == 0 ? 1 : matching_.nearest();
        break;
      case 2:
        choices.rareness = random.fraction() * 2;
        break;
      case 3:
        choices.most_blocks = 1 + random.below(all);
        break;
      default: {
        const std::uint32_t changes = 1 + random.below(goal_.problem.ranks);
        for (std::uint32_t i = 0; i < changes; ++i) {
          choices.preference[random.below(static_cast<std::uint32_t>(choices.preference.size()))] =
              static_cast<float>(random.fraction());
        }
        break;
      }
    }
    return std::make_unique<MatchingDraft>(goal_, matching_, std::move(choices));
  }

 private:
  const Goal& goal_;
  const Matching& matching_;
  MatchingChoices choices_;
};

class MatchingFamily final : public Family {
 public:
  explicit MatchingFamily(const Goal& goal) : goal_(goal) {
    if (can_be_transfers(goal.problem)) {
      matching_ = std::make_unique<Matching>(goal);
    }
  }

  [[nodiscard]] std::string_view name() const override { return "matching"; }

  [[nodiscard]] Drafts propose(SearchRandom& random) const override {
    Drafts made;
    if (!matching_) {
      return made;
    }
    for (const auto& [nearness, farthest] :
         {std::pair{0.0, 1.0}, {3.0, 1.0}, {0.0, matching_->nearest()}}) {
      for (const std::uint32_t blocks : numbers_of_blocks()) {
        if (goal_.problem.elements() % blocks != 0) {
          continue;
        }
        for (std::uint32_t most = 1; most < blocks; most *= 2) {
          MatchingChoices choices{blocks, most, nearness, farthest, 1, {}};
          choices.preference.resize(std::size_t{goal_.problem.ranks} * goal_.problem.ranks);
          for (float& preference : choices.preference) {
            preference = static_cast<float>(random.fraction());
          }
          made.push_back(std::make_unique<MatchingDraft>(goal_, *matching_, std::move(choices)));
        }
      }
    }
    return made;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> numbers_of_blocks() const {
    if (has_root(goal_.problem.collective)) {
      return {8, 16, 32, 64, 128, 256};
    }
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t per_rank : {1U, 2U, 3U, 4U, 6U}) {
      numbers.push_back(per_rank * goal_.problem.ranks);
    }
    return numbers;
  }

  const Goal& goal_;
  std::unique_ptr<Matching> matching_;
};

}  // namespace

std::unique_ptr<Family> matching_family(const Goal& goal) {
  return std::make_unique<MatchingFamily>(goal);
}

}}  // namespace tutti::search
