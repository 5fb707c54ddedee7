#include "simulation/explain/account_rows.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tutti {

namespace {

// The rank whose port or core it was.
Rank owner(const ChainStep& step, const Op& op) {
  return step.resource == Resource::outgoing_port ? op.src() : op.dst();
}

void add_part(std::vector<RowPart>& parts, const Piece& piece) {
  for (RowPart& part : parts) {
    if (part.on == piece.on && part.link == piece.link) {
      part.seconds += piece.seconds;
      return;
    }
  }
  parts.push_back({piece.on, piece.link, piece.seconds});
}

}  // namespace

std::vector<AccountRow> rows_of(const TimeAccount& account, const Schedule& schedule) {
  std::vector<AccountRow> rows;
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::size_t> known;
  for (const Piece& piece : account.pieces) {
    const ChainStep& step = account.chain[piece.step];
    const Op& op = schedule.op(step.op);
    AccountRow like;
    if (piece.waited_for) {
      like.wait = true;
      like.resource = step.resource;
      like.rank = owner(step, op);
    } else {
      like.on = piece.on;
      like.link = piece.link;
    }
    const auto key = like.wait
                         ? std::tuple(true, static_cast<std::uint32_t>(like.resource), like.rank)
                         : std::tuple(false, static_cast<std::uint32_t>(like.on), like.link);
    const auto [at, is_new] = known.try_emplace(key, rows.size());
    if (is_new) {
      rows.push_back(like);
    }
    AccountRow& row = rows[at->second];
    row.seconds += piece.seconds;
    if (row.ops.empty() || row.ops.back() != step.op) {
      row.ops.push_back(step.op);
      row.levels.push_back(op.label().level);
    }
    if (row.wait) {
      add_part(row.parts, piece);
    }
  }
  const auto larger = [](const auto& a, const auto& b) { return a.seconds > b.seconds; };
  for (AccountRow& row : rows) {
    std::sort(row.levels.begin(), row.levels.end());
    row.levels.erase(std::unique(row.levels.begin(), row.levels.end()), row.levels.end());
    std::stable_sort(row.parts.begin(), row.parts.end(), larger);
  }
  std::stable_sort(rows.begin(), rows.end(), larger);
  return rows;
}

}  // namespace tutti
