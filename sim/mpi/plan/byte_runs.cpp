#include "sim/mpi/plan/byte_runs.hpp"

#include <algorithm>

#include "schedules/accesses.hpp"

namespace tutti::mpi {

namespace {

class Runs {
 public:
  explicit Runs(const Schedule& schedule) : schedule_(schedule) {}

  void operator()(std::uint32_t first, std::uint32_t count) {
    const BlockLayout& layout = schedule_.layout();
    const std::uint32_t slot = first / layout.blocks();
    const std::uint32_t block = first % layout.blocks();
    const std::uint64_t bytes = layout.run_bytes(block, count);
    if (bytes == 0) {
      return;
    }
    const std::uint64_t offset = slot * layout.bytes() + layout.offset_bytes(block);
    if (!runs_.empty() && runs_.back().offset + runs_.back().bytes == offset) {
      runs_.back().bytes += bytes;
    } else {
      runs_.push_back({offset, bytes});
    }
  }

  [[nodiscard]] std::vector<ByteRun> take() { return std::move(runs_); }

 private:
  const Schedule& schedule_;
  std::vector<ByteRun> runs_;
};

}  // namespace

std::vector<ByteRun> runs_read(const Schedule& schedule, OpId id) {
  Runs runs(schedule);
  for_each_run_read(schedule, id, runs);
  return runs.take();
}

std::vector<ByteRun> runs_written(const Schedule& schedule, OpId id) {
  Runs runs(schedule);
  for_each_run_written(schedule, id, runs);
  return runs.take();
}

std::vector<ByteMove> moves_of(const Schedule& schedule, OpId id) {
  std::vector<ByteRun> read = runs_read(schedule, id);
  std::vector<ByteRun> written = runs_written(schedule, id);
  std::vector<ByteMove> moves;
  auto from = read.begin();
  auto into = written.begin();
  while (from != read.end() && into != written.end()) {
    const std::uint64_t bytes = std::min(from->bytes, into->bytes);
    moves.push_back({from->offset, into->offset, bytes});
    for (ByteRun* run : {&*from, &*into}) {
      run->offset += bytes;
      run->bytes -= bytes;
    }
    from += from->bytes == 0 ? 1 : 0;
    into += into->bytes == 0 ? 1 : 0;
  }
  return moves;
}

bool needs_staging(const Op& op, const std::vector<ByteMove>& moves) {
  if (op.from() != op.into()) {
    return false;
  }
  if (moves.size() == 1 && op.kind() == OpKind::copy) {
    return false;  // a single memmove handles the overlap
  }
  std::vector<ByteRun> read;
  std::vector<ByteRun> written;
  for (const ByteMove& move : moves) {
    read.push_back({move.from, move.bytes});
    written.push_back({move.into, move.bytes});
  }
  const auto by_offset = [](const ByteRun& a, const ByteRun& b) { return a.offset < b.offset; };
  std::sort(read.begin(), read.end(), by_offset);
  std::sort(written.begin(), written.end(), by_offset);
  auto at = written.begin();
  for (const ByteRun& run : read) {
    while (at != written.end() && at->offset + at->bytes <= run.offset) {
      ++at;
    }
    if (at != written.end() && at->offset < run.offset + run.bytes) {
      return true;
    }
  }
  return false;
}

}  // namespace tutti::mpi
