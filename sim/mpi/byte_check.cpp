#include "sim/mpi/byte_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "schedules/collective.hpp"
#include "sim/mpi/mpi_error.hpp"
#include "sim/mpi/plan/fingerprint.hpp"
#include "sim/mpi/plan/serial_replay.hpp"

namespace tutti::mpi {

namespace {

template <typename Visit>
void for_each_demanded(const Schedule& schedule, Rank rank, Visit&& visit) {
  const Problem& problem = schedule.problem();
  if (problem.collective == Collective::barrier) {
    return;
  }
  const Contract contract(problem.collective, problem.ranks, schedule.blocks(), problem.root);
  for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
    if (contract.demand(rank, block).kind != Demand::Kind::nothing) {
      visit(block);
    }
  }
}

}  // namespace

void RunResults::add(const std::byte* work) {
  Fingerprint print;
  for_each_demanded(schedule_, rank_, [&](std::uint32_t block) {
    print.add(work + schedule_.layout().offset_bytes(block), schedule_.layout().size_bytes(block));
  });
  prints_.push_back(print.value());
  if (odd_run_ == 0 && print.value() != prints_.front()) {
    odd_run_ = prints_.size() - 1;
    odd_.assign(work, work + schedule_.layout().bytes());
  }
}

std::string RunResults::wrong_here(const ByteCheck& check, const std::byte* work) const {
  const std::uint64_t last = prints_.back();
  const auto unlike = static_cast<std::size_t>(
      std::count_if(prints_.begin(), prints_.end(), [last](auto print) { return print != last; }));
  if (std::string wrong = check.wrong_here(work); !wrong.empty()) {
    return wrong + fmt::format("; in {} of {} runs, including the last", prints_.size() - unlike,
                               prints_.size());
  }
  if (unlike == 0) {
    return {};
  }
  const auto first = static_cast<std::size_t>(
      std::find_if(prints_.begin(), prints_.end(), [last](auto print) { return print != last; }) -
      prints_.begin());
  const std::string which = fmt::format("run {} of {}, warm-up included{}", first + 1,
                                        prints_.size(), unlike > 1 ? ", and others" : "");
  // There is no copy of the result of run 0, so a wrong byte of that run cannot be shown. Also, two
  // results may differ although both are correct within the tolerance.
  const std::string wrong = first == odd_run_ ? check.wrong_here(odd_.data()) : "";
  return wrong.empty()
             ? fmt::format(
                   "rank {}: {}: the bytes differ from those of the last run, which are correct",
                   rank_, which)
             : fmt::format("{}; in {}", wrong, which);
}

ByteCheck::ByteCheck(const Schedule& schedule, const World& world, const ElementHandles& handles,
                     CheckKind kind)
    : schedule_(schedule), world_(world), handles_(handles) {
  const std::uint64_t bytes = schedule.layout().bytes();
  for_each_demanded(schedule, world.rank(), [&](std::uint32_t block) {
    bytes_compared_ += schedule.layout().size_bytes(block);
  });
  if (kind == CheckKind::none || schedule.problem().collective == Collective::barrier) {
    return;
  }
  if (kind != CheckKind::replay) {
    const LibraryCollective library(schedule, world, handles);
    std::vector<std::byte> input(bytes);
    library_.resize(bytes);
    start_contents(schedule, handles.element(), world.rank(), input.data(), library_.data());
    library.run(input.data(), library_.data());
    library_call_ = library.call();
  }
  if (kind != CheckKind::library) {
    replay();
  }
}

void ByteCheck::replay() {
  const std::uint64_t bytes = schedule_.layout().bytes();
  std::vector<std::byte> all;
  if (world_.first()) {
    all = serial_replay(schedule_, handles_.element());
  }
  replay_.resize(bytes);
  // Sends the data in pieces, so that the total count of all ranks fits into an int.
  const std::uint64_t piece =
      std::max<std::uint64_t>(1, (std::uint64_t{1} << 30U) / world_.ranks());
  for (std::uint64_t done = 0; done < bytes; done += piece) {
    const auto count = static_cast<int>(std::min(piece, bytes - done));
    Datatype strided;
    MPI_Datatype row = MPI_BYTE;
    int rows = 0;
    if (world_.first()) {
      // One item per rank. The extent of an item is the size of a vector.
      MPI_Datatype packed = MPI_DATATYPE_NULL;
      check(MPI_Type_contiguous(count, MPI_BYTE, &packed), "MPI_Type_contiguous");
      const Datatype packed_owner(packed);
      check(MPI_Type_create_resized(packed, 0, static_cast<MPI_Aint>(bytes), &row),
            "MPI_Type_create_resized");
      strided = Datatype(row);
      check(MPI_Type_commit(&row), "MPI_Type_commit");
      rows = 1;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iscatter(world_.first() ? all.data() + done : nullptr, rows, row,
                       replay_.data() + done, count, MPI_BYTE, 0, world_.comm(), &request),
          "MPI_Iscatter");
    world_.wait(request, "MPI_Iscatter");
  }
}

std::string ByteCheck::first_wrong(const std::vector<std::byte>& expected, const std::byte* work,
                                   double relative, const char* source) const {
  const Element& element = handles_.element();
  const BlockLayout& layout = schedule_.layout();
  std::uint64_t wrong = 0;
  std::string text;
  for_each_demanded(schedule_, world_.rank(), [&](std::uint32_t block) {
    const std::uint64_t start = layout.offset_bytes(block);
    const std::uint64_t bytes = layout.size_bytes(block);
    if (bytes == 0 || std::memcmp(expected.data() + start, work + start, bytes) == 0) {
      return;
    }
    const std::uint64_t first = start / element.bytes();
    for (std::uint64_t i = 0; i < bytes / element.bytes(); ++i) {
      if (near(element, expected.data(), work, first + i, relative)) {
        continue;
      }
      if (wrong++ == 0) {
        text =
            fmt::format("rank {}, block {}, offset {}: expected {} ({}), got {}", world_.rank(),
                        block, i * element.bytes(), mpi::text(element, expected.data(), first + i),
                        source, mpi::text(element, work, first + i));
      }
    }
  });
  if (wrong > 1) {
    text += fmt::format("; {} elements of this rank are wrong", wrong);
  }
  return text;
}

std::string ByteCheck::wrong_here(const std::byte* work) const {
  std::string mine;
  if (!replay_.empty()) {
    mine = first_wrong(replay_, work, 0, "serial replay");
  }
  if (mine.empty() && !library_.empty()) {
    const double relative = reduces(schedule_.problem().collective)
                                ? relative_bound(handles_.element(), schedule_.ranks())
                                : 0;
    mine = first_wrong(library_, work, relative, library_call_);
  }
  return mine;
}

std::vector<std::string> ByteCheck::wrong_bytes(const std::byte* work,
                                                const RunResults* runs) const {
  std::string mine = runs != nullptr ? runs->wrong_here(*this, work) : wrong_here(work);
  // Texts have a fixed length, so that one gather is enough.
  constexpr std::size_t kLength = 400;
  mine.resize(kLength);
  std::vector<char> all(world_.first() ? kLength * world_.ranks() : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Igather(mine.data(), kLength, MPI_CHAR, all.data(), kLength, MPI_CHAR, 0, world_.comm(),
                    &request),
        "MPI_Igather");
  world_.wait(request, "MPI_Igather");
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < all.size(); at += kLength) {
    if (all[at] != '\0') {
      const std::string line(all.data() + at, kLength);
      lines.push_back(line.substr(0, line.find('\0')));
    }
  }
  return lines;
}

}  // namespace tutti::mpi
