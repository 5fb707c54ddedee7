# cmake -DROOT= -DFILES= -DSEED= -DVERSION= -DOUTPUT= -P: writes the source file with the build id.
# The build id is the first 12 digits of a hash of the names and contents of the files that FILES
# lists, one per line.
file(STRINGS ${FILES} names)
string(SHA256 all "${SEED}")
foreach(name IN LISTS names)
  file(SHA256 ${ROOT}/${name} hash)
  string(SHA256 all "${all} ${name} ${hash}")
endforeach()
string(SUBSTRING ${all} 0 12 id)
file(WRITE ${OUTPUT} "// Written by cmake/WriteBuildId.cmake.
#include \"src/workers/build_id.hpp\"

namespace tutti { inline namespace workers {

std::string_view version_and_build() { return \"${VERSION}+${id}\"; }

}}  // namespace tutti::workers
")
