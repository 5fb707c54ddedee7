#include "src/output/sure_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <ostream>
#include <vector>

#include "base/human.hpp"
#include "src/formats/text_table.hpp"

namespace tutti { inline namespace output {

std::string sure_in_words(const SureChoices& sure) {
  return fmt::format(
      "in {} of {}, the best has a probability of at least {:g} % to take at most 10 % more time "
      "than the fastest",
      sure.sure(), counted(sure.cells.size(), "cell"), 100 * sure.level);
}

void print_unsure_cells(const SureChoices& sure, Collective collective,
                        std::span<const std::uint32_t> ranks, const LabelOf& label_of,
                        std::ostream& out) {
  if (sure.sure() == sure.cells.size()) {
    return;
  }
  out << '\n';
  print_heading(out, "Cannot tell apart");
  Table table({{"# ranks", true}, {"size", true}, {"chance", true}, {"may be the best"}});
  for (const SureCell& cell : sure.cells) {
    if (!cell.sure) {
      std::vector<std::string> names;
      for (const std::size_t i : cell.may_be_best) {
        names.push_back(label_of(i));
      }
      table.add({fmt::format("{}", ranks[cell.rank_index]),
                 collective == Collective::barrier ? "-" : human_bytes(cell.bytes),
                 fmt::format("{:.0f} %", std::floor(100 * cell.chance)),  // below the level
                 fmt::format("{}", fmt::join(names, "; "))});
    }
  }
  table.print(out, 0);
  print_field(
      out, 0, 2, "#",
      fmt::format("chance: probability that the first algorithm takes at most 10 % more "
                  "time than the fastest; from the third on, only algorithms for which it is at "
                  "least {:.3g} %; algorithms that always take the same time are named once",
                  100 * (1 - sure.level)));
}

namespace {

using SureRow = PartOf<SureAnswer, SureCell>;

std::vector<std::string> may_be_best(const SureRow& row) {
  std::vector<std::string> labels;
  for (const std::size_t contender : row.part.may_be_best) {
    labels.push_back(row.whole.label_of(contender));
  }
  return labels;
}

constexpr auto kSureRow = fields<SureRow>({
    {"ranks", [](const SureRow& row) { return row.whole.ranks[row.part.rank_index]; }, at_least(1)},
    {"bytes", [](const SureRow& row) { return row.part.bytes; }},
    {"best", [](const SureRow& row) { return row.whole.label_of(row.part.best); },
     "Label of the algorithm with the shortest time."},
    {"chance", [](const SureRow& row) { return row.part.chance; }, at_most(1),
     "Probability that `best` takes at most 10 % more time than the fastest algorithm."},
    {"sure", [](const SureRow& row) { return row.part.sure; },
     "True if `chance` is at least `level`."},
    {"may_be_best", from<may_be_best>,
     "If `sure` is false: `best`, the second, and the other algorithms for which this probability "
     "is at least 1 - `level`, fastest first."},
});

constexpr auto kSure = fields<SureAnswer>({
    {"level", [](const SureAnswer& answer) { return answer.sure.level; }, at_most(1),
     "Probability that a sure choice needs."},
    {"cells", kSureRow,
     [](const SureAnswer& answer) { return parts_of(answer, answer.sure.cells); },
     "The cells in which an algorithm has a result."},
});

}  // namespace

FieldView sure_fields() { return kSure.view(); }

}}  // namespace tutti::output
