#include "src/pictures/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"

namespace tutti {

namespace {

[[noreturn]] void damaged(std::string_view what) {
  throw UserError(
      fmt::format("a recording that is damaged: {}; run simulate --record again", what));
}

template <typename Value>
std::vector<Value> column(const nlohmann::json& ops, const char* name, std::size_t size) {
  auto values = ops.at(name).get<std::vector<Value>>();
  if (values.size() != size) {
    damaged(fmt::format("ops.{} has {} entries, and ops.kind {}", name, values.size(), size));
  }
  return values;
}

void check(const RecordedRun& run) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run.kind[i] > 2) {
      damaged(fmt::format("ops.kind of entry {} is {}", i, run.kind[i]));
    }
    if (run.src[i] >= run.rows || run.dst[i] >= run.rows) {
      damaged(fmt::format("entry {} is between {} and {}, and there are {}", i, run.src[i],
                          run.dst[i], run.rows));
    }
    const bool in_order =
        run.ready_s[i] >= 0 && run.ready_s[i] <= run.start_s[i] && run.start_s[i] <= run.end_s[i];
    if (!in_order) {
      damaged(fmt::format("entry {} ends before it starts, or starts before it is ready", i));
    }
    if (run.held_by[i] >= static_cast<std::int64_t>(run.link_places.size())) {
      damaged(fmt::format("ops.held_by of entry {} is no link", i));
    }
  }
  for (const std::uint32_t id : run.chain) {
    if (id >= run.size()) {
      damaged(fmt::format("entry {} of the chain is not there", id));
    }
  }
}

RecordedRun read(const nlohmann::json& json) {
  RecordedRun run;
  run.title = json.at("title").get<std::string>();
  run.total_s = json.at("total_s").get<double>();
  run.ranks = json.at("ranks").get<std::uint32_t>();
  if (run.ranks == 0) {
    damaged("it has no ranks");
  }
  const nlohmann::json& ops = json.at("ops");
  run.kind = ops.at("kind").get<std::vector<std::uint8_t>>();
  const std::size_t size = run.kind.size();
  run.operations = size;
  if (const nlohmann::json& merged = json.at("merged"); !merged.is_null()) {
    run.ranks_per_row = merged.at("ranks_per_group").get<std::uint32_t>();
    if (run.ranks_per_row == 0) {
      damaged("its groups have no ranks");
    }
    run.operations = merged.at("operations").get<std::uint64_t>();
    run.count = column<std::uint64_t>(ops, "count", size);
  }
  run.rows = (run.ranks - 1) / run.ranks_per_row + 1;
  run.src = column<std::uint32_t>(ops, "src", size);
  run.dst = column<std::uint32_t>(ops, "dst", size);
  run.bytes = column<std::uint64_t>(ops, "bytes", size);
  run.round = column<std::uint32_t>(ops, "round", size);
  run.ready_s = column<double>(ops, "ready_s", size);
  run.start_s = column<double>(ops, "start_s", size);
  run.end_s = column<double>(ops, "end_s", size);
  run.held_by = column<std::int64_t>(ops, "held_by", size);
  run.lost_s = column<double>(ops, "lost_s", size);
  run.chain = json.at("chain").get<std::vector<std::uint32_t>>();
  if (const nlohmann::json& network = json.at("network"); !network.is_null()) {
    for (const nlohmann::json& link : network.at("links")) {
      run.link_places.push_back(link.at("place").get<std::string>());
    }
  }
  if (const auto explanation = json.find("explanation"); explanation != json.end()) {
    run.account =
        account_line(*explanation, json.at("network").is_null() ? nlohmann::json::array()
                                                                : json.at("network").at("links"));
  }
  for (const double end_s : run.end_s) {
    run.total_s = std::max(run.total_s, end_s);
  }
  return run;
}

}  // namespace

std::size_t RecordedRun::message_entries() const {
  return static_cast<std::size_t>(std::count(kind.begin(), kind.end(), std::uint8_t{0}));
}

std::uint64_t RecordedRun::operations_of(RecordedKind wanted) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    sum += kind_of(i) == wanted ? count_of(i) : 0;
  }
  return sum;
}

std::string RecordedRun::row_in_words(std::uint32_t row) const {
  const std::uint64_t first = std::uint64_t{row} * ranks_per_row;
  const std::uint64_t last = std::min<std::uint64_t>(first + ranks_per_row, ranks) - 1;
  return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, last);
}

RecordedRun recorded_run(const nlohmann::json& recording) {
  try {
    RecordedRun run = read(recording);
    check(run);
    return run;
  } catch (const nlohmann::json::exception& error) {
    damaged(error.what());
  }
}

}  // namespace tutti
