# cmake -DFOLDER= -DOUTPUT= -P: writes the source file that holds the texts of those schemas in FOLDER
# that what comes in has to fit; the others are of what goes out.
set(names tutti-cell-1 tutti-cell-answer-1 tutti-contrast-1 tutti-decide-2 tutti-decisions-1
  tutti-explanation-1 tutti-measured-1 tutti-messages-1 tutti-parameters-1 tutti-query-1 tutti-recording-1
  tutti-result-1 tutti-run-1 tutti-schedule-1 tutti-validation-1)
set(cases "")
foreach(name IN LISTS names)
  file(READ ${FOLDER}/${name}.schema.json text)
  string(APPEND cases "  if (name == \"${name}\") {\n    return R\"schema(${text})schema\";\n  }\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/EmbedSchemas.cmake.
#include \"src/formats/json_schema.hpp\"

namespace tutti::inline formats {

std::string_view json_schema_text(std::string_view name) {
${cases}  return \"\";
}

}  // namespace tutti::inline formats
")
