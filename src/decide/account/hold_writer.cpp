#include "decide/account/hold_writer.h"

#include "decide/account/account_writer.h"

namespace finality {

std::unexpected<Refusal> no_such_hold() { return refuse(RefusalCode::not_found, "The hold does not exist."); }

const Hold* find_hold(const Context& context, MerchantId merchant, HoldId id) {
  const Hold* hold = context.rows.holds.find(id);
  return hold != nullptr && hold->merchant_id == merchant ? hold : nullptr;
}

void end_hold(Context& context, HoldId id, HoldEvent event, std::optional<EntryId> journal) {
  Hold& hold = context.rows.holds.change(id);
  AccountWriter writer(context, hold.account_id);
  writer.account().held -= hold.amount;
  hold.due_at.reset();
  writer.step(hold, event, journal);
}

std::optional<Refusal> refused_for_authorization(const Hold& hold) {
  if (hold.source != kWallet) return std::nullopt;
  return refuse(RefusalCode::hold_not_open,
                "The hold belongs to an authorization. Capture or release the authorization instead.", {},
                std::string(name_of(hold.state)))
      .error();
}

std::optional<Refusal> refused_when_not_open(Context& context, const Hold& hold, HoldEvent event) {
  if (auto refused = refused_for_authorization(hold)) return refused;
  HoldState state = hold.state;
  if (context.cell(hold_machine, state, event).kind != fsm::CellKind::refuse) {
    if (hold.expires_at > context.now) return std::nullopt;
    end_hold(context, hold.id, HoldEvent::expire);
    state = HoldState::expired;
  }
  return refuse_and_keep(RefusalCode::hold_not_open, fmt::format("The hold is {} and no longer open.", name_of(state)),
                         std::string(name_of(state)))
      .error();
}

}  // namespace finality
