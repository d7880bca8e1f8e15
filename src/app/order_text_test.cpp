#include "app/order_text.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <string_view>

namespace finality::app {
namespace {

namespace json = boost::json;

json::object object_of(std::string_view text) { return json::parse(text).as_object(); }

json::object order_with(std::string_view fields) {
  std::string text = R"({"id":"ord_1","merchant_order_no":"walk-1","amount":8000,"currency":"CNY","subject":"Tea",
                         "created_at":"2026-11-21T10:36:02.943Z","expires_at":"2026-11-21T11:36:02.943Z",)";
  return object_of(text.append(fields) + "}");
}

struct DurationCase {
  std::int64_t ms;
  std::string_view text;
};

class Durations : public testing::TestWithParam<DurationCase> {};

TEST_P(Durations, HaveTwoUnitsAtMost) { EXPECT_EQ(duration_text(Duration(GetParam().ms)), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(OrderText, Durations,
                         testing::Values(DurationCase{0, "0 ms"}, DurationCase{2, "2 ms"}, DurationCase{999, "999 ms"},
                                         DurationCase{1000, "1.0 s"}, DurationCase{3199, "3.1 s"},
                                         DurationCase{59'999, "59.9 s"}, DurationCase{60'000, "1 min"},
                                         DurationCase{125'999, "2 min 5 s"}, DurationCase{3'600'000, "1 h"},
                                         DurationCase{11'520'000, "3 h 12 min"}, DurationCase{86'400'000, "1 d"},
                                         DurationCase{187'200'000, "2 d 4 h"}));

TEST(OrderText, AFinalOrderShowsHowLongItTook) {
  EXPECT_EQ(order_text(order_with(R"("state":"succeeded",
                                     "checkout_url":"https://pay.example/c/1",
                                     "payments":[{"id":"pay_1","channel":"sandbox","method":"web","state":"failed",
                                                  "amount":8000,"currency":"CNY",
                                                  "failure":{"code":"declined","message":"no money"}},
                                                 {"id":"pay_22","channel":"sandbox2","method":"qr","state":"succeeded",
                                                  "amount":8000,"currency":"CNY"}])"),
                       parse_rfc3339("2026-11-21T10:36:03.050Z")),
            "order ord_1: succeeded\n"
            "  number    walk-1\n"
            "  subject   Tea\n"
            "  amount    80.00 CNY\n"
            "  created   2026-11-21T10:36:02.943Z\n"
            "  final     2026-11-21T10:36:03.050Z, after 107 ms\n"
            "\n"
            "attempt  channel   method  state         amount  failure\n"
            "pay_1    sandbox   web     failed     80.00 CNY  declined: no money\n"
            "pay_22   sandbox2  qr      succeeded  80.00 CNY\n");
}

TEST(OrderText, AnOpenOrderShowsItsCheckoutAndItsExpiry) {
  EXPECT_EQ(
      order_text(
          order_with(
              R"("state":"pending","close_requested":true,"checkout_url":"https://pay.example/c/1","payments":[])"),
          std::nullopt),
      "order ord_1: pending, close requested\n"
      "  number    walk-1\n"
      "  subject   Tea\n"
      "  amount    80.00 CNY\n"
      "  created   2026-11-21T10:36:02.943Z\n"
      "  expires   2026-11-21T11:36:02.943Z\n"
      "  checkout  https://pay.example/c/1\n");
}

TEST(OrderText, AClosedOrderShowsTheReason) {
  EXPECT_TRUE(order_text(order_with(R"("state":"closed","closed_reason":"expired")"), std::nullopt)
                  .starts_with("order ord_1: closed (expired)\n"));
}

TEST(OrderText, CapturesFollowTheirAuthorization) {
  const std::string text = order_text(
      order_with(
          R"("state":"authorized","authorizations":[{"id":"aut_1","channel":"sandbox","method":"web","state":"authorized",
         "amount":8000,"currency":"CNY","captures":[{"id":"cap_1","state":"succeeded","amount":500,"currency":"CNY"}]}])"),
      std::nullopt);
  EXPECT_TRUE(
      text.contains("aut_1    sandbox  web     authorized  80.00 CNY\n"
                    "cap_1                     succeeded    5.00 CNY\n"))
      << text;
}

TEST(OrderText, OnlyFinalStatesAreFinal) {
  for (const char* state : {"succeeded", "failed", "closed"})
    EXPECT_TRUE(is_final_order(object_of(std::string(R"({"state":")") + state + "\"}"))) << state;
  for (const char* state : {"pending", "processing", "authorized", "a state of a later release"})
    EXPECT_FALSE(is_final_order(object_of(std::string(R"({"state":")") + state + "\"}"))) << state;
}

TEST(OrderText, TextOfOthersCannotControlTheTerminal) {
  EXPECT_FALSE(order_text(object_of(R"({"id":"\u001b[31m","subject":"\u001b[2J","state":"\u009b"})"), std::nullopt)
                   .contains('\x1b'));
  EXPECT_FALSE(TimelineText().line_of(object_of(R"({"summary":"\u001b[2J"})")).contains('\x1b'));
}

// ---- The timeline

json::object item(std::string_view at, std::string_view summary) {
  return {{"id", "tli_1"}, {"at", at}, {"kind", "event"}, {"summary", summary}, {"detail", json::object()}};
}

TEST(TimelineText, EachDayHasOneDateAndEachStepItsDuration) {
  TimelineText text;
  std::string lines;
  for (const auto& [at, summary] :
       {std::pair("2026-11-21T10:36:02.943Z", "order ord_1: created, pending (API request)"),
        std::pair("2026-11-21T10:36:02.943Z", "payment pay_1: created (API request)"),
        std::pair("2026-11-21T10:36:05.950Z", "sandbox response: waiting"),
        std::pair("2026-11-22T00:00:00.000Z", "order ord_1: pending → closed (scheduled)")})
    lines += text.line_of(item(at, summary));
  EXPECT_EQ(lines,
            "2026-11-21 (UTC)\n"
            "10:36:02.943                order ord_1: created, pending (API request)\n"
            "10:36:02.943                payment pay_1: created (API request)\n"
            "10:36:05.950        +3.0 s  sandbox response: waiting\n"
            "2026-11-22 (UTC)\n"
            "00:00:00.000  +13 h 23 min  order ord_1: pending → closed (scheduled)\n");
}

TEST(TimelineText, TheOrderIsFinalSinceItsLastMoveToAFinalState) {
  const auto event = [](std::string_view at, std::string_view machine, std::string_view from, std::string_view to) {
    json::object one = item(at, "");
    one["detail"] = json::object{{"object", "event"}, {"machine", machine}, {"from", from}, {"to", to}};
    return one;
  };
  TimelineText text;
  text.line_of(event("2026-11-21T10:36:01Z", "payment", "pending", "succeeded"));
  text.line_of(event("2026-11-21T10:36:02Z", "order", "pending", "processing"));
  EXPECT_EQ(text.final_at(), std::nullopt);
  text.line_of(event("2026-11-21T10:36:03Z", "order", "processing", "succeeded"));
  text.line_of(event("2026-11-21T10:36:04Z", "order", "succeeded", "succeeded"));
  EXPECT_EQ(text.final_at(), parse_rfc3339("2026-11-21T10:36:03Z"));
}

TEST(TimelineText, AnItemWithoutAValidTimeIsShown) {
  EXPECT_TRUE(TimelineText().line_of(object_of(R"({"summary":"tea"})")).ends_with("  tea\n"));
}

// ---- The money

struct EntryCase {
  std::string_view account;
  std::string_view type;
  MinorUnits amount;
  std::string_view currency = "CNY";
};

std::string money_after(std::initializer_list<EntryCase> entries, std::string_view order = R"("state":"succeeded")") {
  TimelineText text;
  for (const EntryCase& one : entries)
    text.line_of(
        {{"kind", "entry"},
         {"detail",
          json::object{
              {"account_kind", one.account}, {"type", one.type}, {"amount", one.amount}, {"currency", one.currency}}}});
  return text.money_of(order_with(order));
}

TEST(OrderMoney, WithoutEntriesTheMerchantGetsNothing) {
  EXPECT_EQ(money_after({}),
            "money\n"
            "  ordered            80.00 CNY\n"
            "  the merchant gets   0.00 CNY\n");
}

TEST(OrderMoney, IsTheSumOfTheMerchantsEntries) {
  EXPECT_EQ(money_after({{"channel_receivable", "receipt_accepted", -8000},
                         {"merchant_payable", "receipt_accepted", 8000},
                         {"merchant_payable", "fee_charged", -48},
                         {"fee_income", "fee_charged", 48},
                         {"merchant_payable", "refund_accepted", -3000},
                         {"refunds_in_transit", "refund_accepted", 3000},
                         {"merchant_payable", "fee_returned", 18}}),
            "money\n"
            "  ordered             80.00 CNY\n"
            "  paid                80.00 CNY\n"
            "  refunded           -30.00 CNY\n"
            "  fee                 -0.30 CNY\n"
            "  the merchant gets   49.70 CNY\n");
}

TEST(OrderMoney, ARefundThatFailedIsNotInTheSum) {
  EXPECT_EQ(money_after({{"merchant_direct", "receipt_accepted", 8000},
                         {"merchant_direct", "refund_accepted", -3000},
                         {"merchant_direct", "refund_failed", 3000}}),
            "money\n"
            "  ordered            80.00 CNY\n"
            "  paid               80.00 CNY\n"
            "  the merchant gets  80.00 CNY\n");
}

TEST(OrderMoney, APaymentInSuspenseIsNotTheMerchants) {
  EXPECT_EQ(money_after({{"suspense", "receipt_in_suspense", 8000}}, R"("state":"closed")"),
            "money\n"
            "  ordered                             80.00 CNY\n"
            "  the merchant gets                    0.00 CNY\n"
            "  not part of the order, in suspense  80.00 CNY\n");
  EXPECT_FALSE(money_after({{"suspense", "receipt_in_suspense", 8000}, {"suspense", "reversal_succeeded", -8000}})
                   .contains("suspense"));
}

TEST(OrderMoney, HasOneSumPerCurrency) {
  EXPECT_EQ(money_after({{"merchant_payable", "receipt_accepted", 8000},
                         {"merchant_payable", "receipt_converted_for_merchant", -8000},
                         {"merchant_payable", "receipt_converted_for_merchant", 1100, "USD"}}),
            "money\n"
            "  ordered             80.00 CNY\n"
            "  paid                80.00 CNY\n"
            "  converted          -80.00 CNY\n"
            "  the merchant gets    0.00 CNY\n"
            "  converted           11.00 USD\n"
            "  the merchant gets   11.00 USD\n");
}

TEST(OrderMoney, ATypeOfALaterReleaseIsInTheSum) {
  EXPECT_TRUE(money_after({{"merchant_payable", "gift", 100}}).contains("  other               1.00 CNY\n"));
}

}  // namespace
}  // namespace finality::app
