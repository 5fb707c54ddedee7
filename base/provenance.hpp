// How a result was made: by which build of tutti, by which command, from which input files. All
// writers of files take it from here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace base {

struct Provenance {
  std::string made_by;  // "tutti 0.2.0+3f2a9c01d2e4"
  std::string command;  // the command line, quoted for a shell and printable
  struct Input {
    std::string path;  // as the user wrote it
    std::string hash;  // hash_of() the file's contents when they were read
  };
  std::vector<Input> inputs;  // files that were read, by path

  // Returns the input in words: "moe.csv (xxh128 4be1...)".
  [[nodiscard]] static std::string in_words(const Input& input);
};

// Begins a command with these words, without the program's name. Forgets all inputs. Paths that
// begin with `temporary` are shown without their folders, because temporary files have other paths
// each time. "": there are no temporary files.
void begin_provenance(std::string_view made_by, const std::vector<std::string>& words,
                      std::string_view temporary = {});
// Ends the command: what is written after that has no provenance.
void end_provenance();
// Adds an input file with its contents. Thread-safe.
void add_provenance(const std::string& path, std::string_view contents);
// Returns a text in which the current command's temporary files stand without their folders.
[[nodiscard]] std::string without_temporary_folders(std::string text);
// Returns the provenance of the current command. Without a command, all members are empty.
[[nodiscard]] Provenance provenance();

}}  // namespace tutti::base
