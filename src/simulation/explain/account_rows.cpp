#include "src/simulation/explain/account_rows.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tutti { inline namespace simulation {

namespace {

// Returns the rank whose port or core was held.
Rank owner(const ChainStep& step, const Op& op) {
  return step.resource == Resource::outgoing_port ? op.src() : op.dst();
}

void add_part(std::vector<RowPart>& parts, const Piece& piece) {
  for (RowPart& part : parts) {
    if (part.on == piece.on && part.link == piece.link && part.part == piece.part) {
      part.seconds += piece.seconds;
      return;
    }
  }
  parts.push_back({piece.on, piece.link, piece.part, piece.seconds});
}

// Returns the row of `key`. Adds a copy of `like` if there is no such row yet.
template <typename Row, typename Key>
Row& row_at(std::vector<Row>& rows, std::map<Key, std::size_t>& known, const Key& key,
            const Row& like) {
  const auto [at, is_new] = known.try_emplace(key, rows.size());
  if (is_new) {
    rows.push_back(like);
  }
  return rows[at->second];
}

template <typename Row>
void add_piece(Row& row, const Piece& piece, OpId id, const Op& op) {
  row.seconds += piece.seconds;
  if (row.ops.empty() || row.ops.back() != id) {
    row.ops.push_back(id);
    row.levels.push_back(op.label().level);
  }
}

template <typename Row>
void put_in_order(std::vector<Row>& rows) {
  for (Row& row : rows) {
    std::sort(row.levels.begin(), row.levels.end());
    row.levels.erase(std::unique(row.levels.begin(), row.levels.end()), row.levels.end());
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
}

}  // namespace

std::vector<AccountRow> rows_of(const TimeAccount& account, const Schedule& schedule) {
  std::vector<AccountRow> rows;
  std::map<std::tuple<Spending, std::uint32_t, MessagePart>, std::size_t> known;
  for (const Piece& piece : account.pieces) {
    const OpId id = account.chain[piece.step].op;
    AccountRow& row = row_at(rows, known, std::tuple(piece.on, piece.link, piece.part),
                             AccountRow{piece.on, piece.link, piece.part, 0, {}, {}});
    add_piece(row, piece, id, schedule.op(id));
  }
  put_in_order(rows);
  return rows;
}

std::vector<WaitRow> waits_of(const TimeAccount& account, const Schedule& schedule) {
  std::vector<WaitRow> rows;
  std::map<std::pair<Resource, Rank>, std::size_t> known;
  for (const Piece& piece : account.pieces) {
    if (!piece.waited_for) {
      continue;
    }
    const ChainStep& step = account.chain[piece.step];
    const Op& op = schedule.op(step.op);
    const Rank rank = owner(step, op);
    WaitRow& row = row_at(rows, known, std::pair(step.resource, rank),
                          WaitRow{step.resource, rank, 0, {}, {}, {}});
    add_piece(row, piece, step.op, op);
    add_part(row.parts, piece);
  }
  for (WaitRow& row : rows) {
    std::stable_sort(row.parts.begin(), row.parts.end(),
                     [](const RowPart& a, const RowPart& b) { return a.seconds > b.seconds; });
  }
  put_in_order(rows);
  return rows;
}

}}  // namespace tutti::simulation
