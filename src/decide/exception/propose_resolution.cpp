#include "decide/exception/propose_resolution.h"

#include <fmt/ranges.h>

#include "decide/aggregate_writer.h"
#include "decide/exception/case_command.h"
#include "decide/exception/resolution.h"

namespace finality {
namespace {

template <Aggregate T>
void propose(const ProposeResolution& command, Context& context) {
  AggregateWriter<T> writer(context, typename AggregateWriter<T>::RootId{command.root.value});
  Case& row = *find_row(children_in<Case>(writer.aggregate()), command.case_id);
  row.resolution = command.resolution;
  row.note = command.note;
  row.proposed_by = command.proposed_by;
  note_step(context, row, command.proposed_by);
  writer.step(row, CaseEvent::propose);
}

}  // namespace

void add_reads(const ProposeResolution& command, ReadSet& reads) { add_root(command, reads); }

Decision decide(const ProposeResolution& command, Context& context) {
  const Case* found = find_case(context, command);
  if (found == nullptr) return no_such_case();
  if (find_resolution(*found, command.resolution) == nullptr)
    return refuse(RefusalCode::invalid_request,
                  fmt::format("resolution of a case of kind {} must be one of {}.", name_of(found->kind),
                              fmt::join(resolutions_of(*found), ", ")),
                  "resolution");
  if (context.cell(case_machine, found->state, CaseEvent::propose).kind == fsm::CellKind::refuse)
    return not_now(*found, "it accepts no proposal");

  for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
    if constexpr (kHasChildType<T, Case>)
      if (command.root.type == AggregateWriter<T>::RootId::type) propose<T>(command, context);
  });
  return CommandResult{.object = command.case_id, .home = command.root};
}

}  // namespace finality
