#include "src/output/common_fields.hpp"

#include <utility>

#include "base/field_names.hpp"
#include "schedules/collective.hpp"
#include "sim/engine.hpp"

namespace tutti { inline namespace output {

namespace { namespace common_fields {

constexpr auto kPrices = fields<Prices>({
    {"alpha_s", member<&Prices::alpha_s>},
    {"beta_s_per_byte", member<&Prices::beta_s_per_byte>},
    {"gamma_s_per_byte", member<&Prices::gamma_s_per_byte>},
    {"copy_s_per_byte", member<&Prices::copy_s_per_byte>},
});

template <Spending on>
constexpr auto seconds = [](const TimeBySpending& spent) { return spent[on]; };

constexpr auto kSpent = fields<TimeBySpending>({
    {"start_of_run_s", seconds<Spending::start_of_run>,
     "Time before the first operation can start, according to --parameters."},
    {"lateness_s", seconds<Spending::lateness>,
     "Time in which nothing ran, because a rank was late."},
    {"startup_s", seconds<Spending::startup>,
     "Latency of the chain's messages, each on its own route, and work at their two ends."},
    {"transfer_s", seconds<Spending::transfer>,
     "Time for the bytes of these messages, at the rate that each message would have alone."},
    {"sharing_s", seconds<Spending::sharing>, "Time lost to links that other messages share."},
    {"reduction_s", seconds<Spending::reduction>},
    {"copying_s", seconds<Spending::copying>},
    {"cores_s", seconds<Spending::cores>,
     "Time lost because more ranks than cores work on a host."},
});

constexpr auto kCitation = fields<PublishedFormula>({
    {"formula", member<&PublishedFormula::formula>, not_empty},
    {"citation", member<&PublishedFormula::citation>, not_empty},
    {"section", member<&PublishedFormula::section>, not_empty,
     "Place in the cited work: a section, a theorem or a file."},
    {"holds_for", [](const PublishedFormula& each) { return with_fields(each.condition); },
     not_empty, "Condition on ranks, root and options for which the formula holds."},
    {"account", [](const PublishedFormula& each) { return name(each.account); },
     one_of(kAccountNames),
     "Claim of the source. exact: the formula is the exact cost. approximate: it omits something. "
     "upper bound: the cost is at most its value. misprint: it is wrong even where the source says "
     "that it holds."},
});

constexpr auto kTies = fields<RangedTime>(
    "The range of the time over several tie-breaking orders. The time itself is then the median. "
    "null if the range is at most 0.1 % of the time. If the ranges of two candidates overlap, "
    "neither is ahead.",
    {
        {"least_s", [](const RangedTime& time) { return time.least_s(); }},
        {"most_s", [](const RangedTime& time) { return time.most_s(); }},
    });

}}  // namespace ::common_fields

FieldView price_fields() { return common_fields::kPrices.view(); }
FieldView tie_range_fields() { return common_fields::kTies.view(); }
FieldView spent_fields() { return common_fields::kSpent.view(); }
FieldView citation_fields() { return common_fields::kCitation.view(); }

std::span<const std::string_view> collective_words() {
  static const std::vector<std::string_view> words = [] {
    const auto names = words_of<kCollectives>();
    std::vector<std::string_view> all(names.begin(), names.end());
    all.push_back(name(Collective::application));
    return all;
  }();
  return words;
}

std::vector<std::string_view> overrides_of(const PriceOverrides& overrides) {
  std::vector<std::string_view> replaced;
  const std::array given{overrides.alpha_s.has_value(), overrides.beta_s_per_byte.has_value(),
                         overrides.gamma_s_per_byte.has_value()};
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i]) {
      replaced.push_back(kPriceNames[i]);
    }
  }
  return replaced;
}

std::variant<std::uint32_t, std::string_view> ports_value(std::uint32_t ports) {
  if (ports == kUnlimitedPorts) {
    return kUnlimitedPortsName.front();
  }
  return ports;
}

std::optional<std::uint64_t> eager_value(std::int64_t eager_bytes) {
  return value_if(eager_bytes >= 0, static_cast<std::uint64_t>(eager_bytes));
}

std::optional<std::string> text_if_any(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::optional<RangedTime> ties_of(const RangedTime& time) {
  return value_if(time.ties_matter(), time);
}

}}  // namespace tutti::output
