#include "decide/account/post_hold.h"

#include "decide/account/debit.h"
#include "decide/account/hold_writer.h"
#include "decide/post.h"

namespace finality {

void add_reads(const PostHold& command, ReadSet& reads) { reads.holds.push_back(command.hold_id); }

Decision decide(const PostHold& command, Context& context) {
  const Hold* hold = find_hold(context, command.merchant_id, command.hold_id);
  if (hold == nullptr) return no_such_hold();
  if (auto refused = refused_when_not_open(context, *hold, HoldEvent::post))
    return std::unexpected(std::move(*refused));
  const MinorUnits amount = command.amount.value_or(hold->amount);
  if (amount > hold->amount)
    return refuse(RefusalCode::amount_exceeds_hold,
                  fmt::format("The held amount is {}.", format_money(hold->amount, hold->currency)), "amount");
  const Account& account = *context.rows.accounts.find(hold->account_id);
  const Account& credit = *context.rows.accounts.find(hold->credit_account_id);
  if (auto free = check_lock(account, command.lock_token, context.now); !free) return std::unexpected(free.error());
  // The hold has already reserved the amount, so the balance is not checked again (amount 0).
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
  end_hold(context, command.hold_id, HoldEvent::post, journal);
  return CommandResult{.object = command.hold_id};
}

}  // namespace finality
