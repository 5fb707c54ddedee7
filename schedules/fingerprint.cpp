#include "schedules/fingerprint.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::string_view kWhole = "whole:";
constexpr std::string_view kRank = "rank:";

// A hash that multiplies two 64-bit words and folds the 128-bit product, as wyhash does. It has two
// independent lanes. It is not cryptographic.
class Hash {
 public:
  void add(std::uint64_t a, std::uint64_t b) { first_ = mix(a ^ kSecrets[1], b ^ first_); }
  void add_aside(std::uint64_t a, std::uint64_t b) { second_ = mix(a ^ kSecrets[2], b ^ second_); }

  [[nodiscard]] std::string digits() const {
    return fmt::format("{:016x}", mix(first_ ^ kSecrets[2], second_ ^ kSecrets[3]));
  }

 private:
  static constexpr std::array<std::uint64_t, 4> kSecrets{0xa0761d6478bd642fU, 0xe7037ed1a0b428dbU,
                                                         0x8ebc6af09c88c6e3U, 0x589965cc75374cc3U};

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }

  std::uint64_t first_ = kSecrets[0];
  std::uint64_t second_ = kSecrets[3];
};

std::uint64_t both(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32U;
}

// Adds an operation without its `pooled` flag, because the flag describes the payload, which may be
// missing.
void add(Hash& hash, const Op& op, const OpIds& after) {
  const Op plain(op.kind(), op.src(), op.dst(), op.bytes(), op.label(), op.from(), op.into(),
                 op.from_is(), false);
  const auto words = std::bit_cast<std::array<std::uint32_t, 5>>(plain);
  hash.add(both(words[0], words[1]), both(words[2], words[3]));
  // The first two predecessors are hashed together, because most operations do not have more.
  hash.add_aside(both(words[4], static_cast<std::uint32_t>(after.size())),
                 both(after.empty() ? kNoOp : after[0], after.size() < 2 ? kNoOp : after[1]));
  for (std::size_t i = 2; i < after.size(); i += 2) {
    hash.add_aside(after[i], i + 1 < after.size() ? after[i + 1] : kNoOp);
  }
}

void add(Hash& hash, const Schedule& schedule) {
  hash.add(both(schedule.ranks(), schedule.switches()), schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    add(hash, schedule.op(id), schedule.predecessors(id));
  }
  for (OpId id = 0; schedule.has_units() && id < schedule.size(); ++id) {
    hash.add(std::bit_cast<std::uint32_t>(schedule.units(id)), id);
  }
}

void add_payload(Hash& hash, const Schedule& schedule) {
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Payload& payload = schedule.payload(id);
    hash.add(both(payload.from.first, payload.from.count),
             both(payload.from.run, payload.from.stride));
    hash.add(payload.into_first, schedule.op(id).pooled() ? 1 : 0);
  }
  for (const BlockPair& pair : schedule.pool()) {
    hash.add(pair.from, pair.into);
  }
  for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
    hash.add(block, schedule.layout().size_bytes(block));
  }
}

}  // namespace

std::string fingerprint(const Schedule& schedule, Detail detail) {
  Hash hash;
  add(hash, schedule);
  if (detail == Detail::payload && !schedule.bytes_only()) {
    add_payload(hash, schedule);
  }
  return std::string(kWhole) + hash.digits();
}

std::string fingerprint(const RankPart& part) {
  Hash hash;
  add(hash, part.schedule);
  hash.add(part.whole_dependencies, part.classes.ranks());
  for (const Rank target : part.targets) {
    hash.add(target, 0);
  }
  return std::string(kRank) + hash.digits();
}

std::string fingerprint_of_rank(const Algorithm& algorithm, const Problem& problem) {
  const RankSymmetry ranks = symmetry_of(algorithm, problem);
  const auto part = ranks.symmetry ? make_rank_part(algorithm, problem, ranks) : std::nullopt;
  return part ? fingerprint(*part) : std::string();
}

std::string fingerprint_like(const std::string& known, const Algorithm& algorithm,
                             const Problem& problem, Detail detail) {
  try {
    if (!known.starts_with(kRank)) {
      return fingerprint(make_schedule(algorithm, problem, detail), detail);
    }
    return fingerprint_of_rank(algorithm, problem);
  } catch (const UserError&) {
    return {};
  }
}

}}  // namespace tutti::schedules
