#include "src/output/recording_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/human.hpp"
#include "schedules/notation/text_writer.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/output/explanation_json.hpp"
#include "src/output/network_json.hpp"
#include "src/output/result_json.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

std::string title_of(const RunResult& result) {
  const std::string run =
      run_in_words(result.algorithm->full_name(), *result.algorithm, result.problem);
  return result.file.empty() ? run : result.file + ": " + run;
}

// Number of significant digits of a value. Neither a picture nor a reader needs more digits.
constexpr int kDigits = 9;

Json short_number(double value) {
  return std::strtod(fmt::format("{:.{}g}", value, kDigits).c_str(), nullptr);
}

// Writes arrays of numbers as text. The arrays have millions of entries, and building a JSON tree
// would take longer than the simulation.
class Columns {
 public:
  explicit Columns(TextWriter& out) : out_(out) {}

  template <typename Number>
  void put(std::string_view name, const std::vector<Number>& values) {
    put(name, values.size(), [&](std::size_t i) { return values[i]; });
  }

  // Writes link numbers; writes -1 for kNoLink.
  void put_links(std::string_view name, const std::vector<std::uint32_t>& values) {
    put(name, values.size(), [&](std::size_t i) {
      return values[i] == kNoLink ? -1 : static_cast<std::int64_t>(values[i]);
    });
  }

  template <typename Get>
  void put(std::string_view name, std::size_t count, Get&& get) {
    key(name);
    out_ << '[';
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) {
        out_ << ',';
      }
      put_number(get(i));
    }
    out_ << ']';
  }

  void put_null(std::string_view name) {
    key(name);
    out_ << "null";
  }

 private:
  void key(std::string_view name) {
    out_ << (first_ ? "\n\"" : ",\n\"") << name << "\":";
    first_ = false;
  }

  template <typename Number>
  void put_number(Number value) {
    text_.clear();
    if constexpr (std::is_floating_point_v<Number>) {
      fmt::format_to(std::back_inserter(text_), "{:.{}g}", value, kDigits);
    } else {
      fmt::format_to(std::back_inserter(text_), "{}", value);
    }
    out_ << std::string_view(text_.data(), text_.size());
  }

  TextWriter& out_;
  bool first_ = true;
  fmt::memory_buffer text_;
};

void put_no_blocks(std::size_t size, Columns& columns, TextWriter& out) {
  columns.put("first_block", size, [](std::size_t) { return -1; });
  for (const char* const name : {"block_count", "block_run", "block_stride"}) {
    columns.put(name, size, [](std::size_t) { return 0; });
  }
  out << ",\n\"block_lists\":{}";
}

// Writes the blocks of each operation as runs of consecutive blocks: the first block, the number of
// blocks, the length of a run, and the distance (stride) from one run to the next. If the blocks of
// an operation do not form such regular runs, block_lists lists them, and first_block is -2. If the
// schedule has no blocks, or no data as in a barrier, first_block is -1.
void put_blocks(const Schedule& schedule, Columns& columns, TextWriter& out) {
  const OpId size = schedule.size();
  if (!schedule.has_payload() || schedule.problem().bytes == 0) {
    put_no_blocks(size, columns, out);
    return;
  }
  const auto payload = [&](std::size_t id) -> const Payload& {
    return schedule.payload(static_cast<OpId>(id));
  };
  const auto pooled = [&](std::size_t id) { return schedule.op(static_cast<OpId>(id)).pooled(); };
  columns.put("first_block", size, [&](std::size_t id) {
    return pooled(id) ? -2 : static_cast<std::int64_t>(payload(id).from.first % schedule.blocks());
  });
  columns.put("block_count", size, [&](std::size_t id) { return payload(id).from.count; });
  columns.put("block_run", size,
              [&](std::size_t id) { return pooled(id) ? 0 : payload(id).from.run; });
  columns.put("block_stride", size,
              [&](std::size_t id) { return pooled(id) ? 0 : payload(id).from.stride; });
  out << ",\n\"block_lists\":{";
  bool first = true;
  for (OpId id = 0; id < size; ++id) {
    if (!pooled(id)) {
      continue;
    }
    out << (first ? "\"" : ",\"") << id << "\":[";
    first = false;
    bool first_block = true;
    for_each_block_pair(schedule, id, [&](std::uint32_t from, std::uint32_t) {
      out << (first_block ? "" : ",") << from % schedule.blocks();
      first_block = false;
    });
    out << ']';
  }
  out << '}';
}

void put_ops(const Recording& recording, TextWriter& out) {
  const RecordedOps& ops = recording.ops;
  const Schedule& schedule = *recording.explanation.run.schedule;
  out << ",\n\"ops\":{";
  Columns columns(out);
  columns.put("kind", ops.kind);
  columns.put("src", ops.src);
  columns.put("dst", ops.dst);
  columns.put("bytes", ops.bytes);
  columns.put("round", ops.round);
  columns.put("ready_s", ops.ready_s);
  columns.put("start_s", ops.start_s);
  columns.put("end_s", ops.end_s);
  columns.put_links("held_by", ops.held_by);
  columns.put("lost_s", ops.lost_s);
  if (recording.merged()) {
    columns.put_null("slack_s");
    columns.put("count", ops.count);
    columns.put("after_start", ops.size() + 1, [](std::size_t) { return 0; });
    columns.put("after", 0, [](std::size_t) { return 0; });
    put_no_blocks(ops.size(), columns, out);
    out << '}';
    return;
  }
  columns.put("slack_s", recording.explanation.slack.op_s);
  columns.put_null("count");
  std::vector<std::uint32_t> starts{0};
  std::vector<OpId> after;
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId before : schedule.predecessors(id)) {
      after.push_back(before);
    }
    starts.push_back(static_cast<std::uint32_t>(after.size()));
  }
  columns.put("after_start", starts);
  columns.put("after", after);
  put_blocks(schedule, columns, out);
  out << '}';
}

void put_network(const DrawnNetwork& network, const Explanation& explanation, TextWriter& out) {
  Json links = Json::array();
  for (const DrawnLink& link : network.links) {
    const LinkInRun& in_run = explanation.links[link.of_explanation];
    const LinkStatistics& figures = in_run.link.statistics;
    links.push_back({{"name", in_run.link.name},
                     {"place", in_run.link.place.name},
                     {"group", in_run.link.place.group},
                     {"capacity_bytes_per_s", figures.capacity_bytes_per_s},
                     {"from", link.from},
                     {"to", link.to},
                     {"bytes", figures.bytes},
                     {"busy_s", short_number(figures.busy_s)},
                     {"lost_s", short_number(figures.lost_s)},
                     {"lost_on_chain_s", short_number(in_run.lost_on_chain_s)},
                     {"most_flows", figures.most_at_once}});
    if (in_run.link.place.parallel.count > 1) {
      links.back()["parallel_links"] = in_run.link.place.parallel.count;
    }
  }
  out << ",\n\"network\":{\"kind\":\"" << network.shape.kind
      << "\",\n\"dimensions\":" << json_text(Json(network.shape.dimensions))
      << ",\n\"nodes\":" << json_text(nodes_json(network.nodes))
      << ",\n\"links\":" << json_text(links) << ",\n\"routes\":{";
  Columns routes(out);
  routes.put("src", network.routes.src_host);
  routes.put("dst", network.routes.dst_host);
  routes.put("start", network.routes.starts);
  routes.put("links", network.routes.links);
  out << "},\n\"loads\":{\"bins\":" << network.bins << ",\"of_link\":[";
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    out << (i == 0 ? "[" : ",\n[");
    for (std::size_t bin = 0; bin < network.links[i].load_percent.size(); ++bin) {
      out << (bin == 0 ? "" : ",") << std::uint32_t{network.links[i].load_percent[bin]};
    }
    out << ']';
  }
  out << "]}}";
}

// Returns the operations of the critical chain in order of time; empty for a merged recording.
std::vector<OpId> chain_of(const Recording& recording) {
  std::vector<OpId> chain;
  if (!recording.merged()) {
    for (const ChainStep& step : recording.explanation.account.chain) {
      if (chain.empty() || chain.back() != step.op) {
        chain.push_back(step.op);
      }
    }
  }
  return chain;
}

}  // namespace

void write_recording_json(const Recording& recording, std::ostream& stream) {
  const Explanation& explanation = recording.explanation;
  const RunResult& result = explanation.run.result;
  const Schedule& schedule = *explanation.run.schedule;
  TextWriter out(stream);
  out << "{\"schema\":\"tutti-recording/1\",\n\"title\":" << json_text(Json(title_of(result)))
      << made_by_member(stream) << ",\n\"result\":" << json_text(result_json(result))
      << ",\n\"explanation\":" << json_text(explanation_summary_json(explanation))
      << ",\n\"total_s\":" << json_text(Json(explanation.account.total_s))
      << ",\n\"ranks\":" << schedule.ranks() << ",\n\"blocks\":" << schedule.blocks()
      << ",\n\"host_of_rank\":"
      << json_text(recording.network ? Json(recording.network->host_of_rank) : Json::array())
      << ",\n\"merged\":";
  if (recording.merged()) {
    out << "{\"ranks_per_group\":" << recording.ranks_per_group
        << ",\"operations\":" << schedule.size() << '}';
  } else {
    out << "null";
  }
  out << ",\n\"chain\":" << json_text(Json(chain_of(recording)));
  put_ops(recording, out);
  if (recording.network) {
    put_network(*recording.network, explanation, out);
  } else {
    out << ",\n\"network\":null";
  }
  out << "}\n";
  out.flush();
}

}}  // namespace tutti::output
