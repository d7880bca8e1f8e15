#include "decide/exception/open_case.h"

#include "decide/add_row.h"
#include "decide/delivery/notify_merchant.h"

namespace finality {

const Case* find_open_case(const std::vector<Case>& cases, CaseKind kind, ObjectRef object) {
  const auto at = std::ranges::find_if(cases, [&](const Case& row) {
    return row.kind == kind && ObjectRef(row.object_type, row.object_id) == object && !case_machine.is_final(row.state);
  });
  return at == cases.end() ? nullptr : &*at;
}

Case* find_open_case(std::vector<Case>& cases, CaseKind kind, ObjectRef object) {
  return const_cast<Case*>(find_open_case(std::as_const(cases), kind, object));
}

std::pair<Case*, bool> add_case(Context& context, std::vector<Case>& cases, const Root& root, CaseKind kind,
                                ObjectRef object) {
  if (Case* open = find_open_case(cases, kind, object)) {
    context.case_notes.push_back({root.ref, open->id});
    apply_transition(context, case_machine, *open, CaseEvent::evidence, true, {}, [&] {
      open->version += 1;
      return root;
    });
    return {open, false};
  }
  Case row;
  row.id = context.next_id<CaseId>();
  row.root_id = root.ref.value;
  row.merchant_id = root.merchant_id;
  row.kind = kind;
  row.object_type = object.type;
  row.object_id = object.value;
  row.created_at = context.now;
  row.due_at = context.now + kCaseDueAfter;
  context.case_notes.push_back({root.ref, row.id});
  record(context, root, row.id, "created", std::nullopt, name_of(row.state), fsm::CellKind::move);
  return {&add_row(cases, std::move(row)), true};
}

void open_case(OrderWriter& writer, CaseKind kind, ObjectRef object) {
  const auto [row, is_new] = add_case(writer, kind, object);
  if (is_new) notify_merchant(writer, kCaseOpened, *row);
}

}  // namespace finality
