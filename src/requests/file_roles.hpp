// What becomes of the files that options name. The type names of options say it, since help texts
// show them as well: "FILE|-" is written, and so is "FILE|FOLDER|-" where it is no folder;
// "FILE.db" is a database to which results are added, and whatever else has FILE or ALG in it is
// read.
#pragma once

namespace CLI {
class App;
}

namespace tutti {

inline constexpr const char* kWrittenFile = "FILE|-";
inline constexpr const char* kWrittenFileOrFolder = "FILE|FOLDER|-";
inline constexpr const char* kResultsFile = "FILE.db";

// Looks at the options that were given to `command`: throws UserError where something that would be
// written is also read, or is written by two of them, by whatever path; standard output counts, as
// do the files that a platform names, and those that SQLite keeps beside a database. And where an
// output could not be written. Touches nothing.
void check_files(const CLI::App& command);

}  // namespace tutti
