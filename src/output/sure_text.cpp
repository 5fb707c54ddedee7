#include "src/output/sure_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>
#include <vector>

#include "base/human.hpp"
#include "src/formats/json_text.hpp"
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

nlohmann::ordered_json sure_json(const SureChoices& sure, std::span<const std::uint32_t> ranks,
                                 const LabelOf& label_of) {
  nlohmann::ordered_json json{{"level", sure.level}, {"cells", nlohmann::ordered_json::array()}};
  for (const SureCell& cell : sure.cells) {
    json["cells"].push_back({{"ranks", ranks[cell.rank_index]},
                             {"bytes", cell.bytes},
                             {"best", label_of(cell.best)},
                             {"chance", cell.chance},
                             {"sure", cell.sure},
                             {"may_be_best", json_array(cell.may_be_best, label_of)}});
  }
  return json;
}

}}  // namespace tutti::output
