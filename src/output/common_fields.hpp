// Fields that several documents have, and functions that return values of fields.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cost_models/published.hpp"
#include "platforms/platform.hpp"
#include "schedules/prices.hpp"
#include "sim/ties.hpp"
#include "src/formats/fields.hpp"
#include "src/simulation/spending.hpp"

namespace tutti { inline namespace output {

// "alpha_s", "beta_s_per_byte", "gamma_s_per_byte" and "copy_s_per_byte".
[[nodiscard]] FieldView price_fields();
inline constexpr FieldsOf<Prices> kPriceFields{price_fields};
// The time of each kind of spending: "startup_s" and so on.
[[nodiscard]] FieldView spent_fields();
inline constexpr FieldsOf<TimeBySpending> kSpentFields{spent_fields};
// Formula, citation, section, condition and account.
[[nodiscard]] FieldView citation_fields();
inline constexpr FieldsOf<PublishedFormula> kCitationFields{citation_fields};

// The range of a time over several orders of ties; ties_of() returns nothing if ties do not matter.
[[nodiscard]] FieldView tie_range_fields();
inline constexpr FieldsOf<RangedTime> kTieRangeFields{tie_range_fields};
[[nodiscard]] std::optional<RangedTime> ties_of(const RangedTime& time);

// The names of all collectives, and "application".
[[nodiscard]] std::span<const std::string_view> collective_words();

// The names of the prices that the user replaced.
inline constexpr std::array<std::string_view, 3> kPriceNames{"alpha", "beta", "gamma"};
[[nodiscard]] std::vector<std::string_view> overrides_of(const PriceOverrides& overrides);

inline constexpr std::array<std::string_view, 1> kUnlimitedPortsName{"unlimited"};
[[nodiscard]] std::variant<std::uint32_t, std::string_view> ports_value(std::uint32_t ports);
// Nothing if no message is eager.
[[nodiscard]] std::optional<std::uint64_t> eager_value(std::int64_t eager_bytes);
// Nothing if the text is empty.
[[nodiscard]] std::optional<std::string> text_if_any(std::string text);

}}  // namespace tutti::output
