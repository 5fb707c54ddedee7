// What --help prints: as wide as the page, with the command's own examples first.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tutti {

// Each a line for a shell, which works in a folder that has tutti's platforms and examples.
void add_examples(CLI::App& command, const std::vector<std::string>& lines);

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace tutti
