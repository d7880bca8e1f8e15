// Shared functions of the commands about exception cases: lookup of the case, refusals, and the detail of the events.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

/// Returns the command's case; null when it does not exist or belongs to another merchant. REQUIRES: add_root() added
/// the case's root to the read set.
template <class Command>
const Case* find_case(const Context& context, const Command& command) {
  const Case* row = command.root.value == 0 ? nullptr : find_child<Case>(context.rows, command.root, command.case_id);
  return row != nullptr && row->merchant_id == command.merchant_id ? row : nullptr;
}

/// Returns the refusal `not_found` for a case that does not exist or belongs to another merchant.
inline std::unexpected<Refusal> no_such_case() { return refuse(RefusalCode::not_found, "The case does not exist."); }

/// Returns the refusal `illegal_transition` for a command that the case's state does not allow. `what`: the reason,
/// part of the refusal's text.
inline std::unexpected<Refusal> not_now(const Case& row, std::string_view what) {
  return refuse(RefusalCode::illegal_transition, fmt::format("The case is {}: {}.", name_of(row.state), what), {},
                std::string(name_of(row.state)));
}

/// Adds the merchant and, if set, the root of the command's case to the read set.
template <class Command>
void add_root(const Command& command, ReadSet& reads) {
  if (command.root.value != 0) add_id(reads, command.root);
  reads.merchants.push_back(command.merchant_id);
}

/// Sets the detail of the command's events: the case's resolution and the operator's key.
inline void note_step(Context& context, const Case& row, const std::string& actor) {
  context.detail = ResolutionStep{row.id, row.resolution.value_or(""), row.note.value_or(""), actor, row.assign_to};
}

}  // namespace finality
