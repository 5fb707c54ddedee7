// Dispatch and combine of a mixture of experts, in which a token crosses the network once per node.
//
// Dispatch: the rank sends a token once to each other node that has some of its experts, to the
// rank at its own place in that node (its rail). This rank passes the token on to the ranks of its
// experts in the node. Within the sender's node, a token goes straight to the ranks of its experts.
// A rank with several experts of a token gets it once.
//
// Combine is the reverse: in each node, the results of a token are reduced at the rank that got the
// token, and the partial sum goes back to the token's rank, which reduces the sums of all nodes. A
// result that a rank sends is the sum over its own experts.
//
// Source: the kernels of DeepEP (github.com/deepseek-ai/DeepEP), which send tokens between GPUs
// with the same index and forward them over NVLink. DeepEP works on chunks of a few tokens; here,
// the tokens of a rank are cut into `pieces`, and each piece is passed on as soon as it has
// arrived.
#pragma once

#include <cstdint>

#include "schedules/builder.hpp"
#include "schedules/experts/routing.hpp"
#include "schedules/schedule.hpp"
#include "schedules/verify/verify.hpp"

namespace tutti { inline namespace schedules {

enum class TokenPhase : std::uint8_t { dispatch, combine };

inline constexpr std::uint32_t kMostTokenPieces = 1024;

struct TokenExchange {
  TokenPhase phase = TokenPhase::dispatch;
  std::uint64_t token_bytes = 1;
  std::uint32_t pieces = 1;  // 1 to kMostTokenPieces
};

// Returns the schedule. Its blocks are the tokens: block b is token b of RoutedTokens. There is no
// Collective for it. As far as data at the start and at the end is concerned, a dispatch is an
// allgather of which only a part is wanted, and a combine a reduce_scatter with some contributions
// left out, so Problem::collective is one of these two.
[[nodiscard]] Schedule schedule_of_tokens(const RoutedTokens& tokens, const TokenExchange& exchange,
                                          Detail detail);

// Proves a schedule of tokens in whatever order messages arrive. After a dispatch, each token must
// be at all ranks of its experts, and be the token of the right rank. After a combine, each token's
// rank must have the sum of the contributions of exactly the ranks of its experts, each once. The
// schedule must have payload. Verdict::bytes_lower_bound is 0.
[[nodiscard]] Verdict verify_tokens(const Schedule& schedule, const RoutedTokens& tokens,
                                    TokenPhase phase);

// Number of values of all buffers at all ranks, which the proof follows. It needs 4 bytes for each
// of them.
[[nodiscard]] std::uint64_t values_in_proof(const RoutedTokens& tokens, TokenPhase phase);

}}  // namespace tutti::schedules
