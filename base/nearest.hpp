// Guesses what a user meant by an unknown word, for "did you mean" hints.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti::inline base {

// Returns the candidate that is most similar to `word`; "" if none is similar.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

// Returns the end of an error message, such as "; did you mean 'flow'?"; "" if no candidate is
// similar.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

// Returns the list of accepted words for an error message, followed by did_you_mean().
[[nodiscard]] std::string accepted_words(std::string_view word, std::span<const std::string> words);

// Throws a UserError with accepted_words() if `word`, the value of `option`, is not one of `words`.
void check_word(std::string_view option, std::string_view word, std::span<const std::string> words);

// For a path that does not exist, returns "; did you mean 'torus_64.xml'?", with the most similar
// name in the path's folder. Returns "" if no name is similar, or if the folder cannot be read.
// Reads at most 10,000 names.
[[nodiscard]] std::string nearest_file(const std::string& path);

}  // namespace tutti::inline base
