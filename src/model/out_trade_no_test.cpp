#include "model/out_trade_no.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace finality {
namespace {

TEST(OutTradeNo, ContainsTheMerchantAndThePayment) {
  const auto parsed = parse_out_trade_no(out_number(MerchantId{7}, 99));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->merchant_id, MerchantId{7});
  EXPECT_EQ(parsed->payment_id, PaymentId{99});
}

TEST(OutTradeNo, NumbersOfOthersAreRejected) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    if (const auto parsed = parse_out_trade_no(text))
      RC_ASSERT(out_number(parsed->merchant_id, parsed->payment_id.value) == text);
  }));
  EXPECT_FALSE(parse_out_trade_no(std::string(26, 'z')).has_value());
  EXPECT_FALSE(parse_out_trade_no(out_number(MerchantId{7}, 99) + "x").has_value());
}

}  // namespace
}  // namespace finality
