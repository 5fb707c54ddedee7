// The data that a collective must move between ranks, whatever the algorithm.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedules/problem.hpp"

namespace tutti { inline namespace cost_models {

// Bytes that cross the ends of each group of ranks, such as those of a host.
struct GroupNeeds {
  std::vector<double> sent;
  std::vector<double> received;
};

// Bytes of pieces, from rows of hosts to single hosts.
struct PieceRows {
  std::vector<std::uint32_t> row_of_host;
  std::size_t rows = 0;
  std::vector<double> bytes;

  [[nodiscard]] double at(std::size_t row, std::size_t to_host) const {
    return bytes[row * row_of_host.size() + to_host];
  }
};

// All counts are lower limits that hold for any schedule without switches that compute.
class Needs {
 public:
  explicit Needs(const Problem& problem);

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  // True if no data needs to move: one rank, or nothing to send.
  [[nodiscard]] bool nothing() const { return nothing_; }

  // By rank: bytes of the rank that every other rank must get. In allreduce and in scans, these are
  // the bytes of rank 0, whose contribution must reach every other rank. Empty if there is no such
  // data.
  [[nodiscard]] const std::vector<double>& copied() const { return copied_; }
  // By rank: bytes of the result of the rank, to which all other ranks contribute. In allreduce,
  // only rank 0 is listed, so that copied() and summed() together cover both directions of every
  // cut. In scans, only the last rank is listed. Empty if there is no such data.
  [[nodiscard]] const std::vector<double>& summed() const { return summed_; }
  // True if each rank has other data for each rank, in alltoall, gather and scatter.
  [[nodiscard]] bool in_pieces() const { return parts_ != Parts::none; }
  // The rank that has all pieces, in scatter, or that gets all pieces, in gather.
  [[nodiscard]] std::optional<Rank> only_source() const;
  [[nodiscard]] std::optional<Rank> only_target() const;
  // Bytes that rank `from` has for rank `to`, if in_pieces().
  [[nodiscard]] double piece(Rank from, Rank to) const;
  // True if the result of rank `to` depends on rank `from`, which is another rank.
  [[nodiscard]] bool depends(Rank to, Rank from) const;

  // Bytes that a rank sends, and receives.
  [[nodiscard]] double sent(Rank rank) const { return sent_[rank]; }
  [[nodiscard]] double received(Rank rank) const { return received_[rank]; }
  // False only if no rank depends on the rank, or the rank on no other rank.
  [[nodiscard]] bool sends(Rank rank) const {
    return collective_ == Collective::barrier || sent_[rank] > 0;
  }
  [[nodiscard]] bool receives(Rank rank) const {
    return collective_ == Collective::barrier || received_[rank] > 0;
  }
  // Which of the two counts partners() is: of ranks that depend on one rank (from_one), of ranks on
  // which one rank depends (to_one), both, or one of them.
  enum class Direction : std::uint8_t { from_one, to_one, both, either };
  [[nodiscard]] Direction direction() const;
  // Largest number of other ranks on which one rank depends, or that depend on one rank.
  [[nodiscard]] std::uint32_t partners() const { return partners_; }
  // Blocks of the ranks that one rank must collect or distribute, whole or as contributions to
  // sums: the bytes of all of them, and of the largest. Nothing if there are no such blocks.
  struct Blocks {
    double all = 0;
    double largest = 0;
  };
  [[nodiscard]] std::optional<Blocks> blocks() const;
  // The least and the largest number of bytes that any rank has for any other one, if all ranks
  // have data for all.
  [[nodiscard]] std::pair<double, double> piece_range() const;
  // True if each pair of ranks has its own number of bytes.
  [[nodiscard]] bool by_pairs() const { return parts_ == Parts::by_pair; }
  // Bytes of the vector in an allreduce, otherwise 0.
  [[nodiscard]] double all_reduced() const {
    return collective_ == Collective::allreduce ? bytes_ : 0;
  }
  // Bytes that all ranks together reduce.
  [[nodiscard]] double reduced() const { return reduced_; }

  // Bytes of all messages between groups of ranks. `group_of_rank` has numbers below `groups`.
  //
  // In an allreduce, each byte of the vector needs 2 (k - 1) messages between k groups: until the
  // first group knows the sum, each other group has sent its contribution, alone or as a part of
  // one; after that, each other group still receives one message. (One-way gossip: Harary and
  // Schwenk, 1974.)
  [[nodiscard]] double between(std::span<const std::uint32_t> group_of_rank,
                               std::uint32_t groups) const;

  // Bytes that each group must send to the other groups, and receive from them.
  [[nodiscard]] GroupNeeds of_groups(std::span<const std::uint32_t> group_of_rank,
                                     std::uint32_t groups) const;

  // The bytes of copied() or summed() by host.
  [[nodiscard]] static std::vector<double> by_host(const std::vector<double>& by_rank,
                                                   std::span<const std::uint32_t> host_of_rank,
                                                   std::size_t hosts);
  // The following two are for pieces: the bytes between different hosts, by the row of the sender,
  // and the bytes from the hosts inside to all others.
  [[nodiscard]] PieceRows by_rows(std::span<const std::uint32_t> host_of_rank,
                                  std::vector<std::uint32_t> row_of_host) const;
  [[nodiscard]] double from_inside(std::span<const std::uint32_t> host_of_rank,
                                   const std::vector<bool>& inside) const;

 private:
  // How the pieces of the ranks are stored in part_bytes_.
  enum class Parts : std::uint8_t { none, by_distance, by_target, by_pair, of_root, for_root };
  void count_pieces();
  // The size of all pieces between different ranks, if it is the same.
  [[nodiscard]] std::optional<double> equal_piece() const;

  Collective collective_;
  std::uint32_t ranks_;
  Rank root_;
  double bytes_;
  bool nothing_ = false;
  Parts parts_ = Parts::none;
  std::vector<double> part_bytes_;
  std::vector<double> copied_;
  std::vector<double> summed_;
  std::vector<double> sent_;
  std::vector<double> received_;
  std::uint32_t partners_ = 0;
  double reduced_ = 0;
};

}}  // namespace tutti::cost_models
