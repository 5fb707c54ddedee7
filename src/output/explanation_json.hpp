// Writes explanations as JSON, and their links as CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/formats/document.hpp"
#include "src/formats/timeline_json.hpp"
#include "src/simulation/explain/contrast.hpp"

namespace tutti { inline namespace output {

extern const DocumentOf<Explanation> kExplanationDocument;
// Two explanations and their differences.
struct ContrastAnswer {
  const Contrast& contrast;
  const Explanation& first;
  const Explanation& second;
};
extern const DocumentOf<ContrastAnswer> kContrastDocument;

// Returns the explanation without the result, the links, and the data of individual operations.
[[nodiscard]] nlohmann::ordered_json explanation_summary_json(const Explanation& explanation);
// Writes the JSON of the run, with the explanation as a member.
void write_explained_result_json(const Explanation& explanation, std::ostream& out);

// Writes CSV with the bytes that each link carried, and the time that was lost because messages
// shared the link: a line for each link that was used, in the order of Explanation::links.
void write_links_csv(const Explanation& explanation, std::ostream& out);
// Returns what an explanation adds to a timeline: the critical chain, and the loads over time of
// the links on which most time was lost.
[[nodiscard]] TimelineExtras timeline_extras(const Explanation& explanation);

}}  // namespace tutti::output
