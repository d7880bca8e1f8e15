#include "decide/account/debit.h"

#include <fmt/format.h>

namespace finality {
namespace {

// The code of a refused debit or credit, indexed by the account's state.
constexpr RefusalCode kRefusedIn[] = {
    RefusalCode::illegal_transition,  // unused: an open account refuses no event
    RefusalCode::account_frozen,
    RefusalCode::account_closed,
};
static_assert(std::size(kRefusedIn) == kCount<AccountState>);

std::optional<RefusalCode> refused_by_state(const Context& context, const Account& account, AccountEvent event) {
  if (context.cell(account_machine, account.state, event).kind != fsm::CellKind::refuse) return std::nullopt;
  return kRefusedIn[static_cast<std::size_t>(account.state)];
}

}  // namespace

const Account* find_user_account(const Context& context, MerchantId merchant, AccountId id) {
  const Account* account = context.rows.accounts.find(id);
  const bool is_usable_account =
      account != nullptr && account->merchant_id == merchant && account->kind == AccountKind::user;
  return is_usable_account ? account : nullptr;
}

std::expected<void, Refusal> check_lock(const Account& account, const std::optional<std::string>& token, Time now,
                                        std::string_view param) {
  const bool is_held = account.lock_expires_at && *account.lock_expires_at > now;
  if (token ? is_held && account.lock_token == *token : !is_held) return {};
  if (token)
    return refuse(RefusalCode::account_locked, fmt::format("{} is not the token of the account's current lock.", param),
                  std::string(param));
  return refuse(RefusalCode::account_locked, fmt::format("The account is locked by {} until {}.", *account.lock_owner,
                                                         to_rfc3339(*account.lock_expires_at)));
}

std::optional<RefusalCode> refused_debit(const Context& context, const Account& account, MinorUnits amount,
                                         Currency currency) {
  if (account.currency != currency) return RefusalCode::currency_mismatch;
  if (const auto code = refused_by_state(context, account, AccountEvent::debit)) return code;
  if (account.available() < amount) return RefusalCode::insufficient_balance;
  return std::nullopt;
}

std::optional<RefusalCode> refused_credit(const Context& context, const Account& account, Currency currency) {
  if (account.currency != currency) return RefusalCode::currency_mismatch;
  return refused_by_state(context, account, AccountEvent::credit);
}

std::string explain(RefusalCode code, const Account& account) {
  const std::string id = to_text(account.id);
  if (code == RefusalCode::currency_mismatch)
    return fmt::format("The currency of {} is {}.", id, account.currency.text());
  if (code == RefusalCode::insufficient_balance)
    return fmt::format("The available balance of {} is {}.", id, format_money(account.available(), account.currency));
  return fmt::format("{} is {}.", id, name_of(account.state));
}

}  // namespace finality
