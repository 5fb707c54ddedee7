#include "src/steps/layout.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace tutti::test_steps_layout {

TEST_CASE("groups partition the ranks") {
  const std::vector<LayoutAxis> layout{{"tp", 2}, {"dp", 6}, {"pp", 3}};
  for (const std::vector<AxisPart>& parts : {std::vector<AxisPart>{{0, 2}},
                                             {{1, 6}},
                                             {{2, 3}},
                                             {{0, 2}, {1, 3}},
                                             {{1, 2}},
                                             {{1, 1}},
                                             {{0, 2}, {1, 6}, {2, 3}}}) {
    const StepGroup group = group_of("g", layout, parts);
    std::vector<int> seen(36);
    for (const std::vector<Rank>& members : group.members) {
      CHECK(members.size() == group.size());
      for (const Rank rank : members) {
        ++seen[rank];
      }
    }
    CHECK(seen == std::vector<int>(36, 1));
  }
  CHECK(group_of("g", layout, {{1, 3}}).members[1] == std::vector<Rank>{1, 3, 5});
  CHECK(group_of("g", layout, {{1, 3}}).members[2] == std::vector<Rank>{6, 8, 10});
}

TEST_CASE("positions on an axis") {
  const std::vector<LayoutAxis> layout{{"tp", 2}, {"pp", 3}};
  CHECK(positions_on(layout, 0) == std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1});
  CHECK(positions_on(layout, 1) == std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2});
}

TEST_CASE("ranks in words") {
  CHECK(ranks_in_words({3}) == "rank 3");
  CHECK(ranks_in_words({4, 5, 6}) == "ranks 4 to 6");
  CHECK(ranks_in_words({0, 8, 16}) == "ranks 0, 8, 16");
  CHECK(ranks_in_words({0, 8, 16, 24, 32}) == "ranks 0, 8, ..., 32");
  CHECK(ranks_in_words({0, 1, 8, 9, 16, 17}) == "ranks 0, 1, 8, ..., 17");
}

}  // namespace tutti::test_steps_layout
