// Where things stand in a space-time diagram, and the marks that it is made of.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "src/pictures/axis.hpp"
#include "src/pictures/recorded_run.hpp"
#include "src/pictures/svg.hpp"

namespace tutti::inline pictures {

struct SpaceTimeLayout {
  Frame frame;
  Scale time;
  double row_height;

  // The line of a row.
  [[nodiscard]] double y(std::uint32_t row) const {
    return frame.top + (static_cast<double>(row) + 0.5) * row_height;
  }
  [[nodiscard]] double bar_height() const { return std::min(row_height * 0.5, 13.0); }
};

// Few rounds have a colour each; of more, neighbours differ.
class RoundColours {
 public:
  explicit RoundColours(std::uint32_t rounds);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t of(std::uint32_t round) const { return round % count_; }
  // "round 3", "rounds 3, 7, 11 ...".
  [[nodiscard]] std::string name(std::size_t colour) const;

 private:
  std::uint32_t rounds_;
  std::size_t count_;
};

// More messages than these are not told apart as arrows, and more marks have no words to point at.
inline constexpr std::size_t kMostArrows = 4000;
inline constexpr std::size_t kMostTips = 2000;

// What an entry was, for whoever points at it.
[[nodiscard]] std::string entry_in_words(const RecordedRun& run, std::size_t entry);

void draw_ranks(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout);
// Each entry as an arrow or a bar.
void draw_entries(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout,
                  const RoundColours& colours);
void draw_chain(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout);

// How many messages are on their way, by rows and time, or that ranks work, where more of them do.
// Says how many messages a rank has at most. Of a merged run it is operations in each column.
inline constexpr std::size_t kDensityShades = 5;  // q1 to q5
[[nodiscard]] double draw_density(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout);
// How long a column of it is.
[[nodiscard]] double density_column_s(const RecordedRun& run, const SpaceTimeLayout& layout);

}  // namespace tutti::inline pictures
