#include "schedules/verify/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "schedules/notation/print.hpp"
#include "schedules/place_name.hpp"
#include "schedules/verify/empty_block.hpp"
#include "schedules/verify/wording.hpp"

namespace tutti { inline namespace schedules {

Races::Races(const Schedule& schedule, const Contract& contract, const RankOps& ops,
             std::uint64_t search_budget, Findings& findings)
    : schedule_(schedule),
      contract_(contract),
      ops_(ops),
      findings_(findings),
      event_search_(schedule, search_budget),
      cells_(3) {}

void Races::check(Rank rank, const RankOrder& order) {
  rank_ = rank;
  order_ = &order;
  ids_ = ops_.at(rank);
  compared_with_.assign(ids_.size(), 0);
  for (std::uint32_t index = 0; index < ids_.size(); ++index) {
    collect_unordered(index);
    search(index);
    check_reads(index);
    record(index);
  }
  count_unread_at_end();
  forget_cells();
}

std::vector<UndefinedRead> Races::take_undefined_reads() {
  std::sort(undefined_reads_.begin(), undefined_reads_.end());
  return std::exchange(undefined_reads_, {});
}

Races::Cell& Races::cell(Buffer buffer, std::uint32_t index) {
  std::vector<Cell>& cells = cells_[static_cast<std::size_t>(buffer)];
  if (index >= cells.size()) {
    cells.resize((index / schedule_.blocks() + std::size_t{1}) * schedule_.blocks());
  }
  return cells[index];
}

void Races::forget_cells() {
  for (std::vector<Cell>& cells : cells_) {
    std::fill(cells.begin(), cells.end(), Cell{});
  }
  links_.clear();
}

// Fills candidates_ with the earlier operations that conflict with operation `index` and that, as
// far as the rank itself knows, may still be running when operation `index` starts.
void Races::collect_unordered(std::uint32_t index) {
  candidates_.clear();
  for_each_access(schedule_, ids_[index], rank_,
                  [&](Buffer buffer, std::uint32_t first, std::uint32_t count, Access access) {
                    for (std::uint32_t at = first; at < first + count; ++at) {
                      const Cell& touched = cell(buffer, at);
                      if (touched.writes != kNone) {
                        require(links_[touched.writes].index, index);
                      }
                      if (writes(access)) {
                        for (auto link = touched.reads; link != kNone; link = links_[link].next) {
                          require(links_[link].index, index);
                        }
                      }
                    }
                  });
}

void Races::require(std::uint32_t earlier, std::uint32_t index) {
  if (std::exchange(compared_with_[earlier], index + 1) == index + 1) {
    return;
  }
  if (!order_->before(earlier, index)) {
    candidates_.push_back(ids_[earlier]);
  }
}

// Finds the races among candidates_ by searching the event graph, and reports them.
void Races::search(std::uint32_t index) {
  racing_.clear();
  if (candidates_.empty()) {
    return;
  }
  ++searches_;
  for (const OpId before : event_search_.unordered(ids_[index], rank_, candidates_)) {
    racing_.push_back(ops_.index(before, rank_));
    if (event_search_.exhausted()) {
      findings_.add(FindingKind::undecided, ids_[index], [&] {
        return fmt::format(
            "at {} the order of {} and {} is undecided: the search exceeded its limit",
            place_name(schedule_, rank_), label_text(schedule_.op(before)),
            label_text(schedule_.op(ids_[index])));
      });
    } else {
      report_race(before, ids_[index]);
    }
  }
}

void Races::report_race(OpId before, OpId after) {
  findings_.add(FindingKind::race, after, [&] {
    std::string blocks;
    bool first_writes = false;
    bool second_writes = false;
    for (const Buffer buffer : {Buffer::input, Buffer::work, Buffer::scratch}) {
      const auto all_a = touched(schedule_, before, rank_, buffer, false);
      const auto all_b = touched(schedule_, after, rank_, buffer, false);
      const auto written_a = touched(schedule_, before, rank_, buffer, true);
      const auto written_b = touched(schedule_, after, rank_, buffer, true);
      std::vector<std::uint32_t> shared;
      std::set_intersection(written_a.begin(), written_a.end(), all_b.begin(), all_b.end(),
                            std::back_inserter(shared));
      first_writes = first_writes || !shared.empty();
      const std::size_t by_first = shared.size();
      std::set_intersection(all_a.begin(), all_a.end(), written_b.begin(), written_b.end(),
                            std::back_inserter(shared));
      second_writes = second_writes || shared.size() > by_first;
      if (!shared.empty()) {
        blocks += (blocks.empty() ? "" : ", ") + blocks_text(schedule_, buffer, shared);
      }
    }
    const std::string a = label_text(schedule_.op(before));
    const std::string b = label_text(schedule_.op(after));
    // If `before` reads data that only `after` writes, it must wait for `after`, whatever their
    // ids.
    const bool lacks =
        !first_writes && std::ranges::any_of(undefined_reads_, [&](const auto& read) {
          return read.id == before &&
                 std::ranges::binary_search(touched(schedule_, after, rank_, read.buffer, true),
                                            read.index);
        });
    return fmt::format("at {}, {} {} and {} {} {}, and nothing orders them; let {} come after {}",
                       place_name(schedule_, rank_), a, first_writes ? "writes" : "reads", b,
                       second_writes ? "writes" : "reads", blocks, lacks ? a : b, lacks ? b : a);
  });
}

// Finds blocks that operation `index` reads although they may not have been written yet.
void Races::check_reads(std::uint32_t index) {
  const OpId id = ids_[index];
  std::vector<std::uint32_t> missing;
  Buffer missing_in = Buffer::work;
  OpId too_late = kNoOp;
  for_each_access(schedule_, id, rank_,
                  [&](Buffer buffer, std::uint32_t first, std::uint32_t count, Access access) {
                    if (!reads(access)) {
                      return;
                    }
                    for (std::uint32_t at = first; at < first + count; ++at) {
                      if (holds(buffer, at, index)) {
                        continue;
                      }
                      undefined_reads_.push_back({id, buffer, at});
                      if (missing.empty() || missing_in == buffer) {
                        missing_in = buffer;
                        missing.push_back(at);
                      }
                      const std::uint32_t writer = cell(buffer, at).writes;
                      if (writer != kNone && too_late == kNoOp) {
                        too_late = ids_[links_[writer].index];
                      }
                    }
                  });
  if (missing.empty()) {
    return;
  }
  findings_.add(FindingKind::undefined_read, id, [&] {
    std::string text =
        fmt::format("{} {} in {} but does not hold {}", place_name(schedule_, rank_),
                    reading_text(schedule_, id, missing_in, missing), label_text(schedule_.op(id)),
                    missing.size() == 1 ? "it" : "them");
    if (too_late != kNoOp) {
      text += fmt::format(": {} may bring {} too late", label_text(schedule_.op(too_late)),
                          missing.size() == 1 ? "it" : "them");
    }
    return text;
  });
}

// True if block `at` surely has data when operation `index` reads it: an operation that writes the
// block (not necessarily the last such operation) is ordered before operation `index`, or the rank
// has the data from the start. Also true if the block is empty.
bool Races::holds(Buffer buffer, std::uint32_t at, std::uint32_t index) {
  for (std::uint32_t link = cell(buffer, at).writes; link != kNone; link = links_[link].next) {
    if (is_ordered(links_[link].index, index)) {
      return true;
    }
  }
  if (holds_nothing(schedule_, at)) {
    return true;
  }
  return buffer == Buffer::input || (buffer == Buffer::work && contract_.in_place())
             ? contract_.has_input(rank_, at)
             : false;
}

bool Races::is_ordered(std::uint32_t earlier, std::uint32_t index) {
  if (compared_with_[earlier] == index + 1) {
    return std::find(racing_.begin(), racing_.end(), earlier) == racing_.end();
  }
  if (order_->before(earlier, index)) {
    return true;
  }
  const OpId candidate[] = {ids_[earlier]};
  return event_search_.unordered(ids_[index], rank_, candidate).empty();
}

// Adds the accesses of operation `index` to the histories of its blocks.
void Races::record(std::uint32_t index) {
  for_each_access(schedule_, ids_[index], rank_,
                  [&](Buffer buffer, std::uint32_t first, std::uint32_t count, Access access) {
                    for (std::uint32_t at = first; at < first + count; ++at) {
                      Cell& touched = cell(buffer, at);
                      const auto link = static_cast<std::uint32_t>(links_.size());
                      if (writes(access)) {
                        if (touched.writes != kNone && touched.reads == kNone && !reads(access)) {
                          ++unread_writes_;
                        }
                        links_.push_back({index, touched.writes});
                        touched = {link, kNone};
                      } else {
                        links_.push_back({index, touched.reads});
                        touched.reads = link;
                      }
                    }
                  });
}

void Races::count_unread_at_end() {
  for (const Buffer buffer : {Buffer::work, Buffer::scratch}) {
    const std::vector<Cell>& cells = cells_[static_cast<std::size_t>(buffer)];
    for (std::uint32_t at = 0; at < cells.size(); ++at) {
      const bool demanded =
          buffer == Buffer::work && contract_.demand(rank_, at).kind != Demand::Kind::nothing;
      if (cells[at].writes != kNone && cells[at].reads == kNone && !demanded) {
        ++unread_writes_;
      }
    }
  }
}

}}  // namespace tutti::schedules
