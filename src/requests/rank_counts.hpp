// Numbers of ranks as users write them, for -p/--ranks. Throw UserError that names the option.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti {

// As many as a schedule can have.
[[nodiscard]] std::uint32_t parse_ranks(std::string_view text);
// A list of them, as parse_counts() takes it.
[[nodiscard]] std::vector<std::uint32_t> parse_rank_list(std::string_view text);

}  // namespace tutti
