#include "sim/mpi/mpi_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tutti::mpi {

namespace {

std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    return fmt::format("error {}", code);
  }
  std::string line(text.data(), static_cast<std::size_t>(length));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

MpiError::MpiError(std::string_view call, std::string_view subject, int code)
    : std::runtime_error(
          fmt::format("{}{}{}: {}", call, subject.empty() ? "" : " of ", subject, text_of(code))) {}

}  // namespace tutti::mpi
