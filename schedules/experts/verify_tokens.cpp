#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "schedules/experts/token_exchange.hpp"
#include "schedules/verify/contract_of.hpp"
#include "schedules/verify/verify_against.hpp"

namespace tutti { inline namespace schedules {

namespace {

class TokenCheck {
 public:
  TokenCheck(const Schedule& schedule, const RoutedTokens& tokens, Replay& replay,
             Findings& findings)
      : schedule_(schedule), tokens_(tokens), replay_(replay), findings_(findings) {}

  void check_dispatch() {
    for (std::uint32_t token = 0; token < schedule_.blocks(); ++token) {
      for (const Rank rank : tokens_.ranks_of(token)) {
        if (replay_.result(rank, token) != replay_.expressions().leaf(home_of(token), token)) {
          fail(rank, [&] {
            return fmt::format("rank {} has an expert of {}, but does not get it", rank,
                               in_words(token));
          });
        }
      }
    }
    check_traffic();
  }

  void check_combine() {
    const Expressions& expressions = replay_.expressions();
    std::vector<Expressions::Value> leaves;
    std::vector<Rank> origins;
    for (std::uint32_t token = 0; token < schedule_.blocks(); ++token) {
      const std::span<const Rank> wanted = tokens_.ranks_of(token);
      if (wanted.empty()) {
        continue;
      }
      const Rank home = home_of(token);
      leaves.clear();
      if (const auto value = replay_.result(home, token); value != Expressions::kUndefined) {
        expressions.leaves(value, wanted.size() + 1, leaves);
      }
      origins.clear();
      for (const auto leaf : leaves) {
        origins.push_back(expressions.block(leaf) == token ? expressions.origin(leaf)
                                                           : schedule_.ranks());
      }
      std::ranges::sort(origins);
      if (!std::ranges::equal(origins, wanted)) {
        fail(home, [&] {
          return fmt::format(
              "rank {} ends with a sum for {} that does not have the result of each of its {} "
              "ranks once, and no other",
              home, in_words(token), wanted.size());
        });
      }
    }
  }

 private:
  [[nodiscard]] Rank home_of(std::uint32_t token) const { return token / tokens_.routing().tokens; }
  [[nodiscard]] std::string in_words(std::uint32_t token) const {
    return fmt::format("token {} of rank {}", token % tokens_.routing().tokens, home_of(token));
  }

  template <typename Text>
  void fail(Rank rank, Text&& text) {
    findings_.add(FindingKind::result, rank, text);
  }

  // Checks that no token arrives twice at a rank, and that a rank without an expert of a token gets
  // it only to pass it on.
  void check_traffic() {
    const std::size_t blocks = schedule_.blocks();
    std::vector<std::uint8_t> arrivals(schedule_.ranks() * blocks);
    std::vector<bool> passes(arrivals.size());
    for (OpId id = 0; id < schedule_.size(); ++id) {
      const Op& op = schedule_.op(id);
      if (!op.is_comm()) {
        continue;
      }
      for_each_block_pair(schedule_, id, [&](std::uint32_t from, std::uint32_t into) {
        std::uint8_t& arrived = arrivals[op.dst() * blocks + into % blocks];
        arrived = std::min<std::uint8_t>(arrived + 1, 2);
        passes[op.src() * blocks + from % blocks] = true;
      });
    }
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const auto rank = static_cast<Rank>(i / blocks);
      const auto token = static_cast<std::uint32_t>(i % blocks);
      if (arrivals[i] == 0) {
        continue;
      }
      if (arrivals[i] > 1 || rank == home_of(token)) {
        fail(rank, [&] {
          return fmt::format("rank {} gets {} more often than once", rank, in_words(token));
        });
      }
      if (!passes[i] && !std::ranges::binary_search(tokens_.ranks_of(token), rank)) {
        fail(rank, [&] {
          return fmt::format("rank {} gets {}, but has no expert of it, and does not pass it on",
                             rank, in_words(token));
        });
      }
    }
  }

  const Schedule& schedule_;
  const RoutedTokens& tokens_;
  Replay& replay_;
  Findings& findings_;
};

}  // namespace

Verdict verify_tokens(const Schedule& schedule, const RoutedTokens& tokens, TokenPhase phase) {
  TUTTI_INVARIANT(schedule.ranks() == tokens.ranks());
  TUTTI_INVARIANT(schedule.blocks() == tokens.ranks() * tokens.routing().tokens);
  // In a combine, the contract gives every rank a value for every token. A value that is not the
  // result of one of the token's experts must not get into its sum.
  Verdict verdict =
      verify_against(schedule, contract_of(schedule), {}, [&](Replay& replay, Findings& findings) {
        TokenCheck check(schedule, tokens, replay, findings);
        phase == TokenPhase::dispatch ? check.check_dispatch() : check.check_combine();
        return Result{};
      });
  verdict.bytes_lower_bound = 0;
  return verdict;
}

std::uint64_t values_in_proof(const RoutedTokens& tokens, TokenPhase phase) {
  const std::uint64_t buffers =
      phase == TokenPhase::dispatch ? 2 : 2 + tokens.ranks_per_node() + tokens.nodes();
  return buffers * tokens.ranks() * tokens.ranks() * tokens.routing().tokens;
}

}}  // namespace tutti::schedules
