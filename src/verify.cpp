// tutti verify: the proof, over ranges of ranks, sizes and roots. One line per algorithm.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

#include "files/printable.hpp"
#include "schedules/error.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"
#include "src/cli.hpp"
#include "src/command.hpp"
#include "src/command_line.hpp"
#include "src/common_options.hpp"
#include "src/file_roles.hpp"
#include "src/human.hpp"
#include "src/json_text.hpp"
#include "src/output_file.hpp"
#include "src/progress.hpp"
#include "src/proof_cells.hpp"
#include "src/quantities.hpp"
#include "src/schedule_file.hpp"

namespace tutti {

namespace {

struct VerifyCommand {
  std::string what;
  ProblemOptions problem;
  OptionText json;
};

// One algorithm, all of a collective, or all.
std::vector<const Algorithm*> chosen(const std::string& what) {
  if (what.find('/') != std::string::npos) {
    return {&algorithm_named(what)};
  }
  std::vector<const Algorithm*> found;
  const auto collective = collective_named(what);
  for (const Algorithm* algorithm : algorithms()) {
    if (what == "all" || algorithm->collective == collective) {
      found.push_back(algorithm);
    }
  }
  if (found.empty()) {
    std::vector<std::string> names{"all"};
    for (const Collective candidate : kCollectives) {
      names.emplace_back(name(candidate));
    }
    const std::string best = nearest(what, names);
    throw UserError(fmt::format("'{}' is no algorithm, no collective and not 'all'{}", what,
                                best.empty() ? "; 'tutti list' names all algorithms"
                                             : fmt::format(": did you mean '{}'?", best)));
  }
  return found;
}

// A size for which every split into blocks is even, as the closed forms want it: n a multiple of
// p p' elements; or, where no message may be so large, of p and as large a power of two as fits.
std::uint64_t even_bytes(std::uint32_t ranks, std::uint32_t element_bytes) {
  const std::uint64_t per_rank = std::uint64_t{element_bytes} * ranks;
  std::uint64_t factor = power_of_two_below(ranks);
  while (factor > 1 && per_rank > kMaxMessageBytes / factor) {
    factor /= 2;
  }
  return per_rank * factor;
}

std::vector<OptionText> sizes_for(std::uint32_t ranks, Collective collective,
                                  const ProblemOptions& options) {
  if (collective == Collective::barrier || (!options.bytes && options.block_bytes)) {
    return {std::nullopt};
  }
  if (!options.bytes) {
    return {std::to_string(even_bytes(ranks, options.element_bytes_count()))};
  }
  std::vector<OptionText> sizes;
  for (const std::uint64_t bytes : parse_byte_list("-n/--bytes", *options.bytes)) {
    sizes.emplace_back(std::to_string(bytes));
  }
  return sizes;
}

void add_cells(const VerifyCommand& command, const Algorithm& algorithm, bool alone,
               std::vector<ProofCell>& cells) {
  ProblemOptions options = alone ? command.problem : command.problem.applicable_to(algorithm);
  if (!alone && !has_root(algorithm.collective)) {
    options.root.reset();
  }
  const bool all_roots = options.root == "all" && has_root(algorithm.collective);
  if (all_roots) {
    options.root.reset();
  }
  const std::vector<std::uint32_t> all_ranks = parse_rank_list(command.problem.ranks.value());
  if (std::find(all_ranks.begin(), all_ranks.end(), 0) != all_ranks.end()) {
    throw UserError("-p/--ranks '0': a collective needs at least 1 rank");
  }
  const std::uint64_t roots =
      all_roots ? std::accumulate(all_ranks.begin(), all_ranks.end(), std::uint64_t{0})
                : all_ranks.size();
  const std::size_t sizes =
      sizes_for(all_ranks.front(), algorithm.collective, command.problem).size();
  check_number_of("proof", cells.size() + roots * sizes);
  for (const std::uint32_t ranks : all_ranks) {
    for (const OptionText& bytes : sizes_for(ranks, algorithm.collective, command.problem)) {
      options.ranks = std::to_string(ranks);
      options.bytes = bytes;
      Problem problem = options.problem(algorithm);
      for (Rank root = 0; root < (all_roots ? ranks : 1); ++root) {
        if (all_roots) {
          problem.root = root;
        }
        cells.push_back({&algorithm, problem});
      }
    }
  }
}

std::string cell_text(const Problem& problem) {
  return fmt::format("p = {}, n = {}{}", problem.ranks, problem.bytes,
                     has_root(problem.collective) ? fmt::format(", root {}", problem.root) : "");
}

// What the cells of one algorithm have in common, for its line.
struct Summary {
  std::size_t cells = 0;
  std::size_t refused = 0;
  std::size_t broken = 0;  // not proved, or a claim does not hold
  std::size_t in_order = 0;
  std::size_t commutative = 0;
  std::size_t unequal = 0;
  std::uint32_t fewest_rounds = 0xffffffffU;
  std::uint32_t most_rounds = 0;
  double least_ratio = 1e300;
  double largest_ratio = 0;
  std::size_t redundant = 0;
  std::size_t unread = 0;
  std::vector<std::uint32_t> ranks_in_order;
  bool order_means_root_0 = true;  // kept where the root is 0, and nowhere else

  void add(const ProofCell& cell, const ProofOutcome& outcome) {
    ++cells;
    if (outcome.refusal) {
      ++refused;
      return;
    }
    const Verdict& verdict = outcome.verdict;
    broken += verdict.proved() && verdict.claims_hold() ? 0 : 1;
    unequal += verdict.bitwise_equal ? 0 : 1;
    fewest_rounds = std::min(fewest_rounds, verdict.rounds);
    most_rounds = std::max(most_rounds, verdict.rounds);
    redundant += verdict.redundant_dependencies;
    unread += verdict.unread_writes;
    if (verdict.bytes_lower_bound > 0) {
      const double ratio =
          static_cast<double>(verdict.bytes_sent) / static_cast<double>(verdict.bytes_lower_bound);
      least_ratio = std::min(least_ratio, ratio);
      largest_ratio = std::max(largest_ratio, ratio);
    }
    // A single rank has nothing to put in order.
    const bool kept = verdict.order == OperandOrder::rank_order;
    if (cell.problem.ranks > 1 && verdict.order != OperandOrder::none) {
      order_means_root_0 = order_means_root_0 && has_root(cell.problem.collective) &&
                           kept == (cell.problem.root == 0);
    }
    if (cell.problem.ranks > 1 && kept) {
      ++in_order;
      if (ranks_in_order.empty() || ranks_in_order.back() != cell.problem.ranks) {
        ranks_in_order.push_back(cell.problem.ranks);
      }
    } else if (verdict.order == OperandOrder::commutative_only) {
      ++commutative;
    }
  }

  [[nodiscard]] std::string proof_text() const {
    const std::size_t proved = cells - refused - broken;
    std::string text = broken > 0 ? fmt::format("BROKEN {} of {}", broken, cells - refused)
                                  : fmt::format("proved {}", proved);
    return refused > 0 ? text + fmt::format(", refused {}", refused) : text;
  }
  [[nodiscard]] std::string order_text() const {
    if (in_order + commutative == 0) {
      return "-";
    }
    if (commutative == 0) {
      return "order-preserving";
    }
    return in_order == 0 ? "commutative only" : fmt::format("order kept in {}", in_order);
  }
  // When rank order is kept, if it is not always.
  [[nodiscard]] std::string order_cases() const {
    constexpr std::ptrdiff_t kShown = 16;
    if (order_means_root_0) {
      return "root 0 only";
    }
    const auto begin = ranks_in_order.begin();
    const auto end = begin + std::min(kShown, std::ssize(ranks_in_order));
    return fmt::format("p = {}{}", fmt::join(begin, end, ", "),
                       end == ranks_in_order.end() ? "" : ", ...");
  }
  [[nodiscard]] std::string bitwise_text() const {
    if (refused == cells) {
      return "-";
    }
    return unequal == 0                 ? "yes"
           : unequal == cells - refused ? "no"
                                        : fmt::format("no in {}", unequal);
  }
  [[nodiscard]] std::string rounds_text() const {
    if (refused == cells) {
      return "-";
    }
    return fewest_rounds == most_rounds ? fmt::format("{}", most_rounds)
                                        : fmt::format("{}..{}", fewest_rounds, most_rounds);
  }
  [[nodiscard]] std::string bytes_text() const {
    if (largest_ratio == 0) {
      return "-";
    }
    const std::string low = fmt::format("{:.2f}", least_ratio);
    const std::string high = fmt::format("{:.2f}", largest_ratio);
    return low == high ? low : low + ".." + high;
  }
};

constexpr const char* kRow = "{:<{}}  {:<22}  {:<16}  {:<8}  {:<8}  {}\n";

void print_details(const std::vector<ProofCell>& cells, const std::vector<ProofOutcome>& outcomes,
                   const Algorithm& algorithm, const Summary& summary, std::ostream& out) {
  constexpr std::size_t kMaxCells = 3;
  if (summary.in_order > 0 && summary.commutative > 0) {
    out << "  rank order is kept for " << summary.order_cases() << '\n';
  }
  if (summary.redundant > 0) {
    out << fmt::format("  hint: {} implied by others\n",
                       summary.redundant == 1
                           ? "1 dependency is"
                           : human_count(summary.redundant) + " dependencies are");
  }
  if (summary.unread > 0) {
    out << fmt::format(
        "  hint: {} written and never read\n",
        summary.unread == 1 ? "1 block is" : human_count(summary.unread) + " blocks are");
  }
  std::size_t refused = 0;
  std::size_t broken = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].algorithm != &algorithm) {
      continue;
    }
    const ProofOutcome& outcome = outcomes[i];
    if (outcome.refusal) {
      if (refused++ == 0) {
        out << fmt::format("  refused first at {}: {}\n", cell_text(cells[i].problem),
                           one_line(*outcome.refusal));
      }
      continue;
    }
    if ((outcome.verdict.proved() && outcome.verdict.claims_hold()) || broken++ >= kMaxCells) {
      continue;
    }
    for (const Finding& finding : outcome.verdict.findings) {
      out << fmt::format("  {}: {}: {}\n", cell_text(cells[i].problem), name(finding.kind),
                         finding.text);
    }
    for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
      const std::size_t told = static_cast<std::size_t>(std::count_if(
          outcome.verdict.findings.begin(), outcome.verdict.findings.end(),
          [&](const Finding& finding) { return static_cast<std::size_t>(finding.kind) == kind; }));
      if (outcome.verdict.counts[kind] > told) {
        out << fmt::format("  {}: {} more of kind '{}'\n", cell_text(cells[i].problem),
                           outcome.verdict.counts[kind] - told,
                           name(static_cast<FindingKind>(kind)));
      }
    }
  }
  if (broken > kMaxCells) {
    out << fmt::format("  and {} more broken\n", broken - kMaxCells);
  }
}

// Returns whether every schedule was proved.
bool print_report(const std::vector<const Algorithm*>& algorithms, const ScheduleFile* file,
                  const std::vector<ProofCell>& cells, const std::vector<ProofOutcome>& outcomes,
                  std::ostream& out) {
  const auto title = [&](const Algorithm& algorithm) {
    return printable(file != nullptr                ? file->path
                     : algorithm.program != nullptr ? algorithm.program->file()
                                                    : algorithm.full_name());
  };
  std::size_t width = std::string_view("algorithm").size();
  for (const Algorithm* algorithm : algorithms) {
    width = std::max(width, title(*algorithm).size());
  }
  out << fmt::format(kRow, file != nullptr ? "file" : "algorithm", width, "schedules", "operators",
                     "bitwise", "rounds", "bytes / least");
  bool right = true;
  for (const Algorithm* algorithm : algorithms) {
    Summary summary;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].algorithm == algorithm) {
        summary.add(cells[i], outcomes[i]);
      }
    }
    right = right && summary.broken == 0;
    out << fmt::format(kRow, title(*algorithm), width, summary.proof_text(), summary.order_text(),
                       summary.bitwise_text(), summary.rounds_text(), summary.bytes_text());
    print_details(cells, outcomes, *algorithm, summary, out);
  }
  return right;
}

nlohmann::ordered_json to_json(const ProofCell& cell, const ProofOutcome& outcome,
                               const ScheduleFile* file) {
  nlohmann::ordered_json json;
  json["schema"] = "tutti-verify/1";
  json["collective"] = name(cell.problem.collective);
  json["algorithm"] = cell.algorithm->name;
  if (file != nullptr) {
    json["file"] = file->path;
  } else if (cell.algorithm->program != nullptr) {
    json["file"] = cell.algorithm->program->file();
  }
  json["ranks"] = cell.problem.ranks;
  json["bytes"] = cell.problem.bytes;
  json["root"] = has_root(cell.problem.collective) ? nlohmann::ordered_json(cell.problem.root)
                                                   : nlohmann::ordered_json();
  if (outcome.refusal) {
    json["refused"] = *outcome.refusal;
    return json;
  }
  const Verdict& verdict = outcome.verdict;
  json["proved"] = verdict.proved();
  json["claims_hold"] = verdict.claims_hold();
  json["order"] = verdict.order == OperandOrder::rank_order         ? "rank_order"
                  : verdict.order == OperandOrder::commutative_only ? "commutative_only"
                                                                    : nlohmann::ordered_json();
  json["bitwise_equal"] = verdict.bitwise_equal;
  json["rounds"] = verdict.rounds;
  json["messages"] = verdict.messages;
  json["bytes_sent"] = verdict.bytes_sent;
  json["least_bytes_sent"] = verdict.bytes_lower_bound;
  json["bytes_reduced"] = verdict.bytes_reduced;
  json["dependencies"] = {{"data", verdict.dependencies.data},
                          {"buffer", verdict.dependencies.buffer},
                          {"pace", verdict.dependencies.pace},
                          {"implied_by_others", verdict.redundant_dependencies}};
  json["unread_writes"] = verdict.unread_writes;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : verdict.findings) {
    json["findings"].push_back({{"kind", name(finding.kind)}, {"text", finding.text}});
  }
  for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
    json["counts"][std::string(name(static_cast<FindingKind>(kind)))] = verdict.counts[kind];
  }
  return json;
}

// What would be passed over, rather than used.
void refuse_what_means_nothing(const VerifyCommand& command,
                               const std::vector<const Algorithm*>& algorithms) {
  const ProblemOptions& options = command.problem;
  if (algorithms.size() > 1) {  // of one alone its problem says so
    options.refuse_what_none_takes(algorithms);
  }
  if (options.ranks_per_host &&
      std::none_of(algorithms.begin(), algorithms.end(), [](const Algorithm* algorithm) {
        return (algorithm->options & static_cast<unsigned>(Option::ranks_per_node)) != 0;
      })) {
    throw UserError(fmt::format(
        "--ranks-per-host '{}': no proof depends on hosts, but of algorithms that know of nodes; "
        "leave it out",
        *options.ranks_per_host));
  }
  if (options.bytes && std::all_of(algorithms.begin(), algorithms.end(), [](const auto* each) {
        return each->collective == Collective::barrier;
      })) {
    for (const std::uint64_t bytes : parse_byte_list("-n/--bytes", *options.bytes)) {
      if (bytes != 0) {
        throw UserError(
            fmt::format("-n/--bytes '{}': a barrier moves no data; leave it out", *options.bytes));
      }
    }
  }
}

// All of a command's algorithms, or a program, or the one schedule of a file.
struct Subjects {
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<ProgramFile> program;
  std::vector<const Algorithm*> algorithms;
  std::vector<ProofCell> cells;
};

Subjects subjects_of(const VerifyCommand& command) {
  Subjects subjects;
  if (command.what != "all" && !collective_named(command.what) && means_file(command.what)) {
    auto read = read_notation_file(command.what, command.problem);
    subjects.file = std::move(read.schedule);
    subjects.program = std::move(read.program);
  }
  if (subjects.file) {
    subjects.algorithms = {&subjects.file->algorithm};
    subjects.cells = {{&subjects.file->algorithm, problem_of(*subjects.file, command.problem)}};
    return subjects;
  }
  if (subjects.program) {
    subjects.algorithms = {&subjects.program->algorithm};
  } else {
    subjects.algorithms = chosen(command.what);
  }
  if (!command.problem.ranks) {
    throw UserError("how many ranks? Give -p/--ranks, such as -p 2..64");
  }
  refuse_what_means_nothing(command, subjects.algorithms);
  for (const Algorithm* algorithm : subjects.algorithms) {
    add_cells(command, *algorithm, subjects.algorithms.size() == 1, subjects.cells);
  }
  return subjects;
}

int verify_command(const VerifyCommand& command, Streams streams) {
  const Subjects subjects = subjects_of(command);
  const auto& [file, program, algorithms, cells] = subjects;
  std::unique_ptr<OutputFile> json;
  if (command.json) {
    json = std::make_unique<OutputFile>(*command.json, streams.out);
  }
  std::vector<ProofOutcome> outcomes;
  if (file) {
    outcomes.push_back({std::nullopt, prove(file->schedule, file->path)});
  } else {
    Progress progress("proving", "schedule", cells.size(), streams.err);
    outcomes = prove_all(cells, [&](std::size_t done) { progress.show(done); });
  }
  if (std::all_of(outcomes.begin(), outcomes.end(),
                  [](const ProofOutcome& outcome) { return outcome.refusal.has_value(); })) {
    throw UserError(outcomes.front().refusal.value_or(""));
  }
  bool right = std::none_of(outcomes.begin(), outcomes.end(), [](const ProofOutcome& outcome) {
    return !outcome.refusal && !(outcome.verdict.proved() && outcome.verdict.claims_hold());
  });
  if (command.json != "-") {
    right = print_report(algorithms, file.get(), cells, outcomes, streams.out) && right;
  }
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      all.push_back(to_json(cells[i], outcomes[i], file.get()));
    }
    json->stream() << json_text(all, 2) << '\n';
    json->commit();
  }
  return right ? kExitOk : kExitCheckFailed;
}

}  // namespace

Action add_verify(CLI::App& app, Streams streams) {
  CLI::App* command = app.add_subcommand(
      "verify", "The proof that schedules are right, however the network delivers");
  auto options = std::make_shared<VerifyCommand>();
  command
      ->add_option("what", options->what,
                   "collective/algorithm, a collective (all of its algorithms), all, or a file")
      ->type_name("ALG")
      ->required();
  options->problem.add_to(*command);
  command->get_option("--ranks")->description("Numbers of ranks: 8, 4,8,16, 2..64, 2..256*2");
  command->get_option("--bytes")->description(
      "Sizes, in the same way [for each p one that all algorithms split evenly]");
  command->get_option("--root")->description("Root of a collective that has one, or all [0]");
  command->add_option("--json", options->json, "Write all verdicts as JSON; - is standard output")
      ->type_name(kWrittenFile)
      ->group("Output");
  return [options, streams] { return verify_command(*options, streams); };
}

}  // namespace tutti
