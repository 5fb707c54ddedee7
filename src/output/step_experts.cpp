#include "src/output/step_experts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/step_text.hpp"

namespace tutti { inline namespace output {

namespace {

double mean_of(const std::vector<std::uint64_t>& of) {
  return static_cast<double>(std::accumulate(of.begin(), of.end(), std::uint64_t{0})) /
         static_cast<double>(of.size());
}

bool has_tokens(const StepAnswer& answer, std::size_t call) {
  return answer.choices[call].traffic.tokens != nullptr;
}

std::string rounded(double count) {
  return human_count(static_cast<std::uint64_t>(std::llround(count)));
}

// Returns the rule by which tokens are routed.
std::string rule_in_words(const ExpertRow& row) {
  const ExpertRouting& experts = row.routing().experts;
  std::string text = fmt::format("{}, top {}, {} of each rank", counted(experts.experts, "expert"),
                                 experts.top, counted(experts.tokens, "token"));
  if (experts.skew > 0) {
    text += fmt::format(", skew {}", experts.skew);
  }
  if (experts.capacity > 0) {
    text += fmt::format(", capacity {} times the mean", experts.capacity);
  }
  if (experts.most_nodes > 0) {
    text += fmt::format(", at most {} of a token", counted(experts.most_nodes, "node"));
  }
  return text + fmt::format(", seed {}", experts.seed);
}

void print_routings(const std::vector<ExpertRow>& rows, std::ostream& out) {
  const bool drops = std::ranges::any_of(
      rows, [](const ExpertRow& row) { return row.traffic().tokens->dropped() > 0; });
  Table table({{"routing"},
               {"group"},
               {"a rank sends", true},
               {"at most", true},
               {"receives", true},
               {"at most", true},
               {"load", true},
               {"dropped", true, 0, drops},
               {"rule"}});
  for (const ExpertRow& row : rows) {
    table.add({row.routing().name, row.answer->step.groups[row.of().group].name,
               rounded(row.mean_sent()), human_count(row.most_sent()), rounded(row.mean_received()),
               human_count(row.most_received()), fmt::format("{:.3f}", row.copies.load()),
               human_count(row.traffic().tokens->dropped()), rule_in_words(row)});
  }
  table.print(out, 2);
}

void print_network(const StepAnswer& answer, std::ostream& out) {
  Table table({{"call"},
               {"routing"},
               {"token", true},
               {"each copy", true},
               {"formula", true},
               {"once per node", true},
               {"formula", true},
               {"runs"}});
  for (std::size_t i = 0; i < answer.choices.size(); ++i) {
    if (!has_tokens(answer, i)) {
      continue;
    }
    const StepCall& call = answer.step.calls[i];
    const CallChoice& choice = answer.choices[i];
    std::vector<std::string> cells{std::string(call_name(call)),
                                   answer.step.routings[call.experts->routing].name,
                                   human_count(call.experts->token_bytes)};
    if (choice.traffic.on_nodes) {
      const NetworkBytes bytes = network_bytes(choice.traffic, *call.experts);
      for (const double each : {bytes.copies, bytes.copies_in_closed_form, bytes.once_per_node,
                                bytes.once_per_node_in_closed_form}) {
        cells.push_back(rounded(each));
      }
    } else {
      cells.resize(cells.size() + 4);
    }
    cells.emplace_back(!call.experts->pieces ? "each copy"
                       : !choice.proved      ? "once per node; too large for a proof"
                       : *choice.proved      ? "once per node, proved"
                                             : "once per node, NOT PROVED");
    table.add(std::move(cells));
  }
  table.print(out, 2);
}

}  // namespace

double ExpertRow::mean_sent() const { return mean_of(copies.sent); }
double ExpertRow::mean_received() const { return mean_of(copies.received); }
std::uint64_t ExpertRow::most_sent() const { return *std::ranges::max_element(copies.sent); }
std::uint64_t ExpertRow::most_received() const {
  return *std::ranges::max_element(copies.received);
}

std::vector<ExpertRow> expert_rows(const StepAnswer& answer) {
  std::vector<ExpertRow> rows;
  for (std::uint32_t call = 0; call < answer.choices.size(); ++call) {
    const StepCall& of = answer.step.calls[call];
    if (has_tokens(answer, call) && std::ranges::none_of(rows, [&](const ExpertRow& row) {
          return row.of().group == of.group && row.of().experts->routing == of.experts->routing;
        })) {
      rows.push_back({&answer, call, answer.choices[call].traffic.tokens->counts()});
    }
  }
  return rows;
}

NetworkBytes network_bytes(const ExpertTraffic& traffic, const ExpertCall& call) {
  const RoutedTokens& tokens = *traffic.tokens;
  const ExpertRouting& routing = tokens.routing();
  const double bytes = static_cast<double>(routing.tokens) * static_cast<double>(call.token_bytes);
  return {bytes * tokens.copies_to_other_nodes(),
          bytes * mean_copies_to_other_nodes(routing.top, tokens.nodes()),
          bytes * tokens.other_nodes(), bytes * mean_other_nodes(routing.top, tokens.nodes())};
}

void print_experts(const StepAnswer& answer, std::ostream& out) {
  const std::vector<ExpertRow> rows = expert_rows(answer);
  if (rows.empty()) {
    return;
  }
  out << '\n';
  print_field(out, 2, 12, "experts",
              "copies of tokens that a rank sends and receives, its own included: mean, and the "
              "most of any rank. The same tokens go the same ways in each layer and communicator");
  print_routings(rows, out);
  out << '\n';
  print_field(
      out, 2, 12, "network",
      "bytes of a token, and bytes that a rank sends to other nodes, on average: each copy "
      "of a token by itself, by formula k (N-1)/N copies, or once per node, by formula N "
      "(1-(1-1/N)^k) (N-1)/N. The formulas are for k draws among equally popular experts on N "
      "nodes, without limits");
  print_network(answer, out);
}

}}  // namespace tutti::output
