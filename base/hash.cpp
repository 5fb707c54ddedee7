#include "base/hash.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // an installed tutti then does not need libxxhash
#include <xxhash.h>

namespace tutti { inline namespace base {

std::string hash_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}}  // namespace tutti::base
