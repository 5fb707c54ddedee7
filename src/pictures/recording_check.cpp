#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "schedules/op.hpp"
#include "src/pictures/recorded_run.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& where, const Json& value, std::string_view accepted) {
  throw UserError(fmt::format("/{} is {}; expected {}", where, value.dump(), accepted));
}

void check_length(const Json& parent, const std::string& at, const char* key, std::size_t wanted) {
  const std::size_t length = parent.at(key).size();
  if (length != wanted) {
    throw UserError(fmt::format("/{}{} has {} entries; expected {}, as in the other arrays", at,
                                key, length, wanted));
  }
}

void check_below(const Json& value, const std::string& where, std::uint64_t limit) {
  // Negative values are sentinels; the schema has already checked them.
  const bool below = value.is_number_float() ? value.get<double>() < static_cast<double>(limit)
                     : value.is_number_unsigned()
                         ? value.get<std::uint64_t>() < limit
                         : value.get<std::int64_t>() < static_cast<std::int64_t>(limit);
  if (!below) {
    refuse(where, value, fmt::format("a number below {}", limit));
  }
}

void check_each_below(const Json& values, const std::string& where, std::uint64_t limit) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    check_below(values[i], fmt::format("{}/{}", where, i), limit);
  }
}

// Checks an array of offsets: it begins with 0, never decreases, and ends with the length of the
// array to which it refers.
void check_starts(const Json& starts, const std::string& where, std::size_t end) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto value = starts[i].get<std::uint64_t>();
    if (value < last || (i == 0 && value != 0)) {
      refuse(fmt::format("{}/{}", where, i), value,
             i == 0 ? "0" : "a number that is not less than the one before");
    }
    last = value;
  }
  if (last != end) {
    refuse(fmt::format("{}/{}", where, starts.size() - 1), last, fmt::format("{}", end));
  }
}

// Returns the number of rows: one for each rank, or one for each group of ranks.
std::uint64_t rows_of(const Json& recording) {
  constexpr std::uint64_t kMostRanks = 1U << 31U;
  check_below(recording.at("ranks"), "ranks", kMostRanks);
  const auto ranks = recording.at("ranks").get<std::uint64_t>();
  const Json& merged = recording.at("merged");
  if (merged.is_null() != recording.at("ops").at("count").is_null()) {
    throw UserError("/ops/count and /merged: either both or neither must be null");
  }
  if (merged.is_null()) {
    return ranks;
  }
  check_below(merged.at("ranks_per_group"), "merged/ranks_per_group", kMostRanks);
  return (ranks - 1) / merged.at("ranks_per_group").get<std::uint64_t>() + 1;
}

void check_times(const Json& ops) {
  const Json& ready = ops.at("ready_s");
  const Json& start = ops.at("start_s");
  const Json& end = ops.at("end_s");
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto start_s = start[i].get<double>();
    if (ready[i].get<double>() > start_s) {
      refuse(fmt::format("ops/start_s/{}", i), start[i], "a time not before /ops/ready_s");
    }
    if (end[i].get<double>() < start_s) {
      refuse(fmt::format("ops/end_s/{}", i), end[i], "a time not before /ops/start_s");
    }
  }
}

void check_ops(const Json& recording) {
  const Json& ops = recording.at("ops");
  const std::size_t size = ops.at("kind").size();
  for (const char* const key :
       {"src", "dst", "bytes", "round", "ready_s", "start_s", "end_s", "held_by", "lost_s",
        "first_block", "block_count", "block_run", "block_stride"}) {
    check_length(ops, "ops/", key, size);
  }
  for (const char* const key : {"slack_s", "count"}) {
    if (!ops.at(key).is_null()) {
      check_length(ops, "ops/", key, size);
    }
  }
  check_length(ops, "ops/", "after_start", size + 1);
  check_starts(ops.at("after_start"), "ops/after_start", ops.at("after").size());
  check_each_below(ops.at("after"), "ops/after", size);
  const std::uint64_t rows = rows_of(recording);
  check_each_below(ops.at("src"), "ops/src", rows);
  check_each_below(ops.at("dst"), "ops/dst", rows);
  check_each_below(ops.at("round"), "ops/round", std::uint64_t{kMaxLevel} + 1);
  check_each_below(ops.at("first_block"), "ops/first_block",
                   recording.at("blocks").get<std::uint64_t>());
  check_each_below(recording.at("chain"), "chain", size);
  const Json& network = recording.at("network");
  check_each_below(ops.at("held_by"), "ops/held_by",
                   network.is_null() ? 0 : network.at("links").size());
  check_times(ops);
}

void check_network(const Json& recording) {
  const Json& network = recording.at("network");
  if (network.is_null()) {
    return;
  }
  check_length(recording, "", "host_of_rank", recording.at("ranks").get<std::size_t>());
  const std::size_t nodes = network.at("nodes").size();
  const Json& links = network.at("links");
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const char* const end : {"from", "to"}) {
      check_below(links[i].at(end), fmt::format("network/links/{}/{}", i, end), nodes);
    }
  }
  const Json& routes = network.at("routes");
  const std::size_t pairs = routes.at("src").size();
  check_length(routes, "network/routes/", "dst", pairs);
  check_length(routes, "network/routes/", "start", pairs + 1);
  check_starts(routes.at("start"), "network/routes/start", routes.at("links").size());
  check_each_below(routes.at("links"), "network/routes/links", links.size());
  const Json& loads = network.at("loads");
  check_length(loads, "network/loads/", "of_link", links.size());
  const auto bins = loads.at("bins").get<std::size_t>();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::size_t length = loads.at("of_link")[i].size();
    if (length != bins && length != 0) {
      throw UserError(
          fmt::format("/network/loads/of_link/{} has {} entries; expected {}, one for each bin", i,
                      length, bins));
    }
  }
}

}  // namespace

void check_recording(const Json& recording) {
  check_ops(recording);
  check_network(recording);
}

}}  // namespace tutti::pictures
