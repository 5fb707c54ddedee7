// Some memory for the way out.
//
// When there is none left, an exception is on its way, and what it passes is destroyed. Some of
// that needs memory itself, and must not fail: nlohmann's JSON takes apart what is nested by means
// of a list. So some is kept for that moment.
#pragma once

#include <cstddef>

namespace tutti::inline base {

// The first allocation that finds no memory is given a small reserve. The next one fails with
// std::bad_alloc, and frees a large one for what is destroyed then. To be called again once all is
// over: then there is a small reserve again. Throws nothing; without memory for it, there is none.
void keep_memory_for_the_way_out() noexcept;

// Makes the large reserve enough for JSON of so many values; it never shrinks.
void keep_memory_for_json(std::size_t values) noexcept;

}  // namespace tutti::inline base
