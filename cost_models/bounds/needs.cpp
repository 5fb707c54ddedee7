#include "cost_models/bounds/needs.hpp"

#include <algorithm>
#include <numeric>

#include "cost_models/lower_bounds.hpp"

namespace tutti::inline cost_models {

namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

Needs::Needs(const Problem& problem)
    : collective_(problem.collective),
      ranks_(problem.ranks),
      root_(problem.root),
      bytes_(static_cast<double>(problem.bytes)),
      sent_(problem.ranks),
      received_(problem.ranks) {
  if (ranks_ < 2 || (problem.bytes == 0 && collective_ != Collective::barrier)) {
    nothing_ = true;
    return;
  }
  partners_ = ranks_ - 1;
  const std::uint32_t p = ranks_;
  const auto only = [&](Rank rank) {
    std::vector<double> bytes(p, 0);
    bytes[rank] = bytes_;
    return bytes;
  };
  const auto parts = [&] {
    const std::vector<std::uint64_t> bytes = part_bytes(problem);
    return std::vector<double>(bytes.begin(), bytes.end());
  };
  // A sum of p contributions needs p - 1 reductions of each byte.
  reduced_ = reduces(collective_) ? (p - 1.0) * bytes_ : 0;
  switch (collective_) {
    case Collective::barrier:
      return;
    case Collective::bcast:
      copied_ = only(root_);
      break;
    case Collective::reduce:
      summed_ = only(root_);
      break;
    case Collective::allgather:
    case Collective::allgatherv:
      copied_ = parts();
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      summed_ = parts();
      break;
    case Collective::exscan:
      reduced_ = (p - 2.0) * bytes_;
      [[fallthrough]];
    case Collective::scan:
      copied_ = only(0);
      summed_ = only(p - 1);
      break;
    case Collective::allreduce:
      copied_ = only(0);
      summed_ = only(0);
      sent_.assign(p, bytes_);
      received_.assign(p, bytes_);
      return;
    case Collective::alltoallv:
      part_bytes_.resize(std::size_t{p} * p);
      if (problem.block_bytes.empty()) {
        const std::vector<double> even = parts();
        for (std::size_t i = 0; i < part_bytes_.size(); ++i) {
          part_bytes_[i] = even[i % p];
        }
      } else {
        part_bytes_.assign(problem.block_bytes.begin(), problem.block_bytes.end());
      }
      count_pieces();
      return;
    case Collective::alltoall:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv:
      part_bytes_ = parts();
      count_pieces();
      return;
  }
  const double copied = sum_of(copied_);
  const double summed = sum_of(summed_);
  for (Rank rank = 0; rank < p; ++rank) {
    const double own_copy = copied_.empty() ? 0 : copied_[rank];
    const double own_sum = summed_.empty() ? 0 : summed_[rank];
    sent_[rank] = std::max(own_copy, summed - own_sum);
    received_[rank] = std::max(own_sum, copied - own_copy);
  }
}

void Needs::count_pieces() {
  in_pieces_ = true;
  std::vector<std::uint32_t> out(ranks_, 0);
  std::vector<std::uint32_t> in(ranks_, 0);
  for (Rank from = 0; from < ranks_; ++from) {
    for (Rank to = 0; to < ranks_; ++to) {
      const double bytes = piece(from, to);
      if (bytes > 0) {
        sent_[from] += bytes;
        received_[to] += bytes;
        ++out[from];
        ++in[to];
      }
    }
  }
  partners_ =
      std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
  nothing_ = partners_ == 0;
}

std::optional<Rank> Needs::only_source() const {
  const bool scatters = collective_ == Collective::scatter || collective_ == Collective::scatterv;
  return scatters ? std::optional(root_) : std::nullopt;
}

std::optional<Rank> Needs::only_target() const {
  const bool gathers = collective_ == Collective::gather || collective_ == Collective::gatherv;
  return gathers ? std::optional(root_) : std::nullopt;
}

double Needs::piece(Rank from, Rank to) const {
  if (from == to) {
    return 0;
  }
  switch (collective_) {
    case Collective::alltoall:
      return part_bytes_[to >= from ? to - from : to + ranks_ - from];
    case Collective::alltoallv:
      return part_bytes_[std::size_t{from} * ranks_ + to];
    case Collective::gather:
    case Collective::gatherv:
      return to == root_ ? part_bytes_[from] : 0;
    case Collective::scatter:
    case Collective::scatterv:
      return from == root_ ? part_bytes_[to] : 0;
    default:
      return 0;
  }
}

bool Needs::depends(Rank to, Rank from) const {
  if (to == from || nothing_) {
    return false;
  }
  switch (collective_) {
    case Collective::barrier:
    case Collective::allreduce:
      return true;
    case Collective::scan:
    case Collective::exscan:
      return from < to;
    default:
      return in_pieces_
                 ? piece(from, to) > 0
                 : (!copied_.empty() && copied_[from] > 0) || (!summed_.empty() && summed_[to] > 0);
  }
}

double Needs::between(std::span<const std::uint32_t> group_of_rank, std::uint32_t groups) const {
  if (in_pieces_) {
    double bytes = 0;
    for (Rank from = 0; from < ranks_; ++from) {
      for (Rank to = 0; to < ranks_; ++to) {
        bytes += group_of_rank[from] != group_of_rank[to] ? piece(from, to) : 0;
      }
    }
    return bytes;
  }
  const double passes = groups - 1.0;
  if (collective_ == Collective::allreduce) {
    return 2 * passes * bytes_;
  }
  // Each group lacks the copies of all other groups, and must send its contributions to the sums of
  // all other groups.
  return passes * std::max(sum_of(copied_), sum_of(summed_));
}

std::vector<double> Needs::by_host(const std::vector<double>& by_rank,
                                   std::span<const std::uint32_t> host_of_rank, std::size_t hosts) {
  std::vector<double> bytes(hosts, 0);
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    bytes[host_of_rank[rank]] += by_rank[rank];
  }
  return bytes;
}

HostPairs Needs::pieces_by_host(std::span<const std::uint32_t> host_of_rank,
                                std::size_t hosts) const {
  HostPairs pairs{hosts, std::vector<double>(hosts * hosts, 0)};
  for (Rank from = 0; from < ranks_; ++from) {
    for (Rank to = 0; to < ranks_; ++to) {
      if (host_of_rank[from] != host_of_rank[to]) {
        pairs.bytes[host_of_rank[from] * hosts + host_of_rank[to]] += piece(from, to);
      }
    }
  }
  return pairs;
}

}  // namespace tutti::inline cost_models
