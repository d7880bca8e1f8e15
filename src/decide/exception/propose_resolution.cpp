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
  row.assign_to = command.assign_to;
  note_step(context, row, command.proposed_by);
  writer.step(row, CaseEvent::propose);
}

std::unexpected<Refusal> refuse_merchant(std::string_view what) {
  return refuse(RefusalCode::invalid_request, fmt::format("merchant {}", what), "merchant");
}

// Checks that the command names a merchant exactly if the resolution assigns money to a merchant.
std::expected<void, Refusal> check_merchant(const ProposeResolution& command, const Resolution& resolution,
                                            const Context& context) {
  if (!resolution.names_merchant) {
    if (command.assign_to)
      return refuse_merchant(fmt::format("must be absent with the resolution {}.", resolution.name));
    return {};
  }
  if (!command.assign_to)
    return refuse_merchant("is required with the resolution assign: the id of the merchant that receives the money.");
  if (*command.assign_to == kPlatform) return refuse_merchant("must not be the platform: the money is in its books.");
  if (context.rows.merchants.find(*command.assign_to) == nullptr) return refuse_merchant("does not exist.");
  return {};
}

}  // namespace

void add_reads(const ProposeResolution& command, ReadSet& reads) {
  add_root(command, reads);
  if (!command.assign_to) return;
  reads.owners.push_back(*command.assign_to);
  reads.merchants.push_back(*command.assign_to);
}

Decision decide(const ProposeResolution& command, Context& context) {
  const Case* found = find_case(context, command);
  if (found == nullptr) return no_such_case();
  const Resolution* resolution = find_resolution(*found, command.resolution);
  const Difference* difference = difference_of_case(context.rows, command.root);
  if (resolution == nullptr)
    return refuse(RefusalCode::invalid_request,
                  fmt::format("resolution of a case of kind {} must be one of {}.", name_of(found->kind),
                              fmt::join(resolutions_of(*found, difference), ", ")),
                  "resolution");
  if (auto fine = check_merchant(command, *resolution, context); !fine) return std::unexpected(fine.error());
  if (context.cell(case_machine, found->state, CaseEvent::propose).kind == fsm::CellKind::refuse)
    return not_now(*found, "it accepts no proposal");
  if (auto fine = resolution->check_difference(difference); !fine) return std::unexpected(fine.error());

  for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
    if constexpr (kHasChildType<T, Case>)
      if (command.root.type == AggregateWriter<T>::RootId::type) propose<T>(command, context);
  });
  return CommandResult{.object = command.case_id, .home = command.root};
}

}  // namespace finality
