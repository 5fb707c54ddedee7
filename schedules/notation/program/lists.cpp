#include "schedules/notation/program/lists.hpp"

#include <algorithm>

namespace tutti { inline namespace schedules { namespace program {

namespace {

// Memory of an entry of the index, counted in 64-bit numbers: the member, a pointer, a bucket, and
// the overhead of an allocation.
constexpr std::uint64_t kRoomInIndex = 5;

}  // namespace

void Lists::fail_member(const Numbers& members, std::int64_t index) const {
  state_.fail(members.empty() ? fmt::format("member {}: the list is empty", index)
                              : fmt::format("member {}: the members of the list are 0 to {}", index,
                                            members.size() - 1));
}

void Lists::count_memory(std::uint64_t numbers) {
  const std::uint64_t most = state_.limits().memory_bytes / sizeof(std::int64_t);
  if (numbers > most || room_ > most - numbers) {
    state_.fail(
        fmt::format("the lists of the program take more than {} bytes of memory; $limit "
                    "memory=SIZE allows more",
                    state_.limits().memory_bytes));
  }
  room_ += numbers;
}

void Lists::reserve(Numbers& list, std::uint64_t members) {
  if (members > list.capacity()) {
    const std::size_t before = list.capacity();
    // The new memory is counted before the old memory is released, because both exist while the
    // list is copied.
    count_memory(members);
    list.reserve(members);
    room_ -= before;
  }
}

void Lists::append(Numbers& list, std::int64_t value) {
  if (list.size() == list.capacity()) {
    constexpr std::size_t kFirst = 8;
    reserve(list, std::max(kFirst, 2 * list.size()));
  }
  list.push_back(value);
}

void Lists::forget_index() {
  room_ -= kRoomInIndex * index_.size();
  index_ = {};
  indexed_ = kNone;
}

void Lists::set_member(std::uint32_t list, std::int64_t index, std::int64_t value) {
  touch(list);
  (void)member(list, index);
  lists_[list][static_cast<std::size_t>(index)] = value;
}

void Lists::clear(std::uint32_t list) {
  touch(list);
  lists_[list].clear();
}

void Lists::push(std::uint32_t list, std::int64_t value) {
  touch(list);
  append(lists_[list], value);
}

void Lists::copy(std::uint32_t into, std::uint32_t from) {
  if (into == from) {
    return;
  }
  touch(into);
  state_.count_steps(lists_[from].size());
  reserve(lists_[into], lists_[from].size());
  lists_[into].assign(lists_[from].begin(), lists_[from].end());
}

void Lists::fill(std::uint32_t list, std::int64_t first, std::int64_t last,
                 std::optional<std::int64_t> members) {
  std::int64_t step = first <= last ? 1 : -1;
  std::uint64_t size = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  size = step < 0 ? ~size + 1 : size;
  size += size < UINT64_MAX ? 1 : 0;
  if (members) {
    if (*members < 0) {
      state_.fail(fmt::format("a list cannot have {} members", *members));
    }
    std::int64_t distance = 0;
    if (__builtin_sub_overflow(last, first, &distance)) {
      state_.fail(fmt::format("the distance from {} to {} is too large; numbers go up to {}", first,
                              last, INT64_MAX));
    }
    if (*members <= 1 ? distance != 0 : distance % (*members - 1) != 0) {
      state_.fail(
          fmt::format("{} members from {} to {} cannot be evenly spaced", *members, first, last));
    }
    step = *members <= 1 ? 0 : distance / (*members - 1);
    size = static_cast<std::uint64_t>(*members);
  }
  touch(list);
  Numbers& all = lists_[list];
  reserve(all, size > UINT64_MAX - all.size() ? size : all.size() + size);
  state_.count_steps(size);
  for (std::uint64_t i = 0; i < size; ++i) {
    all.push_back(first + static_cast<std::int64_t>(i) * step);
  }
}

void Lists::append_range(std::uint32_t list, std::int64_t first, std::int64_t last,
                         std::int64_t step, std::int64_t most) {
  if (step < 1) {
    state_.fail(fmt::format("by {}: the step of a range must be at least 1", step));
  }
  if (first <= last && (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) /
                               static_cast<std::uint64_t>(step) >=
                           static_cast<std::uint64_t>(most)) {
    state_.fail(fmt::format("{}..{}{} has more members than there are ranks ({})", first, last,
                            step == 1 ? "" : fmt::format(" by {}", step), most));
  }
  touch(list);
  for (std::int64_t next = first; next <= last; next += step) {
    state_.count_steps(1);
    append(lists_[list], next);
    if (next > INT64_MAX - step) {
      break;
    }
  }
}

void Lists::check_fits(std::uint32_t list, std::int64_t room) const {
  if (std::ssize(lists_[list]) > room) {
    state_.fail(
        fmt::format("{} members do not fit in a list of length {}", lists_[list].size(), room));
  }
}

void Lists::join(std::uint32_t into, std::uint32_t from) {
  constexpr std::size_t kShort = 16;
  if (into == from) {
    return;
  }
  Numbers& all = lists_[into];
  const Numbers& more = lists_[from];
  state_.count_steps(more.size());
  if (all.size() + more.size() <= kShort) {
    touch(into);
    for (const std::int64_t value : more) {
      if (std::find(all.begin(), all.end(), value) == all.end()) {
        append(all, value);
      }
    }
    return;
  }
  if (indexed_ != into) {
    state_.count_steps(all.size());
    forget_index();
    for (const std::int64_t value : all) {
      room_ += index_.insert(value).second ? kRoomInIndex : 0;
    }
    indexed_ = into;
    count_memory(0);
  }
  for (const std::int64_t value : more) {
    if (index_.insert(value).second) {
      count_memory(kRoomInIndex);
      append(all, value);
    }
  }
}

bool Lists::has(std::uint32_t list, std::int64_t value) {
  const Numbers& members = lists_[list];
  state_.count_steps(members.size());
  return std::find(members.begin(), members.end(), value) != members.end();
}

}}}  // namespace tutti::schedules::program
