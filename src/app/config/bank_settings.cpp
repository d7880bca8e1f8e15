#include "app/config/bank_settings.h"

#include <utility>

#include "app/config/channel_settings.h"

namespace finality::app {
namespace {

std::optional<Currency> read_currency(const toml::node& node) { return parse_currency(read_text(node).value_or("")); }

std::optional<std::string> read_number(const toml::node& node) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-/";
  auto text = read_text(node);
  const bool is_number = text && text->size() >= kBankNumberMin && text->size() <= kBankNumberMax &&
                         text->find_first_not_of(kLetters) == std::string::npos;
  return is_number ? text : std::nullopt;
}

std::optional<std::optional<Duration>> read_days(const toml::node& node) {
  const std::int64_t days = node.value_exact<std::int64_t>().value_or(0);
  if (days < 1 || days > kExpectedWithinDaysMax) return std::nullopt;
  return std::chrono::days(days);
}

const Rule<Currency> kCurrency{"an ISO 4217 code in upper case, such as CNY", read_currency};
const Rule<std::string> kNumber{
    fmt::format(
        "the account number as in the statements of the bank: {} to {} letters, digits, - and /, without spaces",
        kBankNumberMin, kBankNumberMax),
    read_number};
const Rule<std::optional<Duration>> kDays{fmt::format("an integer from 1 to {}", kExpectedWithinDaysMax), read_days};

void read_bank_account(Table& accounts, std::string_view name, NodeOptions& options) {
  check_account_name(accounts, name);
  Table table = accounts.table(name);
  table.only({"currency", "number", "title", "enabled", "expected_within_days"});
  BankAccountSettings account{.name = std::string(name)};
  table.require("currency", kCurrency, account.currency);
  table.require("number", kNumber, account.number);
  table.read("title", kText, account.title);
  table.read("enabled", kSwitch, account.enabled);
  table.read("expected_within_days", kDays, account.expected_within);
  const auto same = std::ranges::find_if(options.bank_accounts, [&](const BankAccountSettings& earlier) {
    return identity_of(earlier) == identity_of(account);
  });
  if (same != options.bank_accounts.end())
    accounts.complain(
        name, fmt::format("is the same account as bank_accounts.{}: both have this number and currency", same->name));
  options.bank_accounts.push_back(std::move(account));
}

}  // namespace

void read_bank_accounts(Table& top, NodeOptions& options) {
  Table accounts = top.table("bank_accounts");
  accounts.limit(kBankAccountsMax, "bank accounts");
  for (const std::string_view name : accounts.keys()) read_bank_account(accounts, name, options);
}

}  // namespace finality::app
