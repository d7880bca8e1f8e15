#include <gtest/gtest.h>

#include "wire/test_json.h"
#include "wire/wire.h"

namespace finality::wire {
namespace {

constexpr Time kAt{1'769'903'999'000};  // 2026-01-31T23:59:59.000Z in milliseconds
const Currency kCny = *parse_currency("CNY");

Account an_account() {
  return {.id = AccountId{1},
          .kind = AccountKind::user,
          .currency = kCny,
          .name = "Zhang's purse",
          .label = "purse",
          .balance = 500,
          .held = 120,
          .overdraft = 50,
          .lock_number = 3,
          .created_at = kAt,
          .version = 4};
}

Transfer a_transfer() {
  return {.id = TransferId{2},
          .debit_account_id = AccountId{1},
          .credit_account_id = AccountId{9},
          .amount = 300,
          .currency = kCny,
          .source = "api",
          .reference = "T-1",
          .state = TransferState::posted,
          .created_at = kAt};
}

Hold a_hold() {
  return {.id = HoldId{3},
          .account_id = AccountId{1},
          .credit_account_id = AccountId{9},
          .amount = 300,
          .posted_amount = 200,
          .currency = kCny,
          .source = "api",
          .reference = "H-1",
          .state = HoldState::posted,
          .source_ip = "192.0.2.1",
          .expires_at = kAt + std::chrono::hours(1),
          .created_at = kAt,
          .version = 2};
}

Entry an_entry() {
  return {.id = EntryId{4},
          .account_id = AccountId{1},
          .amount = -300,
          .currency = kCny,
          .balance_before = 500,
          .balance_after = 200,
          .type = EntryType::transfer,
          .document_type = ObjectType::transfer,
          .document_id = 2,
          .created_at = kAt};
}

TEST(AccountJson, HasExactlyTheContractsFields) {
  EXPECT_EQ(account_json(an_account(), kAt),
            joined({R"("id":"acc_0000000000001")", R"("object":"account")", R"("name":"Zhang's purse")",
                    R"("kind":"purse")", R"("currency":"CNY")", R"("balance":500)", R"("held":120)",
                    R"("available":430)", R"("overdraft":50)", R"("state":"open")", R"("version":4)"}));
}

TEST(AccountJson, ShowsAHeldLockButNeverItsToken) {
  Account account = an_account();
  account.lock_owner = "till 7";
  account.lock_token = "3-secret";
  account.lock_expires_at = kAt;
  const std::string locked = account_json(account, kAt - Duration{1});
  EXPECT_EQ(boost::json::parse(locked).as_object().at("lock"),
            boost::json::parse(R"({"owner":"till 7","expires_at":"2026-01-31T23:59:59.000Z"})"));
  EXPECT_EQ(locked.find("secret"), std::string::npos);
  EXPECT_FALSE(has(account_json(account, kAt), "lock"));
}

TEST(AccountJson, ShowsTheKindOfALedgerAccount) {
  const Account account{.kind = AccountKind::merchant_payable, .currency = kCny};
  const auto json = boost::json::parse(account_json(account, kAt)).as_object();
  EXPECT_EQ(json.at("kind"), "merchant_payable");
  EXPECT_EQ(json.at("name"), "");
}

TEST(AccountLockJson, ShowsTheToken) {
  Account account = an_account();
  account.lock_owner = "till 7";
  account.lock_token = "3-secret";
  account.lock_expires_at = kAt;
  EXPECT_EQ(account_lock_json(account),
            joined({R"("object":"account_lock")", R"("account":"acc_0000000000001")", R"("owner":"till 7")",
                    R"("token":"3-secret")", R"("expires_at":"2026-01-31T23:59:59.000Z")"}));
}

TEST(TransferJson, HasExactlyTheContractsFields) {
  EXPECT_EQ(transfer_json(a_transfer()),
            joined({R"("id":"trf_0000000000002")", R"("object":"transfer")", R"("debit_account":"acc_0000000000001")",
                    R"("credit_account":"acc_0000000000009")", R"("amount":300)", R"("currency":"CNY")",
                    R"("source":"api")", R"("reference":"T-1")", R"("state":"posted")",
                    R"("created_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"}));
}

TEST(TransferJson, HasOptionalFieldsThatHaveValues) {
  Transfer transfer = a_transfer();
  transfer.state = TransferState::refused;
  transfer.refusal = "insufficient_balance";
  transfer.price = "coffee";
  transfer.quantity = 2;
  transfer.by_user = "u-7";
  transfer.info = "two coffees";
  const auto json = boost::json::parse(transfer_json(transfer)).as_object();
  EXPECT_EQ(json.at("refusal"), "insufficient_balance");
  EXPECT_EQ(json.at("price"), "coffee");
  EXPECT_EQ(json.at("quantity"), 2);
  EXPECT_EQ(json.at("user"), "u-7");
  EXPECT_EQ(json.at("info"), "two coffees");
}

TEST(TransferJson, OfATombstoneShowsOnlyThatItIsReversed) {
  const Transfer tombstone{
      .id = TransferId{2}, .source = "api", .reference = "T-1", .state = TransferState::reversed, .created_at = kAt};
  EXPECT_EQ(transfer_json(tombstone), joined({R"("id":"trf_0000000000002")", R"("object":"transfer")",
                                              R"("source":"api")", R"("reference":"T-1")", R"("state":"reversed")",
                                              R"("created_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"}));
}

TEST(TransferJson, HasNoAmountWhenThePriceWasNotFound) {
  Transfer transfer = a_transfer();
  transfer.amount = 0;
  transfer.state = TransferState::refused;
  transfer.refusal = "price_not_found";
  EXPECT_FALSE(has(transfer_json(transfer), "amount"));
  EXPECT_TRUE(has(transfer_json(transfer), "currency"));
}

TEST(HoldJson, HasExactlyTheContractsFields) {
  EXPECT_EQ(hold_json(a_hold()),
            joined({R"("id":"hld_0000000000003")", R"("object":"hold")", R"("account":"acc_0000000000001")",
                    R"("credit_account":"acc_0000000000009")", R"("amount":300)", R"("posted_amount":200)",
                    R"("currency":"CNY")", R"("source":"api")", R"("reference":"H-1")", R"("state":"posted")",
                    R"("expires_at":"2026-02-01T00:59:59.000Z")", R"("created_at":"2026-01-31T23:59:59.000Z")",
                    R"("version":2)"}));
}

TEST(EntryJson, NamesTheTransferItWasPostedFor) {
  Transfer transfer = a_transfer();
  EXPECT_EQ(entry_json(an_entry(), &transfer, nullptr),
            joined({R"("id":"ent_0000000000004")", R"("object":"entry")", R"("account":"acc_0000000000001")",
                    R"("amount":-300)", R"("balance_before":500)", R"("balance_after":200)", R"("type":"transfer")",
                    R"("transfer":"trf_0000000000002")", R"("source":"api")", R"("reference":"T-1")",
                    R"("created_at":"2026-01-31T23:59:59.000Z")"}));
  transfer.by_user = "u-7";
  transfer.info = "two coffees";
  transfer.source_ip = "192.0.2.1";
  const auto json = boost::json::parse(entry_json(an_entry(), &transfer, nullptr)).as_object();
  EXPECT_EQ(json.at("user"), "u-7");
  EXPECT_EQ(json.at("info"), "two coffees");
  EXPECT_EQ(json.at("source_ip"), "192.0.2.1");
}

TEST(EntryJson, NamesTheHoldItWasPostedFor) {
  const Hold hold = a_hold();
  const auto json = boost::json::parse(entry_json(an_entry(), nullptr, &hold)).as_object();
  EXPECT_EQ(json.at("hold"), "hld_0000000000003");
  EXPECT_EQ(json.at("source"), "api");
  EXPECT_EQ(json.at("reference"), "H-1");
  EXPECT_EQ(json.at("source_ip"), "192.0.2.1");
  EXPECT_FALSE(json.contains("transfer"));
}

TEST(EntryJson, OfTheLedgerNamesItsDocument) {
  Entry entry = an_entry();
  entry.type = EntryType::receipt_accepted;
  entry.document_type = ObjectType::receipt;
  const auto json = boost::json::parse(entry_json(entry, nullptr, nullptr)).as_object();
  EXPECT_EQ(json.at("source"), "receipt");
  EXPECT_EQ(json.at("reference"), "rcp_0000000000002");
}

TEST(PriceJson, HasExactlyTheContractsFields) {
  Price price{.id = PriceId{5},
              .name = "coffee",
              .amount = 1999,
              .currency = kCny,
              .note = "a large one",
              .created_at = kAt,
              .changed_at = kAt};
  EXPECT_EQ(price_json(price),
            joined({R"("id":"prc_0000000000005")", R"("object":"price")", R"("name":"coffee")", R"("amount":1999)",
                    R"("currency":"CNY")", R"("note":"a large one")", R"("created_at":"2026-01-31T23:59:59.000Z")",
                    R"("changed_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"}));
  price.note.reset();
  EXPECT_FALSE(has(price_json(price), "note"));
}

TEST(AdjustmentJson, HasExactlyTheContractsFields) {
  Adjustment adjustment{.id = AdjustmentId{7},
                        .merchant_id = MerchantId{1},
                        .type = AdjustmentType::rounding,
                        .account = AccountKind::channel_receivable,
                        .channel = "alipay",
                        .currency = kCny,
                        .amount = -3,
                        .note = "settlement of May",
                        .state = AdjustmentState::posted,
                        .proposed_by = "key_a",
                        .decided_by = "key_b",
                        .created_at = kAt,
                        .version = 2};
  EXPECT_EQ(adjustment_json(adjustment),
            joined({R"("id":"adj_0000000000007")", R"("object":"adjustment")", R"("merchant":"mer_0000000000001")",
                    R"("type":"rounding")", R"("account":"channel_receivable")", R"("channel":"alipay")",
                    R"("currency":"CNY")", R"("amount":-3)", R"("note":"settlement of May")", R"("state":"posted")",
                    R"("proposed_by":"key_a")", R"("decided_by":"key_b")", R"("created_at":"2026-01-31T23:59:59.000Z")",
                    R"("version":2)"}));
  adjustment.channel.clear();
  adjustment.decided_by.reset();
  EXPECT_FALSE(has(adjustment_json(adjustment), "channel"));
  EXPECT_FALSE(has(adjustment_json(adjustment), "decided_by"));
}

TEST(FeeJson, HasExactlyTheContractsFields) {
  Fee fee{.id = FeeId{6},
          .channel = "sandbox",
          .basis_points = 60,
          .fixed = 10,
          .minimum = 1,
          .maximum = 500,
          .refundable = true,
          .created_at = kAt,
          .changed_at = kAt};
  EXPECT_EQ(fee_json(fee), joined({R"("id":"fee_0000000000006")", R"("object":"fee")", R"("channel":"sandbox")",
                                   R"("basis_points":60)", R"("fixed":10)", R"("minimum":1)", R"("maximum":500)",
                                   R"("refundable":true)", R"("created_at":"2026-01-31T23:59:59.000Z")",
                                   R"("changed_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"}));
  fee.minimum.reset();
  fee.maximum.reset();
  EXPECT_FALSE(has(fee_json(fee), "minimum"));
  EXPECT_FALSE(has(fee_json(fee), "maximum"));
}

}  // namespace
}  // namespace finality::wire
