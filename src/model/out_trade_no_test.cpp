#include "model/out_trade_no.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

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

constexpr MerchantId kMerchant{7};
constexpr OrderId kOrder{99};

std::string base() { return out_number(kMerchant, kOrder.value); }

TEST(OutTradeNo, OfAnAuthorizationOrCaptureContainsTheOrder) {
  struct Row {
    std::string text;
    std::optional<OrdinalNo> (*parse)(std::string_view);
    std::int64_t ordinal;
    std::int64_t release;
  };
  const std::string authorization = out_authorization_no(kMerchant, kOrder, 2);
  const Row rows[] = {{authorization, parse_out_authorization_no, 2, 0},
                      {out_release_no(authorization, 13), parse_out_authorization_no, 2, 13},
                      {out_capture_no(kMerchant, kOrder, 100), parse_out_capture_no, 100, 0}};
  EXPECT_EQ(rows[0].text, base() + "a2");
  EXPECT_EQ(rows[1].text, base() + "a2r13");
  EXPECT_EQ(rows[2].text, base() + "c100");
  for (const Row& row : rows)
    for (const auto parse : {row.parse, &parse_ordinal_no}) {
      const auto number = parse(row.text);
      ASSERT_TRUE(number.has_value()) << row.text;
      EXPECT_EQ(number->merchant_id, kMerchant);
      EXPECT_EQ(number->order_id, kOrder);
      EXPECT_EQ(number->ordinal, row.ordinal);
      EXPECT_EQ(number->release, row.release);
    }
}

TEST(OutTradeNo, MalformedNumbersWithAnOrdinalAreRejected) {
  for (const char* rest : {"",
                           "a",
                           "c",
                           "h",
                           "x",
                           "a0",
                           "a01",
                           "a-1",
                           "a+1",
                           "a1 ",
                           "a1f",
                           "a1r",
                           "a1r0",
                           "a1r01",
                           "a1r-1",
                           "a1r1r1",
                           "a1r1x",
                           "c0",
                           "c01",
                           "c-1",
                           "c1r1",
                           "c1a1",
                           "b1",
                           "A1",
                           "C1",
                           "a9223372036854775808",
                           "c99999999999999999999"})
    EXPECT_FALSE(parse_ordinal_no(base() + rest).has_value()) << rest;
  EXPECT_FALSE(parse_ordinal_no("a1").has_value());
  EXPECT_FALSE(parse_ordinal_no(std::string(26, 'z') + "a1").has_value());
}

// A number is routed by its form, so no text may be a number of two kinds. Ordinals are at most 100, and attempts below
// 100.
TEST(OutTradeNo, EachNumberHasOneKindAndOnlyCharactersThatAllChannelsAccept) {
  EXPECT_TRUE(rc::check([] {
    const auto number = [] { return *rc::gen::inRange<std::int64_t>(1, std::numeric_limits<std::int64_t>::max()); };
    const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
    const MerchantId merchant{number()};
    const OrderId order{number()};
    const std::string authorization = out_authorization_no(merchant, order, up_to(100));
    const std::string numbers[] = {
        out_number(merchant, order.value), out_refund_number(merchant, order.value, up_to(99)), authorization,
        out_release_no(authorization, up_to(99)), out_capture_no(merchant, order, up_to(100))};
    for (const std::string& text : numbers) {
      const bool is_payment = parse_out_trade_no(text).has_value();
      const bool is_attempt = !is_payment && parse_out_refund_no(text).has_value();
      const bool found[] = {is_payment, is_attempt, parse_out_authorization_no(text).has_value(),
                            parse_out_capture_no(text).has_value()};
      RC_ASSERT(std::ranges::count(found, true) == 1);
      RC_ASSERT(text.size() <= 33u);
      RC_ASSERT(std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }));
    }
  }));
}

// Whatever a parser accepts is the number that the ids and ordinals make. `rest`: of all texts near valid ones.
TEST(OutTradeNo, AParsedNumberIsMadeAgain) {
  EXPECT_TRUE(rc::check([] {
    const auto characters = rc::gen::elementOf(std::string("acrx019"));
    const std::string text = base() + *rc::gen::container<std::string>(characters);
    const auto authorization = parse_out_authorization_no(text);
    const auto capture = parse_out_capture_no(text);
    RC_ASSERT(!authorization || !capture);
    RC_ASSERT(!authorization || !parse_out_refund_no(text));
    RC_ASSERT(!capture || !parse_out_refund_no(text));
    RC_ASSERT(parse_ordinal_no(text).has_value() == (authorization || capture));
    if (capture) RC_ASSERT(out_capture_no(kMerchant, kOrder, capture->ordinal) == text);
    if (authorization) {
      const std::string number = out_authorization_no(kMerchant, kOrder, authorization->ordinal);
      const bool is_release = authorization->release != 0;
      RC_ASSERT((is_release ? out_release_no(number, authorization->release) : number) == text);
    }
  }));
}

}  // namespace
}  // namespace finality
