#include "ledger/post.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "ledger/chart.h"
#include "model/natural_key.h"

namespace finality::ledger {
namespace {

constexpr MerchantId kMerchant{7};
constexpr Time kNow{1'790'000'000'000};
const Currency kCny = *parse_currency("CNY");
const Currency kUsd = *parse_currency("USD");

constexpr AccountId kPayer{1};
constexpr AccountId kPayee{2};
constexpr MinorUnits kSettled = 7;  // amount of lines in the settlement currency

class Books {
 public:
  Books() {
    ids.advance(kNow);
    for (const AccountId id : {kPayer, kPayee}) {
      Account user;
      user.id = id;
      user.kind = AccountKind::user;
      user.version = 0;
      rows.accounts.load(id, user);
    }
    for (std::size_t i = 0; i < kCount<EntryType>; ++i)
      for (const char* channel : {"sandbox", "sandbox2"})
        for (const Currency currency : {kCny, kUsd}) {
          ReadSet reads;
          add_reads(static_cast<EntryType>(i), kMerchant, channel, currency, reads, other(currency));
          for (const KeyRead& read : reads.keys)
            if (!rows.keys.loaded(read.hash)) rows.keys.load(read.hash, std::nullopt);
        }
  }

  auto post(EntryType type, MinorUnits amount, Currency currency = kCny, std::string channel = "sandbox",
            Funds funds = Funds::platform) {
    return ledger::post({.type = type,
                         .merchant_id = kMerchant,
                         .channel = std::move(channel),
                         .currency = currency,
                         .amount = amount,
                         .document = ReceiptId{++document},
                         .root_id = 1,
                         .debit_account = kPayer,
                         .credit_account = kPayee,
                         .funds = funds,
                         .settled_amount = kSettled,
                         .settled_currency = other(currency)},
                        rows, ids, kNow);
  }
  static Currency other(Currency currency) { return currency == kCny ? kUsd : kCny; }
  const Account* account(AccountKind kind, std::string_view channel = "", Currency currency = kCny) const {
    const Key* key = rows.keys.find(key_of_account(kMerchant, kind, channel, currency));
    return key == nullptr ? nullptr : rows.accounts.find(AccountId{key->id});
  }

  WorkingSet rows;
  IdGenerator ids{0, Time{}};
  std::int64_t document = 0;
};

TEST(Chart, NoJournalMovesMoneyFromAnAccountToItself) {
  for (const JournalTemplate& row : chart::kTemplates)
    for (const Lines& lines : {row.lines, row.direct})
      for (const Line& line : lines)
        for (const Line& other : lines)
          if (line.account == other.account && line.money == other.money && line.account != AccountKind::user)
            EXPECT_EQ(line.side, other.side) << name_of(row.type);
}

TEST(Chart, OnlyFundsOfThePlatformAreOwedToTheMerchant) {
  for (const JournalTemplate& row : chart::kTemplates) {
    const auto uses = [&](const Lines& lines, AccountKind kind) {
      return std::ranges::find(lines, kind, &Line::account) != lines.end();
    };
    EXPECT_FALSE(uses(row.lines, AccountKind::merchant_direct)) << name_of(row.type);
    const bool receives = std::ranges::find(row.lines_for(Funds::merchant), credit(AccountKind::merchant_payable)) !=
                          row.lines_for(Funds::merchant).end();
    const bool is_paid_by_platform =
        row.type == EntryType::external_refund_charged || row.type == EntryType::fee_returned;
    EXPECT_EQ(receives, is_paid_by_platform) << name_of(row.type) << " of funds that the platform does not hold";
  }
}

// An opening balance of merchant_payable is a debt of the platform that two operators enter. No other template can
// credit an account that its posting names.
TEST(Chart, OnlyAnOpeningBalanceNamesItsAccount) {
  for (const JournalTemplate& row : chart::kTemplates) {
    const bool is_opening =
        row.type == EntryType::opening_balance_credited || row.type == EntryType::opening_balance_debited;
    EXPECT_EQ(std::ranges::count(row.lines, true, &Line::is_adjusted), is_opening ? 1 : 0) << name_of(row.type);
    EXPECT_EQ(std::ranges::count(row.direct, true, &Line::is_adjusted), 0) << name_of(row.type);
  }
}

TEST(Post, AdjustsTheAccountThatThePostingNames) {
  for (const AccountKind kind : {AccountKind::merchant_payable, AccountKind::merchant_direct,
                                 AccountKind::channel_receivable, AccountKind::bank}) {
    Books books;
    for (const EntryType type : {EntryType::opening_balance_credited, EntryType::opening_balance_debited}) {
      ReadSet reads;
      add_reads(type, kMerchant, "sandbox", kCny, reads, {}, kind, "icbc");
      for (const KeyRead& read : reads.keys)
        if (!books.rows.keys.loaded(read.hash)) books.rows.keys.load(read.hash, std::nullopt);
    }
    Posting posting{.type = EntryType::opening_balance_credited,
                    .merchant_id = kMerchant,
                    .channel = "sandbox",
                    .currency = kCny,
                    .amount = 9,
                    .document = AdjustmentId{1},
                    .root_id = 1,
                    .adjusted = kind,
                    .bank_account = "icbc"};
    ASSERT_TRUE(ledger::post(posting, books.rows, books.ids, kNow));
    posting.type = EntryType::opening_balance_debited;
    posting.amount = 2;
    ASSERT_TRUE(ledger::post(posting, books.rows, books.ids, kNow));
    const std::string_view channel = kind == AccountKind::channel_receivable ? "sandbox"
                                     : kind == AccountKind::bank             ? "icbc"
                                                                             : "";
    EXPECT_EQ(books.account(kind, channel)->balance, 7) << name_of(kind);
    EXPECT_EQ(books.account(AccountKind::equity)->balance, -7) << name_of(kind);
  }
}

TEST(Post, KeepsOneBankAccountPerNameBesideTheChannel) {
  Books books;
  Posting posting{.type = EntryType::reversal_settled_offline,
                  .merchant_id = kMerchant,
                  .channel = "sandbox",
                  .currency = kCny,
                  .amount = 5,
                  .document = ReversalId{1},
                  .root_id = 1,
                  .channel_account = ChannelAccountId{21}};
  for (const std::string name : {"", "icbc", "cmb"}) {
    ReadSet reads;
    add_reads(posting.type, kMerchant, "sandbox", kCny, reads, {}, AccountKind::merchant_payable, name);
    for (const KeyRead& read : reads.keys)
      if (!books.rows.keys.loaded(read.hash)) books.rows.keys.load(read.hash, std::nullopt);
    posting.bank_account = name;
    posting.bank_account_id = name.empty() ? ChannelAccountId{} : ChannelAccountId{31};
    ASSERT_TRUE(ledger::post(posting, books.rows, books.ids, kNow)) << name;
    const Account* account = books.account(AccountKind::bank, name);
    ASSERT_NE(account, nullptr) << name;
    EXPECT_EQ(account->channel, name);
    EXPECT_EQ(account->channel_account_id, name.empty() ? std::nullopt : std::optional(ChannelAccountId{31}));
    EXPECT_EQ(account->balance, 5) << name;
  }
  EXPECT_EQ(books.account(AccountKind::suspense)->balance, -15);
}

TEST(Post, WritesTwoEntriesThatSumToZeroAndMovesBothBalances) {
  Books books;
  const auto journal = books.post(EntryType::receipt_accepted, 1999);
  ASSERT_TRUE(journal.has_value());
  ASSERT_EQ(books.rows.entries.size(), 2u);
  const Entry& debit = books.rows.entries[0];
  const Entry& credit = books.rows.entries[1];
  EXPECT_EQ(debit.id, *journal);
  EXPECT_EQ(debit.journal_id, debit.id) << "the first entry names the posting";
  EXPECT_EQ(credit.journal_id, debit.id);
  EXPECT_EQ(debit.amount, -1999);
  EXPECT_EQ(credit.amount, 1999);
  EXPECT_EQ(debit.document_id, 1);
  EXPECT_EQ(debit.type, EntryType::receipt_accepted);
  EXPECT_EQ(books.account(AccountKind::channel_receivable, "sandbox")->balance, -1999);
  EXPECT_EQ(books.account(AccountKind::merchant_payable)->balance, 1999);
}

TEST(Post, OfFundsThatThePlatformDoesNotHoldLeavesMerchantPayableUnchanged) {
  for (const Funds funds : {Funds::merchant, Funds::internal}) {
    Books books;
    for (const EntryType type : {EntryType::receipt_accepted, EntryType::refund_accepted, EntryType::refund_failed})
      ASSERT_TRUE(books.post(type, 5, kCny, "sandbox", funds));
    EXPECT_EQ(books.account(AccountKind::merchant_payable), nullptr);
    EXPECT_EQ(books.account(AccountKind::merchant_direct)->balance, 5);
    EXPECT_EQ(books.account(AccountKind::direct_refunds_in_transit)->balance, 0);
  }
}

TEST(Post, WritesOneEntryPerLine) {
  Books books;
  const auto journal = books.post(EntryType::charged_refund_returned, 5, kCny, "sandbox", Funds::merchant);
  ASSERT_TRUE(journal);
  ASSERT_EQ(books.rows.entries.size(), 4u);
  for (const Entry& entry : books.rows.entries) EXPECT_EQ(entry.journal_id, *journal);
  EXPECT_EQ(books.account(AccountKind::channel_receivable, "sandbox")->balance, -5);
  EXPECT_EQ(books.account(AccountKind::merchant_direct)->balance, 5);
  EXPECT_EQ(books.account(AccountKind::merchant_payable)->balance, -5);
  EXPECT_EQ(books.account(AccountKind::loss)->balance, 5);
}

TEST(Post, MovesEachAmountOfAConversionInItsCurrency) {
  Books books;
  ASSERT_TRUE(books.post(EntryType::receipt_converted, 50));
  EXPECT_EQ(books.account(AccountKind::channel_receivable, "sandbox", kCny)->balance, 50);
  EXPECT_EQ(books.account(AccountKind::channel_receivable, "sandbox", kUsd)->balance, -kSettled);
  EXPECT_EQ(books.account(AccountKind::fx, "", kCny)->balance, -50);
  EXPECT_EQ(books.account(AccountKind::fx, "", kUsd)->balance, kSettled);
  ASSERT_TRUE(books.post(EntryType::refund_converted, 50));
  EXPECT_EQ(books.account(AccountKind::fx, "", kCny)->balance, 0);
  EXPECT_EQ(books.account(AccountKind::fx, "", kUsd)->balance, 0);
}

TEST(Post, OpensAnAccountOnce) {
  Books books;
  EXPECT_EQ(books.account(AccountKind::suspense), nullptr);
  ASSERT_TRUE(books.post(EntryType::receipt_in_suspense, 5));
  const AccountId opened = books.account(AccountKind::suspense)->id;
  ASSERT_TRUE(books.post(EntryType::receipt_in_suspense, 6));
  ASSERT_TRUE(books.post(EntryType::reversal_succeeded, 5));
  EXPECT_EQ(books.account(AccountKind::suspense)->id, opened);
  EXPECT_EQ(books.account(AccountKind::suspense)->balance, 6);
  EXPECT_EQ(books.account(AccountKind::suspense)->version, 3) << "one per entry";
}

TEST(Post, KeepsOneReceivablePerChannel) {
  Books books;
  ASSERT_TRUE(books.post(EntryType::receipt_accepted, 5, kCny, "sandbox"));
  ASSERT_TRUE(books.post(EntryType::receipt_accepted, 7, kCny, "sandbox2"));
  EXPECT_EQ(books.account(AccountKind::channel_receivable, "sandbox")->balance, -5);
  EXPECT_EQ(books.account(AccountKind::channel_receivable, "sandbox2")->balance, -7);
  EXPECT_EQ(books.account(AccountKind::merchant_payable)->balance, 12);
}

TEST(Post, NeverMixesCurrencies) {
  Books books;
  ASSERT_TRUE(books.post(EntryType::receipt_accepted, 5, kCny));
  ASSERT_TRUE(books.post(EntryType::receipt_accepted, 7, kUsd));
  EXPECT_EQ(books.account(AccountKind::merchant_payable, "", kCny)->balance, 5);
  EXPECT_EQ(books.account(AccountKind::merchant_payable, "", kUsd)->balance, 7);
}

TEST(Post, RefusesABalanceThatWouldOverflow) {
  Books books;
  ASSERT_TRUE(books.post(EntryType::receipt_accepted, std::numeric_limits<MinorUnits>::max()));
  const auto more = books.post(EntryType::receipt_accepted, 2);
  ASSERT_FALSE(more.has_value());
  EXPECT_NE(more.error().find("would not fit"), std::string::npos);
}

TEST(PostDeathTest, AnAmountThatIsNotPositiveStopsTheProgram) {
  Books books;
  EXPECT_DEATH((void)books.post(EntryType::receipt_accepted, 0), "positive");
  EXPECT_DEATH((void)books.post(EntryType::receipt_accepted, -1), "positive");
}

TEST(PostDeathTest, AnUndeclaredAccountStopsTheProgram) {
  WorkingSet rows;
  IdGenerator ids(0, Time{});
  EXPECT_DEATH(
      (void)post({EntryType::receipt_accepted, kMerchant, "sandbox", kCny, 1, ReceiptId{1}, 1}, rows, ids, kNow),
      "did not declare");
}

TEST(Post, KeepsTheLedgerBalancedAndTheEntriesOfEachAccountChained) {
  EXPECT_TRUE(rc::check([] {
    Books books;
    const int count = *rc::gen::inRange(0, 50);
    for (int i = 0; i < count; ++i) {
      const auto type = static_cast<EntryType>(*rc::gen::inRange<int>(0, kCount<EntryType>));
      const MinorUnits amount = *rc::gen::inRange<MinorUnits>(1, 1'000'000'000'000'000);
      const Currency currency = *rc::gen::element(kCny, kUsd);
      const Funds funds = *rc::gen::element(Funds::platform, Funds::merchant, Funds::internal);
      RC_ASSERT(books.post(type, amount, currency, *rc::gen::element<std::string>("sandbox", "sandbox2"), funds));
    }
    std::map<std::pair<std::int64_t, Currency>, MinorUnits> journals;
    std::map<AccountId, const Entry*> last;
    for (const Entry& entry : books.rows.entries) {
      journals[{entry.journal_id.value, entry.currency}] += entry.amount;
      const Entry* before = last[entry.account_id];
      RC_ASSERT(entry.balance_before == (before == nullptr ? 0 : before->balance_after));
      RC_ASSERT(entry.balance_after == entry.balance_before + entry.amount);
      RC_ASSERT(entry.previous_id == (before == nullptr ? std::nullopt : std::optional(before->id)));
      last[entry.account_id] = &entry;
    }
    for (const auto& [journal, sum] : journals) RC_ASSERT(sum == 0);
    for (const auto& [id, entry] : last) {
      RC_ASSERT(books.rows.accounts.find(id)->balance == entry->balance_after);
      RC_ASSERT(books.rows.accounts.find(id)->last_entry_id == entry->id);
    }
  }));
}

}  // namespace
}  // namespace finality::ledger
