// The options of algorithms as JSON. Which there are, and under which keys: schedules/options.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "schedules/algorithm.hpp"
#include "schedules/options/option_type.hpp"

namespace tutti::inline formats {

// What a record of a run is about.
enum class RecordOf : std::uint8_t { simulation, mpi };

// The plain values, those that are words before numbers: null where the algorithm takes none, and
// what OptionType::recorded leaves out left out.
void put_options(nlohmann::ordered_json& record, const Algorithm& algorithm, const Problem& problem,
                 RecordOf of);
// The lists, which tables of records have no column for.
void put_option_lists(nlohmann::ordered_json& record, const Problem& problem);

// The value of one of them.
[[nodiscard]] nlohmann::ordered_json option_json(const OptionType& type, const Problem& problem);

// All that are not the default, for a reader of this very build.
[[nodiscard]] nlohmann::ordered_json options_json(const Problem& problem);

// From any of these: those that are there and not null. Throws UserError that names the key.
void read_options(const nlohmann::json& json, Problem& problem);

}  // namespace tutti::inline formats
