#include "cost_models/bounds/needs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cost_models/lower_bounds.hpp"

namespace tutti { inline namespace cost_models {

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
    case Collective::application:
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
      if (problem.block_bytes.empty()) {
        parts_ = Parts::by_target;
        part_bytes_ = parts();
      } else {
        parts_ = Parts::by_pair;
        part_bytes_.assign(problem.block_bytes.begin(), problem.block_bytes.end());
      }
      count_pieces();
      return;
    case Collective::alltoall:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv:
      parts_ = collective_ == Collective::alltoall ? Parts::by_distance
               : only_source()                     ? Parts::of_root
                                                   : Parts::for_root;
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

// Needs a time in proportion to the number of ranks, unless each pair has its own size.
void Needs::count_pieces() {
  std::uint32_t most_targets = 0;
  std::vector<std::uint32_t> sources(ranks_, 0);
  const auto add = [&](Rank from, Rank to, std::uint32_t& targets) {
    const double bytes = piece(from, to);
    if (bytes > 0) {
      sent_[from] += bytes;
      received_[to] += bytes;
      ++targets;
      ++sources[to];
    }
  };
  if (parts_ == Parts::by_pair) {
    for (Rank from = 0; from < ranks_; ++from) {
      std::uint32_t targets = 0;
      for (Rank to = 0; to < ranks_; ++to) {
        add(from, to, targets);
      }
      most_targets = std::max(most_targets, targets);
    }
  } else if (parts_ == Parts::of_root || parts_ == Parts::for_root) {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      parts_ == Parts::of_root ? add(root_, rank, most_targets) : add(rank, root_, most_targets);
    }
  } else {
    // In by_distance, part 0 is a rank's own, and in by_target, every rank lacks its own part.
    const double all = sum_of(part_bytes_);
    const auto filled = static_cast<std::uint32_t>(std::count_if(
        part_bytes_.begin(), part_bytes_.end(), [](double each) { return each > 0; }));
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const double own = part_bytes_[parts_ == Parts::by_distance ? 0 : rank];
      sent_[rank] = all - own;
      received_[rank] = parts_ == Parts::by_distance ? all - own : (ranks_ - 1.0) * own;
      most_targets = std::max(most_targets, filled - (own > 0 ? 1U : 0U));
      sources[rank] = parts_ == Parts::by_target && own > 0 ? ranks_ - 1 : 0;
    }
  }
  partners_ = std::max(most_targets, *std::max_element(sources.begin(), sources.end()));
  nothing_ = partners_ == 0;
}

Needs::Direction Needs::direction() const {
  switch (collective_) {
    case Collective::bcast:
    case Collective::scatter:
    case Collective::scatterv:
      return Direction::from_one;
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
      return Direction::to_one;
    case Collective::allreduce:
    case Collective::barrier:
    case Collective::scan:
    case Collective::exscan:
      return Direction::both;
    default:
      return Direction::either;
  }
}

std::optional<double> Needs::equal_piece() const {
  if (parts_ != Parts::by_distance && parts_ != Parts::by_target) {
    return std::nullopt;
  }
  const auto [least, most] = piece_range();
  return least == most ? std::optional(least) : std::nullopt;
}

std::optional<Rank> Needs::only_source() const {
  const bool scatters = collective_ == Collective::scatter || collective_ == Collective::scatterv;
  return scatters ? std::optional(root_) : std::nullopt;
}

std::optional<Rank> Needs::only_target() const {
  const bool gathers = collective_ == Collective::gather || collective_ == Collective::gatherv;
  return gathers ? std::optional(root_) : std::nullopt;
}

std::optional<Needs::Blocks> Needs::blocks() const {
  const bool of_root = parts_ == Parts::of_root || parts_ == Parts::for_root;
  const std::vector<double>& blocks = of_root ? part_bytes_ : !copied_.empty() ? copied_ : summed_;
  if (blocks.empty()) {
    return std::nullopt;
  }
  return Blocks{sum_of(blocks), *std::max_element(blocks.begin(), blocks.end())};
}

std::pair<double, double> Needs::piece_range() const {
  if (parts_ == Parts::by_distance || parts_ == Parts::by_target) {
    const auto [least, most] = std::minmax_element(
        part_bytes_.begin() + (parts_ == Parts::by_distance ? 1 : 0), part_bytes_.end());
    return {*least, *most};
  }
  std::pair<double, double> range{0, 0};
  if (parts_ == Parts::by_pair) {
    range = {piece(0, 1), piece(0, 1)};
    for (Rank from = 0; from < ranks_; ++from) {
      for (Rank to = 0; to < ranks_; ++to) {
        const double bytes = from == to ? range.first : piece(from, to);
        range = {std::min(range.first, bytes), std::max(range.second, bytes)};
      }
    }
  }
  return range;
}

double Needs::piece(Rank from, Rank to) const {
  if (from == to) {
    return 0;
  }
  switch (parts_) {
    case Parts::by_distance:
      return part_bytes_[to >= from ? to - from : to + ranks_ - from];
    case Parts::by_target:
      return part_bytes_[to];
    case Parts::by_pair:
      return part_bytes_[std::size_t{from} * ranks_ + to];
    case Parts::of_root:
      return from == root_ ? part_bytes_[to] : 0;
    case Parts::for_root:
      return to == root_ ? part_bytes_[from] : 0;
    case Parts::none:
      return 0;
  }
  return 0;
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
      return in_pieces()
                 ? piece(from, to) > 0
                 : (!copied_.empty() && copied_[from] > 0) || (!summed_.empty() && summed_[to] > 0);
  }
}

double Needs::between(std::span<const std::uint32_t> group_of_rank, std::uint32_t groups) const {
  if (in_pieces()) {
    return sum_of(of_groups(group_of_rank, groups).sent);
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

GroupNeeds Needs::of_groups(std::span<const std::uint32_t> group_of_rank,
                            std::uint32_t groups) const {
  GroupNeeds found;
  if (!in_pieces()) {
    // The same as for a rank, with the data of all ranks of the group.
    const bool all_reduce = collective_ == Collective::allreduce;
    const auto sums = [&](const std::vector<double>& by_rank) {
      return all_reduce || by_rank.empty() ? std::vector<double>(groups, 0)
                                           : by_host(by_rank, group_of_rank, groups);
    };
    const std::vector<double> copied = sums(copied_);
    const std::vector<double> summed = sums(summed_);
    const double all_copied = all_reduce ? bytes_ : sum_of(copied);
    const double all_summed = all_reduce ? bytes_ : sum_of(summed);
    for (std::uint32_t group = 0; group < groups; ++group) {
      found.sent.push_back(std::max(copied[group], all_summed - summed[group]));
      found.received.push_back(std::max(summed[group], all_copied - copied[group]));
    }
    return found;
  }
  found.sent = by_host(sent_, group_of_rank, groups);
  found.received = by_host(received_, group_of_rank, groups);
  if (groups == ranks_) {
    return found;
  }
  std::vector<std::vector<Rank>> members(groups);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    members[group_of_rank[rank]].push_back(rank);
  }
  const std::optional<double> equal = equal_piece();
  for (std::uint32_t group = 0; group < groups; ++group) {
    double own = 0;
    if (equal) {
      const auto count = static_cast<double>(members[group].size());
      own = *equal * count * (count - 1);
    } else {
      for (const Rank from : members[group]) {
        for (const Rank to : members[group]) {
          own += piece(from, to);
        }
      }
    }
    found.sent[group] -= own;
    found.received[group] -= own;
  }
  return found;
}

PieceRows Needs::by_rows(std::span<const std::uint32_t> host_of_rank,
                         std::vector<std::uint32_t> row_of_host) const {
  const std::size_t hosts = row_of_host.size();
  PieceRows found;
  found.rows = *std::max_element(row_of_host.begin(), row_of_host.end()) + 1;
  found.bytes.assign(found.rows * hosts, 0);
  found.row_of_host = std::move(row_of_host);
  if (const std::optional<double> equal = equal_piece()) {
    std::vector<double> ranks(hosts, 0);
    std::vector<double> ranks_of_row(found.rows, 0);
    for (const std::uint32_t host : host_of_rank) {
      ++ranks[host];
      ++ranks_of_row[found.row_of_host[host]];
    }
    for (std::size_t row = 0; row < found.rows; ++row) {
      for (std::size_t to = 0; to < hosts; ++to) {
        const double own = found.row_of_host[to] == row ? ranks[to] : 0;
        found.bytes[row * hosts + to] = *equal * (ranks_of_row[row] - own) * ranks[to];
      }
    }
    return found;
  }
  for (Rank from = 0; from < ranks_; ++from) {
    double* const row = &found.bytes[found.row_of_host[host_of_rank[from]] * hosts];
    for (Rank to = 0; to < ranks_; ++to) {
      if (host_of_rank[from] != host_of_rank[to]) {
        row[host_of_rank[to]] += piece(from, to);
      }
    }
  }
  return found;
}

double Needs::from_inside(std::span<const std::uint32_t> host_of_rank,
                          const std::vector<bool>& inside) const {
  std::vector<Rank> senders;
  std::vector<Rank> receivers;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    (inside[host_of_rank[rank]] ? senders : receivers).push_back(rank);
  }
  if (const std::optional<double> equal = equal_piece()) {
    return *equal * static_cast<double>(senders.size()) * static_cast<double>(receivers.size());
  }
  double bytes = 0;
  for (const Rank from : senders) {
    for (const Rank to : receivers) {
      bytes += piece(from, to);
    }
  }
  return bytes;
}

}}  // namespace tutti::cost_models
