#include "src/simulation/outcome.hpp"

#include <array>
#include <exception>
#include <new>

#include "base/error.hpp"
#include "sim/engine.hpp"

namespace tutti { inline namespace simulation {

std::string_view name(RefusalKind kind) { return kRefusalKinds[static_cast<std::size_t>(kind)]; }

RefusalKind refusal_kind_named(std::string_view text) {
  for (const RefusalKind kind : {RefusalKind::problem, RefusalKind::too_large}) {
    if (text == name(kind)) {
      return kind;
    }
  }
  return RefusalKind::request;
}

const std::string& Outcome::why_not() const {
  static const std::string kNothing;
  const Refusal* const refused = refusal();
  const Failure* const failed = failure();
  return refused != nullptr ? refused->why.text : failed != nullptr ? failed->why : kNothing;
}

Outcome outcome_of_exception() {
  try {
    throw;
  } catch (const GaveUp& error) {
    return Refusal{RefusalKind::given_up, error.sentence()};
  } catch (const ScheduleTooLarge& error) {
    return Refusal{RefusalKind::too_large, error.sentence()};
  } catch (const UnservedProblem& error) {
    return Refusal{RefusalKind::problem, error.sentence()};
  } catch (const UserError& error) {
    return Refusal{RefusalKind::request, error.sentence()};
  } catch (const std::bad_alloc&) {
    return Failure{"out of memory"};
  } catch (const std::exception& error) {
    return Failure{error.what()};
  }
}

}}  // namespace tutti::simulation
