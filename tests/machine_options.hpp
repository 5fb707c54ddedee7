// The options of a machine, from words of a command line.
#pragma once

#include <string>
#include <vector>

#include "src/requests/command_line.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/machine_options.hpp"

namespace tutti {

inline MachineOptions machine_options(const std::vector<std::string>& words) {
  MachineOptions options;
  Command command("test", "");
  options.add_to(command, true);
  options.what_if.add_to(command, true);
  (void)parse_command_line(command, words);
  return options;
}

}  // namespace tutti
