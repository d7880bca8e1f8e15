#include "channel/bank/camt_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "base/limits.h"
#include "base/time/date.h"
#include "channel/parsing/columns.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/xml_reader.h"

namespace finality::bank {
namespace {

constexpr std::size_t kDateLength = std::string_view("2026-01-31").size();
constexpr std::size_t kShownBytesMax = 40;  // of a value in an error message
// A statement can list entries that were booked on the holidays before its day.
constexpr std::int64_t kBookedBeforeDaysMax = 10;
constexpr std::string_view kNoEndToEndId = "NOTPROVIDED";

// An amount, as the texts of its elements.
struct MoneyText {
  std::string amount;
  std::string currency;
  std::string direction;  // CRDT or DBIT
};

struct AccountText {
  std::string number;
  std::string currency;
};

struct BalanceText : MoneyText {
  std::string type;
  std::string date;
};

struct EntryText : MoneyText {
  std::string status;
  std::string is_reversal;
  std::string booked;
  std::string reference;
  std::string end_to_end_id;
  std::string remittance;
  std::string information;
  int transactions = 0;
};

// A text that the parser reads: its path below `Stmt`, and the member to which it is added.
template <class Texts>
struct Field {
  std::string_view path;
  std::string Texts::* text;
};

constexpr Field<AccountText> kAccount[] = {{"/Acct/Id/IBAN", &AccountText::number},
                                           {"/Acct/Id/Othr/Id", &AccountText::number},
                                           {"/Acct/Ccy", &AccountText::currency}};
constexpr Field<BalanceText> kBalance[] = {{"/Bal/Tp/CdOrPrtry/Cd", &BalanceText::type},
                                           {"/Bal/Amt", &BalanceText::amount},
                                           {"/Bal/CdtDbtInd", &BalanceText::direction},
                                           {"/Bal/Dt/Dt", &BalanceText::date},
                                           {"/Bal/Dt/DtTm", &BalanceText::date}};
// Version 02 has the code of the status in `Sts`, later versions in `Sts/Cd`.
constexpr Field<EntryText> kEntry[] = {{"/Ntry/Amt", &EntryText::amount},
                                       {"/Ntry/CdtDbtInd", &EntryText::direction},
                                       {"/Ntry/RvslInd", &EntryText::is_reversal},
                                       {"/Ntry/Sts", &EntryText::status},
                                       {"/Ntry/Sts/Cd", &EntryText::status},
                                       {"/Ntry/BookgDt/Dt", &EntryText::booked},
                                       {"/Ntry/BookgDt/DtTm", &EntryText::booked},
                                       {"/Ntry/AcctSvcrRef", &EntryText::reference},
                                       {"/Ntry/NtryDtls/TxDtls/Refs/AcctSvcrRef", &EntryText::reference},
                                       {"/Ntry/NtryDtls/TxDtls/Refs/EndToEndId", &EntryText::end_to_end_id},
                                       {"/Ntry/NtryDtls/TxDtls/RmtInf/Ustrd", &EntryText::remittance},
                                       {"/Ntry/AddtlNtryInf", &EntryText::information}};

std::string_view without_white_space(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) + 1 - begin);
}

// Sets the text of the field with this path. An element that is repeated keeps its first text; texts of remittances are
// joined.
template <class Texts>
void take_field(std::span<const Field<Texts>> fields, std::string_view path, std::string_view text, Texts& texts) {
  const auto field = std::ranges::find(fields, path, &Field<Texts>::path);
  text = without_white_space(text);
  if (field == fields.end() || text.empty()) return;
  std::string& to = texts.*(field->text);
  if (to.empty()) {
    to = text;
  } else if (path.ends_with("/Ustrd") && to.size() < kTextBytesMax) {
    to += ' ';
    to += text;
  }
}

// The day as the bank writes it; `text` is a date, or a time with a date in the time zone of the bank.
std::string_view day_of(std::string_view text) { return text.substr(0, kDateLength); }

// `12.5000` is `12.5`: some banks write more digits than the currency has.
std::string_view without_trailing_zeros(std::string_view amount) {
  if (!amount.contains('.')) return amount;
  amount = amount.substr(0, amount.find_last_not_of('0') + 1);
  return amount.ends_with('.') ? amount.substr(0, amount.size() - 1) : amount;
}

std::unexpected<Error> invalid(std::string_view element, std::string_view value, std::string_view reason) {
  return fail(fmt::format("element {}: `{}` {}", element, printable_text(value, kShownBytesMax), reason));
}

// Returns the amount, negative for a debit.
Result<MinorUnits> signed_amount(const MoneyText& money, Currency currency) {
  if (money.currency != currency.text())
    return invalid("Amt", money.currency, fmt::format("is not the currency {} of the account", currency.text()));
  const int digits = exponent_of(currency);
  const bool is_unsigned = !money.amount.starts_with('-') && !money.amount.starts_with('+');
  const auto amount = parse_decimal(without_trailing_zeros(money.amount), digits, limits::kAmountMax);
  if (!amount || !is_unsigned)
    return invalid("Amt", money.amount, fmt::format("is not a positive amount with at most {} decimal digits", digits));
  if (money.direction == "CRDT") return *amount;
  if (money.direction == "DBIT") return -*amount;
  return invalid("CdtDbtInd", money.direction, "is neither CRDT nor DBIT");
}

class CamtStatement final : public XmlSink {
 public:
  CamtStatement(const BankAccountNumber& account, std::string_view date, LineCollector& lines)
      : account_(account), date_(date), lines_(lines) {}

  Result<void> begin(std::string_view name, const XmlAttributes& attributes) override;
  Result<void> end(std::string_view name, std::string_view text) override;
  Result<void> finish();

 private:
  void begin_statement();
  Result<void> end_statement();
  Result<void> end_element(std::string_view text);
  Result<void> end_balance();
  Result<void> end_entry();
  Result<void> add_entry();
  bool is_of_account() const;
  bool is_wanted() const { return is_of_account() && closed_on_ == date_; }
  void note_other();

  const BankAccountNumber& account_;
  std::string_view date_;
  LineCollector& lines_;

  bool has_root_ = false;
  bool is_in_statement_ = false;
  std::string path_;  // names of the open elements below `Stmt`, each after a slash
  // Of the current statement:
  AccountText account_text_;
  std::string closed_on_;  // date of the closing balance; empty until it is read
  std::optional<MinorUnits> statement_opening_;
  std::optional<MinorUnits> statement_closing_;
  BalanceText balance_;
  EntryText entry_;
  // Of the file:
  std::int64_t entries_ = 0;
  std::optional<MinorUnits> opening_;
  std::optional<MinorUnits> closing_;
  bool has_statement_ = false;
  std::string other_;  // the first statement of another account or day, for the error message
};

Result<void> CamtStatement::begin(std::string_view name, const XmlAttributes& attributes) {
  if (!is_in_statement_) {
    if (name == "BkToCstmrStmt") has_root_ = true;
    if (name == "Stmt" && has_root_) begin_statement();
    return {};
  }
  path_ += '/';
  path_ += name;
  if (path_ == "/Bal") balance_ = {};
  if (path_ == "/Ntry") entry_ = {};
  if (path_ == "/Bal/Amt") balance_.currency = attributes.value("Ccy");
  if (path_ == "/Ntry/Amt") entry_.currency = attributes.value("Ccy");
  return {};
}

Result<void> CamtStatement::end(std::string_view name, std::string_view text) {
  if (!is_in_statement_) return {};
  if (path_.empty()) return end_statement();
  Result<void> done = end_element(text);
  path_.resize(path_.size() - name.size() - 1);
  return done;
}

void CamtStatement::begin_statement() {
  is_in_statement_ = true;
  account_text_ = {};
  closed_on_.clear();
  statement_opening_.reset();
  statement_closing_.reset();
}

// Each further page begins with the balance at the end of the page before.
Result<void> CamtStatement::end_statement() {
  is_in_statement_ = false;
  if (!is_of_account()) {
    note_other();
    return {};
  }
  if (!statement_closing_) return fail("a statement of the account has no closing balance (CLBD)");
  if (!is_wanted()) {
    note_other();
    return {};
  }
  if (closing_ && statement_opening_ && closing_ != statement_opening_)
    return fail("the file has several statements of the day, and their balances are not those of consecutive pages");
  if (!has_statement_) opening_ = statement_opening_;
  closing_ = statement_closing_;
  has_statement_ = true;
  return {};
}

Result<void> CamtStatement::end_element(std::string_view text) {
  if (path_ == "/Bal") return end_balance();
  if (path_ == "/Ntry") return end_entry();
  if (path_ == "/Ntry/NtryDtls/TxDtls") ++entry_.transactions;
  take_field<AccountText>(kAccount, path_, text, account_text_);
  take_field<BalanceText>(kBalance, path_, text, balance_);
  take_field<EntryText>(kEntry, path_, text, entry_);
  return {};
}

// A number with accounts in several currencies has one statement per currency.
bool CamtStatement::is_of_account() const {
  const bool is_currency = account_text_.currency.empty() || account_text_.currency == account_.currency.text();
  return is_currency && account_.is(account_text_.number);
}

void CamtStatement::note_other() {
  if (other_.empty())
    other_ = printable_text(fmt::format("{} of {}", masked_number(account_text_.number), closed_on_), kShownBytesMax);
}

// The opening balance is OPBD, or PRCD, the closing balance of the day before. The statement can have both.
Result<void> CamtStatement::end_balance() {
  const bool is_closing = balance_.type == "CLBD";
  if (is_closing && closed_on_.empty()) closed_on_ = day_of(balance_.date);
  if (!is_of_account() || !(is_closing || balance_.type == "OPBD" || balance_.type == "PRCD")) return {};
  const auto amount = signed_amount(balance_, account_.currency);
  if (!amount) return fail(fmt::format("balance {}, {}", balance_.type, amount.error().message));
  if (!is_closing) {
    if (statement_opening_.value_or(*amount) != *amount) return fail("the balances OPBD and PRCD differ");
    statement_opening_ = *amount;
    return {};
  }
  if (statement_closing_) return fail("a statement has two closing balances (CLBD)");
  statement_closing_ = *amount;
  return {};
}

Result<void> CamtStatement::end_entry() {
  ++entries_;
  if (!is_of_account()) return {};
  if (!statement_closing_) return fail(fmt::format("entry {}: its statement has no closing balance (CLBD)", entries_));
  if (!is_wanted() || entry_.status != "BOOK") return {};
  auto added = add_entry();
  if (added || lines_.is_stopped()) return added;
  return fail(fmt::format("entry {}, {}", entries_, added.error().message));
}

Result<void> CamtStatement::add_entry() {
  const auto amount = signed_amount(entry_, account_.currency);
  if (!amount) return std::unexpected(amount.error());
  const std::string_view booked = day_of(entry_.booked);
  if (!is_date(booked) || booked > date_ || booked < add_days(date_, -kBookedBeforeDaysMax))
    return invalid("BookgDt", entry_.booked, "is not the day of the statement or one of the 10 days before");
  StatementLine line{.line_no = entries_, .currency = account_.currency};
  line.kind = entry_.direction == "CRDT" ? LineKind::bank_credit : LineKind::bank_debit;
  line.amount = *amount;
  line.at = start_of_day(booked, kBankTime).value_or(Time{});
  line.line_id = printable_text(entry_.reference, Row::kNumberBytesMax);
  // The id of one transaction does not identify an entry with several.
  if (entry_.transactions == 1 && entry_.end_to_end_id != kNoEndToEndId)
    line.channel_trade_no = printable_text(entry_.end_to_end_id, Row::kNumberBytesMax);
  line.text = printable_text(entry_.remittance.empty() ? entry_.information : entry_.remittance, kTextBytesMax);
  const bool is_reversal = entry_.is_reversal == "true" || entry_.is_reversal == "1";
  if (is_reversal) line.text += line.text.empty() ? "reversal" : " (reversal)";
  return lines_.add(std::move(line));
}

Result<void> CamtStatement::finish() {
  if (!has_root_) return fail("the file is not in the format camt.053: it has no element BkToCstmrStmt");
  if (!has_statement_)
    return fail(fmt::format("the file has no statement of the account {} ({}) of {}{}{}",
                            masked_number(account_.number), account_.currency.text(), date_,
                            other_.empty() ? "" : "; it has one of the account ", other_));
  return set_balances(lines_, account_.currency, opening_, closing_);
}

}  // namespace

Result<void> parse_camt(const BankAccountNumber& account, std::string_view date, std::string_view file,
                        ParseBudget& budget, LineCollector& lines) {
  CamtStatement statement(account, date, lines);
  XmlReader reader(budget, statement);
  Result<void> done =
      unpack_gzip_or_plain(file, budget, [&reader](std::string_view bytes) { return reader.take(bytes); });
  if (done) done = reader.finish();
  return done ? statement.finish() : done;
}

}  // namespace finality::bank
