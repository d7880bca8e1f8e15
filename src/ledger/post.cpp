#include "ledger/post.h"

#include <algorithm>
#include <optional>

#include "model/natural_key.h"

namespace finality::ledger {
namespace {

// Returns the channel of a ledger account: `channel` for a receivable account, `bank_account` for a bank account,
// otherwise empty. Only these accounts exist per channel account.
std::string_view channel_of(AccountKind kind, std::string_view channel, std::string_view bank_account) {
  if (kind == AccountKind::bank) return bank_account;
  return kind == AccountKind::channel_receivable ? channel : std::string_view{};
}

ChannelAccountId channel_account_of(AccountKind kind, const Posting& posting) {
  return kind == AccountKind::bank ? posting.bank_account_id : posting.channel_account;
}

std::expected<EntryId, std::string> add_entry(AccountId account_id, MinorUnits amount, Currency currency,
                                              EntryId journal, const Posting& posting, WorkingSet& rows,
                                              IdGenerator& ids, Time now) {
  Account& account = rows.accounts.change(account_id);
  const auto balance = checked_add(account.balance, amount);
  if (!balance) return std::unexpected("the balance of " + to_text(account_id) + " would not fit 64 bits");

  Entry entry;
  entry.id = EntryId{ids.next()};
  entry.journal_id = journal ? journal : entry.id;
  entry.merchant_id = posting.merchant_id;
  entry.account_id = account_id;
  entry.amount = amount;
  entry.currency = currency;
  entry.balance_before = account.balance;
  entry.balance_after = *balance;
  entry.type = posting.type;
  entry.document_type = posting.document.type;
  entry.document_id = posting.document.value;
  entry.ordinal = posting.ordinal;
  entry.root_id = posting.root_id;
  entry.previous_id = account.last_entry_id;
  entry.created_at = now;

  account.balance = *balance;
  account.last_entry_id = entry.id;
  account.version += 1;
  rows.entries.push_back(entry);
  return entry.id;
}

Currency currency_of(const Line& line, const Posting& posting) {
  return line.money == Money::settled ? posting.settled_currency : posting.currency;
}

AccountKind kind_of(const Line& line, AccountKind adjusted) { return line.is_adjusted ? adjusted : line.account; }

AccountId account_of(const Line& line, const Posting& posting, WorkingSet& rows, IdGenerator& ids, Time now) {
  if (line.account != AccountKind::user)
    return find_or_open(kind_of(line, posting.adjusted), currency_of(line, posting), posting, rows, ids, now);
  return line.side == Side::debit ? posting.debit_account : posting.credit_account;
}

}  // namespace

AccountId find_or_open(AccountKind kind, Currency currency, const Posting& posting, WorkingSet& rows, IdGenerator& ids,
                       Time now) {
  const std::string_view channel = channel_of(kind, posting.channel, posting.bank_account);
  const MerchantId merchant = posting.merchant_id;
  const Hash16 key = key_of_account(merchant, kind, channel, currency);
  if (const Key* known = rows.keys.find(key)) return AccountId{known->id};
  Account account;
  account.id = AccountId{ids.next()};
  account.merchant_id = merchant;
  account.kind = kind;
  account.channel = channel;
  const ChannelAccountId channel_account = channel_account_of(kind, posting);
  if (!channel.empty() && channel_account) account.channel_account_id = channel_account;
  account.currency = currency;
  account.created_at = now;
  account.version = 0;  // the first posting increments it to 1
  rows.keys.insert(key, {key, merchant, account.id.value});
  return rows.accounts.insert(account.id, account).id;
}

void add_reads(EntryType type, MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads,
               std::optional<Currency> settled, AccountKind adjusted, std::string_view bank_account) {
  const JournalTemplate& journal = template_of(type);
  const auto add = [&](const Line& line) {
    const AccountKind kind = kind_of(line, adjusted);
    if (kind == AccountKind::user) return;
    const Currency of_line = line.money == Money::settled ? settled.value_or(currency) : currency;
    reads.keys.push_back(
        {key_of_account(merchant, kind, channel_of(kind, channel, bank_account), of_line), ObjectType::account});
  };
  std::ranges::for_each(journal.lines, add);
  for (const Line& line : journal.direct)
    if (std::ranges::find(journal.lines, line) == journal.lines.end()) add(line);
}

std::expected<EntryId, std::string> post(const Posting& posting, WorkingSet& rows, IdGenerator& ids, Time now) {
  std::optional<EntryId> journal;
  for (const Line& line : template_of(posting.type).lines_for(posting.funds)) {
    const AccountId account = account_of(line, posting, rows, ids, now);
    const MinorUnits moved = line.money == Money::settled ? posting.settled_amount : posting.amount;
    FINALITY_CHECK(moved > 0, "a posting moves positive amounts");
    const auto entry = add_entry(account, line.side == Side::debit ? -moved : moved, currency_of(line, posting),
                                 journal.value_or(EntryId{}), posting, rows, ids, now);
    if (!entry) return entry;
    if (!journal) journal = *entry;
  }
  return *journal;
}

}  // namespace finality::ledger
