#include "app/config/bank_account_settings.h"

#include <fmt/format.h>

namespace finality::app {

std::string identity_of(const BankAccountSettings& account) {
  return fmt::format("number={} currency={}", account.number, account.currency.text());
}

}  // namespace finality::app
