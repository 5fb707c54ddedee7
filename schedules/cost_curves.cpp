#include "schedules/cost_curves.hpp"

#include <algorithm>
#include <tuple>

#include "schedules/error.hpp"

namespace tutti {

namespace {

// Who does something in a round.
using Part = std::tuple<Label, Rank>;

std::vector<Part> parts(const Schedule& schedule, bool sends) {
  std::vector<Part> parts;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      parts.emplace_back(op.label(), sends ? op.src() : op.dst());
    }
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

}  // namespace

const CostPiece& CostCurve::at(std::uint64_t bytes) const {
  TUTTI_INVARIANT(!pieces.empty());
  const auto after = std::upper_bound(
      pieces.begin() + 1, pieces.end(), bytes,
      [](std::uint64_t wanted, const CostPiece& piece) { return wanted < piece.from_bytes; });
  return *(after - 1);
}

std::vector<const CostPiece*> message_pieces(const Schedule& schedule, const CostCurves& curves,
                                             const std::function<bool(Rank, Rank)>& same_node) {
  const std::vector<Part> senders = parts(schedule, true);
  const std::vector<Part> receivers = parts(schedule, false);
  const auto has = [](const std::vector<Part>& all, Label label, Rank rank) {
    return std::binary_search(all.begin(), all.end(), Part(label, rank));
  };
  std::vector<const CostPiece*> pieces(schedule.size(), nullptr);
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (!op.is_comm()) {
      continue;
    }
    const bool within = curves.between_nodes.one_way.empty() || same_node(op.src(), op.dst());
    const MessageCurves& messages = within ? curves.within_node : curves.between_nodes;
    const bool exchange =
        has(receivers, op.label(), op.src()) || has(senders, op.label(), op.dst());
    const CostCurve& curve =
        exchange && !messages.exchange.empty() ? messages.exchange : messages.one_way;
    pieces[id] = &curve.at(op.bytes());
  }
  return pieces;
}

}  // namespace tutti
