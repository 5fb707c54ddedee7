#include "src/pictures/drawn_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"

namespace tutti { inline namespace pictures {

namespace {

struct ReadOp {
  bool is_message = false;
  bool reduces = false;
  std::uint64_t level = 0;
  std::uint64_t segment = 0;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> blocks;
  bool scratch = false;  // as in DrawnMessage
  std::vector<std::uint64_t> after;
  std::uint64_t round = 0;
};

[[noreturn]] void damaged(std::string_view what) {
  throw UserError(fmt::format("damaged schedule: {}; run 'tutti show --format json' again", what));
}

ReadOp read_op(const nlohmann::json& json, std::uint64_t id, const DrawnSchedule& schedule) {
  const std::uint32_t ranks = schedule.ranks;
  ReadOp op;
  const auto kind = json.at("kind").get<std::string>();
  op.is_message = kind == "comm";
  op.reduces = kind == "reduce";
  op.level = json.at("level").get<std::uint64_t>();
  op.segment = json.at("segment").get<std::uint64_t>();
  op.src = json.at("src").get<std::uint32_t>();
  op.dst = json.at("dst").get<std::uint32_t>();
  op.bytes = json.at("bytes").get<std::uint64_t>();
  if (op.src >= ranks || op.dst >= ranks) {
    damaged(fmt::format("operation {} names rank {}, but there are {} ranks", id,
                        std::max(op.src, op.dst), ranks));
  }
  if (const auto from = json.find("from"); from != json.end() && schedule.blocks > 0) {
    op.blocks = from->at("blocks").get<std::vector<std::uint64_t>>();
    op.scratch = from->value("buffer", std::string()) == "scratch";
    const auto slot = from->value("slot", std::uint64_t{0});
    for (std::uint64_t& block : op.blocks) {
      block += op.scratch ? slot * schedule.blocks : 0;
    }
  }
  for (const nlohmann::json& before : json.at("after")) {
    op.after.push_back(before.at("op").get<std::uint64_t>());
    if (op.after.back() >= id) {
      damaged(fmt::format("operation {} depends on operation {}, which does not precede it", id,
                          op.after.back()));
    }
  }
  return op;
}

// True if a rank sends messages of several segments in the same level.
bool levels_overlap(const std::vector<ReadOp>& ops) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> segment_sent;
  return std::any_of(ops.begin(), ops.end(), [&](const ReadOp& op) {
    if (!op.is_message) {
      return false;
    }
    const auto [at, is_new] = segment_sent.try_emplace({op.level, op.src}, op.segment);
    return !is_new && at->second != op.segment;
  });
}

// Counts the levels that have a message, and the most messages that a rank sends or receives in one
// of them.
void count_levels(const std::vector<ReadOp>& ops, DrawnSchedule& schedule) {
  std::set<std::uint64_t> levels;
  std::map<std::tuple<std::uint64_t, std::uint32_t, bool>, std::uint32_t> messages;
  for (const ReadOp& op : ops) {
    if (op.is_message) {
      levels.insert(op.level);
      schedule.ports_of_levels =
          std::max({schedule.ports_of_levels, ++messages[{op.level, op.src, true}],
                    ++messages[{op.level, op.dst, false}]});
    }
  }
  schedule.levels = levels.size();
}

// The ports of a rank in one direction: the step of its last message, and how many it has there.
struct PortsInUse {
  std::uint64_t step = 0;
  std::uint32_t used = 0;

  // Returns the first step, not before `first_step`, that has a port left.
  [[nodiscard]] std::uint64_t free_at(std::uint64_t first_step, std::uint32_t ports) const {
    return first_step > step ? first_step : step + (used < ports ? 0 : 1);
  }
  void take(std::uint64_t at) {
    used = at > step ? 1 : used + 1;
    step = at;
  }
};

// Puts each message, in the order of the operations, into the earliest step that is possible if
// each rank has `ports` ports for sending and as many for receiving.
void put_into_steps(std::vector<ReadOp>& ops, std::uint32_t ports) {
  std::unordered_map<std::uint32_t, PortsInUse> may_send;
  std::unordered_map<std::uint32_t, PortsInUse> may_receive;
  std::vector<std::uint64_t> over(ops.size());  // for each operation, the first step after it
  for (std::size_t id = 0; id < ops.size(); ++id) {
    std::uint64_t ready = 0;
    for (const std::uint64_t before : ops[id].after) {
      ready = std::max(ready, over[before]);
    }
    if (!ops[id].is_message) {
      over[id] = ready;
      ops[id].round = ready == 0 ? 0 : ready - 1;
      continue;
    }
    PortsInUse& sends = may_send[ops[id].src];
    PortsInUse& receives = may_receive[ops[id].dst];
    const std::uint64_t step =
        receives.free_at(sends.free_at(receives.free_at(ready, ports), ports), ports);
    ops[id].round = step;
    over[id] = step + 1;
    sends.take(step);
    receives.take(step);
  }
}

// Puts operations into rounds by level. Operations of a level without messages go to the round of
// the nearest earlier level with messages, or, if there is none, of the first level with messages.
void put_into_levels(std::vector<ReadOp>& ops) {
  std::set<std::uint64_t> with_messages;
  for (const ReadOp& op : ops) {
    if (op.is_message) {
      with_messages.insert(op.level);
    }
  }
  for (ReadOp& op : ops) {
    const auto after = with_messages.upper_bound(op.level);
    op.round = with_messages.empty()            ? 0
               : after == with_messages.begin() ? *after
                                                : *std::prev(after);
  }
}

// Adds the blocks of `op`. If some operations move blocks and others places in scratch, only the
// blocks are kept.
template <typename Drawn>
void add_blocks(Drawn& one, const ReadOp& op) {
  if (one.blocks.empty() || (one.scratch && !op.scratch)) {
    one.blocks = op.blocks;
    one.scratch = op.scratch;
  } else if (one.scratch == op.scratch) {
    one.blocks.insert(one.blocks.end(), op.blocks.begin(), op.blocks.end());
  }
}

std::vector<DrawnRound> rounds_of(std::vector<ReadOp>& ops) {
  std::map<std::uint64_t, DrawnRound> rounds;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, DrawnMessage> messages;
  std::map<std::tuple<std::uint64_t, std::uint32_t, bool>, DrawnWork> work;
  for (ReadOp& op : ops) {
    rounds[op.round].number = op.round;
    if (op.is_message) {
      DrawnMessage& one = messages[{op.round, op.src, op.dst}];
      one.src = op.src;
      one.dst = op.dst;
      one.bytes += op.bytes;
      ++one.count;
      add_blocks(one, op);
    } else {
      DrawnWork& one = work[{op.round, op.src, !op.reduces}];
      one.rank = op.src;
      one.reduces = op.reduces;
      one.bytes += op.bytes;
      add_blocks(one, op);
    }
  }
  for (auto& [key, one] : messages) {
    rounds[std::get<0>(key)].messages.push_back(std::move(one));
  }
  for (auto& [key, one] : work) {
    rounds[std::get<0>(key)].work.push_back(std::move(one));
  }
  std::vector<DrawnRound> drawn;
  for (auto& [number, round] : rounds) {
    drawn.push_back(std::move(round));
  }
  return drawn;
}

DrawnSchedule read(const nlohmann::json& json) {
  DrawnSchedule schedule;
  schedule.ranks = json.at("ranks").get<std::uint32_t>();
  if (schedule.ranks == 0) {
    damaged("it has no ranks");
  }
  if (json.contains("switches")) {
    throw UserError(
        "cannot draw a schedule that uses switches; 'tutti show' prints it in other formats");
  }
  const auto bytes = json.at("bytes").get<std::uint64_t>();
  schedule.title =
      fmt::format("{}/{} on {}{}", json.at("collective").get<std::string>(),
                  json.at("algorithm").get<std::string>(), counted(schedule.ranks, "rank"),
                  bytes == 0 ? "" : ", " + human_bytes(bytes));
  // The messages of a barrier have no data, although its schedule names a block of 0 bytes.
  if (const auto blocks = json.find("block_bytes"); blocks != json.end() && bytes > 0) {
    schedule.blocks = blocks->size();
  }
  std::vector<ReadOp> ops;
  for (const nlohmann::json& op : json.at("ops")) {
    ops.push_back(read_op(op, ops.size(), schedule));
    schedule.messages += ops.back().is_message ? 1 : 0;
  }
  schedule.ports = json.value("ports", std::uint32_t{1});
  count_levels(ops, schedule);
  schedule.steps = levels_overlap(ops) && schedule.ports < schedule.ports_of_levels;
  if (schedule.steps) {
    put_into_steps(ops, schedule.ports);
  } else {
    put_into_levels(ops);
  }
  schedule.rounds = rounds_of(ops);
  return schedule;
}

}  // namespace

std::optional<std::uint64_t> DrawnSchedule::bytes_of_all() const {
  std::optional<std::uint64_t> bytes;
  for (const DrawnRound& round : rounds) {
    for (const DrawnMessage& one : round.messages) {
      if (one.count != 1 || (bytes && *bytes != one.bytes)) {
        return std::nullopt;
      }
      bytes = one.bytes;
    }
  }
  return bytes;
}

DrawnSchedule drawn_schedule(const nlohmann::json& schedule) {
  try {
    return read(schedule);
  } catch (const nlohmann::json::exception& error) {
    damaged(error.what());
  }
}

std::string blocks_in_words(const std::vector<std::uint64_t>& blocks, std::uint64_t of_blocks,
                            bool scratch) {
  std::set<std::uint64_t> known(blocks.begin(), blocks.end());
  if (known.empty()) {
    return "";
  }
  if (!scratch && of_blocks > 1 && known.size() == of_blocks) {
    return "all";
  }
  std::string words;
  for (auto first = known.begin(); first != known.end();) {
    auto last = first;
    auto next = std::next(first);
    while (next != known.end() && *next == *last + 1) {
      last = next++;
    }
    words += !words.empty() ? "," : scratch ? "s" : "b";
    words += *first == *last ? fmt::format("{}", *first) : fmt::format("{}-{}", *first, *last);
    first = next;
  }
  return words;
}

}}  // namespace tutti::pictures
