#include "src/formats/timeline_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/human.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/notation/text_writer.hpp"
#include "schedules/place_name.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"

namespace tutti { inline namespace formats {

namespace {

enum class Lane : std::uint8_t { compute, send, receive };
constexpr std::array<std::string_view, 3> kLaneNames{"compute", "send", "receive"};

std::uint64_t to_ns(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

// Assigns each slice to a thread on which it overlaps no other slice.
class Threads {
 public:
  struct Thread {
    Rank rank = 0;
    Lane lane = Lane::compute;
    std::uint32_t unit = 0;  // number of the core or the network interface
    std::uint32_t copy = 0;  // number of the thread among those of its rank, lane and unit
    std::uint64_t busy_until_ns = 0;
  };

  // Assigns a slice. Returns the index of its thread in threads(). Slices must be added in order of
  // their starts.
  std::uint32_t place(Rank rank, Lane lane, std::uint32_t unit, std::uint64_t start_ns,
                      std::uint64_t end_ns) {
    std::vector<std::uint32_t>& mine = of_lane_[{rank, lane, unit}];
    for (const std::uint32_t thread : mine) {
      if (threads_[thread].busy_until_ns <= start_ns) {
        threads_[thread].busy_until_ns = end_ns;
        return thread;
      }
    }
    const auto thread = static_cast<std::uint32_t>(threads_.size());
    threads_.push_back({rank, lane, unit, static_cast<std::uint32_t>(mine.size()), end_ns});
    mine.push_back(thread);
    return thread;
  }

  [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }

  // Returns the id that each entry of threads() has in the viewer. Ids ascend by rank, then by
  // Lane, Thread::unit and Thread::copy.
  [[nodiscard]] std::vector<std::uint32_t> ids() const {
    std::vector<std::uint32_t> ids(threads_.size());
    std::uint32_t next = 1;
    for (const auto& [key, threads] : of_lane_) {
      for (const std::uint32_t thread : threads) {
        ids[thread] = next++;
      }
    }
    return ids;
  }

 private:
  std::vector<Thread> threads_;
  // By rank, lane and unit.
  std::map<std::tuple<Rank, Lane, std::uint32_t>, std::vector<std::uint32_t>> of_lane_;
};

// Writes microseconds with three decimal places.
void write_us(TextWriter& writer, std::uint64_t ns) {
  const std::uint64_t rest = ns % 1000;
  writer << ns / 1000 << '.' << static_cast<char>('0' + rest / 100)
         << static_cast<char>('0' + rest / 10 % 10) << static_cast<char>('0' + rest % 10);
}

class Events {
 public:
  explicit Events(std::ostream& out) : out_(out), writer_(out) {}

  void begin(const Schedule& schedule, std::string_view title) {
    writer_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"schema\":\"tutti-timeline/1\","
            << "\"collective\":\"" << name(schedule.problem().collective)
            << "\",\"ranks\":" << schedule.ranks() << ",\"bytes\":" << schedule.problem().bytes
            << ",\"ops\":" << schedule.size() << ",\"messages\":" << schedule.messages()
            << (schedule.bytes_only()
                    ? ",\"unproved\":" + json_text(nlohmann::json(bytes_only_text(schedule)))
                    : std::string())
            << made_by_member(out_) << "},\n\"traceEvents\":[\n"
            << R"({"ph":"M","pid":1,"name":"process_name","args":{"name":)"
            << json_text(nlohmann::json(title)) << "}}";
  }

  void thread(const Schedule& schedule, const Threads::Thread& thread, std::uint32_t id) {
    writer_ << ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" << id
            << ",\"name\":\"thread_name\",\"args\":{\"name\":\""
            << place_name(schedule, thread.rank) << ' ';
    if (thread.unit > 0) {
      writer_ << (thread.lane == Lane::compute ? "core " : "interface ") << thread.unit << ' ';
    }
    writer_ << kLaneNames[static_cast<std::size_t>(thread.lane)];
    if (thread.copy > 0) {
      writer_ << ' ' << thread.copy + 1;
    }
    writer_ << "\"}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":" << id
            << ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" << id << "}}";
  }

  void slice(const Schedule& schedule, OpId id, std::uint32_t thread, std::uint64_t start_ns,
             std::uint64_t end_ns, std::string_view side, bool critical) {
    const Op& op = schedule.op(id);
    writer_ << ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":" << thread << ",\"ts\":";
    write_us(writer_, start_ns);
    writer_ << ",\"dur\":";
    write_us(writer_, end_ns - start_ns);
    writer_ << ",\"cat\":\""
            << (op.is_comm()                  ? "message"
                : calculates(schedule, op)    ? "calc"
                : op.kind() == OpKind::reduce ? "reduce"
                                              : "copy")
            << (critical ? ",critical" : "") << "\",\"name\":\"";
    write_name(schedule, op);
    writer_ << "\",\"args\":{\"op\":" << id << ",\"label\":\"";
    write_label(writer_, op);
    writer_ << '"';
    if (!side.empty()) {
      writer_ << ",\"side\":\"" << side << '"';
    }
    if (calculates(schedule, op)) {
      writer_ << ",\"ns\":" << op.bytes();
    } else {
      writer_ << ",\"bytes\":" << op.bytes();
    }
    if (!schedule.bytes_only()) {
      writer_ << ",\"blocks\":\"";
      write_payload(writer_, schedule, id);
      writer_ << '"';
    }
    writer_ << "}}";
  }

  // Writes the start or the finish of a flow.
  void flow(bool start, std::uint64_t id, std::uint32_t thread, std::uint64_t at_ns) {
    writer_ << ",\n{\"ph\":\"" << (start ? 's' : 'f') << "\",\"pid\":1,\"tid\":" << thread
            << ",\"ts\":";
    write_us(writer_, at_ns);
    writer_ << ",\"cat\":\"message\",\"name\":\"message\",\"id\":" << id
            << (start ? "}" : ",\"bp\":\"e\"}");
  }

  void chain_thread() {
    writer_ << R"(,
{"ph":"M","pid":1,"tid":0,"name":"thread_name","args":{"name":"chain that ends last"}},
{"ph":"M","pid":1,"tid":0,"name":"thread_sort_index","args":{"sort_index":0}})";
  }
  void chain_step(const Schedule& schedule, const TimelineExtras::Step& step) {
    const std::uint64_t start_ns = to_ns(step.from_s);
    writer_ << ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":0,\"ts\":";
    write_us(writer_, start_ns);
    writer_ << ",\"dur\":";
    write_us(writer_, to_ns(step.until_s) - start_ns);
    writer_ << ",\"cat\":\"critical\",\"name\":\"";
    write_name(schedule, schedule.op(step.op));
    writer_ << "\",\"args\":{\"op\":" << step.op
            << ",\"spent\":" << json_text(nlohmann::json(step.spent)) << "}}";
  }

  void counter(const TimelineCounter& counter) {
    const std::string name = json_text(nlohmann::json(counter.name));
    for (const auto& [at_s, value] : counter.values) {
      writer_ << ",\n{\"ph\":\"C\",\"pid\":1,\"ts\":";
      write_us(writer_, to_ns(at_s));
      writer_ << ",\"name\":" << name << ",\"args\":{\"value\":" << fmt::format("{:.6g}", value)
              << "}}";
    }
  }

  void end() {
    writer_ << "\n]}\n";
    writer_.flush();
  }

 private:
  // Writes a name such as "0 -> 4, 512 KiB, round 1".
  void write_name(const Schedule& schedule, const Op& op) {
    if (op.is_comm()) {
      writer_ << op.src() << " -> " << op.dst();
    } else {
      writer_ << (calculates(schedule, op)      ? "calculation"
                  : op.kind() == OpKind::reduce ? "reduce"
                                                : "copy")
              << " at " << op.rank();
    }
    if (!calculates(schedule, op)) {
      writer_ << ", " << human_bytes(op.bytes());
    }
    writer_ << ", round " << op.label().level;
    if (op.label().segment > 0) {
      writer_ << ", segment " << op.label().segment;
    }
  }

  std::ostream& out_;
  TextWriter writer_;
};

// Counts the messages in flight over time.
TimelineCounter messages_under_way(const Schedule& schedule, const std::vector<double>& start_s,
                                   const std::vector<double>& end_s) {
  std::vector<std::pair<double, int>> changes;
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (schedule.op(id).is_comm() && end_s[id] > start_s[id]) {
      changes.emplace_back(start_s[id], 1);
      changes.emplace_back(end_s[id], -1);
    }
  }
  std::sort(changes.begin(), changes.end());
  TimelineCounter counter{"messages under way", {}};
  int under_way = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    under_way += changes[i].second;
    if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first) {
      counter.values.emplace_back(changes[i].first, under_way);
    }
  }
  return counter;
}

}  // namespace

void write_timeline_json(const Schedule& schedule, const Timeline& timeline, std::string_view title,
                         std::ostream& out, const TimelineExtras& extras) {
  const bool ends_apart = !timeline.receive_start_s.empty();
  const std::vector<double>& receive_start_s =
      ends_apart ? timeline.receive_start_s : timeline.start_s;
  const std::vector<double>& receive_end_s = ends_apart ? timeline.receive_end_s : timeline.end_s;
  std::vector<OpId> by_start(schedule.size());
  std::iota(by_start.begin(), by_start.end(), OpId{0});
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](OpId a, OpId b) { return timeline.start_s[a] < timeline.start_s[b]; });

  struct ThreadPair {
    std::uint32_t first = 0;   // index of the compute or send thread
    std::uint32_t second = 0;  // index of the receive thread
  };
  Threads threads;
  std::vector<ThreadPair> placed(schedule.size());
  for (const OpId id : by_start) {
    const Op& op = schedule.op(id);
    const std::uint64_t start_ns = to_ns(timeline.start_s[id]);
    const std::uint64_t end_ns = to_ns(timeline.end_s[id]);
    const Units units = schedule.units(id);
    placed[id].first =
        op.is_comm() ? threads.place(op.src(), Lane::send, units.src_nic, start_ns, end_ns)
                     : threads.place(op.src(), Lane::compute, units.src_core, start_ns, end_ns);
  }
  std::vector<OpId> by_receive = by_start;
  if (ends_apart) {
    std::stable_sort(by_receive.begin(), by_receive.end(),
                     [&](OpId a, OpId b) { return receive_start_s[a] < receive_start_s[b]; });
  }
  for (const OpId id : by_receive) {
    const Op& op = schedule.op(id);
    if (op.is_comm()) {
      placed[id].second = threads.place(op.dst(), Lane::receive, schedule.units(id).dst_nic,
                                        to_ns(receive_start_s[id]), to_ns(receive_end_s[id]));
    }
  }

  Events events(out);
  events.begin(schedule, title);
  const std::vector<std::uint32_t> thread_ids = threads.ids();
  std::vector<std::uint32_t> by_id(thread_ids.size());
  for (std::uint32_t thread = 0; thread < thread_ids.size(); ++thread) {
    by_id[thread_ids[thread] - 1] = thread;
  }
  for (const std::uint32_t thread : by_id) {
    events.thread(schedule, threads.threads()[thread], thread_ids[thread]);
  }
  std::vector<bool> critical(schedule.size(), false);
  if (!extras.chain.empty()) {
    events.chain_thread();
    for (const TimelineExtras::Step& step : extras.chain) {
      critical[step.op] = true;
      events.chain_step(schedule, step);
    }
  }
  // Writes slices in order of their start: viewers sort them, which is fast if they are already
  // sorted.
  for (const OpId id : by_start) {
    const Op& op = schedule.op(id);
    const std::uint64_t start_ns = to_ns(timeline.start_s[id]);
    const std::uint64_t end_ns = to_ns(timeline.end_s[id]);
    const std::uint32_t first = thread_ids[placed[id].first];
    if (!op.is_comm()) {
      events.slice(schedule, id, first, start_ns, end_ns, "", critical[id]);
      continue;
    }
    const std::uint32_t second = thread_ids[placed[id].second];
    const std::uint64_t there_start_ns = to_ns(receive_start_s[id]);
    const std::uint64_t there_end_ns = to_ns(receive_end_s[id]);
    events.slice(schedule, id, first, start_ns, end_ns, "send", critical[id]);
    events.flow(true, id, first, start_ns);
    events.slice(schedule, id, second, there_start_ns, there_end_ns, "receive", critical[id]);
    events.flow(false, id, second,
                there_end_ns > there_start_ns ? there_end_ns - 1 : there_start_ns);
  }
  events.counter(messages_under_way(schedule, timeline.start_s, receive_end_s));
  for (const TimelineCounter& load : extras.loads) {
    events.counter(load);
  }
  events.end();
}

}}  // namespace tutti::formats
