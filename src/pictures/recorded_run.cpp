#include "src/pictures/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/pictures/recording_check.hpp"

namespace tutti::inline pictures {

namespace {

template <typename Value>
std::vector<Value> column(const nlohmann::json& ops, const char* name) {
  return ops.at(name).get<std::vector<Value>>();
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

std::string RecordedRun::row_label(std::uint32_t row) const {
  const std::uint64_t first = std::uint64_t{row} * ranks_per_row;
  const std::uint64_t last = std::min<std::uint64_t>(first + ranks_per_row, ranks) - 1;
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

std::string RecordedRun::row_in_words(std::uint32_t row) const {
  const std::string label = row_label(row);
  return (label.find('-') == std::string::npos ? "rank " : "ranks ") + label;
}

RecordedRun recorded_run(const nlohmann::json& recording) {
  check_recording(recording);
  RecordedRun run;
  run.title = recording.at("title").get<std::string>();
  run.total_s = recording.at("total_s").get<double>();
  run.ranks = recording.at("ranks").get<std::uint32_t>();
  const nlohmann::json& ops = recording.at("ops");
  run.kind = column<std::uint8_t>(ops, "kind");
  run.operations = run.size();
  if (const nlohmann::json& merged = recording.at("merged"); !merged.is_null()) {
    run.ranks_per_row = merged.at("ranks_per_group").get<std::uint32_t>();
    run.operations = merged.at("operations").get<std::uint64_t>();
    run.count = column<std::uint64_t>(ops, "count");
  }
  run.rows = (run.ranks - 1) / run.ranks_per_row + 1;
  run.src = column<std::uint32_t>(ops, "src");
  run.dst = column<std::uint32_t>(ops, "dst");
  run.bytes = column<std::uint64_t>(ops, "bytes");
  run.round = column<std::uint32_t>(ops, "round");
  run.ready_s = column<double>(ops, "ready_s");
  run.start_s = column<double>(ops, "start_s");
  run.end_s = column<double>(ops, "end_s");
  run.held_by = column<std::int64_t>(ops, "held_by");
  run.lost_s = column<double>(ops, "lost_s");
  run.chain = recording.at("chain").get<std::vector<std::uint32_t>>();
  static const nlohmann::json kNone = nlohmann::json::array();
  const nlohmann::json& network = recording.at("network");
  const nlohmann::json& links = network.is_null() ? kNone : network.at("links");
  for (const nlohmann::json& link : links) {
    run.link_places.push_back(link.at("place").get<std::string>());
  }
  run.account = account_line(recording.at("explanation"), links);
  for (const double end_s : run.end_s) {
    run.total_s = std::max(run.total_s, end_s);
  }
  return run;
}

}  // namespace tutti::inline pictures
