#include "decide/account/hold.h"

#include "decide/account/account_writer.h"
#include "decide/account/debit.h"
#include "decide/post.h"
#include "model/natural_key.h"

namespace finality {
namespace {

Decision answer_again(const CreateHold& command, const Hold& known) {
  if (known.fingerprint == command.fingerprint) return CommandResult{.object = known.id};
  return refuse(RefusalCode::reference_conflict,
                "This reference belongs to a hold with other content. Use a new one, or send the first content again.",
                "reference");
}

std::unexpected<Refusal> no_such_hold() { return refuse(RefusalCode::not_found, "There is no such hold."); }

const Hold* find_hold(const Context& context, MerchantId merchant, HoldId id) {
  const Hold* hold = context.rows.holds.find(id);
  return hold != nullptr && hold->merchant_id == merchant ? hold : nullptr;
}

// The hold ends: nothing of it is set aside any more.
void end(Context& context, HoldId id, HoldEvent event, std::optional<EntryId> journal = {}) {
  Hold& hold = context.rows.holds.change(id);
  AccountWriter writer(context, hold.account_id);
  writer.account().held -= hold.amount;
  hold.due_at.reset();
  writer.step(hold, event, journal);
}

// Nothing happens to a hold that is not open; one whose time has come expires now, whoever notices it first.
std::optional<Refusal> refused_when_not_open(Context& context, const Hold& hold, HoldEvent event) {
  HoldState state = hold.state;
  if (context.cell(hold_machine, state, event).kind != fsm::CellKind::refuse) {
    if (hold.expires_at > context.now) return std::nullopt;
    end(context, hold.id, HoldEvent::expire);
    state = HoldState::expired;
  }
  return refuse_and_keep(RefusalCode::hold_not_open, fmt::format("The hold is {}.", name_of(state)),
                         std::string(name_of(state)))
      .error();
}

}  // namespace

void add_reads(const CreateHold& command, ReadSet& reads) {
  reads.keys.push_back({key_of_hold(command.merchant_id, command.source, command.reference), ObjectType::hold});
  reads.accounts.push_back(command.account_id);
  reads.accounts.push_back(command.credit_account_id);
}

Decision decide(const CreateHold& command, Context& context) {
  const Hash16 key = key_of_hold(command.merchant_id, command.source, command.reference);
  if (const Key* taken = context.rows.keys.find(key))
    return answer_again(command, *context.rows.holds.find(HoldId{taken->id}));
  const Account* account = find_user_account(context, command.merchant_id, command.account_id);
  if (account == nullptr) return refuse(RefusalCode::not_found, "There is no such account.", "account");
  const Account* credit = find_user_account(context, command.merchant_id, command.credit_account_id);
  if (credit == nullptr) return refuse(RefusalCode::not_found, "There is no such account.", "credit_account");
  if (account == credit)
    return refuse(RefusalCode::invalid_request, "credit_account must be another account than account.",
                  "credit_account");
  if (auto free = check_lock(*account, command.lock_token, context.now); !free) return std::unexpected(free.error());
  if (const auto code = refused_debit(context, *account, command.amount, command.currency))
    return refuse(*code, explain(*code, *account));
  if (const auto code = refused_credit(context, *credit, command.currency))
    return refuse(*code, explain(*code, *credit));

  Hold hold;
  hold.id = context.next_id<HoldId>();
  hold.merchant_id = command.merchant_id;
  hold.account_id = command.account_id;
  hold.credit_account_id = command.credit_account_id;
  hold.amount = command.amount;
  hold.currency = command.currency;
  hold.source = command.source;
  hold.reference = command.reference;
  hold.fingerprint = command.fingerprint;
  hold.source_ip = command.source_ip;
  hold.expires_at = context.now + command.expires_in;
  hold.due_at = hold.expires_at;
  hold.created_at = context.now;
  context.rows.keys.insert(key, {key, hold.merchant_id, hold.id.value});
  AccountWriter writer(context, command.account_id);
  writer.account().held += hold.amount;
  writer.created(hold);
  return CommandResult{.object = context.rows.holds.insert(hold.id, hold).id, .created = true};
}

void add_reads(const PostHold& command, ReadSet& reads) { reads.holds.push_back(command.hold_id); }

Decision decide(const PostHold& command, Context& context) {
  const Hold* hold = find_hold(context, command.merchant_id, command.hold_id);
  if (hold == nullptr) return no_such_hold();
  if (auto refused = refused_when_not_open(context, *hold, HoldEvent::post))
    return std::unexpected(std::move(*refused));
  const MinorUnits amount = command.amount.value_or(hold->amount);
  if (amount > hold->amount)
    return refuse(RefusalCode::amount_exceeds_hold,
                  fmt::format("The hold is over {}.", format_money(hold->amount, hold->currency)), "amount");
  const Account& account = *context.rows.accounts.find(hold->account_id);
  const Account& credit = *context.rows.accounts.find(hold->credit_account_id);
  if (auto free = check_lock(account, command.lock_token, context.now); !free) return std::unexpected(free.error());
  // The money is set aside already: only the account's state can refuse it.
  if (const auto code = refused_debit(context, account, 0, hold->currency))
    return refuse(*code, explain(*code, account));
  if (const auto code = refused_credit(context, credit, hold->currency)) return refuse(*code, explain(*code, credit));

  const auto journal = post(context, {.type = EntryType::hold_posted,
                                      .merchant_id = hold->merchant_id,
                                      .channel = {},
                                      .currency = hold->currency,
                                      .amount = amount,
                                      .document = hold->id,
                                      .root_id = hold->account_id.value,
                                      .debit_account = hold->account_id,
                                      .credit_account = hold->credit_account_id});
  context.rows.holds.change(command.hold_id).posted_amount = amount;
  end(context, command.hold_id, HoldEvent::post, journal);
  return CommandResult{.object = command.hold_id};
}

void add_reads(const VoidHold& command, ReadSet& reads) { reads.holds.push_back(command.hold_id); }

Decision decide(const VoidHold& command, Context& context) {
  const Hold* hold = find_hold(context, command.merchant_id, command.hold_id);
  if (hold == nullptr) return no_such_hold();
  if (auto refused = refused_when_not_open(context, *hold, HoldEvent::release))
    return std::unexpected(std::move(*refused));
  end(context, command.hold_id, HoldEvent::release);
  return CommandResult{.object = command.hold_id};
}

void add_reads(const ExpireHold& command, ReadSet& reads) { reads.holds.push_back(command.hold_id); }

Decision decide(const ExpireHold& command, Context& context) {
  const Hold* hold = find_hold(context, command.merchant_id, command.hold_id);
  if (hold == nullptr) return no_such_hold();
  const bool is_over = context.cell(hold_machine, hold->state, HoldEvent::expire).kind == fsm::CellKind::keep;
  if (!is_over && hold->expires_at <= context.now) end(context, command.hold_id, HoldEvent::expire);
  return CommandResult{.object = command.hold_id};
}

}  // namespace finality
