// Converts options of algorithms to JSON and back. schedules/options defines the options and their
// keys.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "schedules/algorithm.hpp"
#include "schedules/options/option_type.hpp"
#include "src/formats/fields.hpp"

namespace tutti { inline namespace formats {

// Kind of run that a record describes.
enum class RecordOf : std::uint8_t { simulation, mpi };

// Adds to `record` the options that have a column in records of the kind `of`
// (OptionType::recorded): first the options whose values are words, then those whose values are
// numbers. The value is null if the algorithm does not take the option.
void put_options(nlohmann::ordered_json& record, const Algorithm& algorithm, const Problem& problem,
                 RecordOf of);
// Adds the options whose values are lists. Tables of records have no column for them.
void put_option_lists(nlohmann::ordered_json& record, const Problem& problem);

// Returns the value of one option.
[[nodiscard]] nlohmann::ordered_json option_json(const OptionType& type, const Problem& problem);

// Fields of a Problem: all options that differ from their defaults. Only the same build may read
// such an object, because defaults may change.
[[nodiscard]] FieldView option_fields();

// Reads options that any of these functions has written. Options that are missing or null stay as
// they are in `problem`. Throws a UserError that names the key.
void read_options(const nlohmann::json& json, Problem& problem);

}}  // namespace tutti::formats
