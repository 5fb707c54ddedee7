// Guesses what a user meant by an unknown word, for "did you mean" hints.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tutti { inline namespace base {

struct InputKind;

// True if the words are equal, apart from upper and lower case, and from dashes in place of
// underscores.
[[nodiscard]] bool same_word(std::string_view a, std::string_view b);

// Returns the candidate that is most similar to `word`; "" if none is similar. Candidates must be
// words that are accepted in the place of `word`, because users type what is suggested.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

// Returns the end of an error message, such as "; did you mean 'flow'?"; "" if no candidate is
// similar.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

// Returns the list of accepted words for an error message, followed by did_you_mean().
[[nodiscard]] std::string accepted_words(std::string_view word, std::span<const std::string> words);

// Throws UserError, which names `what` and lists `words`, unless `text` is one of them.
void check_word(std::string_view what, std::string_view text, std::span<const std::string> words);

// Returns "write A, B or C", with those of `forms` that `accept` does not refuse with a UserError;
// "" if it refuses all. A message made by `accept` itself offers no further corrections.
[[nodiscard]] std::string accepted_corrections(
    std::span<const std::string> forms, const std::function<void(const std::string&)>& accept);

// For a path that does not exist, returns "; did you mean 'torus_64.xml'?", with the most similar
// name in the path's folder. Returns "" if no name is similar, if that file has a content that
// files of this kind cannot have, or if the folder cannot be read. Reads at most 10,000 names.
[[nodiscard]] std::string nearest_file(const std::string& path, const InputKind& kind);

}}  // namespace tutti::base
