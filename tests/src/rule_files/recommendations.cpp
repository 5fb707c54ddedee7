#include "src/rule_files/recommendations.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <utility>

#include "schedules/registry.hpp"

namespace tutti::test_recommendations {

TEST_CASE("every recommendation names an existing algorithm and a source, and is unique") {
  std::set<std::pair<std::string, std::string_view>> printed;
  std::size_t of_algorithms = 0;
  for (const Algorithm* algorithm : algorithms()) {
    of_algorithms += recommendations_of(*algorithm).size();
  }
  for (const Recommendation& each : all_recommendations()) {
    const Algorithm* const algorithm = find_algorithm(each.collective, each.algorithm);
    CAPTURE(each.algorithm, each.when);
    REQUIRE(algorithm != nullptr);
    CHECK_FALSE(each.when.empty());
    CHECK_FALSE(each.source.empty());
    const bool once = printed.emplace(algorithm->full_name(), each.source).second ||
                      each.when.find("--tree") != std::string_view::npos;
    CHECK(once);
  }
  CHECK(of_algorithms == all_recommendations().size());
}

}  // namespace tutti::test_recommendations
