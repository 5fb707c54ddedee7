// What a word that is not known was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti::inline base {

// Gives the candidate that `word` most likely meant; "" when none is near.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

// "; did you mean 'flow'?", or "" when none is near: the end of a complaint.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

// "accepted is auto, flow or simgrid; did you mean 'flow'?"
[[nodiscard]] std::string accepted_words(std::string_view word, std::span<const std::string> words);

// "; did you mean 'torus_64.xml'?", after a path that leads nowhere: the entry of its folder whose
// name is nearest. "" when none is near, or the folder cannot be read at once.
[[nodiscard]] std::string nearest_file(const std::string& path);

}  // namespace tutti::inline base
