// The JSON documents that the program writes: their fields, and what follows from these.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "src/formats/fields.hpp"

namespace tutti { inline namespace formats {

struct DocumentForm {
  std::string_view name;
  FieldView fields;
};

struct DocumentType {
  std::string_view schema;  // "tutti-bound/1"
  std::string_view title;   // what it contains, and which command writes it
  FieldView fields = {};
  // A document of lists: an object of `fields`, or a list of these and of objects of
  // `without_result`, whose other fields are null.
  FieldView without_result = {};
  bool is_list = false;     // a list of objects
  bool has_made_by = true;  // false for lines between processes, and for files of tutti-mpi
  std::span<const DocumentForm> forms = {};  // a document of several forms; `fields` is then empty
  // Returns the name of the schema's file without its ending: "tutti-bound-1".
  [[nodiscard]] std::string file() const;
};

// A document that describes an object of type T.
template <typename T>
struct DocumentOf : DocumentType {};

// Returns the object as JSON, with the key "schema" in front.
[[nodiscard]] JsonValue document_json(const DocumentType& type, const void* object);
// Writes the document, with the key "made_by" if it goes to a file.
void write_document(const DocumentType& type, const void* object, int indent, std::ostream& out);

template <typename T, typename Json = JsonValue>
  requires(!std::is_pointer_v<T>)
[[nodiscard]] Json document_json(const DocumentOf<T>& type, const T& object) {
  return document_json(type, static_cast<const void*>(&object));
}
template <typename T>
  requires(!std::is_pointer_v<T>)
void write_document(const DocumentOf<T>& type, const T& object, int indent, std::ostream& out) {
  write_document(type, static_cast<const void*>(&object), indent, out);
}

// Returns the JSON schema of the document, as in src/formats/schemas.
[[nodiscard]] std::string schema_text(const DocumentType& type);
// Returns a section of the page on documents: a table with the fields.
[[nodiscard]] std::string document_section(const DocumentType& type);

}}  // namespace tutti::formats
