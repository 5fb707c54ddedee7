// Prints the choices of several releases of NCCL side by side.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/nccl_text.hpp"

namespace tutti { inline namespace output {

namespace {

std::string choice_in_words(const NcclAnswer& answer) {
  return answer.choice
             ? fmt::format("{} {}", name(answer.choice->algorithm), name(answer.choice->protocol))
             : "-";
}

bool same_choice(const NcclAnswer& a, const NcclAnswer& b) {
  return choice_in_words(a) == choice_in_words(b);
}

// How much longer the choice of `other`, another release, takes by the model of `answer` than this
// release's own choice: 0.1 is 10 % more. Empty if it cannot run, or if there is no choice.
std::optional<double> cost_of_choice(const NcclAnswer& other, const NcclAnswer& answer) {
  if (!other.choice || !answer.choice) {
    return std::nullopt;
  }
  const auto way = std::ranges::find_if(answer.ways, [&](const NcclWay& each) {
    return each.algorithm == other.choice->algorithm && each.protocol == other.choice->protocol;
  });
  return way == answer.ways.end() || !way->time_us
             ? std::nullopt
             : std::optional(static_cast<double>(*way->time_us) /
                                 static_cast<double>(answer.choice->time_us) -
                             1);
}

// Prints in how many cells the choices of the first release differ from those of the release at
// `index`, and what they cost there.
void print_difference(std::span<const NcclAnswer> answers, std::size_t releases, std::size_t index,
                      std::ostream& out) {
  std::size_t different = 0;
  std::size_t impossible = 0;
  const NcclAnswer* worst = nullptr;
  double most = 0;
  for (std::size_t i = 0; i < answers.size(); i += releases) {
    const NcclAnswer& here = answers[i + index];
    if (same_choice(answers[i], here)) {
      continue;
    }
    ++different;
    const auto cost = cost_of_choice(answers[i], here);
    impossible += cost ? 0 : 1;
    if (cost && (worst == nullptr || *cost > most)) {
      worst = &here;
      most = *cost;
    }
  }
  const std::string first = nccl_modelled(answers.front());
  const std::string other = nccl_modelled(answers[index]);
  std::string text = fmt::format("{} and {} choose differently in {} of {}", first, other,
                                 different, counted(answers.size() / releases, "cell"));
  if (worst != nullptr) {
    text += fmt::format(
        "; by the model of {}, the choice of {} takes at most {:.1f} % longer ({} on {})", other,
        first, 100 * most, human_bytes(worst->bytes), counted(worst->job.cluster.ranks, "rank"));
  }
  if (impossible > 0) {
    text += fmt::format("; in {}, {} cannot run it", counted(impossible, "cell"), other);
  }
  print_field(out, 2, 0, "", text);
}

}  // namespace

void print_nccl_releases(const std::vector<NcclAnswer>& answers, std::size_t releases,
                         std::ostream& out) {
  const std::span<const NcclAnswer> first(answers.data(), releases);
  std::vector<std::string> names;
  std::vector<TableColumn> columns{{"p", true}, {"n", true}};
  for (const NcclAnswer& answer : first) {
    names.push_back(nccl_modelled(answer));
    columns.insert(columns.end(), {{names.back()}, {"time", true}, {"busbw", true, 1, true, true}});
    if (&answer != first.data()) {
      columns.push_back({"costs", true});
    }
  }
  const NcclAnswer& largest = *std::ranges::max_element(
      answers, {}, [](const NcclAnswer& answer) { return answer.job.cluster.ranks; });
  print_heading(out,
                fmt::format("{}: {} on {}{}", fmt::join(names, ", "), nccl_call_of(largest),
                            largest.job.cluster.nodes > 1 ? "up to " : "", largest.job.machine));
  Table table(std::move(columns));
  for (std::size_t i = 0; i < answers.size(); i += releases) {
    std::vector<std::string> row{fmt::format("{}", answers[i].job.cluster.ranks),
                                 human_bytes(answers[i].bytes)};
    for (const NcclAnswer& answer : std::span(answers).subspan(i, releases)) {
      row.push_back(choice_in_words(answer));
      row.push_back(answer.choice ? human_time(nccl_seconds(answer.choice->time_us)) : "-");
      row.push_back(
          answer.choice
              ? nccl_bandwidth(
                    bandwidths_of(answer, nccl_seconds(answer.choice->time_us)).busbw_gb_per_s)
              : "");
      if (&answer != &answers[i]) {
        const auto cost = cost_of_choice(answers[i], answer);
        row.push_back(same_choice(answers[i], answer) ? "-"
                      : cost                          ? fmt::format("{:+.1f} %", 100 * *cost)
                                                      : "cannot run");
      }
    }
    table.add(std::move(row));
  }
  table.print(out, 2);
  print_field(out, 2, 0, "",
              fmt::format("costs: how much longer the choice of {} takes by the other model than "
                          "that model's own choice; times are those of the models",
                          names.front()));
  for (std::size_t index = 1; index < releases; ++index) {
    print_difference(answers, releases, index, out);
  }
}

}}  // namespace tutti::output
