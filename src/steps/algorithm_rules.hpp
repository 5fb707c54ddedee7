// Reads rules on algorithms from the command line.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/steps/description.hpp"

namespace tutti { inline namespace steps {

// Puts the rules of `text` before those of the step. Rules are as in a description, without the
// word "algorithm", and separated by ';': "allreduce on dp ring --channels 2; all by best". `from`
// is the field to name in messages. Throws UserError.
void add_algorithm_rules(std::string_view from, std::string_view text, StepDescription& step);

// Reads the end of a rule, whose collective is known: 'by nccl', perhaps with a release, 'by best',
// or an algorithm and its options. Returns a sentence on what is wrong; "" if nothing is.
[[nodiscard]] std::string take_choice(std::span<const std::string_view> words, AlgorithmRule& rule);

}}  // namespace tutti::steps
