#include "src/output/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/step_experts.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kKeyWidth = 12;

std::string share_of(double part_s, double all_s) {
  return all_s > 0 ? fmt::format("{:5.1f} %", 100 * part_s / all_s) : "";
}

// Prints the parts of the time at one rank, which add up to it, and what is hidden.
void print_parts(const StepAccount& account, double limit_s, std::ostream& out) {
  const SpentTime& spent = account.of_last;
  const auto print = [&](std::string_view key, double seconds, bool is_part,
                         std::string_view what) {
    const std::string share = is_part ? share_of(seconds, account.total_s) : "";
    print_field(out, 2, kKeyWidth, key,
                what.empty() ? fmt::format("{:<13} {:>7}", human_time(seconds), share)
                             : fmt::format("{:<13} {:>7}  {}", human_time(seconds), share, what));
  };
  print_field(out, 2, kKeyWidth, "step", human_time(account.total_s));
  if (limit_s > 0) {
    print("limit", limit_s, true, "least time with these computing times, whatever the algorithms");
  }
  print("computing", spent.computing_s, true, "");
  if (spent.slowed_s > 1e-9 * account.total_s) {
    print("", spent.slowed_s, true, "of this, because communication runs beside it");
  }
  if (spent.core_wait_s > 1e-9 * account.total_s) {
    print("core", spent.core_wait_s, true,
          "computing waits for the core, on which a collective reduces");
  }
  print("exposed", spent.exposed_s, true, "communication for which computing waits");
  print("hidden", spent.hidden_s, false, "communication beside computing or other communication");
}

// Says what was multiplied rather than simulated; "" if nothing was.
std::string multiplied_in_words(const StepAnswer& answer) {
  std::string text;
  if (answer.work.simulated_ranks < answer.step.ranks) {
    text =
        fmt::format("{} of {}; the other ranks do the same at the same time",
                    human_count(answer.work.simulated_ranks), counted(answer.step.ranks, "rank"));
  }
  if (answer.work.repeats) {
    text +=
        fmt::format("{}each loop until its iterations take the same time; the rest is multiplied",
                    text.empty() ? "" : "; ");
  }
  return text;
}

void print_groups(const StepAnswer& answer, std::ostream& out) {
  Table table({{"group"},
               {"communicators"},
               {"exposed", true},
               {"hidden", true},
               {"mean exposed", true, 1},
               {"ranks of the first communicator"}});
  for (std::uint32_t group = 0; group < answer.step.groups.size(); ++group) {
    const StepRow sum = sum_of_group(answer.step, answer.account, group);
    if (sum.times == 0) {
      continue;
    }
    const StepGroup& of = answer.step.groups[group];
    table.add({of.name, fmt::format("{} of {}", of.members.size(), counted(of.size(), "rank")),
               human_time(sum.of_last.exposed_s), human_time(sum.of_last.hidden_s),
               human_time(sum.mean.exposed_s), ranks_in_words(of.members.front())});
  }
  table.print(out, 2);
}

void print_lines(const StepAnswer& answer, std::ostream& out) {
  const bool limits = std::ranges::any_of(
      answer.choices, [](const CallChoice& choice) { return choice.limit_s.has_value(); });
  Table table({{"line", true},
               {"times", true},
               {"alone", true, 1},
               {"limit", true, 2, limits},
               {"computing", true},
               {"exposed", true},
               {"hidden", true},
               {"statement"}});
  for (const StepRow& row : answer.account.rows) {
    const StepLine& line = answer.step.lines[row.line];
    const CallChoice* const choice = row.call ? &answer.choices[*row.call] : nullptr;
    const bool runs = choice != nullptr && choice->run;
    const auto time_if = [](bool known, double seconds) {
      return known ? human_time(seconds) : std::string();
    };
    table.add({std::to_string(line.number), human_count(row.times),
               time_if(runs, runs ? choice->alone_s : 0),
               time_if(runs && choice->limit_s, runs ? choice->limit_s.value_or(0) : 0),
               time_if(!row.call, row.of_last.computing_s),
               time_if(row.call.has_value(), row.of_last.exposed_s),
               time_if(row.call.has_value(), row.of_last.hidden_s), line.text});
  }
  table.print(out, 2);
}

// Prints by how much small collectives take longer than by NCCL's cost model.
void print_small_calls(const StepAnswer& answer, std::ostream& out) {
  constexpr std::uint64_t kSmall = 65536;
  constexpr double kFarApart = 1.5;
  std::uint64_t bytes = 0;
  double factor = 0;
  for (std::size_t i = 0; i < answer.choices.size(); ++i) {
    const CallChoice& choice = answer.choices[i];
    if (choice.model_s && answer.step.calls[i].bytes <= kSmall &&
        choice.alone_s > kFarApart * *choice.model_s) {
      bytes = std::max(bytes, answer.step.calls[i].bytes);
      factor = std::max(factor, choice.alone_s / *choice.model_s);
    }
  }
  if (factor > 0) {
    out << '\n';
    print_field(out, 2, 0, "",
                fmt::format("note: collectives of up to {} take up to {} times as long as by "
                            "NCCL's cost model, because each message here has the latency of the "
                            "Simple protocol",
                            human_bytes(bytes), human_factor(factor)));
  }
}

void print_algorithms(const StepAnswer& answer, std::ostream& out) {
  Table table({{"collective"}, {"bytes", true}, {"group"}, {"chosen by"}, {"algorithm"}});
  for (std::size_t i = 0; i < answer.choices.size(); ++i) {
    const StepCall& call = answer.step.calls[i];
    const CallChoice& choice = answer.choices[i];
    std::string algorithm = !choice.run ? "nothing to do: a single rank"
                            : choice.library.empty()
                                ? choice.algorithm
                                : fmt::format("{}; {}", choice.library, choice.algorithm);
    table.add({std::string(call_name(call)), human_count(call.bytes),
               answer.step.groups[call.group].name,
               !choice.run || call.is_handover() ? "" : std::string(name(choice.by)),
               std::move(algorithm)});
    if (!choice.note.empty()) {
      table.add_line(with_fields(choice.note));
    }
  }
  table.print(out, 2);
}

// Prints SimAI's analytical totals beside the times of the rank that ends last.
void print_simai(const StepAnswer& answer, std::ostream& out) {
  const auto& [machine, totals] = *answer.simai;
  const auto exposed_s = [&](std::string_view group) {
    for (std::uint32_t i = 0; i < answer.step.groups.size(); ++i) {
      if (answer.step.groups[i].name == group) {
        return sum_of_group(answer.step, answer.account, i).of_last.exposed_s;
      }
    }
    return 0.0;
  };
  const SpentTime& spent = answer.account.of_last;
  Table table({{"beside SimAI's formulas"}, {"SimAI", true}, {"simulated", true}});
  const auto row = [&](std::string_view what, double simai_s, double simulated_s) {
    table.add({std::string(what), human_time(simai_s), human_time(simulated_s)});
  };
  row("computing", totals.computing_s, spent.computing_s + spent.core_wait_s);
  row("exposed on tp", totals.tp_s, exposed_s("tp"));
  row("exposed on ep", totals.ep_s, exposed_s("ep"));
  row("exposed on dp", totals.dp_s, exposed_s("dp"));
  row("exposed on dp_ep", totals.dp_ep_s, exposed_s("dp_ep"));
  row("exposed on pp, with the bubble", totals.bubble_s, exposed_s("pp"));
  row("step", totals.total_s(), answer.account.total_s);
  table.add_line(
      fmt::format("SimAI with nodes of {}, {} at {:g} GB/s, NVLink at {:g} GB/s, and "
                  "nothing hidden",
                  counted(machine.gpus_per_node, "GPU"), counted(machine.nics_per_node, "card"),
                  machine.nic_gb_per_s, machine.nvlink_gb_per_s));
  table.print(out, 2);
}

}  // namespace

std::string layout_in_words(const std::vector<LayoutAxis>& layout) {
  std::string text;
  for (const LayoutAxis& axis : layout) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name, axis.size);
  }
  return text;
}

std::string_view name(AlgorithmRule::By by) {
  switch (by) {
    case AlgorithmRule::By::name:
      return "named";
    case AlgorithmRule::By::nccl:
      return "nccl";
    case AlgorithmRule::By::best:
      break;
  }
  return "best";
}

std::string_view call_name(const StepCall& call) {
  if (call.experts) {
    return call.experts->phase == TokenPhase::dispatch ? "dispatch" : "combine";
  }
  return call.message ? "message" : call.is_handover() ? "handover" : name(call.collective);
}

std::string step_engines_in_words(const EngineComparison& comparison) {
  return fmt::format(
      "flow and simgrid {}: times of an operation differ by at most {:.1e} of the total (tolerance "
      "{:g})",
      comparison.agrees() ? "agree" : "DISAGREE", comparison.worst, comparison.tolerance);
}

void print_step(const StepAnswer& answer, std::ostream& out) {
  const StepDescription& step = answer.step;
  const StepAccount& account = answer.account;
  print_heading(out, fmt::format("{} on {}{}{}", step.name.empty() ? "step" : step.name,
                                 counted(step.ranks, "rank"), step.layout.empty() ? "" : ": ",
                                 layout_in_words(step.layout)));
  print_parts(account, answer.limit_s, out);
  print_field(out, 2, kKeyWidth, "at",
              fmt::format("rank {}, which ends last; over all ranks, on average {} computing, {} "
                          "exposed, {} hidden",
                          account.last, human_time(account.mean.computing_s),
                          human_time(account.mean.exposed_s), human_time(account.mean.hidden_s)));
  print_field(out, 2, kKeyWidth, "platform", answer.facts.facts.name);
  for (const std::string& note : answer.facts.facts.notes) {
    print_field(out, 2, kKeyWidth, "", with_fields(note));
  }
  if (answer.machine.shares_cores) {
    print_field(out, 2, kKeyWidth, "cores",
                "several ranks of a host share a core, so that their computing takes longer");
  }
  if (const std::string multiplied = multiplied_in_words(answer); !multiplied.empty()) {
    print_field(out, 2, kKeyWidth, "simulated", multiplied);
  }
  for (const std::string& note : step.notes) {
    print_field(out, 2, kKeyWidth, &note == &step.notes.front() ? "notes" : "", with_fields(note));
  }
  if (answer.comparison) {
    print_field(out, 2, kKeyWidth, "engines", step_engines_in_words(*answer.comparison));
  }
  out << '\n';
  if (answer.simai) {
    print_simai(answer, out);
    out << '\n';
  }
  if (!answer.choices.empty()) {
    print_groups(answer, out);
    out << '\n';
  }
  print_lines(answer, out);
  if (!answer.choices.empty()) {
    out << '\n';
    print_algorithms(answer, out);
    print_small_calls(answer, out);
    print_experts(answer, out);
  }
  print_contention(answer, out);
  print_changes(answer, out);
}

}}  // namespace tutti::output
