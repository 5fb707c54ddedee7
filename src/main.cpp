#include <iostream>
#include <string>
#include <vector>

#include "src/cli.hpp"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return tutti::run(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
}
