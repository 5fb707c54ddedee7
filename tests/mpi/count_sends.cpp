// Preloaded into an MPICH program: writes down each message that MPICH hands to UCX, to sends.RANK.
// MPICH itself counts none.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

extern "C" void* ucp_tag_send_nbx(void* endpoint, const void* buffer, std::size_t count,
                                  unsigned long tag, const void* parameters) {
  using Send = void* (*)(void*, const void*, std::size_t, unsigned long, const void*);
  static const auto send = reinterpret_cast<Send>(dlsym(RTLD_NEXT, "ucp_tag_send_nbx"));
  static std::FILE* const file = [] {
    const char* rank = std::getenv("PMI_RANK");
    return std::fopen((std::string("sends.") + (rank != nullptr ? rank : "unknown")).c_str(), "w");
  }();
  if (file != nullptr) {
    std::fprintf(file, "%zu\n", count);
    std::fflush(file);
  }
  return send(endpoint, buffer, count, tag, parameters);
}
