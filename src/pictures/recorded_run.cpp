#include "src/pictures/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti { inline namespace pictures {

std::size_t RecordedRun::message_entries() const {
  return static_cast<std::size_t>(std::count(kind.begin(), kind.end(), std::uint8_t{0}));
}

std::uint64_t RecordedRun::operations_of(std::size_t wanted) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (kind[i] == wanted) {
      sum += merged() ? count[i] : 1;
    }
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
  ops.at("kind").get_to(run.kind);
  if (const nlohmann::json& merged = recording.at("merged"); !merged.is_null()) {
    run.ranks_per_row = merged.at("ranks_per_group").get<std::uint32_t>();
    ops.at("count").get_to(run.count);
  }
  run.rows = (run.ranks - 1) / run.ranks_per_row + 1;
  ops.at("src").get_to(run.src);
  ops.at("dst").get_to(run.dst);
  ops.at("bytes").get_to(run.bytes);
  ops.at("round").get_to(run.round);
  ops.at("ready_s").get_to(run.ready_s);
  ops.at("start_s").get_to(run.start_s);
  ops.at("end_s").get_to(run.end_s);
  ops.at("held_by").get_to(run.held_by);
  ops.at("lost_s").get_to(run.lost_s);
  recording.at("chain").get_to(run.chain);
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

}}  // namespace tutti::pictures
