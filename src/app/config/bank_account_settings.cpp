#include "app/config/bank_account_settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace finality::app {
namespace {

constexpr std::size_t kShownMax = 4;

}  // namespace

std::string identity_of(const BankAccountSettings& account) {
  return fmt::format("number={} currency={}", account.number, account.currency.text());
}

std::string masked_number(std::string_view number) {
  const std::size_t shown = std::min(kShownMax, number.size() / 2);
  return fmt::format("***{}", number.substr(number.size() - shown));
}

}  // namespace finality::app
