#include "decide/account/change_account.h"

#include "decide/account/account_writer.h"
#include "decide/account/debit.h"

namespace finality {

void add_reads(const ChangeAccount& command, ReadSet& reads) { reads.accounts.push_back(command.account_id); }

Decision decide(const ChangeAccount& command, Context& context) {
  const Account* account = find_user_account(context, command.merchant_id, command.account_id);
  if (account == nullptr) return refuse(RefusalCode::not_found, "The account does not exist.");
  const std::string state(name_of(account->state));
  const auto& cell = context.cell(account_machine, account->state, command.event);
  if (cell.kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::account_closed, "The account is closed and cannot be reopened.", {}, state);
  if (cell.kind == fsm::CellKind::keep) return CommandResult{.object = account->id};
  if (command.event == AccountEvent::close && (account->balance != 0 || account->held != 0))
    return refuse(
        RefusalCode::illegal_transition,
        fmt::format("The account has a balance of {} and {} on hold. Transfer the balance and end the holds first.",
                    format_money(account->balance, account->currency), format_money(account->held, account->currency)),
        {}, state);
  AccountWriter(context, command.account_id).step(command.event);
  return CommandResult{.object = command.account_id};
}

}  // namespace finality
