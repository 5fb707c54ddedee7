#include <iostream>
#include <string>
#include <vector>

#include "src/commands/cli.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/standard_streams.hpp"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const tutti::StandardStreams streams;
  const tutti::Interrupts interrupts(argc, argv);
  return tutti::run(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
}
