#include "sandbox/statements/bank.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sandbox/formats/decimal.h"
#include "sandbox/statements/withdrawals.h"

namespace finality::sandbox {
namespace {

constexpr Duration kCreditTime = std::chrono::hours(9);  // of the credit of a withdrawal, from midnight

BankEntry entry_of(const Movement& movement) {
  const bool is_credit = movement.type == MovementType::withdrawal;
  return {.reference = "B" + movement.line_id,
          .at = is_credit ? china_day_of(movement.at).end + kCreditTime : movement.at,
          .amount = -movement.amount,
          .end_to_end = movement.line_id,
          .remittance = fmt::format("{} {}", movement.channel, name_of(movement.type))};
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

std::string camt_amount(MinorUnits amount, std::string_view currency) {
  return fmt::format("<Amt Ccy=\"{}\">{}</Amt><CdtDbtInd>{}</CdtDbtInd>", currency,
                     to_decimal(amount < 0 ? -amount : amount, currency), amount < 0 ? "DBIT" : "CRDT");
}

std::string camt_balance(std::string_view code, MinorUnits balance, const BankStatement& statement) {
  return fmt::format("   <Bal><Tp><CdOrPrtry><Cd>{}</Cd></CdOrPrtry></Tp>{}<Dt><Dt>{}</Dt></Dt></Bal>\n", code,
                     camt_amount(balance, statement.currency), statement.date);
}

std::string camt_entry(const BankEntry& entry, const BankStatement& statement) {
  return fmt::format(
      "   <Ntry><NtryRef>{0}</NtryRef>{1}<Sts><Cd>BOOK</Cd></Sts><BookgDt><DtTm>{2}</DtTm></BookgDt>"
      "<ValDt><Dt>{3}</Dt></ValDt><AcctSvcrRef>{0}</AcctSvcrRef>"
      "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>{4}</Cd><SubFmlyCd>OTHR</SubFmlyCd></Fmly></Domn></BkTxCd>"
      "<NtryDtls><TxDtls><Refs><AcctSvcrRef>{0}</AcctSvcrRef><EndToEndId>{5}</EndToEndId></Refs>{1}"
      "<RmtInf><Ustrd>{6}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n",
      escaped(entry.reference), camt_amount(entry.amount, statement.currency), china_rfc3339(entry.at), statement.date,
      entry.amount < 0 ? "ICDT" : "RCDT", escaped(entry.end_to_end), escaped(entry.remittance));
}

std::string camt_statement(const BankStatement& statement) {
  std::string text = fmt::format(
      "  <Stmt><Id>{0}-{1}</Id><CreDtTm>{2}</CreDtTm>\n"
      "   <FrToDt><FrDtTm>{1}T00:00:00+08:00</FrDtTm><ToDtTm>{1}T23:59:59+08:00</ToDtTm></FrToDt>\n"
      "   <Acct><Id><Othr><Id>{0}</Id></Othr></Id><Ccy>{3}</Ccy></Acct>\n",
      statement.account, statement.date, china_rfc3339(statement.created_at), statement.currency);
  text += camt_balance("OPBD", statement.opening_balance, statement);
  text += camt_balance("CLBD", statement.closing_balance, statement);
  for (const BankEntry& entry : statement.entries) text += camt_entry(entry, statement);
  return text + "  </Stmt>\n";
}

// Whether the money of the withdrawal or top-up moves at the bank.
bool is_booked(Ledger& ledger, const Movement& movement) {
  if (movement.type != MovementType::withdrawal) return true;
  const auto faults = ledger.statement_tables().faults_of(movement.channel, china_date(movement.at));
  return !faults.contains(DayFault::withdrawal_not_credited);
}

}  // namespace

std::vector<BankStatement> bank_statements(Ledger& ledger, std::string_view date, const Day& span) {
  for (const std::string& channel : ledger.channels()) make_due_withdrawals(ledger, channel);
  std::map<std::string, BankStatement> accounts;
  ledger.statement_tables().for_each_transfer(span.end, [&](const Movement& movement) {
    BankEntry entry = entry_of(movement);
    if (entry.at >= span.end || !is_booked(ledger, movement)) return;
    BankStatement& account = accounts[movement.currency];
    account.closing_balance += entry.amount;
    if (entry.at < span.begin)
      account.opening_balance += entry.amount;
    else
      account.entries.push_back(std::move(entry));
  });
  std::vector<BankStatement> statements;
  for (auto& [currency, account] : accounts) {
    account.account = "SANDBOX-" + currency;
    account.currency = currency;
    account.date = date;
    account.created_at = span.end;  // a repeated download returns the same bytes
    std::ranges::sort(account.entries, {}, [](const BankEntry& entry) { return std::pair(entry.at, entry.reference); });
    statements.push_back(std::move(account));
  }
  return statements;
}

std::string to_camt(const std::vector<BankStatement>& statements) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\">\n <BkToCstmrStmt>\n";
  if (!statements.empty())
    text += fmt::format("  <GrpHdr><MsgId>SANDBOX-{}</MsgId><CreDtTm>{}</CreDtTm></GrpHdr>\n", statements[0].date,
                        china_rfc3339(statements[0].created_at));
  for (const BankStatement& statement : statements) text += camt_statement(statement);
  return text + " </BkToCstmrStmt>\n</Document>\n";
}

}  // namespace finality::sandbox
