// Finds the fastest contenders in each cell of a comparison (one number of ranks and one size), and
// chooses the one to show if several contenders tie.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/compare/comparison.hpp"

namespace tutti { inline namespace experiments {

struct CellWinners {
  // Indices of the fastest contenders: several if there is a tie, none if no contender has a time.
  std::vector<std::size_t> who;
  // Index of the fastest contender that is not in `who`.
  std::optional<std::size_t> second;
  RangedTime best;
  RangedTime next;  // time of `second`
  // Indices of the contenders that are not in `who`, but whose range of times overlaps that of
  // `best`: tie-breaking decides whether these contenders or the winners are faster.
  std::vector<std::size_t> level;
  // Reason why the winner is faster than `second`. Filled in by WinnerMap::explain(), but empty if
  // no reason is found, or if it would describe a lucky order of ties.
  std::string why;

  // Returns the lead of the winners over `second`: 0.12 if `second` takes 12 % longer, but 0 if
  // `level` is not empty, because tie-breaking may then decide which contender is faster. Empty if
  // there is no `second`, or if the best time is 0.
  [[nodiscard]] std::optional<double> margin() const;
};

class WinnerMap {
 public:
  explicit WinnerMap(const Comparison& comparison);

  // Indices into Comparison::ranks and Comparison::sizes_bytes, sorted by the values there.
  [[nodiscard]] const std::vector<std::size_t>& ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<std::size_t>& sizes() const { return sizes_; }
  [[nodiscard]] const CellWinners& at(std::size_t rank, std::size_t size) const {
    return cells_[rank * sizes_.size() + size];
  }

  // Returns the contender to show for a cell. If several winners tie, the choice keeps the number
  // of different contenders on the whole map small. Empty if no contender of the cell has a time.
  [[nodiscard]] std::optional<std::size_t> shown(std::size_t rank, std::size_t size) const {
    return shown_[rank * sizes_.size() + size];
  }
  // Contenders that are shown in at least one cell, in the order in which they first appear on the
  // printed map, which has one line per size.
  [[nodiscard]] const std::vector<std::size_t>& all_shown() const { return all_shown_; }
  // Returns the label of `contender`, followed by the labels of the contenders that tie with it in
  // the cells where `contender` is shown: "rabenseifner = circulant, in 3 of 8 cells = ring".
  [[nodiscard]] std::string with_equals(std::size_t contender) const;

  // True if there are so few cells that explain() explains all of them. Otherwise, explain()
  // explains at most one cell per contender: one of those that leads_of() returns.
  [[nodiscard]] bool few_cells() const;
  // Fills in CellWinners::why. Runs the winner and the second contender of a cell again to account
  // for their times, unless that would take long (see account_for_lead()).
  void explain();
  // Returns at most three of the cells where `contender` is shown and leads, as arguments for
  // cell(). The cell with the largest margin comes first.
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

}}  // namespace tutti::experiments
