# cmake -DTABLES= -DOUTPUT= -P: writes the source file that holds the texts of these decision tables,
# by the names of their files.
set(tables ${TABLES})
list(SORT tables)
set(cases "")
foreach(path IN LISTS tables)
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  # A literal has a limit: 60,000 characters are within that of every compiler.
  string(LENGTH "${text}" length)
  set(begin 0)
  set(literal "")
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 60000 piece)
    string(APPEND literal "R\"table(${piece})table\"\n")
    math(EXPR begin "${begin} + 60000")
  endwhile()
  string(APPEND cases "  if (name == \"${name}\") {\n    return ${literal};\n  }\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/EmbedBuiltInTables.cmake.
#include \"src/built_in/built_in_tables.hpp\"

namespace tutti::inline built_in {

std::string_view built_in_table_text([[maybe_unused]] std::string_view name) {
${cases}  return \"\";
}

}  // namespace tutti::inline built_in
")
