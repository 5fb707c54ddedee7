#include "src/steps/expert_statements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/human.hpp"
#include "base/nearest.hpp"

namespace tutti { inline namespace steps {

using program::Syntax;
using program::SyntaxNode;

void ExpertStatements::routing(const SyntaxNode& node, std::uint32_t line) {
  StepRouting made;
  made.name = node[1].text();
  made.line = line;
  if (std::ranges::find(step_.routings, made.name, &StepRouting::name) != step_.routings.end()) {
    fail(node[1], fmt::format("there is already a routing {}", made.name));
  }
  made.experts.experts = made.experts.top = made.experts.tokens = 0;
  for (std::size_t i = 2; i < node.size(); ++i) {
    for (std::size_t earlier = 2; earlier < i; ++earlier) {
      if (node[earlier][0].text() == node[i][0].text()) {
        fail(node[i], fmt::format("{} is there twice", node[i][0].text()));
      }
    }
    set_value(node[i], made.experts);
  }
  if (made.experts.experts == 0 || made.experts.top == 0 || made.experts.tokens == 0) {
    fail(node,
         "a routing needs the number of experts, that of the experts of a token, and the tokens of "
         "a rank, such as experts 128, top 8, tokens 2048");
  }
  step_.routings.push_back(std::move(made));
}

void ExpertStatements::set_value(const SyntaxNode& setting, ExpertRouting& experts) const {
  const std::string_view what = setting[0].text();
  const auto count = [&](std::uint32_t most) {
    const auto found = static_cast<std::uint32_t>(whole(setting[1], what, most));
    if (found == 0) {
      fail(setting[1], fmt::format("{} must be at least 1", what));
    }
    return found;
  };
  const auto factor = [&](double least, double most) {
    const double found = number(setting[1]);
    if (!(found >= least && found <= most)) {
      fail(setting[1], fmt::format("{:.15g}: {} must be from {} to {}", found, what, least, most));
    }
    return found;
  };
  if (what == "experts") {
    experts.experts = count(kMostExperts);
  } else if (what == "top") {
    experts.top = count(kMostExperts);
  } else if (what == "tokens") {
    experts.tokens = count(kMostTokens);
  } else if (what == "skew") {
    experts.skew = factor(0, kMostSkew);
  } else if (what == "capacity") {
    experts.capacity = factor(kLeastCapacity, kMostExperts);
  } else if (what == "nodes") {
    experts.most_nodes = count(kMostStepRanks);
  } else if (what == "seed") {
    experts.seed = static_cast<std::uint32_t>(whole(setting[1], what, 0xffffffffU));
  } else {
    static const std::vector<std::string> words{"experts",  "top",   "tokens", "skew",
                                                "capacity", "nodes", "seed"};
    fail(setting, fmt::format("a routing has no '{}'; {}", what, accepted_words(what, words)));
  }
}

bool ExpertStatements::is_expert_call(const SyntaxNode& node) {
  return node[0].text() == "dispatch" || node[0].text() == "combine";
}

StepCall ExpertStatements::expert_call(const SyntaxNode& node) {
  const std::string_view wanted = node[1].text();
  const auto found = std::ranges::find(step_.routings, wanted, &StepRouting::name);
  if (found == step_.routings.end()) {
    std::vector<std::string> names;
    for (const StepRouting& each : step_.routings) {
      names.push_back(each.name);
    }
    fail(node[1],
         names.empty()
             ? fmt::format("there is no routing '{0}'; write routing {0} experts 128, top "
                           "8, tokens 2048 above",
                           wanted)
             : fmt::format("unknown routing '{}'; {}", wanted, accepted_words(wanted, names)));
  }
  ExpertCall experts;
  experts.routing = static_cast<std::uint32_t>(found - step_.routings.begin());
  experts.phase = node[0].text() == "dispatch" ? TokenPhase::dispatch : TokenPhase::combine;
  StepCall call;
  call.collective = Collective::alltoall;
  for (const auto& part : node.children) {
    if (part->kind == Syntax::bytes) {
      experts.token_bytes = size_of((*part)[0], 1);
      const std::uint64_t copies = std::uint64_t{found->experts.tokens} * found->experts.top;
      if (experts.token_bytes == 0 || experts.token_bytes > kMaxMessageBytes / copies) {
        fail(*part, experts.token_bytes == 0
                        ? "a token needs at least 1 byte"
                        : fmt::format("the {} copies of a rank's tokens have more than 16 TiB",
                                      human_count(copies)));
      }
      call.bytes = copies * experts.token_bytes;
    } else if (part->kind == Syntax::on_clause) {
      call.group = group_named((*part)[0]);
    } else if (part->kind == Syntax::slot) {
      experts.pieces = kDefaultTokenPieces;
      if (part->size() > 0) {
        experts.pieces = static_cast<std::uint32_t>(whole((*part)[0], "pieces", kMostTokenPieces));
      }
      if (*experts.pieces == 0) {
        fail((*part)[0], "there must be at least 1 piece");
      }
    }
  }
  call.experts = experts;
  return call;
}

void ExpertStatements::check_load(const SyntaxNode& node, const StepCall& call) const {
  const std::uint32_t ranks = step_.groups[call.group].size();
  if (call.load != 1 && call.collective != Collective::alltoall) {
    fail(node, fmt::format("{} has no load; only alltoall has one", name(call.collective)));
  }
  if (!(call.load >= 1 && call.load <= ranks)) {
    fail(node, fmt::format("load {:.15g}: the busiest of {} receives 1 to {} times the mean",
                           call.load, counted(ranks, "rank"), ranks));
  }
}

}}  // namespace tutti::steps
