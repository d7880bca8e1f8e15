#include "decide/open_case.h"

#include "decide/add_row.h"
#include "decide/notify_merchant.h"
#include "decide/resolve_case.h"
#include "wire/wire.h"

namespace finality {
namespace {

constexpr std::size_t kEvidenceBytesMax = 32 << 10;  // of one case; what comes later is in the object's events

std::string append_json(const std::string& list, std::string_view item) {
  if (list.size() + item.size() > kEvidenceBytesMax) return list;
  std::string out = list.substr(0, list.size() - 1);
  if (out.size() > 1) out += ',';
  out += item;
  return out += ']';
}

}  // namespace

Case* find_open_case(std::vector<Case>& cases, CaseKind kind, ObjectRef object) {
  const auto at = std::ranges::find_if(cases, [&](const Case& row) {
    return row.kind == kind && ObjectRef(row.object_type, row.object_id) == object && !case_machine.is_final(row.state);
  });
  return at == cases.end() ? nullptr : &*at;
}

std::pair<Case*, bool> add_case(Context& context, std::vector<Case>& cases, const Root& root, CaseKind kind,
                                ObjectRef object, std::string_view evidence_json) {
  if (Case* open = find_open_case(cases, kind, object)) {
    open->evidence = append_json(open->evidence, evidence_json);
    put(context, case_machine, *open, CaseEvent::evidence, true, {}, [&] {
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
  row.evidence = append_json("[]", evidence_json);
  row.created_at = context.now;
  row.due_at = context.now + kCaseDueAfter;
  record(context, root, row.id, "created", std::nullopt, name_of(row.state), fsm::CellKind::move);
  return {&add_row(cases, std::move(row)), true};
}

void open_case(OrderWriter& writer, CaseKind kind, ObjectRef object, std::string_view evidence_json) {
  const auto [row, is_new] =
      add_case(writer.context(), writer.aggregate().cases, writer.bump(), kind, object, evidence_json);
  if (is_new) notify_merchant(writer, kCaseOpened, wire::case_json(*row, resolutions_of(*row)));
}

}  // namespace finality
