// The data that a collective must move between ranks, whatever the algorithm.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedules/problem.hpp"

namespace tutti::inline cost_models {

// Bytes between hosts, by the indices of two hosts.
struct HostPairs {
  std::size_t hosts = 0;
  std::vector<double> bytes;

  [[nodiscard]] double at(std::size_t from, std::size_t to) const {
    return bytes[from * hosts + to];
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
  [[nodiscard]] bool in_pieces() const { return in_pieces_; }
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
  // Largest number of other ranks on which one rank depends, or that depend on one rank.
  [[nodiscard]] std::uint32_t partners() const { return partners_; }
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

  // The bytes of copied() or summed() by host, and pieces by pairs of different hosts.
  [[nodiscard]] static std::vector<double> by_host(const std::vector<double>& by_rank,
                                                   std::span<const std::uint32_t> host_of_rank,
                                                   std::size_t hosts);
  [[nodiscard]] HostPairs pieces_by_host(std::span<const std::uint32_t> host_of_rank,
                                         std::size_t hosts) const;

 private:
  void count_pieces();

  Collective collective_;
  std::uint32_t ranks_;
  Rank root_;
  double bytes_;
  bool nothing_ = false;
  bool in_pieces_ = false;
  std::vector<double> part_bytes_;  // by rank; in alltoall by distance; in alltoallv by pair
  std::vector<double> copied_;
  std::vector<double> summed_;
  std::vector<double> sent_;
  std::vector<double> received_;
  std::uint32_t partners_ = 0;
  double reduced_ = 0;
};

}  // namespace tutti::inline cost_models
