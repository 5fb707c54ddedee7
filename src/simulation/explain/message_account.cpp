#include "src/simulation/explain/message_account.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "sim/messages/message_network.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/message_setup.hpp"

namespace tutti { inline namespace simulation {

namespace {

using Waits = std::shared_ptr<const std::vector<MessageWaits>>;

const MessageWaits& waits_of(const std::vector<MessageWaits>& waits, OpId id) {
  static const MessageWaits kNone;
  const auto at = std::ranges::lower_bound(waits, id, {}, &MessageWaits::id);
  return at != waits.end() && at->id == id ? *at : kNone;
}

}  // namespace

std::optional<MessageAccount> message_account(const Schedule& schedule, const Machine& machine,
                                              const FlowRecord& record) {
  if (!machine.files.messages) {
    return std::nullopt;
  }
  FlowNetwork flow = flow_network(schedule.ranks(), machine);
  RunSetup setup = machine.setup;
  send_messages(schedule, machine, flow.network, flow.setup, setup);
  const auto network = std::dynamic_pointer_cast<MessageNetwork>(flow.network);
  TUTTI_INVARIANT(network != nullptr);
  std::vector<MessageWaits> sorted = record.waits;
  std::ranges::sort(sorted, {}, &MessageWaits::id);
  const Waits waits = std::make_shared<const std::vector<MessageWaits>>(std::move(sorted));
  MessageAccount account;
  account.start = library_parts(machine, schedule.problem().bytes);
  if (schedule.problem().collective != Collective::application) {
    const LocalParts local =
        local_parts(machine, schedule.problem().bytes, ranks_per_host(flow.setup.host_of_rank));
    account.reduction = local.reduction;
    account.copying = local.copying;
  }
  account.times_of = [network, waits](OpId id, const Op& op) {
    return network->times_of(op, waits_of(*waits, id));
  };
  account.start_s = [waits](OpId id) { return waits_of(*waits, id).start_s; };
  account.limit_of = [network](std::uint32_t link) { return network->limit_of(link); };
  return account;
}

}}  // namespace tutti::simulation
