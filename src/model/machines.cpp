#include "model/machines.h"

#include "fsm/check.h"
#include "model/row_types.h"

namespace finality {
namespace {

// Compilation fails if the state machine of the row type is invalid, for example incomplete.
template <class Row>
consteval bool is_checked() {
  if constexpr (kHasMachine<Row>) FINALITY_CHECK_MACHINE(machine_of(decltype(Row::state){}));
  return true;
}

}  // namespace

const std::vector<fsm::View>& all_machines() {
  static const std::vector<fsm::View> machines = [] {
    std::vector<fsm::View> views;
    for_each_row_type<WrittenRows>([&]<class Row>(std::type_identity<Row>) {
      static_assert(is_checked<Row>());
      if constexpr (kHasMachine<Row>) views.push_back(fsm::view_of(machine_of(decltype(Row::state){})));
    });
    return views;
  }();
  return machines;
}

}  // namespace finality
