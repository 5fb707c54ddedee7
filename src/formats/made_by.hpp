// Writes how a file was made (base/provenance.hpp) into the file. Data on standard output do not
// contain it.
#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>

namespace tutti { inline namespace formats {

// Returns the provenance as JSON: program, command and inputs, with path and xxh128 of each. Null
// outside of a command.
[[nodiscard]] nlohmann::ordered_json made_by_json();

// Returns the text ',"made_by":{...}' for a document that is written piece by piece to a file, and
// "" for other streams.
[[nodiscard]] std::string made_by_member(std::ostream& out);
// Writes a document and a line end. In a file, a document that is an object has the key made_by.
void write_document(nlohmann::ordered_json json, int indent, std::ostream& out);
// Writes the first lines of a file of comma-separated values: comments that begin with '#'.
void write_csv_head(std::ostream& out);

}}  // namespace tutti::formats
