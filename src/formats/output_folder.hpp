// A new folder of results, which is there whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

namespace tutti::inline formats {

// Written beside the folder that is asked for by -o/--output; takes that one's name once it is
// complete. Throws UserError, also for what cannot be written.
class OutputFolder {
 public:
  // Throws UserError unless `asked` is an empty folder or can be made, and is not the current one.
  static void check(const std::string& asked);

  explicit OutputFolder(const std::string& asked);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();  // nothing is left of what has not taken its name

  // `name` may have folders in it.
  void write(const std::string& name, std::string_view text) const;
  // An empty folder of that name gives way.
  void take_name() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void try_to(const std::function<void(std::error_code&)>& work) const;

  std::string asked_;
  std::filesystem::path target_;
  std::filesystem::path part_;
};

}  // namespace tutti::inline formats
