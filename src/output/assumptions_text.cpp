#include "src/output/assumptions_text.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/comparison_text.hpp"
#include "src/output/decision_rules.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kKeyWidth = 10;

void print_values(const Comparison& comparison, const std::vector<OtherBest>& cells,
                  std::ostream& out) {
  const char* key = "defaults";
  for (const OtherBest& cell : cells) {
    print_field(out, kIndent, kKeyWidth, std::exchange(key, ""),
                fmt::format("at {}, the best of all values is {}, with {}; {}, the best with "
                            "default values, takes {} longer",
                            cell_in_words(comparison, cell.rank, cell.size), cell.best,
                            human_time(cell.seconds), cell.instead,
                            longer_in_words(cell.loss, ShareForm::percent)));
  }
}

void print_ports(const Comparison& comparison, const std::vector<OtherBest>& cells,
                 std::uint32_t ports, std::ostream& out) {
  const char* key = "ports";
  for (const OtherBest& cell : cells) {
    print_field(out, kIndent, kKeyWidth, std::exchange(key, ""),
                fmt::format("with {}, {} is the best at {}, and {} takes {} longer",
                            ports == kUnlimitedPorts ? "unlimited ports" : "one port per rank",
                            cell.best, cell_in_words(comparison, cell.rank, cell.size),
                            cell.instead, longer_in_words(cell.loss, ShareForm::percent)));
  }
}

}  // namespace

void print_assumptions(const Comparison& comparison, const Assumptions& assumptions,
                       std::ostream& out) {
  print_values(comparison, assumptions.values, out);
  print_ports(comparison, assumptions.ports, assumptions.other_ports, out);
}

}}  // namespace tutti::output
