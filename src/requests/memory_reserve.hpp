// Some memory for the way out.
//
// When there is none left, an exception is on its way, and what it passes is destroyed. Some of
// that needs memory itself, and must not fail: nlohmann's JSON takes apart what is nested by means
// of a list. So some is kept for that moment.
#pragma once

namespace tutti {

// Until the reserve is gone, an allocation that finds no memory is given what was kept; from then
// on, it fails with std::bad_alloc as ever. To be called again once all is over: then there is a
// reserve again. Throws nothing; without memory for it, there is none.
void keep_memory_for_the_way_out() noexcept;

}  // namespace tutti
