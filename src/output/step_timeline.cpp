#include "src/output/step_timeline.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "schedules/notation/text_writer.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/output/step_text.hpp"

namespace tutti { inline namespace output {

namespace {

std::uint64_t in_ns(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

std::string in_us(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string quoted_json(const std::string& text) { return json_text(nlohmann::json(text)); }

class StepEvents {
 public:
  StepEvents(const StepAnswer& answer, std::ostream& out) : answer_(answer), writer_(out) {
    writer_ << R"({"displayTimeUnit":"ms","otherData":{"schema":"tutti-step-timeline/1","name":)"
            << quoted_json(answer.step.name)
            << fmt::format(",\"ranks\":{},\"total_s\":{}", answer.step.ranks,
                           answer.account.total_s)
            << made_by_member(out) << "},\n\"traceEvents\":[";
  }

  void rank(const RankStreams& of) {
    const std::uint32_t process = of.rank + 1;
    const std::string stage = answer_.step.stage_of_rank.empty()
                                  ? ""
                                  : fmt::format(", stage {}", answer_.step.stage_of_rank[of.rank]);
    metadata(process, 0, "process_name", fmt::format("rank {}{}", of.rank, stage));
    std::vector<StreamSlice> slices = joined_slices(of.slices, 0);
    std::ranges::stable_sort(slices, {}, &StreamSlice::start_s);
    threads_.clear();
    next_thread_ = 0;
    open_threads(process, slices);
    for (const StreamSlice& slice : slices) {
      write(process, slice);
    }
  }

  void end() {
    writer_ << "\n]}\n";
    writer_.flush();
  }

 private:
  using Stream = std::tuple<std::int64_t, StreamKind>;  // group, or -1; kind

  struct Thread {
    std::uint32_t id = 0;
    std::uint64_t busy_until_ns = 0;
  };

  static Stream stream_of(const StreamSlice& slice) {
    return {slice.group ? std::int64_t{*slice.group} : -1, slice.kind};
  }

  void event(const std::string& text) {
    writer_ << (any_ ? ",\n" : "\n") << text;
    any_ = true;
  }

  void metadata(std::uint32_t process, std::uint32_t thread, std::string_view what,
                const std::string& name) {
    event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":{}}}}})", process,
                      thread, what, quoted_json(name)));
  }

  // Opens a thread for each stream, and further ones for messages that overlap. Numbers them by
  // stream.
  void open_threads(std::uint32_t process, const std::vector<StreamSlice>& slices) {
    thread_of_.clear();
    for (const StreamSlice& slice : slices) {
      std::vector<Thread>& mine = threads_[stream_of(slice)];
      const std::uint64_t start_ns = in_ns(slice.start_s);
      auto free = std::ranges::find_if(
          mine, [&](const Thread& thread) { return thread.busy_until_ns <= start_ns; });
      if (free == mine.end()) {
        free = mine.insert(mine.end(), Thread{});
      }
      free->busy_until_ns = in_ns(slice.end_s);
      thread_of_.push_back(static_cast<std::uint32_t>(free - mine.begin()));
    }
    for (auto& [stream, mine] : threads_) {
      for (std::size_t copy = 0; copy < mine.size(); ++copy) {
        mine[copy].id = ++next_thread_;
        metadata(process, mine[copy].id, "thread_name",
                 stream_in_words(stream) + (copy > 0 ? fmt::format(" {}", copy + 1) : ""));
        event(fmt::format(
            R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
            process, mine[copy].id, mine[copy].id));
      }
    }
    next_slice_ = 0;
  }

  [[nodiscard]] std::string stream_in_words(const Stream& stream) const {
    const auto& [group, kind] = stream;
    if (kind == StreamKind::computing) {
      return "computing";
    }
    const std::string& name = answer_.step.groups[static_cast<std::size_t>(group)].name;
    return kind == StreamKind::sent       ? name + ", sent"
           : kind == StreamKind::received ? name + ", received"
                                          : name;
  }

  void write(std::uint32_t process, const StreamSlice& slice) {
    const StepRow& row = answer_.account.rows[slice.row];
    const StepLine& line = answer_.step.lines[row.line];
    const std::uint32_t thread = threads_[stream_of(slice)][thread_of_[next_slice_++]].id;
    const std::uint64_t start_ns = in_ns(slice.start_s);
    std::string name = "compute";
    std::string args =
        fmt::format("\"line\":{},\"statement\":{}", line.number, quoted_json(line.text));
    if (row.call) {
      const StepCall& call = answer_.step.calls[*row.call];
      name = call_name(call);
      args += fmt::format(",\"bytes\":{},\"algorithm\":{}", call.bytes,
                          quoted_json(answer_.choices[*row.call].algorithm));
    }
    event(fmt::format(
        R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"cat":"{}","name":{},"args":{{{}}}}})",
        process, thread, in_us(start_ns), in_us(in_ns(slice.end_s) - start_ns),
        row.call ? "communication" : "computing",
        quoted_json(fmt::format("{}, line {}", name, line.number)), args));
  }

  const StepAnswer& answer_;
  TextWriter writer_;
  std::map<Stream, std::vector<Thread>> threads_;  // of the present rank
  std::vector<std::uint32_t> thread_of_;           // by slice: number of the thread in its stream
  std::size_t next_slice_ = 0;
  std::uint32_t next_thread_ = 0;
  bool any_ = false;
};

}  // namespace

void write_step_timeline(const StepAnswer& answer, std::ostream& out) {
  StepEvents events(answer, out);
  for (const RankStreams& of : answer.streams) {
    events.rank(of);
  }
  events.end();
}

}}  // namespace tutti::output
