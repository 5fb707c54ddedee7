// The streams of a step's ranks over time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/pictures/axis.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/legend.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

constexpr double kRowHeight = 15;
constexpr double kBarHeight = 11;

// Colours: computing has the first one, and the groups that communicate have the others.
class StreamColours {
 public:
  explicit StreamColours(const Json& step) {
    for (const Json& call : step.at("calls")) {
      const auto group = call.at("group").get<std::string>();
      if (std::ranges::find(groups_, group) == groups_.end()) {
        groups_.push_back(group);
      }
    }
  }

  [[nodiscard]] std::string of(const Json& slice) const {
    if (slice.at("group").is_null()) {
      return "f9 faint";
    }
    const auto found = std::ranges::find(groups_, slice.at("group").get<std::string>());
    return fmt::format("f{}", (found - groups_.begin()) % (kSeriesColours - 1));
  }
  void draw_legend(Legend& legend) const {
    legend.box("f9 faint", "computing");
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      legend.box(fmt::format("f{}", i % (kSeriesColours - 1)), groups_[i]);
    }
  }

 private:
  std::vector<std::string> groups_;
};

std::string stream_name(const Json& slice) {
  if (slice.at("group").is_null()) {
    return "computing";
  }
  const auto group = slice.at("group").get<std::string>();
  const auto kind = slice.at("kind").get<std::string>();
  return kind == "collectives" ? group : group + ", " + kind;
}

std::string rank_in_words(const Json& of) {
  const std::string words = fmt::format("rank {}", of.at("rank").get<std::uint32_t>());
  return of.at("stage").is_null()
             ? words
             : fmt::format("{}, stage {}", words, of.at("stage").get<std::uint32_t>());
}

std::string tip_of(const Json& slice, const Json& rows) {
  const Json& row = rows.at(slice.at("row").get<std::size_t>());
  const auto count = slice.at("count").get<std::uint64_t>();
  const double start_s = slice.at("start_s").get<double>();
  std::string tip = fmt::format("line {}: {}", row.at("line").get<std::uint64_t>(),
                                row.at("statement").get<std::string>());
  if (count > 1) {
    tip += fmt::format(" and {} more, together {}", count - 1,
                       human_time(slice.at("busy_s").get<double>()));
  }
  return fmt::format("{}\n{} from {}", tip, human_time(slice.at("end_s").get<double>() - start_s),
                     human_time(start_s));
}

// A stream of a rank, and its slices.
struct DrawnStream {
  std::string name;
  std::vector<const Json*> slices;
};

std::vector<DrawnStream> streams_in(const Json& of) {
  std::vector<DrawnStream> streams;
  for (const Json& slice : of.at("slices")) {
    std::string name = stream_name(slice);
    if (streams.empty() || streams.back().name != name) {
      streams.push_back({std::move(name), {}});
    }
    streams.back().slices.push_back(&slice);
  }
  return streams;
}

}  // namespace

Picture streams_chart(const Json& step, double width) {
  const Json& ranks = step.at("streams");
  const double total_s = step.at("total_s").get<double>();
  const bool narrow = width < kWide;
  const auto name = step.at("name").get<std::string>();
  Picture picture =
      begun("step", "streams", fmt::format("What the streams do: {}", name.empty() ? "step" : name),
            width);
  picture.alt =
      fmt::format("Streams of {} over {}", counted(ranks.size(), "rank"), short_time(total_s));
  picture.csv = "rank,stream,line,statements,start_s,end_s,busy_s\n";
  const StreamColours colours(step);
  double labels = 0;
  double height = 0;
  for (const Json& of : ranks) {
    const std::vector<DrawnStream> streams = streams_in(of);
    for (const DrawnStream& stream : streams) {
      labels = std::max(labels, text_width(stream.name));
    }
    height += 24 + kRowHeight * static_cast<double>(streams.size()) + 6;
  }
  constexpr double kMostLabels = 110;
  const Frame frame{16 + std::min(1.1 * labels, kMostLabels) + 8, 44, width - (narrow ? 14 : 24),
                    44 + height};
  Svg svg;
  const Scale x = Scale::linear(0, total_s > 0 ? total_s : 1, frame.left, frame.right);
  draw_horizontal_axis(svg, frame, x, time_ticks(x, narrow ? 3 : 8), "");
  double y = frame.top;
  for (const Json& of : ranks) {
    svg.text({16, y + 16}, rank_in_words(of), Anchor::start, "ink bold");
    y += 24;
    for (const DrawnStream& stream : streams_in(of)) {
      svg.text({frame.left - 8, y + kBarHeight - 1}, fitted(stream.name, frame.left - 24),
               Anchor::end, "ink");
      for (const Json* const slice : stream.slices) {
        const double left = x(slice->at("start_s").get<double>());
        const double right = x(slice->at("end_s").get<double>());
        svg.rectangle({left, y}, std::max(right - left, 0.5), kBarHeight, colours.of(*slice),
                      tip_of(*slice, step.at("rows")));
        picture.csv += fmt::format(
            "{},{},{},{},{:.9g},{:.9g},{:.9g}\n", of.at("rank").get<std::uint32_t>(),
            csv_field(stream.name),
            step.at("rows").at(slice->at("row").get<std::size_t>()).at("line").get<std::uint64_t>(),
            slice->at("count").get<std::uint64_t>(), slice->at("start_s").get<double>(),
            slice->at("end_s").get<double>(), slice->at("busy_s").get<double>());
      }
      y += kRowHeight;
    }
    y += 6;
  }
  Legend legend(svg, {16, frame.bottom + 46}, width - 16);
  colours.draw_legend(legend);
  picture.height = legend.bottom() + 18;
  picture.body = svg.body();
  return picture;
}

}}  // namespace tutti::pictures
