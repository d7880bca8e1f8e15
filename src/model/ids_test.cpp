#include "model/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <set>

#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

TEST(Id, EveryKindHasAPrefixOfItsOwn) {
  std::set<std::string_view> prefixes;
  for (std::size_t i = 0; i < kCount<ObjectType>; ++i)
    EXPECT_TRUE(prefixes.insert(prefix_of(static_cast<ObjectType>(i))).second);
}

TEST(Id, WhatIsWrittenIsReadBackAsItsOwnKindAlone) {
  EXPECT_TRUE(rc::check([] {
    const OrderId id{*rc::gen::inRange<std::int64_t>(1, std::numeric_limits<std::int64_t>::max())};
    RC_ASSERT(parse_id<OrderId>(to_text(id)) == id);
    RC_ASSERT(!parse_id<PaymentId>(to_text(id)));
    RC_ASSERT(parse_ref(to_text(id)) == ObjectRef(id));
  }));
}

TEST(Id, WhatIsNoIdIsNone) {
  for (const char* text : {"", "ord", "ord_", "_0000000000001", "ord_1", "xyz_0000000000001", "ORD_0000000000001",
                           "ord_000000000000u", "ord-0000000000001", "ord_0000000000001 "})
    EXPECT_FALSE(parse_ref(text).has_value()) << text;
}

TEST(OutTradeNo, NamesTheMerchantAndThePayment) {
  const auto parsed = parse_out_trade_no(out_number(MerchantId{7}, 99));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->merchant_id, MerchantId{7});
  EXPECT_EQ(parsed->payment_id, PaymentId{99});
}

TEST(OutTradeNo, WhatIsNotOursIsNone) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    if (const auto parsed = parse_out_trade_no(text))
      RC_ASSERT(out_number(parsed->merchant_id, parsed->payment_id.value) == text);
  }));
  EXPECT_FALSE(parse_out_trade_no(std::string(26, 'z')).has_value());
  EXPECT_FALSE(parse_out_trade_no(out_number(MerchantId{7}, 99) + "x").has_value());
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

}  // namespace
}  // namespace finality
