#include "schedules/fingerprint.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace tutti {

namespace {

constexpr std::string_view kWhole = "whole:";
constexpr std::string_view kRank = "rank:";

// Multiplies 64 bits by 64 and folds the 128 that come out, as wyhash does. Operations go through
// lanes in turn, which do not wait for each other. No defence against people.
class Hash {
 public:
  void add(std::uint64_t a, std::uint64_t b) {
    std::uint64_t& lane = lanes_[next_++ % kLanes];
    lane = mix(a ^ kSecrets[1], b ^ lane);
  }

  [[nodiscard]] std::string digits() const {
    std::uint64_t all = next_;
    for (const std::uint64_t lane : lanes_) {
      all = mix(all ^ kSecrets[2], lane ^ kSecrets[3]);
    }
    return fmt::format("{:016x}", all);
  }

 private:
  static constexpr std::size_t kLanes = 4;
  static constexpr std::array<std::uint64_t, kLanes> kSecrets{
      0xa0761d6478bd642fU, 0xe7037ed1a0b428dbU, 0x8ebc6af09c88c6e3U, 0x589965cc75374cc3U};

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }

  std::array<std::uint64_t, kLanes> lanes_ = kSecrets;
  std::uint64_t next_ = 0;
};

std::uint64_t both(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32U;
}

// Whether its blocks are in the pool is left out: it is a matter of payload, which may not be
// there.
void add(Hash& hash, const Op& op, std::span<const OpId> after) {
  constexpr unsigned kBytesBits = 44;
  hash.add(both(op.src(), op.dst()), op.bytes() | std::uint64_t{op.label().segment} << kBytesBits);
  const auto what =
      static_cast<std::uint32_t>(op.kind()) | static_cast<std::uint32_t>(op.from()) << 2U |
      static_cast<std::uint32_t>(op.into()) << 4U | static_cast<std::uint32_t>(op.from_is()) << 6U;
  // Most operations come after one or two others.
  hash.add(both(op.label().level | what << 24U, static_cast<std::uint32_t>(after.size())),
           both(after.empty() ? kNoOp : after[0], after.size() < 2 ? kNoOp : after[1]));
  for (std::size_t i = 2; i < after.size(); i += 2) {
    hash.add(after[i], i + 1 < after.size() ? after[i + 1] : kNoOp);
  }
}

void add(Hash& hash, const Schedule& schedule) {
  hash.add(schedule.ranks(), schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    add(hash, schedule.op(id), schedule.predecessors(id));
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
  if (detail == Detail::payload) {
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
  const auto part =
      ranks.symmetry ? make_rank_part(algorithm, problem, *ranks.symmetry) : std::nullopt;
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

}  // namespace tutti
