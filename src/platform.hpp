// tutti platform KIND: SimGrid XML for a crossbar, SMP cluster, fat tree, torus or dragonfly.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tutti {

class PlatformKind;

class PlatformCommand {
 public:
  PlatformCommand();
  ~PlatformCommand();

  // Describes the command and adds a subcommand for each kind.
  void add_to(CLI::App& command);
  // Writes the file that the arguments ask for. Throws UserError, and then leaves no file.
  void run(std::ostream& standard_output) const;

 private:
  std::vector<std::unique_ptr<PlatformKind>> kinds_;
};

}  // namespace tutti
