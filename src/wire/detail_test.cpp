#include "wire/detail.h"

#include <gtest/gtest.h>

#include <utility>

namespace finality::wire {
namespace {

constexpr Time kAt{1'769'903'999'000};
constexpr const char* kTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string triggered_by(Trigger trigger, std::string traceparent = {}) {
  return detail_json({.trigger = std::move(trigger), .traceparent = std::move(traceparent)}, {});
}

TEST(Detail, NamesTheTriggerOfTheCommand) {
  const std::string key = to_text(ApiKeyId{3});
  EXPECT_EQ(triggered_by({}), "");
  EXPECT_EQ(triggered_by(ApiRequest{"req_1", ApiKeyId{3}}), R"({"request_id":"req_1","key":")" + key + R"("})");
  EXPECT_EQ(triggered_by(ApiRequest{"req_1", ApiKeyId{3}}, kTrace),
            R"({"request_id":"req_1","key":")" + key + R"(","traceparent":")" + kTrace + R"("})");
  EXPECT_EQ(triggered_by(ReceivedNotification{"req_1", "n-1"}), R"({"request_id":"req_1","out_trade_no":"n-1"})");
  EXPECT_EQ(triggered_by(ReceivedNotification{"req_1", "n-1", "r-1"}),
            R"({"request_id":"req_1","out_trade_no":"n-1","out_refund_no":"r-1"})");
  EXPECT_EQ(triggered_by(ChoosingPayer{"req_1"}), R"({"request_id":"req_1","asked_by":"payer_choice"})");
  EXPECT_EQ(triggered_by(ReturnedPayer{"req_1"}), R"({"request_id":"req_1","asked_by":"payer_return"})");
  EXPECT_EQ(triggered_by(DueSince{kAt}, kTrace), R"({"due_at":"2026-01-31T23:59:59.000Z"})");
  EXPECT_EQ(triggered_by(CommandLine{}), R"({"command_line":true})");
  EXPECT_EQ(triggered_by(BenchRun{}), R"({"bench":true})");
}

TEST(Detail, OfAnAuthorizationContainsTheTotalsAndCaptures) {
  const Currency cny = *parse_currency("CNY");
  AuthorizationEvidence evidence{.kind = AuthorizationEvidenceKind::released,
                                 .asked_at = kAt,
                                 .channel_trade_no = "H1",
                                 .authorized = 1999,
                                 .captured = 700,
                                 .released = 1299,
                                 .currency = cny,
                                 .capture_before = kAt,
                                 .is_unfunded = true,
                                 .channel_payer = "2088",
                                 .captures = {{"n-1c1", "T1", 700, cny, kAt}},
                                 .code = "FINISH"};
  EXPECT_EQ(detail_json({}, AuthorizationReport{"sandbox", evidence}),
            R"({"evidence":"released","asked_at":"2026-01-31T23:59:59.000Z","channel_trade_no":"H1","authorized":1999,)"
            R"("captured":700,"released":1299,"currency":"CNY","capture_before":"2026-01-31T23:59:59.000Z",)"
            R"("unfunded":true,"captures":[{"out_trade_no":"n-1c1","channel_trade_no":"T1","amount":700,)"
            R"("currency":"CNY","paid_at":"2026-01-31T23:59:59.000Z"}],"code":"FINISH","channel":"sandbox"})");
  evidence = {.kind = AuthorizationEvidenceKind::waiting, .asked_at = kAt};
  EXPECT_EQ(detail_json({}, AuthorizationReport{"sandbox", evidence}),
            R"({"evidence":"waiting","asked_at":"2026-01-31T23:59:59.000Z","channel":"sandbox"})");
}

TEST(Detail, OfEvidenceContainsTheChannelsReport) {
  Evidence evidence{.kind = EvidenceKind::paid,
                    .asked_at = kAt,
                    .channel_trade_no = "T1",
                    .amount = 1999,
                    .currency = *parse_currency("CNY"),
                    .refunded = 5,
                    .code = "TRADE_SUCCESS",
                    .message = "paid"};
  const std::string paid =
      R"({"evidence":"paid","asked_at":"2026-01-31T23:59:59.000Z","channel_trade_no":"T1","amount":1999,)"
      R"("currency":"CNY",)";
  EXPECT_EQ(detail_json({}, PaymentEvidence{"sandbox", evidence}),
            paid + R"("refunded":5,"code":"TRADE_SUCCESS","message":"paid","channel":"sandbox"})");

  evidence.is_refund_unknown = true;
  evidence.refund = ReportedRefund{"R1", 5, RefundEvidenceKind::refunded, ReportedReturn{"B1", 2}};
  EXPECT_EQ(detail_json({}, PaymentEvidence{"sandbox", evidence}),
            paid + R"("refunded":"unknown","refund":{"channel_refund_no":"R1","amount":5,"evidence":"refunded",)"
                   R"("returned":{"number":"B1","amount":2}},"code":"TRADE_SUCCESS","message":"paid",)"
                   R"("channel":"sandbox"})");
}

TEST(Detail, OfEvidenceAboutARefundNamesTheAttempt) {
  RefundEvidence evidence{.kind = RefundEvidenceKind::accepted, .asked_at = kAt, .is_stranded = true};
  EXPECT_EQ(detail_json({}, AttemptEvidence{"sandbox", "r-1", evidence}),
            R"({"evidence":"accepted","channel":"sandbox","out_refund_no":"r-1",)"
            R"("asked_at":"2026-01-31T23:59:59.000Z","stranded":true})");
  evidence = {.kind = RefundEvidenceKind::refunded,
              .asked_at = kAt,
              .code = "OK",
              .message = "done",
              .returned = ReportedReturn{"B1", 2}};
  EXPECT_EQ(detail_json({.trigger = ReceivedNotification{"req_1", "n-1", "r-1"}},
                        AttemptEvidence{"sandbox", "r-1", evidence}),
            R"({"evidence":"refunded","channel":"sandbox","out_refund_no":"r-1",)"
            R"("asked_at":"2026-01-31T23:59:59.000Z","returned":{"number":"B1","amount":2},"code":"OK",)"
            R"("message":"done","via":{"request_id":"req_1","out_trade_no":"n-1","out_refund_no":"r-1"}})");
}

// The field `via` of evidence contains the result of the call that produced the evidence.
TEST(Detail, OfEvidenceFromACallContainsTheResultOfTheCall) {
  const Evidence silence{.asked_at = kAt, .code = "timeout", .message = "no answer"};
  const std::string unknown =
      R"({"evidence":"unknown","asked_at":"2026-01-31T23:59:59.000Z","code":"timeout","message":"no answer",)"
      R"("channel":"sandbox","via":{"call":"query_payment","evidence":"unknown",)";
  const std::pair<CallResult, const char*> cases[] = {
      {{.call = "query_payment", .status = 504}, R"("status":504,"code":"timeout","message":"no answer"}})"},
      {{.call = "query_payment", .failure = "reset", .sent = true},
       R"("failure":"reset","sent":true,"code":"timeout","message":"no answer"}})"},
      {{.call = "query_payment", .called = false}, R"("asked":false}})"},
  };
  for (const auto& [result, via] : cases)
    EXPECT_EQ(detail_json({.trigger = result}, PaymentEvidence{"sandbox", silence}), unknown + via);
}

TEST(Detail, OfOtherFindingsReplacesTheTrigger) {
  const Cause cause{.trigger = ApiRequest{"req_1", ApiKeyId{3}}};
  EXPECT_EQ(detail_json(cause, DeliveryResult{2, 500, "status 500"}),
            R"({"attempt":2,"status":500,"error":"status 500"})");
  EXPECT_EQ(detail_json(cause, DeliveryResult{1, {}, ""}), R"({"attempt":1})");
  EXPECT_EQ(detail_json(cause, BrokenRule{"3: \"one\""}), R"({"finding":"3: \"one\""})");
  EXPECT_EQ(detail_json(cause, ResolutionStep{CaseId{9}, "keep", "", "key_a"}),
            R"({"case":")" + to_text(CaseId{9}) + R"(","resolution":"keep","note":"","key":"key_a"})");
}

TEST(Detail, AcceptsTheExchangeInAnyDetail) {
  const std::pair<const char*, const char*> cases[] = {{"", R"({"exchange":{"a":1}})"},
                                                       {"{}", R"({"exchange":{"a":1}})"},
                                                       {R"({"b":2})", R"({"b":2,"exchange":{"a":1}})"}};
  for (const auto& [before, after] : cases) EXPECT_EQ(with_exchange(before, R"({"a":1})"), after);
}

TEST(Detail, EvidenceOfACaseGrowsUpToALimit) {
  std::string evidence = with_evidence({}, R"({"a":1})");
  EXPECT_EQ(evidence, R"([{"a":1}])");
  evidence = with_evidence(evidence, R"({"b":2})");
  EXPECT_EQ(evidence, R"([{"a":1},{"b":2}])");
  EXPECT_EQ(with_evidence(evidence, std::string(40'000, 'x')), evidence);
  EXPECT_EQ(with_evidence({}, std::string(40'000, 'x')), "[]");
}

}  // namespace
}  // namespace finality::wire
