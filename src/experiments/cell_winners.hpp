// Who is best in each cell of a comparison, by how much, and who stands for those that tie.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/comparison.hpp"

namespace tutti::inline experiments {

struct CellWinners {
  std::vector<std::size_t> who;       // contenders, more than one where they tie; none: nothing ran
  std::optional<std::size_t> second;  // the best of the others
  RangedTime best;
  RangedTime next;  // of the second
  // Others whose range overlaps that of the best: which of them is faster depends on ties.
  std::vector<std::size_t> level;
  std::string why;  // the best is before the second, where WinnerMap::explain() looked and can tell

  // 0.12: the second takes 12 % longer; 0 where others are level. Nothing where there is no second.
  [[nodiscard]] std::optional<double> margin() const;
};

[[nodiscard]] CellWinners winners_of(const Comparison& comparison, std::size_t rank,
                                     std::size_t size);

class WinnerMap {
 public:
  explicit WinnerMap(const Comparison& comparison);

  // Places in `ranks` and `sizes_bytes` of the comparison, rising by what stands there.
  [[nodiscard]] const std::vector<std::size_t>& ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<std::size_t>& sizes() const { return sizes_; }
  [[nodiscard]] const CellWinners& at(std::size_t rank, std::size_t size) const {
    return cells_[rank * sizes_.size() + size];
  }

  // Of those that tie in a cell one is shown, as few over all cells as can be; nothing where
  // nothing ran.
  [[nodiscard]] std::optional<std::size_t> shown(std::size_t rank, std::size_t size) const {
    return shown_[rank * sizes_.size() + size];
  }
  // Those that are shown anywhere, in the order in which a reader meets them.
  [[nodiscard]] const std::vector<std::size_t>& all_shown() const { return all_shown_; }
  // "rabenseifner = circulant, in 3 of 8 cells = ring": who ties with `contender` where it is
  // shown.
  [[nodiscard]] std::string with_equals(std::size_t contender) const;

  // True if there are so few cells that each is explained. If not, only those are where a contender
  // leads by most.
  [[nodiscard]] bool few_cells() const;
  // Fills in CellWinners::why. Where it can tell, it runs the best and the second again.
  void explain();
  // The cells where a contender is shown and leads, largest margin first; three at most.
  [[nodiscard]] std::vector<std::size_t> leads_of(std::size_t contender) const;
  [[nodiscard]] const CellWinners& cell(std::size_t place) const { return cells_[place]; }

 private:
  void choose_shown();

  const Comparison& comparison_;
  std::vector<std::size_t> ranks_;
  std::vector<std::size_t> sizes_;
  std::vector<CellWinners> cells_;
  std::vector<std::optional<std::size_t>> shown_;
  std::vector<std::size_t> all_shown_;
};

}  // namespace tutti::inline experiments
