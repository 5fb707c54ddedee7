#include "src/steps/streams.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tutti { inline namespace steps {

namespace {

auto order_of(const StreamSlice& slice) {
  return std::tuple(slice.group ? std::int64_t{*slice.group} : -1, slice.kind);
}

}  // namespace

std::vector<Rank> ranks_to_show(const StepDescription& step, const StepAccount& account,
                                std::uint32_t most) {
  std::vector<Rank> firsts;  // of each stage
  if (step.stage_of_rank.empty()) {
    firsts.push_back(0);
  }
  for (Rank rank = 0; rank < step.stage_of_rank.size(); ++rank) {
    if (step.stage_of_rank[rank] == firsts.size()) {
      firsts.push_back(rank);
    }
  }
  std::vector<Rank> shown;
  if (most > 0) {
    shown.push_back(account.last);
  }
  const std::size_t places = std::min<std::size_t>(most == 0 ? 0 : most - 1, firsts.size());
  for (std::size_t i = 0; i < places; ++i) {
    // Evenly, with the first and the last stage.
    shown.push_back(firsts[places == 1 ? 0 : i * (firsts.size() - 1) / (places - 1)]);
  }
  std::ranges::sort(shown);
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

std::vector<RankStreams> streams_of(const StepRun& run, const StepAccount& account,
                                    const std::vector<Rank>& ranks) {
  const StepDescription& step = run.shortened.step();
  const StepSchedule& schedule = run.step;
  const Timeline& timeline = run.run.timeline;
  std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, std::uint32_t> rows;
  for (std::uint32_t row = 0; row < account.rows.size(); ++row) {
    rows[{account.rows[row].line, account.rows[row].call}] = row;
  }
  const auto end_of = [&](OpId op) { return op == kNoOp ? 0 : timeline.end_s[op]; };
  std::vector<RankStreams> all(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    all[i].rank = ranks[i];
  }
  std::size_t computed = 0;
  for (std::size_t i = 0; i < step.actions.size(); ++i) {
    const StepAction& action = step.actions[i];
    const bool computes = action.kind == StepAction::Kind::compute;
    if (!computes && !action.calls()) {
      continue;
    }
    const auto call = computes ? std::nullopt : std::optional(action.what);
    StreamSlice slice;
    slice.row = rows.at({action.line, call});
    for (RankStreams& of : all) {
      const Rank rank = of.rank;
      const std::size_t place = run.places.place_of_rank[rank] % schedule.places;
      if (computes) {
        const OpId last = schedule.computed[computed * schedule.places + place];
        if (last == kNoOp) {
          continue;
        }
        slice.start_s = timeline.start_s[last + 1 - operations_of(action.picoseconds)];
        slice.end_s = timeline.end_s[last];
      } else {
        const std::size_t at = std::size_t{schedule.collective_of[i]} * schedule.places + place;
        const bool handover = action.kind == StepAction::Kind::handover;
        const bool sends = step.takes_part(action, rank);
        const bool receives = handover && step.stage_of_rank[rank] == action.to_stage;
        if ((!sends && !receives) || schedule.ends[at] == schedule.begin_after[at]) {
          continue;
        }
        slice.group = step.calls[action.what].group;
        slice.kind = !handover ? StreamKind::collectives
                     : sends   ? StreamKind::sent
                               : StreamKind::received;
        slice.start_s = end_of(schedule.begin_after[at]);
        slice.end_s = end_of(schedule.ends[at]);
      }
      slice.busy_s = slice.end_s - slice.start_s;
      of.slices.push_back(slice);
    }
    computed += computes ? 1 : 0;
  }
  return all;
}

std::vector<StreamSlice> joined_slices(const std::vector<StreamSlice>& slices, double least_s) {
  std::vector<StreamSlice> sorted = slices;
  std::ranges::stable_sort(sorted, [](const StreamSlice& a, const StreamSlice& b) {
    return std::pair(order_of(a), a.start_s) < std::pair(order_of(b), b.start_s);
  });
  std::vector<StreamSlice> joined;
  for (const StreamSlice& each : sorted) {
    const bool joins = !joined.empty() && joined.back().same_stream(each) &&
                       each.end_s - each.start_s < least_s &&
                       joined.back().end_s - joined.back().start_s < least_s &&
                       each.start_s - joined.back().end_s < least_s;
    if (!joins) {
      joined.push_back(each);
      continue;
    }
    joined.back().end_s = std::max(joined.back().end_s, each.end_s);
    joined.back().count += each.count;
    joined.back().busy_s += each.busy_s;
  }
  return joined;
}

}}  // namespace tutti::steps
