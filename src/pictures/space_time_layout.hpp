// Layout of a space-time diagram, and the marks in it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "src/pictures/axis.hpp"
#include "src/pictures/recorded_run.hpp"
#include "src/pictures/svg.hpp"

namespace tutti { inline namespace pictures {

struct SpaceTimeLayout {
  Frame frame;
  Scale time;
  double row_height;

  // Returns the vertical position of a row's line.
  [[nodiscard]] double y(std::uint32_t row) const {
    return frame.top + (static_cast<double>(row) + 0.5) * row_height;
  }
  [[nodiscard]] double bar_height() const { return std::min(row_height * 0.5, 13.0); }
};

// Colours of rounds. If there are few rounds, each has its own colour. With more rounds, only
// neighbouring rounds are sure to have different colours.
class RoundColours {
 public:
  explicit RoundColours(std::uint32_t rounds);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t of(std::uint32_t round) const { return round % count_; }
  // The rounds with this colour: "round 3", "rounds 3, 7, 11 ...".
  [[nodiscard]] std::string name(std::size_t colour) const;

 private:
  std::uint32_t rounds_;
  std::size_t count_;
};

// With more messages than kMostArrows, arrows cannot be told apart. With more marks than kMostTips,
// marks have no tips.
inline constexpr std::size_t kMostArrows = 4000;
inline constexpr std::size_t kMostTips = 2000;

// Describes an entry. The description is shown as the entry's tip.
[[nodiscard]] std::string entry_in_words(const RecordedRun& run, std::size_t entry);

void draw_ranks(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout);
// Draws each entry as an arrow or a bar.
void draw_entries(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout,
                  const RoundColours& colours);
void draw_chain(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout);

inline constexpr std::size_t kDensityShades = 5;  // classes q1 to q5
// Draws a shade for each band of rows and each column of time. The shade shows how many messages
// are in transit per rank; a separate colour shows that more ranks reduce or copy than send.
// Returns the largest number of messages in transit per rank. For a merged run, counts the
// operations per rank in each column instead.
[[nodiscard]] double draw_density(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout);
// Returns the duration of a column of draw_density(), in seconds.
[[nodiscard]] double density_column_s(const RecordedRun& run, const SpaceTimeLayout& layout);

}}  // namespace tutti::pictures
