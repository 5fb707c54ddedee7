# cmake -DFILES= -DFUNCTION= -DHEADER= -DNAMESPACE= -DOUTPUT= -P: writes a source file with the function
# that gives the text of each of these files by its name, and "" for other names.
list(SORT FILES)
set(cases "")
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  # A literal has a limit: 60,000 characters are within that of every compiler.
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

namespace tutti::inline ${NAMESPACE} {

std::string_view ${FUNCTION}([[maybe_unused]] std::string_view name) {
${cases}  return \"\";
}

}  // namespace tutti::inline ${NAMESPACE}
")
