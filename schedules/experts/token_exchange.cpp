#include "schedules/experts/token_exchange.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tutti { inline namespace schedules {

namespace {

// Tokens of one piece of a rank, by where they go.
struct TokensOfPiece {
  // Blocks, by rank, and by node.
  std::vector<std::vector<BlockPair>> to_rank;
  std::vector<std::vector<BlockPair>> to_node;
};

class TokenScheduler {
 public:
  TokenScheduler(const RoutedTokens& tokens, const TokenExchange& exchange, Detail detail)
      : tokens_(tokens),
        pieces_(std::min(exchange.pieces, tokens.routing().tokens)),
        per_node_(tokens.ranks_per_node()),
        builder_(problem_of(tokens, exchange), tokens.ranks() * tokens.routing().tokens, detail) {
    piece_.to_rank.resize(tokens.ranks());
    piece_.to_node.resize(tokens.nodes());
  }

  Schedule make(TokenPhase phase) {
    for (Rank home = 0; home < tokens_.ranks(); ++home) {
      last_on_connection_.assign(tokens_.ranks(), kNoOp);
      for (segment_ = 0; segment_ < pieces_; ++segment_) {
        collect(home);
        phase == TokenPhase::dispatch ? dispatch(home) : combine(home);
      }
    }
    return builder_.finish();
  }

 private:
  static Problem problem_of(const RoutedTokens& tokens, const TokenExchange& exchange) {
    Problem problem;
    problem.collective =
        exchange.phase == TokenPhase::dispatch ? Collective::allgather : Collective::reduce_scatter;
    problem.ranks = tokens.ranks();
    problem.bytes = std::uint64_t{tokens.ranks()} * tokens.routing().tokens * exchange.token_bytes;
    problem.element_bytes = 1;
    problem.ranks_per_node = tokens.ranks_per_node();
    return problem;
  }

  // Sorts the tokens of the present piece of a rank.
  void collect(Rank home) {
    for (auto& list : piece_.to_rank) {
      list.clear();
    }
    for (auto& list : piece_.to_node) {
      list.clear();
    }
    const std::uint32_t count = tokens_.routing().tokens;
    const auto begin_of = [&](std::uint64_t piece) {
      return home * count + static_cast<std::uint32_t>(piece * count / pieces_);
    };
    for (std::uint32_t token = begin_of(segment_); token < begin_of(segment_ + 1); ++token) {
      for (const Rank rank : tokens_.ranks_of(token)) {
        const BlockPair block{token, token};
        piece_.to_rank[rank].push_back(block);
        auto& of_node = piece_.to_node[rank / per_node_];
        if (of_node.empty() || of_node.back() != block) {
          of_node.push_back(block);
        }
      }
    }
  }

  // Returns the rank of a node through which the tokens of `home` enter and leave it.
  [[nodiscard]] Rank door(Rank home, std::uint32_t node) const {
    return node * per_node_ + home % per_node_;
  }

  // Sends blocks between the present rank, or the rank through which its tokens enter or leave a
  // node, and the rank `away`, after the earlier pieces on this connection.
  OpId send(std::uint32_t level, Rank away, Rank src, Rank dst, Place into,
            const std::vector<BlockPair>& blocks, OpId after) {
    OpId& last = last_on_connection_[away];
    last = builder_.pairs(OpKind::comm, {level, segment_}, src, dst, kWork, into, blocks,
                          Operand::left, std::array{last, after});
    return last;
  }

  void dispatch(Rank home) {
    for (std::uint32_t node = 0; node < tokens_.nodes(); ++node) {
      if (piece_.to_node[node].empty()) {
        continue;
      }
      const Rank enters = door(home, node);
      const OpId arrived = enters == home
                               ? kNoOp
                               : send(0, enters, home, enters, kWork, piece_.to_node[node], kNoOp);
      for (Rank rank = node * per_node_; rank < (node + 1) * per_node_; ++rank) {
        if (rank != enters && !piece_.to_rank[rank].empty()) {
          send(enters == home ? 0 : 1, rank, enters, rank, kWork, piece_.to_rank[rank], arrived);
        }
      }
    }
  }

  void combine(Rank home) {
    const std::uint32_t own_node = home / per_node_;
    // Sums at the token's rank: its own contribution, and those of its node.
    std::vector<BlockPair> summed = piece_.to_rank[home];
    OpId last_at_home = gather(own_node, home, summed);
    for (std::uint32_t node = 0; node < tokens_.nodes(); ++node) {
      if (node == own_node || piece_.to_node[node].empty()) {
        continue;
      }
      const Rank leaves = door(home, node);
      std::vector<BlockPair> sums = piece_.to_rank[leaves];
      const OpId ready = gather(node, leaves, sums);
      const Place slot{Buffer::scratch, per_node_ + node};
      const OpId arrived = send(2, leaves, leaves, home, slot, piece_.to_node[node], ready);
      last_at_home = add(3, home, slot, piece_.to_node[node], summed, {arrived, last_at_home});
    }
  }

  // Reduces the contributions of a node's ranks at `at`. `summed` has the blocks of which `at`
  // has a contribution or a sum, and gets the others. Returns the last reduction; kNoOp if there is
  // none.
  OpId gather(std::uint32_t node, Rank at, std::vector<BlockPair>& summed) {
    OpId last = kNoOp;
    for (Rank rank = node * per_node_; rank < (node + 1) * per_node_; ++rank) {
      if (rank == at || piece_.to_rank[rank].empty()) {
        continue;
      }
      const Place slot{Buffer::scratch, rank % per_node_};
      const OpId arrived = send(0, rank, rank, at, slot, piece_.to_rank[rank], kNoOp);
      last = add(1, at, slot, piece_.to_rank[rank], summed, {arrived, last});
    }
    return last;
  }

  // Adds the data that a slot received to the sums of a rank. A sum that does not exist yet begins
  // with these data.
  OpId add(std::uint32_t level, Rank at, Place slot, const std::vector<BlockPair>& arrived,
           std::vector<BlockPair>& summed, std::array<OpId, 2> after) {
    first_.clear();
    further_.clear();
    merged_.clear();
    auto have = summed.begin();
    for (const BlockPair& block : arrived) {
      for (; have != summed.end() && have->into < block.into; ++have) {
        merged_.push_back(*have);
      }
      const bool is_there = have != summed.end() && have->into == block.into;
      (is_there ? further_ : first_).push_back(block);
      if (!is_there) {
        merged_.push_back(block);
      }
    }
    merged_.insert(merged_.end(), have, summed.end());
    std::swap(merged_, summed);
    if (!first_.empty()) {
      after[1] = builder_.pairs(OpKind::copy, {level, segment_}, at, at, slot, kWork, first_,
                                Operand::left, after);
    }
    if (!further_.empty()) {
      after[1] = builder_.pairs(OpKind::reduce, {level, segment_}, at, at, slot, kWork, further_,
                                Operand::right, after);
    }
    return after[1];
  }

  const RoutedTokens& tokens_;
  std::uint32_t pieces_;
  std::uint32_t per_node_;
  ScheduleBuilder builder_;
  std::uint32_t segment_ = 0;
  TokensOfPiece piece_;
  // The last message of the present rank's tokens, by the rank at the other end.
  std::vector<OpId> last_on_connection_;
  std::vector<BlockPair> first_;
  std::vector<BlockPair> further_;
  std::vector<BlockPair> merged_;
};

}  // namespace

Schedule schedule_of_tokens(const RoutedTokens& tokens, const TokenExchange& exchange,
                            Detail detail) {
  TUTTI_INVARIANT(exchange.pieces > 0 && exchange.pieces <= kMostTokenPieces);
  TUTTI_INVARIANT(exchange.token_bytes > 0);
  return TokenScheduler(tokens, exchange, detail).make(exchange.phase);
}

}}  // namespace tutti::schedules
