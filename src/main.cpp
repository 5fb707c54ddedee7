#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "src/commands/cli.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/printed_messages.hpp"
#include "src/formats/standard_streams.hpp"
#include "src/requests/exit_codes.hpp"

namespace {

// Ends the program with one line if memory runs out where the exception cannot be caught: the
// destructor of nlohmann::json allocates memory.
[[noreturn]] void end_without_memory() {
  try {
    if (const auto exception = std::current_exception()) {
      std::rethrow_exception(exception);
    }
  } catch (const std::bad_alloc&) {
    tutti::remove_part_files();
    for (const char* const part : {"tutti: ", tutti::kNoMemory, "\n"}) {
      (void)std::fputs(part, stderr);
    }
    std::_Exit(tutti::kExitBadInput);
  } catch (...) {  // abort() below shows it
  }
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_without_memory);
  std::ios::sync_with_stdio(false);
  const tutti::StandardStreams streams;
  const tutti::Interrupts interrupts(argc, argv);
  tutti::PrintedMessages messages(std::cerr, true);
  return tutti::run(std::vector<std::string>(argv + 1, argv + argc), {std::cout, messages});
}
