#include "src/requests/rank_counts.hpp"

#include "base/quantities.hpp"
#include "schedules/problem.hpp"

namespace tutti {

namespace {

constexpr std::string_view kRanks = "-p/--ranks";

}  // namespace

std::uint32_t parse_ranks(std::string_view text) { return parse_count(kRanks, text, kMostRanks); }

std::vector<std::uint32_t> parse_rank_list(std::string_view text) {
  return parse_counts(kRanks, text, kMostRanks);
}

}  // namespace tutti
