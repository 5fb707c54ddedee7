#include <fmt/format.h>

#include <algorithm>

#include "base/human.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/legend.hpp"
#include "src/pictures/round_diagram_parts.hpp"

namespace tutti { inline namespace pictures {

namespace {

// A slide with an aspect ratio of 16 to 9.
constexpr double kLectureWidth = 1280;
constexpr double kHeight = 720;
constexpr double kLectureMargin = 28;
constexpr std::uint32_t kFewRanks = 16;
constexpr std::size_t kLectureMostRows = 16;

bool has_work(const DrawnSchedule& schedule, bool reduces) {
  return std::any_of(schedule.rounds.begin(), schedule.rounds.end(), [&](const DrawnRound& round) {
    return std::any_of(round.work.begin(), round.work.end(),
                       [&](const DrawnWork& one) { return one.reduces == reduces; });
  });
}

std::uint64_t to_themselves(const DrawnSchedule& schedule) {
  std::uint64_t count = 0;
  for (const DrawnRound& round : schedule.rounds) {
    for (const DrawnMessage& one : round.messages) {
      count += one.src == one.dst ? one.count : 0;
    }
  }
  return count;
}

// Returns " of 64 KiB each" if all messages have the same size; otherwise "".
std::string size_of_all(const DrawnSchedule& schedule) {
  const std::uint64_t bytes = schedule.bytes_of_all().value_or(0);
  return bytes == 0
             ? std::string()
             : fmt::format(" of {}{}", human_bytes(bytes), schedule.messages == 1 ? "" : " each");
}

std::string size_in_words(const DrawnSchedule& schedule) {
  if (schedule.messages == 0) {
    return "no messages: nothing is sent";
  }
  std::string words =
      fmt::format("{}{} in {}", counted(schedule.messages, "message"), size_of_all(schedule),
                  counted(schedule.rounds.size(), schedule.steps ? "step" : "round"));
  if (schedule.steps) {
    words += fmt::format("; in a step, a rank sends and receives at most {}",
                         schedule.ports == 1 ? "one message" : counted(schedule.ports, "message"));
    if (schedule.levels < schedule.rounds.size()) {
      words += fmt::format("; its {} would need {}", counted(schedule.levels, "round"),
                           counted(schedule.ports_of_levels, "port"));
    }
  }
  if (schedule.blocks == 1) {
    words += "; one block, never split";
  }
  if (const std::uint64_t own = to_themselves(schedule); own > 0) {
    words += fmt::format("; not drawn: {} from ranks to themselves", counted(own, "message"));
  }
  return words;
}

bool uses_scratch(const DrawnSchedule& schedule) {
  return std::ranges::any_of(schedule.rounds, [](const DrawnRound& round) {
    return std::ranges::any_of(round.messages, &DrawnMessage::scratch);
  });
}

void put_block_colours(Legend& legend, std::uint64_t blocks) {
  if (blocks <= 1) {
    return;
  }
  legend.heading("first block:");
  if (blocks > kSeriesColours) {
    legend.shades(kLightest, kDarkest, "b0", fmt::format("b{}", blocks - 1));
    return;
  }
  for (std::uint64_t block = 0; block < blocks; ++block) {
    legend.box(fmt::format("f{}", block), fmt::format("b{}", block));
  }
}

void draw_legend(Svg& svg, const DrawnSchedule& schedule, bool few, const std::string& notice) {
  Legend legend(svg, {kLectureMargin, kHeight - 20}, kLectureWidth - kLectureMargin, 14);
  if (few) {
    put_block_colours(legend, schedule.blocks);
    if (uses_scratch(schedule)) {
      legend.box(kScratchClass, "s0, s1, ...: places in scratch");
    }
    if (has_work(schedule, true)) {
      legend.words("\u2295 reduces after the round");
    }
    if (has_work(schedule, false)) {
      legend.words("\u25a1 copies");
    }
  } else if (schedule.messages > 0) {
    legend.line("s0 thick", "to a higher rank");
    legend.line("s1 thick", "to a lower rank");
  }
  if (!notice.empty()) {
    legend.words(notice);
  }
}

std::string alt_text(const DrawnSchedule& schedule, const std::vector<DiagramRow>& rows) {
  std::string alt = fmt::format("Schedule of {}: {}.", schedule.title, size_in_words(schedule));
  constexpr std::size_t kRoundsInAlt = 8;
  for (std::size_t i = 0; i < std::min(rows.size(), kRoundsInAlt); ++i) {
    alt += fmt::format(" {}: {}.", rows[i].name, rows[i].words);
  }
  return alt + (rows.size() > kRoundsInAlt ? " And so on." : "");
}

// Writes the numbers of blocks; places in scratch are written as s0, s1, ...
template <typename Drawn>
void put_blocks(std::string& csv, const Drawn& one) {
  for (std::size_t i = 0; i < one.blocks.size(); ++i) {
    csv += fmt::format("{}{}{}", i == 0 ? "" : " ", one.scratch ? "s" : "", one.blocks[i]);
  }
  csv += '\n';
}

std::string csv_of(const DrawnSchedule& schedule) {
  std::string csv = "round,kind,src,dst,bytes,messages,blocks\n";
  for (const DrawnRound& round : schedule.rounds) {
    for (const DrawnMessage& one : round.messages) {
      csv += fmt::format("{},message,{},{},{},{},", round.number, one.src, one.dst, one.bytes,
                         one.count);
      put_blocks(csv, one);
    }
    for (const DrawnWork& one : round.work) {
      csv += fmt::format("{},{},{},{},{},0,", round.number, one.reduces ? "reduction" : "copy",
                         one.rank, one.rank, one.bytes);
      put_blocks(csv, one);
    }
  }
  return csv;
}

}  // namespace

Picture round_diagram(const nlohmann::json& json) {
  const DrawnSchedule schedule = drawn_schedule(json);
  const std::vector<DiagramRow> rows = diagram_rows(schedule, kLectureMostRows);
  Svg svg;
  svg.text({kLectureMargin, 46},
           fitted(schedule.title, (kLectureWidth - 2 * kLectureMargin) / 1.15, 28), Anchor::start,
           "ink bold", 28);
  svg.text({kLectureMargin, 74},
           fitted(size_in_words(schedule), kLectureWidth - 2 * kLectureMargin, 16), Anchor::start,
           "muted", 16);
  const Frame area{kLectureMargin, 90, kLectureWidth - kLectureMargin, kHeight - 44};
  const bool few = schedule.ranks <= kFewRanks;
  std::string notice;
  if (few) {
    if (const std::size_t missing = draw_slide(svg, schedule, rows, area); missing > 0) {
      notice = fmt::format("no room for the blocks of {}", counted(missing, "arrow"));
    }
  } else if (const std::uint32_t per_end = draw_summary(svg, schedule, rows, area); per_end > 1) {
    notice = fmt::format("{} ranks at each end of an arc; a dot: messages among them", per_end);
  }
  draw_legend(svg, schedule, few, notice);
  return {"schedule-" + id_of(schedule.title),
          "schedule",
          "Who sends what to whom: " + schedule.title,
          alt_text(schedule, rows),
          kLectureWidth,
          kHeight,
          svg.body(),
          csv_of(schedule),
          true};
}

}}  // namespace tutti::pictures
