// libFuzzer target: no file may crash the reader of databases of results.
#include <sstream>

#include "src/experiments/sweep/result_store.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ScratchFile file(fuzz::text_of(data, size));
  fuzz::may_refuse([] {
    tutti::ResultStore store(fuzz::ScratchFile::path(), tutti::Database::Mode::read);
    std::vector<tutti::CellRow> rows;
    store.for_each("", {}, [&rows](const tutti::CellRow& row) { rows.push_back(row); });
    (void)store.remark();
  });
  fuzz::may_refuse(
      [] { tutti::ResultStore(fuzz::ScratchFile::path(), tutti::Database::Mode::write); });
  return 0;
}
