# Run as: cmake -DFILES=... -DFUNCTION=... -DHEADER=... -DNAMESPACE=... -DOUTPUT=... -P THIS_FILE.
# Writes a source file with a function that returns the text of a file by its name, and "" for
# unknown names.
list(SORT FILES)
set(cases "")
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  # Compilers limit the length of a string literal; all accept 60,000 characters.
  string(LENGTH "${text}" length)
  set(begin 0)
  set(literal "")
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 60000 piece)
    string(APPEND literal "R\"text(${piece})text\"\n")
    math(EXPR begin "${begin} + 60000")
  endwhile()
  string(APPEND cases "  if (name == \"${name}\") {\n    return ${literal};\n  }\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/EmbedTexts.cmake.
#include \"${HEADER}\"

namespace tutti { inline namespace ${NAMESPACE} {

std::string_view ${FUNCTION}([[maybe_unused]] std::string_view name) {
${cases}  return \"\";
}

}}  // namespace tutti::${NAMESPACE}
")
