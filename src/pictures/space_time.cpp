#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/human.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/legend.hpp"
#include "src/pictures/space_time_layout.hpp"

namespace tutti { inline namespace pictures {

namespace {

constexpr double kSpaceTimeWidth = 1280;
constexpr double kSpaceTimeMargin = 24;
constexpr double kSpaceTimeMostRows = 720;  // maximum height of all rows together, in pixels

struct DisplayMode {
  bool as_density = false;
  bool takes_time = true;
  std::vector<std::string> notices;
};

std::string all_in_words(const RecordedRun& run) {
  std::string words;
  for (std::size_t kind = 0; kind < kKindNouns.size(); ++kind) {
    if (const std::uint64_t count = run.operations_of(kind); count > 0) {
      words += (words.empty() ? "" : ", ") + counted(count, kKindNouns[kind]);
    }
  }
  return words.empty() ? "no operations" : words;
}

DisplayMode how_to_show(const RecordedRun& run) {
  DisplayMode shown;
  const std::size_t messages = run.message_entries();
  shown.takes_time = run.total_s > 0;
  shown.as_density =
      shown.takes_time && (messages > kMostArrows || run.size() - messages > kMostArrows);
  const std::string all = all_in_words(run);
  if (run.size() == 0) {
    shown.notices.emplace_back("No operations: nothing is sent, and nothing takes time.");
  } else if (!shown.takes_time) {
    shown.notices.push_back(all + ": they take no time, so none is drawn.");
  } else if (shown.as_density) {
    shown.notices.push_back(all + ": shown as density" +
                            (run.chain.empty() ? "." : "; the critical chain in full."));
  }
  if (run.merged() && run.size() > 0) {
    shown.notices.push_back(
        fmt::format("A row is {} ranks: their operations in a round are {} from the first start to "
                    "the last end{}.",
                    run.ranks_per_row, shown.as_density ? "spread evenly" : "drawn as one mark",
                    run.chain.empty() ? "; groups have no critical chain" : ""));
  }
  return shown;
}

std::string alt_text(const RecordedRun& run, const DisplayMode& shown) {
  std::string alt =
      fmt::format("Space-time diagram of {}: {} down, 0 to {} across, {}{}.", run.title,
                  counted(run.ranks, "rank"), human_time(run.total_s), all_in_words(run),
                  !shown.takes_time  ? ""
                  : shown.as_density ? " as shades"
                                     : " as arrows and bars");
  if (shown.takes_time && !run.chain.empty()) {
    alt += fmt::format(
        " The critical chain, of {}, goes from {} to {}.", counted(run.chain.size(), "operation"),
        run.row_in_words(run.src[run.chain.front()]), run.row_in_words(run.dst[run.chain.back()]));
  }
  return alt + (run.account.empty() ? "" : " " + run.account + ".");
}

std::string csv_of(const RecordedRun& run) {
  std::string csv = run.merged() ? "op,kind,src_group,dst_group,bytes,round,start_s,end_s,count\n"
                                 : "op,kind,src,dst,bytes,round,start_s,end_s\n";
  for (std::size_t i = 0; i < run.size(); ++i) {
    csv += fmt::format("{},{},{},{},{},{},{:.9g},{:.9g}", i, kKindNouns[run.kind[i]], run.src[i],
                       run.dst[i], run.bytes[i], run.round[i], run.start_s[i], run.end_s[i]);
    csv += run.merged() ? fmt::format(",{}\n", run.count[i]) : "\n";
  }
  return csv;
}

std::uint32_t rounds_of(const RecordedRun& run) {
  return run.size() == 0 ? 0 : *std::max_element(run.round.begin(), run.round.end()) + 1;
}

void draw_density_legend(Legend& legend, const RecordedRun& run, const SpaceTimeLayout& layout,
                         double most) {
  if (run.merged()) {
    legend.heading(
        fmt::format("operations per rank in {}:", short_time(density_column_s(run, layout))));
  } else {
    legend.heading("messages in flight, per rank:");
  }
  legend.shades(1, kDensityShades, "0", fmt::format("{:.2g}", most));
  if (!run.merged() && run.message_entries() < run.size()) {
    legend.box("f1 faint", "more ranks reduce or copy than send");
  }
}

// Draws the legend. Returns its bottom.
double draw_legend(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout,
                   const RoundColours& colours, std::optional<double> densest) {
  Legend legend(svg, {layout.frame.left, layout.frame.bottom + 62},
                kSpaceTimeWidth - kSpaceTimeMargin);
  if (!run.chain.empty()) {
    legend.line("ink thick", "critical chain");
  }
  if (densest) {
    draw_density_legend(legend, run, layout, *densest);
    return legend.bottom();
  }
  if (run.message_entries() < run.size()) {
    legend.box("f9 faint", "reduction or copy");
  }
  const bool waits = !run.merged() && run.start_s != run.ready_s;
  if (waits) {
    legend.box("q2", "ready, waits for a port or core");
  }
  for (std::size_t colour = 0; colour < colours.count(); ++colour) {
    legend.arrow(fmt::format("s{}", colour), fmt::format("f{}", colour), colours.name(colour));
  }
  return legend.bottom();
}

double rows_height(const RecordedRun& run) {
  constexpr double kMostOfOne = 56;
  return std::clamp(run.rows * kMostOfOne, 2 * kMostOfOne, kSpaceTimeMostRows);
}

}  // namespace

Picture space_time(const nlohmann::json& recording) {
  const RecordedRun run = recorded_run(recording);
  const DisplayMode shown = how_to_show(run);
  Svg svg;
  double y = 34;
  const auto put_line = [&](const std::string& text, double size, std::string_view classes) {
    svg.text({kSpaceTimeMargin, y}, fitted(text, kSpaceTimeWidth - 2 * kSpaceTimeMargin, size),
             Anchor::start, classes, size);
  };
  put_line(run.title, 18, "ink bold");
  if (!run.account.empty()) {
    y += 24;
    put_line(run.account, 14, "ink");
  }
  for (const std::string& notice : shown.notices) {
    y += 20;
    put_line(notice, 13, "muted");
  }
  if (shown.takes_time) {
    // The last row may have a shorter label, since it may have only one rank.
    const double labels = std::max(text_width(run.row_label(run.rows - 1)),
                                   text_width(run.row_label(run.rows - std::min(run.rows, 2U))));
    Frame frame{kSpaceTimeMargin + 34 + labels, y + 18, kSpaceTimeWidth - kSpaceTimeMargin, 0};
    frame.bottom = frame.top + rows_height(run);
    const SpaceTimeLayout layout{frame, Scale::linear(0, run.total_s, frame.left, frame.right),
                                 rows_height(run) / run.rows};
    const RoundColours colours(rounds_of(run));
    draw_ranks(svg, run, layout);
    draw_horizontal_axis(svg, frame, layout.time, time_ticks(layout.time, 10), "time");
    std::optional<double> densest;
    if (shown.as_density) {
      densest = draw_density(svg, run, layout);
    } else {
      draw_entries(svg, run, layout, colours);
    }
    draw_chain(svg, run, layout);
    y = draw_legend(svg, run, layout, colours, densest);
  }
  return {"timeline-" + id_of(run.title),
          "schedule",
          "Who did what when: " + run.title,
          alt_text(run, shown),
          kSpaceTimeWidth,
          y + 18,
          svg.body(),
          csv_of(run),
          true};
}

}}  // namespace tutti::pictures
