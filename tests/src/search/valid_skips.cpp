#include "src/search/valid_skips.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "schedules/patterns/circulant_skips.hpp"

using namespace tutti;

namespace {

bool is_accepted(const std::vector<std::uint32_t>& list, std::uint32_t p) {
  try {
    return circulant_skips({Skips::Scheme::list, list}, p) == list;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("all valid lists of skips are found, and no others") {
  for (std::uint32_t p = 2; p <= 10; ++p) {
    std::vector<std::vector<std::uint32_t>> expected;
    for (std::uint32_t set = 1; set < 1U << (p - 1); ++set) {
      std::vector<std::uint32_t> list;
      for (std::uint32_t skip = p - 1; skip >= 1; --skip) {
        if ((set >> (skip - 1) & 1U) != 0) {
          list.push_back(skip);
        }
      }
      if (is_accepted(list, p)) {
        expected.push_back(list);
      }
    }
    std::vector<std::vector<std::uint32_t>> found = valid_skips(p, 100'000);
    std::ranges::sort(found);
    std::ranges::sort(expected);
    CAPTURE(p);
    CHECK(found == expected);
  }
  CHECK(valid_skips(12, 1000).size() == 359);
  CHECK(valid_skips(12, 358).empty());
  CHECK(valid_skips(1, 10).empty());
}

TEST_CASE("changed lists of skips are valid") {
  SearchRandom random(1);
  for (const std::uint32_t p : {2U, 3U, 22U, 100U}) {
    std::vector<std::uint32_t> list = circulant_skips({Skips::Scheme::halving, {}}, p);
    int changes = 0;
    for (int i = 0; i < 300; ++i) {
      std::vector<std::uint32_t> next = changed_skips(list, p, random);
      changes += next != list ? 1 : 0;
      list = std::move(next);
      CAPTURE(p, list);
      CHECK(is_accepted(list, p));
    }
    CHECK(changes > (p > 3 ? 250 : -1));
  }
}
