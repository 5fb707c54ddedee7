#include "src/pictures/recording_check.hpp"

#include <fmt/format.h>

#include <string>

#include "base/error.hpp"

namespace tutti {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& where, std::int64_t value, std::string_view accepted) {
  throw UserError(fmt::format("/{} is {}; accepted is {}", where, value, accepted));
}

void check_length(const Json& parent, const std::string& at, const char* key, std::size_t wanted) {
  const std::size_t length = parent.at(key).size();
  if (length != wanted) {
    throw UserError(fmt::format("/{}{} has {} entries; accepted are {}, as many as the others", at,
                                key, length, wanted));
  }
}

// Each value is below `limit`; -1 and -2 where the schema lets them stand.
void check_below(const Json& values, const std::string& where, std::size_t limit) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = values[i].get<std::int64_t>();
    if (value >= static_cast<std::int64_t>(limit)) {
      refuse(fmt::format("{}/{}", where, i), value, fmt::format("a number below {}", limit));
    }
  }
}

// Begins with 0, never falls, ends with the length of what it points into.
void check_starts(const Json& starts, const std::string& where, std::size_t end) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto value = starts[i].get<std::int64_t>();
    if (value < last || (i == 0 && value != 0)) {
      refuse(fmt::format("{}/{}", where, i), value, i == 0 ? "0" : "one that does not fall");
    }
    last = value;
  }
  if (last != static_cast<std::int64_t>(end)) {
    refuse(fmt::format("{}/{}", where, starts.size() - 1), last, fmt::format("{}", end));
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
  check_below(ops.at("after"), "ops/after", size);
  const auto ranks = recording.at("ranks").get<std::size_t>();
  check_below(ops.at("src"), "ops/src", ranks);
  check_below(ops.at("dst"), "ops/dst", ranks);
  check_below(ops.at("first_block"), "ops/first_block", recording.at("blocks").get<std::size_t>());
  check_below(recording.at("chain"), "chain", size);
  const Json& links =
      recording.at("network").is_null() ? Json::array() : recording.at("network").at("links");
  check_below(ops.at("held_by"), "ops/held_by", links.size());
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
      const auto node = links[i].at(end).get<std::size_t>();
      if (node >= nodes) {
        refuse(fmt::format("network/links/{}/{}", i, end), static_cast<std::int64_t>(node),
               fmt::format("a number below {}", nodes));
      }
    }
  }
  const Json& routes = network.at("routes");
  const std::size_t pairs = routes.at("src").size();
  check_length(routes, "network/routes/", "dst", pairs);
  check_length(routes, "network/routes/", "start", pairs + 1);
  check_starts(routes.at("start"), "network/routes/start", routes.at("links").size());
  check_below(routes.at("links"), "network/routes/links", links.size());
  const Json& loads = network.at("loads");
  check_length(loads, "network/loads/", "of_link", links.size());
  const auto bins = loads.at("bins").get<std::size_t>();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::size_t length = loads.at("of_link")[i].size();
    if (length != bins && length != 0) {
      refuse(fmt::format("network/loads/of_link/{}", i), static_cast<std::int64_t>(length),
             fmt::format("a list of {} numbers, one for each bin", bins));
    }
  }
}

}  // namespace

void check_recording(const Json& recording) {
  check_ops(recording);
  check_network(recording);
  const Json& merged = recording.at("merged");
  if (merged.is_null() != recording.at("ops").at("count").is_null()) {
    throw UserError("/ops/count and /merged: either both are null or none");
  }
}

}  // namespace tutti
