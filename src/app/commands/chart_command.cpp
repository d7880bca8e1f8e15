// Command `finality chart`: lists the journal template of every entry type, with an example journal.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "ledger/post.h"

namespace finality::app {
namespace {

constexpr MinorUnits kExampleAmount = 10'000;
constexpr MinorUnits kExampleSettled = 1'387;
constexpr const char* kChannel = "alipay";

std::string lines_text(const ledger::Lines& lines, ledger::Side side) {
  std::string text;
  for (const ledger::Line& line : lines)
    if (line.side == side)
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ",
                          line.is_adjusted ? "the adjusted account" : fmt::format("`{}`", name_of(line.account)),
                          line.money == ledger::Money::settled ? " (settled)" : "");
  return text;
}

// The entries that a posting of 100.00 CNY, settled as 13.87 USD, writes into empty books.
std::string example_of(EntryType type, Funds funds) {
  const Currency currency = *parse_currency("CNY");
  const Currency settled = *parse_currency("USD");
  const MerchantId merchant{1};
  const AccountId payer{1};
  const AccountId payee{2};
  WorkingSet rows;
  IdGenerator ids(0, Time{});
  for (const AccountId id : {payer, payee}) rows.accounts.load(id, Account{.id = id, .kind = AccountKind::user});
  ReadSet reads;
  ledger::add_reads(type, merchant, kChannel, currency, reads, settled);
  for (const KeyRead& key : reads.keys)
    if (!rows.keys.loaded(key.hash)) rows.keys.load(key.hash, std::nullopt);
  const ledger::Posting posting{.type = type,
                                .merchant_id = merchant,
                                .channel = kChannel,
                                .currency = currency,
                                .amount = kExampleAmount,
                                .document = ReceiptId{1},
                                .debit_account = payer,
                                .credit_account = payee,
                                .funds = funds,
                                .settled_amount = kExampleSettled,
                                .settled_currency = settled};
  const auto journal = ledger::post(posting, rows, ids, Time{});
  FINALITY_CHECK(journal.has_value(), "the example does not overflow");
  std::string text;
  for (const Entry& entry : rows.entries) {
    const Account& account = *rows.accounts.find(entry.account_id);
    const bool is_credit = entry.amount > 0;
    text += fmt::format("{}`{}{}` {}{}", text.empty() ? "" : ", ", name_of(account.kind),
                        account.channel.empty() ? "" : " " + account.channel, is_credit ? "+" : "−",
                        format_money(is_credit ? entry.amount : -entry.amount, entry.currency));
  }
  return text;
}

void print_chart() {
  fmt::print("| type | posted when | funds | debit | credit | example of 100.00 CNY |\n|---|---|---|---|---|---|\n");
  for (const ledger::JournalTemplate& journal : ledger::chart::kTemplates) {
    const auto print = [&](std::string_view owner, Funds funds) {
      const ledger::Lines& lines = journal.lines_for(funds);
      fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", name_of(journal.type), journal.about, owner,
                 lines_text(lines, ledger::Side::debit), lines_text(lines, ledger::Side::credit),
                 example_of(journal.type, funds));
    };
    print(journal.direct.empty() ? "any" : "`platform`", Funds::platform);
    if (!journal.direct.empty()) print("`merchant`, `internal`", Funds::merchant);
  }
}

}  // namespace

void add_chart(CLI::App& app) {
  add_command(app, "chart", "List the journals of the ledger as a Markdown table: accounts, and an example of each")
      ->callback(print_chart);
}

}  // namespace finality::app
