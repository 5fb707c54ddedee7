#include "src/output/proof_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"

namespace tutti { inline namespace output {

namespace {

std::string cell_text(const Problem& problem) {
  if (problem.collective == Collective::application) {
    return counted(problem.ranks, "rank");
  }
  return fmt::format("p = {}, n = {}{}", problem.ranks, problem.bytes,
                     has_root(problem.collective) ? fmt::format(", root {}", problem.root) : "");
}

// Summary of all cells of one algorithm, printed as one line.
struct Summary {
  std::size_t cells = 0;
  std::size_t refused = 0;
  std::size_t broken = 0;    // cells with a wrong schedule or a false claim
  std::size_t unproved = 0;  // cells unproved because blocks are missing
  std::size_t in_order = 0;
  std::size_t commutative = 0;
  std::size_t unequal = 0;
  std::uint32_t fewest_rounds = 0xffffffffU;
  std::uint32_t most_rounds = 0;
  double least_ratio = 1e300;
  double largest_ratio = 0;
  std::size_t redundant = 0;
  std::string first_redundant;
  std::size_t unread = 0;
  std::optional<MessageChain> needless;  // the longest chain of messages without need
  std::uint32_t needless_ranks = 0;      // and its number of ranks
  std::vector<std::uint32_t> ranks_in_order;
  bool order_means_root_0 = true;  // true if root 0 keeps rank order, and no other root
  bool only_at_root_0 = true;      // true if no root except 0 keeps rank order
  // True if there is a number of ranks for which rank order is kept with some roots, but not with
  // others.
  bool at_some_roots = false;
  // For the cell with several ranks that was added last: its number of ranks, and whether it keeps
  // rank order.
  std::optional<std::pair<std::uint32_t, bool>> last_kept;

  void add(const ProofCell& cell, const ProofOutcome& outcome) {
    ++cells;
    if (outcome.refusal) {
      ++refused;
      return;
    }
    const Verdict& verdict = outcome.verdict;
    if (verdict.only_lacks_blocks()) {
      ++unproved;
    } else {
      broken += verdict.proved() && verdict.claims_hold() ? 0 : 1;
      unequal += verdict.bitwise_equal ? 0 : 1;
    }
    fewest_rounds = std::min(fewest_rounds, verdict.rounds);
    most_rounds = std::max(most_rounds, verdict.rounds);
    if (redundant == 0 && verdict.redundant_dependencies > 0) {
      first_redundant =
          fmt::format("{} on {}", verdict.first_redundant, counted(cell.problem.ranks, "rank"));
    }
    redundant += verdict.redundant_dependencies;
    unread += verdict.unread_writes;
    if (outcome.chain && outcome.chain->is_needless() &&
        (!needless || outcome.chain->messages > needless->messages)) {
      needless = outcome.chain;
      needless_ranks = cell.problem.ranks;
    }
    if (verdict.bytes_lower_bound > 0) {
      const double ratio =
          static_cast<double>(verdict.bytes_sent) / static_cast<double>(verdict.bytes_lower_bound);
      least_ratio = std::min(least_ratio, ratio);
      largest_ratio = std::max(largest_ratio, ratio);
    }
    // A single rank has no order to keep.
    const bool kept = verdict.order == OperandOrder::rank_order;
    if (cell.problem.ranks > 1 && verdict.order != OperandOrder::none) {
      order_means_root_0 = order_means_root_0 && has_root(cell.problem.collective) &&
                           kept == (cell.problem.root == 0);
      at_some_roots = at_some_roots || last_kept == std::pair(cell.problem.ranks, !kept);
      last_kept = {cell.problem.ranks, kept};
      only_at_root_0 = only_at_root_0 && (!kept || cell.problem.root == 0);
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
    const std::size_t proved = cells - refused - broken - unproved;
    std::string text = broken > 0     ? fmt::format("BROKEN {} of {}", broken, cells - refused)
                       : unproved > 0 ? fmt::format("UNPROVED {} of {}", unproved, cells - refused)
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
  // Describes the cases in which rank order is kept, if it is not always kept.
  [[nodiscard]] std::string order_cases() const {
    constexpr std::ptrdiff_t kShown = 16;
    if (order_means_root_0) {
      return "root 0 only";
    }
    const auto begin = ranks_in_order.begin();
    const auto end = begin + std::min(kShown, std::ssize(ranks_in_order));
    const std::string_view roots = !at_some_roots   ? ""
                                   : only_at_root_0 ? "root 0 of "
                                                    : "some roots of ";
    return fmt::format("{}p = {}{}", roots, fmt::join(begin, end, ", "),
                       end == ranks_in_order.end() ? "" : ", ...");
  }
  [[nodiscard]] std::string bitwise_text() const {
    const std::size_t known = cells - refused - unproved;
    if (known == 0) {
      return "-";
    }
    return unequal == 0 ? "yes" : unequal == known ? "no" : fmt::format("no in {}", unequal);
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

void print_details(const std::vector<ProofCell>& cells, const std::vector<ProofOutcome>& outcomes,
                   const Algorithm& algorithm, const Summary& summary, bool foreign, Table& table) {
  constexpr std::size_t kMaxCells = 3;
  const auto say = [&table](const std::string& text) { table.add_line(text, 2); };
  if (summary.in_order > 0 && summary.commutative > 0) {
    say(fmt::format("rank order is kept for {}", summary.order_cases()));
  }
  // Files of other tools imply many, because thread blocks and connections keep their own order.
  if (summary.redundant > 0 && !foreign) {
    say(fmt::format("hint: {} implied by others: {}{}",
                    summary.redundant == 1 ? "1 dependency is"
                                           : human_count(summary.redundant) + " dependencies are",
                    summary.redundant == 1 ? "" : "the first is ", summary.first_redundant));
  }
  if (summary.unread > 0) {
    say(fmt::format(
        "hint: {} written and never read",
        summary.unread == 1 ? "1 block is" : human_count(summary.unread) + " blocks are"));
  }
  if (summary.needless) {
    say(
        fmt::format("hint: on {}, {} messages wait for each other in a row, but their data would "
                    "allow {}; 'round' in a program lets the messages of a loop begin together",
                    counted(summary.needless_ranks, "rank"), summary.needless->messages,
                    counted(summary.needless->rounds_for_data, "round")));
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
        say(fmt::format("refused first at {}: {}", cell_text(cells[i].problem),
                        one_line(with_fields(*outcome.refusal))));
      }
      continue;
    }
    if ((outcome.verdict.proved() && outcome.verdict.claims_hold()) || broken++ >= kMaxCells) {
      continue;
    }
    for (const Finding& finding : outcome.verdict.findings) {
      say(fmt::format("{}: {}: {}", cell_text(cells[i].problem), name(finding.kind), finding.text));
    }
    for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
      const std::size_t listed = static_cast<std::size_t>(std::ranges::count_if(
          outcome.verdict.findings,
          [&](const Finding& finding) { return static_cast<std::size_t>(finding.kind) == kind; }));
      if (outcome.verdict.counts[kind] > listed) {
        say(fmt::format("{}: {} more of kind '{}'", cell_text(cells[i].problem),
                        outcome.verdict.counts[kind] - listed,
                        name(static_cast<FindingKind>(kind))));
      }
    }
  }
  if (broken > kMaxCells) {
    say(fmt::format("and {} more {}", broken - kMaxCells,
                    summary.broken > 0 ? "broken" : "unproved"));
  }
}

namespace proof_fields {

// A cell with its outcome. `file` is null unless the schedule was read from a file.
struct Proof {
  const ProofCell& cell;
  const ProofOutcome& outcome;
  const ScheduleFile* file;

  // Value of a field that refused problems lack.
  template <typename Value>
  [[nodiscard]] std::optional<Value> if_done(const Value& value) const {
    return value_if(!outcome.refusal, value);
  }
  [[nodiscard]] bool is_foreign() const { return file != nullptr && file->foreign; }
};

std::optional<std::string> file_of(const Proof& proof) {
  if (proof.file != nullptr) {
    return proof.file->path;
  }
  const auto& program = proof.cell.algorithm->program;
  return program != nullptr ? std::optional(program->file()) : std::nullopt;
}

constexpr std::array<std::string_view, 2> kForms{"out_of_place", "in_place"};

std::optional<std::vector<std::string_view>> forms_of(const Proof& proof) {
  if (!proof.is_foreign()) {
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  if (proof.file->algorithm.collective != Collective::application) {
    if (proof.file->out_of_place) {
      names.push_back(kForms[0]);
    }
    if (proof.file->in_place || !proof.file->out_of_place) {
      names.push_back(kForms[1]);
    }
  }
  return names;
}

constexpr std::array<std::string_view, 2> kOrders{"rank_order", "commutative_only"};

std::optional<std::optional<std::string_view>> order_of(const Proof& proof) {
  const OperandOrder order = proof.outcome.verdict.order;
  return proof.if_done(order == OperandOrder::rank_order         ? std::optional(kOrders[0])
                       : order == OperandOrder::commutative_only ? std::optional(kOrders[1])
                                                                 : std::nullopt);
}

constexpr auto kDependencies = fields<Verdict>({
    {"data", [](const Verdict& of) { return of.dependencies.data; }},
    {"buffer", [](const Verdict& of) { return of.dependencies.buffer; }},
    {"pace", [](const Verdict& of) { return of.dependencies.pace; }},
    {"implied_by_others", member<&Verdict::redundant_dependencies>},
});

constexpr auto kMessageChain = fields<MessageChain>({
    {"messages", member<&MessageChain::messages>,
     "Largest number of messages of which each waits for the one before."},
    {"rounds_for_data", member<&MessageChain::rounds_for_data>,
     "Rounds in which the messages fit if an operation waits only for those that touch the same "
     "blocks, and a rank sends one message and receives one in a round."},
    {"needless", [](const MessageChain& of) { return of.is_needless(); },
     "True if the chain is so much longer that it is probably a mistake."},
});

std::span<const std::string_view> finding_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
      all.push_back(name(static_cast<FindingKind>(kind)));
    }
    return all;
  }();
  return names;
}

constexpr auto kFinding = fields<Finding>({
    {"kind", [](const Finding& of) { return name(of.kind); }, one_of(finding_names)},
    {"text", member<&Finding::text>, not_empty},
});

std::optional<std::vector<std::pair<std::string_view, std::size_t>>> counts_of(const Proof& proof) {
  std::vector<std::pair<std::string_view, std::size_t>> counts;
  for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
    counts.emplace_back(finding_names()[kind], proof.outcome.verdict.counts[kind]);
  }
  return proof.if_done(counts);
}

template <auto kMember>
constexpr auto kInVerdict = [](const Proof& of) { return of.if_done(of.outcome.verdict.*kMember); };

constexpr auto kProof = fields<Proof>({
    {"collective", [](const Proof& of) { return name(of.cell.problem.collective); },
     one_of(collective_words)},
    {"algorithm", [](const Proof& of) { return std::string_view(of.cell.algorithm->name); },
     not_empty},
    {"file", from<file_of>, absent,
     "File from which the schedule, or the program that made it, was read. Absent for a built-in "
     "algorithm."},
    {"forms", from<forms_of>, one_of(kForms) | absent,
     "Only for a file of another tool: the forms that are proved. Empty for an application."},
    {"notes",
     [](const Proof& of) { return of.is_foreign() ? std::optional(of.file->notes) : std::nullopt; },
     not_empty | absent,
     "Only for a file of another tool: why its own reader would not load it or use it for this "
     "size, and what else is special."},
    {"ranks", [](const Proof& of) { return of.cell.problem.ranks; }, at_least(1)},
    {"bytes", [](const Proof& of) { return of.cell.problem.bytes; },
     "Size of the largest buffer that any rank holds."},
    {"root",
     [](const Proof& of) {
       return value_if(has_root(of.cell.problem.collective), of.cell.problem.root);
     },
     "null if the collective has no root."},
    {"options", [](const Proof& of) { return options_text(*of.cell.algorithm, of.cell.problem); },
     "Options that the algorithm takes, as on the command line: --skips halving. Empty if there "
     "are none."},
    {"refused",
     [](const Proof& of) {
       const auto& refusal = of.outcome.refusal;
       return refusal ? std::optional(with_fields(*refusal)) : std::nullopt;
     },
     not_empty | in_form(1),
     "Why the algorithm does not support the problem. There is then no verdict."},
    {"proved", [](const Proof& of) { return of.if_done(of.outcome.verdict.proved()); }, in_form(2),
     "True if the schedule is right in every execution and can run on MPI."},
    {"claims_hold", [](const Proof& of) { return of.if_done(of.outcome.verdict.claims_hold()); },
     in_form(2), "True if the schedule has all properties that the algorithm declares."},
    {"order", from<order_of>, one_of(kOrders) | in_form(2),
     "Order in which operands are combined. null if nothing is reduced, or if the result is "
     "wrong."},
    {"bitwise_equal", kInVerdict<&Verdict::bitwise_equal>, in_form(2),
     "True if all ranks that get a result get the same bits, even if the operator is not "
     "associative."},
    {"rounds", kInVerdict<&Verdict::rounds>, in_form(2)},
    {"messages", kInVerdict<&Verdict::messages>, in_form(2)},
    {"bytes_sent", kInVerdict<&Verdict::bytes_sent>, in_form(2)},
    {"least_bytes_sent", kInVerdict<&Verdict::bytes_lower_bound>, in_form(2),
     "Number of bytes that all ranks together must send, whatever the algorithm."},
    {"bytes_reduced", kInVerdict<&Verdict::bytes_reduced>, in_form(2)},
    {"dependencies", kDependencies,
     [](const Proof& of) { return of.outcome.refusal ? nullptr : &of.outcome.verdict; },
     in_form(2)},
    {"unread_writes", kInVerdict<&Verdict::unread_writes>, in_form(2),
     "Number of blocks that are written and then neither read nor demanded by the collective."},
    {"message_chain", kMessageChain,
     [](const Proof& of) -> const auto& { return of.outcome.chain; }, absent,
     "Of a proved program, except a barrier."},
    {"findings", kFinding, kInVerdict<&Verdict::findings>, in_form(2),
     "The first few findings of each kind."},
    {"counts", from<counts_of>, in_form(2), "Number of findings of each kind."},
});

}  // namespace proof_fields

}  // namespace

bool print_proofs(const std::vector<const Algorithm*>& algorithms, const ScheduleFile* file,
                  const std::vector<ProofCell>& cells, const std::vector<ProofOutcome>& outcomes,
                  std::ostream& out) {
  const auto title = [&](const Algorithm& algorithm) {
    return printable(file != nullptr ? file->path
                     : algorithm.program != nullptr
                         ? algorithm.program->file() + algorithm.program->settings()
                         : algorithm.full_name());
  };
  Table table({{file != nullptr ? "file" : "algorithm"},
               {"schedules", false, 1},
               {"operators", false, 3},
               {"bitwise", false, 4},
               {"rounds", false, 2},
               {"bytes / least", true, 2}});
  bool right = true;
  for (const Algorithm* algorithm : algorithms) {
    Summary summary;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].algorithm == algorithm) {
        summary.add(cells[i], outcomes[i]);
      }
    }
    right = right && summary.broken + summary.unproved == 0;
    const bool wrong = summary.broken + summary.unproved > 0;
    table.add({title(*algorithm), summary.proof_text(), summary.order_text(),
               summary.bitwise_text(), summary.rounds_text(), summary.bytes_text()},
              wrong ? Style::warning : Style::plain, 1);
    print_details(cells, outcomes, *algorithm, summary, file != nullptr && file->foreign, table);
  }
  if (file != nullptr) {
    for (const std::string& note : file->notes) {
      table.add_line("note: " + note, 2);
    }
    if (file->in_place && right) {
      table.add_line("both forms are proved: with separate buffers, and in place", 2);
    }
  }
  table.print(out, 0);
  return right;
}

extern const DocumentType kProofDocument{"tutti-verify/1",
                                         "verdicts of the proof, as written by tutti verify --json",
                                         proof_fields::kProof.view(),
                                         {},
                                         true};

void write_proofs_json(const ScheduleFile* file, const std::vector<ProofCell>& cells,
                       const std::vector<ProofOutcome>& outcomes, std::ostream& out) {
  JsonValue all;
  make_list(all);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const proof_fields::Proof proof{cells[i], outcomes[i], file};
    all.push_back(document_json(kProofDocument, &proof));
  }
  write_document(all, 2, out);
}

}}  // namespace tutti::output
