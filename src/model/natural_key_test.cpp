#include "model/natural_key.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/crypto/encoding.h"

namespace finality {
namespace {

constexpr MerchantId kMerchant{7};

std::string hex_of(const Hash16& hash) { return to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()}); }

// Existing stores contain keys with this layout. The expected bytes were computed with an independent program.
TEST(NaturalKey, HasAFixedLayout) {
  EXPECT_EQ(hex_of(key_of_order_no(kMerchant, "20261122140411483920")), "85b6e85a305bbf6957b41a7bb0e4903b");
  EXPECT_EQ(hex_of(key_of_receipt(kMerchant, "wechatpay", "4200002345202611221234567890")),
            "85b6e7577b15ecf5ecf6dfc67af05d32");
  EXPECT_EQ(hex_of(key_of_order_no(kMerchant, "1859812340027392000")), "99cf61783438e399124c186d5df69eab");
  EXPECT_EQ(hex_of(key_of_order_no(kMerchant, "019aab12-3c4d-7e5f-8a6b-0123456789ab")),
            "819aab123c4ddf4c74079b71b91ba846");
  EXPECT_EQ(hex_of(key_of_order_no(kMerchant, "A-1")), "5597fb921fe334cac9c100000000b002");
  EXPECT_EQ(hex_of(key_of_receipt(kMerchant, "alipay", "0akta7x4r007q")), "338208a010400f12efb223d177041236");
  EXPECT_EQ(hex_of(key_of_price(kMerchant, "Tea (große Kanne)")), "2171447a0138f5383ac3000000000000");
  constexpr ChannelAccountId kAccount{31};
  EXPECT_EQ(hex_of(key_of_channel_rate(kAccount, {}, {}, "2026-07-01")), "739f50acf805eab15de70c7001200042");
  EXPECT_EQ(hex_of(key_of_channel_rate(kAccount, "native", Currency{{'C', 'N', 'Y'}}, "2026-07-01")),
            "7e45653a6d21bd48503c0c7001200042");
}

// The key contains the name of the account kind. If that name changed, Finality would open a second ledger account.
TEST(NaturalKey, OfEachAccountKindIsStable) {
  struct Row {
    AccountKind kind;
    std::string_view channel;
    std::string_view key;
  };
  constexpr Row rows[] = {
      {AccountKind::channel_receivable, "alipay", "06bbd63133bf5612a0e100000000d623"},
      {AccountKind::channel_receivable, "wallet", "15280602286ebee6c52e00000000d623"},
      {AccountKind::merchant_payable, "", "3806c14c7e1f941d151000000000d623"},
      {AccountKind::merchant_direct, "", "60bec50f0b3fdf5f18c800000000d623"},
      {AccountKind::fee_income, "", "3f1f399b5839e74b6c5500000000d623"},
      {AccountKind::suspense, "", "09cf65450fb02339240b00000000d623"},
      {AccountKind::refunds_in_transit, "", "126f62a7ba56f4971d1400000000d623"},
      {AccountKind::direct_refunds_in_transit, "", "4718dc7be43ee6fb610500000000d623"},
      {AccountKind::payouts_in_transit, "", "66bdf6de0a181955f18c00000000d623"},
      {AccountKind::bank, "", "752400a351caef6ab51800000000d623"},
      {AccountKind::bank, "icbc", "41005f74c641af0da70200000000d623"},
      {AccountKind::loss, "", "661342afcec080452e1100000000d623"},
      {AccountKind::channel_fee_expense, "", "36f330b2f1f8b0e5502400000000d623"},
      {AccountKind::disputed, "", "50b1ae0af703c3e529ea00000000d623"},
      {AccountKind::clearing, "", "525e0b6e71bc8099086f00000000d623"},
      {AccountKind::equity, "", "218e7749d4af441927fc00000000d623"},
      {AccountKind::fx, "", "24899b1ffc0d0e7e871500000000d623"},
      {AccountKind::user, "", "6420f5138a8871fc586a00000000d623"},
  };
  std::set<AccountKind> kinds;
  for (const Row& row : rows) {
    EXPECT_EQ(hex_of(key_of_account(kMerchant, row.kind, row.channel, Currency{{'C', 'N', 'Y'}})), row.key)
        << name_of(row.kind);
    kinds.insert(row.kind);
  }
  EXPECT_EQ(kinds.size(), kCount<AccountKind>) << "a new kind needs its row";
}

TEST(NaturalKey, OfTransfersHoldsRefundsAndCapturesIsStable) {
  EXPECT_EQ(hex_of(key_of_transfer(kMerchant, "api", "R-1")), "77d8d7884cc0191b42f400000001c002");
  EXPECT_EQ(hex_of(key_of_hold(kMerchant, "api", "H-1")), "1a2818715a73c28e9115000000012002");
  EXPECT_EQ(hex_of(key_of_refund_no(kMerchant, "B-1")), "16d554cd239a5e8b0ee900000000c002");
  EXPECT_EQ(hex_of(key_of_capture_no(kMerchant, "C-1")), "75ac666e9efcd07e147100000000d002");
}

// Captures can share the trade number of their authorization. Receipts without an ordinal keep the key that they had
// before receipts had ordinals.
TEST(NaturalKey, OfAReceiptContainsOnlyAPositiveOrdinal) {
  const std::string trade_no = "0akta7x4r007q";
  EXPECT_EQ(hex_of(key_of_receipt(kMerchant, "alipay", trade_no, 0)), "338208a010400f12efb223d177041236");
  EXPECT_EQ(hex_of(key_of_receipt(kMerchant, "alipay", trade_no, 2)), "06384cc14649339822f0000000000002");
  std::set<Hash16> keys;
  for (std::int64_t ordinal = 0; ordinal < 4; ++ordinal)
    keys.insert(key_of_receipt(kMerchant, "alipay", trade_no, ordinal));
  keys.insert(key_of_receipt(kMerchant, "alipay", trade_no + "1"));
  EXPECT_EQ(keys.size(), 5u);
}

// The keys of consecutive names have the same first 10 bytes, so no other key sorts between them.
TEST(NaturalKey, KeepsConsecutiveNamesAdjacent) {
  using Names = std::vector<std::string>;
  const Names counters{"7", "8", "9"};
  const Names counters_of_a_shop{"shop-000998", "shop-000999", "shop-001000"};
  const Names own_ids{"0akta7x4r007q", "0akta7x4r007r", "0akta7x4r0080"};
  for (const Names& names : {counters, counters_of_a_shop, own_ids}) {
    SCOPED_TRACE(names.front());
    std::vector<Hash16> keys;
    for (const std::string& name : names) keys.push_back(key_of_order_no(kMerchant, name));
    EXPECT_TRUE(std::ranges::is_sorted(keys));
    for (const Hash16& key : keys) EXPECT_TRUE(std::equal(key.begin(), key.begin() + 10, keys.front().begin()));
  }
}

// Keys of the same time are adjacent across merchants: no key of another time sorts between them.
TEST(NaturalKey, KeepsNamesOfOneTimeAdjacent) {
  using Names = std::vector<std::string>;
  const Names dates{"20261122140411483920", "20261122140412000017", "20261122140511920001"};
  const Names dates_of_a_shop{"shop-20261122140411-7", "shop-20261122140412-3", "shop-20261123000000-1"};
  const Names days_that_count{"202611220000000009", "202611220000000010", "202611220000000020"};
  const Names alipay{"2026112222001400000009", "2026112322001400000008", "2026112422001400000007"};
  const Names wechatpay{"4200001234202611221234567890", "4200002111202611229034567890", "4200000101202611230000000000"};
  const Names snowflakes{"1859812340027392000", "1859812340031586304", "1859812344225890304"};
  const Names uuids{"019aab12-3c4d-7e5f-8a6b-0123456789ab", "019aab12-3c4e-7000-8a6b-0123456789ab",
                    "019AAB12-3C4F-7E5F-8A6B-0123456789AB"};
  for (const Names& names : {dates, dates_of_a_shop, days_that_count, alipay, wechatpay, snowflakes, uuids}) {
    SCOPED_TRACE(names.front());
    std::vector<Hash16> keys;
    for (const std::string& name : names)
      for (const std::int64_t merchant : {7, 8}) keys.push_back(key_of_order_no(MerchantId{merchant}, name));
    for (std::size_t i = 0; i < keys.size(); i += 2) {
      EXPECT_TRUE(std::equal(keys[i].begin(), keys[i].begin() + 6, keys[i + 1].begin()));
      EXPECT_NE(keys[i], keys[i + 1]);
      if (i > 0) EXPECT_LT(std::max(keys[i - 2], keys[i - 1]), std::min(keys[i], keys[i + 1]));
    }
  }
}

TEST(NaturalKey, RecognisesNamesThatContainATime) {
  const auto has_time = [](const std::string& name) { return (key_of_order_no(kMerchant, name).front() & 0x80) != 0; };
  for (const char* name : {"20261231235959", "20100101000000", "20990101000000", "x20261231235959x"})
    EXPECT_TRUE(has_time(name)) << name;
  for (const char* name : {"",
                           "2026123123595",
                           "20261331235959",
                           "20260031235959",
                           "20091231235959",
                           "20261200235959",
                           "20261232235959",
                           "19991231235959",
                           "2026-12-31 23:59:59",
                           "0085981234002739200",
                           "1859812340027392",
                           "18598123400273920001",
                           "18598123400273920x0",
                           "019aab12-3c4d-4e5f-8a6b-0123456789ab",
                           "019aab12-3c4d-7e5f-8a6b-0123456789a",
                           "9223372036854775808",
                           "019aab12-3c4d47e5f-8a6b-0123456789ab",
                           "019aab1203c4d-7e5f-8a6b-0123456789ab",
                           "z19aab12-3c4d-7e5f-8a6b-0123456789ab",
                           "f19aab12-3c4d-7e5f-8a6b-0123456789ab",
                           "+19aab12-3c4d-7e5f-8a6b-0123456789ab"})
    EXPECT_FALSE(has_time(name)) << name;
}

TEST(NaturalKey, DiffersByMerchantKindAndEveryPart) {
  const std::set<Hash16> keys = {
      hash_of_key(MerchantId{1}, "a", {"b", "c"}),
      hash_of_key(MerchantId{2}, "a", {"b", "c"}),
      hash_of_key(MerchantId{1}, "ab", {"c"}),
      hash_of_key(MerchantId{1}, "a", {"bc"}),
      hash_of_key(MerchantId{1}, "a", {"bc", ""}),
      hash_of_key(MerchantId{1}, "a", {"", "bc"}),
      hash_of_key(MerchantId{1}, "a", {"c", "b"}),
      hash_of_key(MerchantId{1}, "a",
                  {"b\x1f"
                   "1:c"}),
  };
  EXPECT_EQ(keys.size(), 8u);
}

TEST(NaturalKey, HasAnotherBeginningForAnotherMerchantOrKind) {
  const Hash16 key = key_of_order_no(kMerchant, "100001");
  for (const Hash16& other : {key_of_order_no(MerchantId{8}, "100001"), key_of_refund_no(kMerchant, "100001"),
                              key_of_receipt(kMerchant, "alipay", "100001")})
    EXPECT_FALSE(std::equal(key.begin(), key.begin() + 10, other.begin()));
}

// The last bytes of a key are the rank of the end of its name in the sorted list of all ends with the same length and
// alphabet. "038" among digits and "--a" among letters, digits, "-" and "_" have the same rank, but their keys differ.
TEST(NaturalKey, DiffersForEndsOfTheSameRank) {
  const std::vector<std::string> names{"038", "--a", "", "a", "A", "0", "00", "-", "--", "支付", "支 ", "a b"};
  std::vector<Hash16> keys;
  for (const std::string& name : names) keys.push_back(key_of_order_no(kMerchant, name));
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST(NaturalKey, DiffersForDifferentNames) {
  EXPECT_TRUE(rc::check([](const std::string& one, const std::string& other) {
    RC_PRE(one != other);
    RC_ASSERT(key_of_order_no(kMerchant, one) != key_of_order_no(kMerchant, other));
    RC_ASSERT(key_of_receipt(kMerchant, one, other) != key_of_receipt(kMerchant, other, one));
  }));
}

TEST(NaturalKey, DiffersForDifferentNamesOfOneTime) {
  const Hash16 key = key_of_order_no(kMerchant, "20261122140411483920");
  for (const Hash16& other :
       {key_of_order_no(kMerchant, "20261122140411483921"), key_of_order_no(kMerchant, "-20261122140411483920"),
        key_of_order_no(MerchantId{8}, "20261122140411483920"), key_of_refund_no(kMerchant, "20261122140411483920"),
        key_of_receipt(kMerchant, "alipay", "20261122140411483920")}) {
    EXPECT_TRUE(std::equal(key.begin(), key.begin() + 6, other.begin()));
    EXPECT_FALSE(std::equal(key.begin() + 6, key.end(), other.begin() + 6));
  }
}

}  // namespace
}  // namespace finality
