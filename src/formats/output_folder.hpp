// A new folder of results that is written completely or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

namespace tutti { inline namespace formats {

// Writes a temporary folder beside the folder that -o/--output names. When the temporary folder is
// complete, take_name() gives it its final name. Throws UserError if anything cannot be written.
class OutputFolder {
 public:
  // Throws UserError unless `given_path` is an empty folder or can be created. `given_path` must
  // not be the current folder.
  static void check(const std::string& given_path);

  explicit OutputFolder(const std::string& given_path);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();  // removes the temporary folder

  // Writes a file. `name` may be a path with folders.
  void write(const std::string& name, std::string_view text) const;
  // Gives the temporary folder its final name. Replaces an empty folder of this name.
  void take_name() const;

 private:
  void try_to(const std::function<void(std::error_code&)>& work) const;

  std::string given_path_;
  std::filesystem::path target_;
  std::filesystem::path part_;
};

}}  // namespace tutti::formats
