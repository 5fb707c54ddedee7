// Options of algorithms as JSON. schedules/options defines the options and their keys.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "schedules/algorithm.hpp"
#include "schedules/options/option_type.hpp"

namespace tutti::inline formats {

// Kind of run that a record describes.
enum class RecordOf : std::uint8_t { simulation, mpi };

// Adds the options that have a column in such records (OptionType::recorded): first those with
// words as values, then those with numbers. The value is null if the algorithm does not take the
// option.
void put_options(nlohmann::ordered_json& record, const Algorithm& algorithm, const Problem& problem,
                 RecordOf of);
// Adds the options whose values are lists. Tables of records have no column for them.
void put_option_lists(nlohmann::ordered_json& record, const Problem& problem);

// Value of one option.
[[nodiscard]] nlohmann::ordered_json option_json(const OptionType& type, const Problem& problem);

// All options that differ from their default. They are to be read by the same build, because
// defaults may change.
[[nodiscard]] nlohmann::ordered_json options_json(const Problem& problem);

// Reads options that any of these functions has written. Missing and null options are left alone.
// Throws a UserError that names the key.
void read_options(const nlohmann::json& json, Problem& problem);

}  // namespace tutti::inline formats
