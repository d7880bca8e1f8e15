#include "wire/audience.h"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "wire/detail.h"
#include "wire/wire.h"

namespace finality::wire {
namespace {

constexpr Time kAt{1'769'903'999'000};

std::string to_merchant(const std::string& json) { return shown_to(Audience::merchant, json); }

TEST(Audience, AMerchantReceivesOnlyTheFieldsForEveryone) {
  struct {
    const char* what;
    const char* json;
    const char* shown;
  } const cases[] = {
      {"a case",
       R"({"id":"cas_1","object":"case","kind":"identity","state":"proposed","evidence":[{"key":"key_1"}],)"
       R"("note":"n","proposed_by":"key_1","created_at":"t"})",
       R"({"id":"cas_1","object":"case","kind":"identity","state":"proposed","created_at":"t"})"},
      {"an adjustment", R"({"object":"adjustment","amount":1,"note":"n","proposed_by":"key_1","decided_by":"key_2"})",
       R"({"object":"adjustment","amount":1})"},
      {"an event",
       R"({"object":"event","event":"close","cause":{"case":"cas_1","note":"n","key":"key_1","kind":"operator"}})",
       R"({"object":"event","event":"close","cause":{"case":"cas_1","kind":"operator"}})"},
      {"the trigger of evidence",
       R"({"object":"event","cause":{"evidence":"paid","via":{"request_id":"r","key":"key_1"}}})",
       R"({"object":"event","cause":{"evidence":"paid","via":{"request_id":"r"}}})"},
      {"a setting",
       R"({"object":"channel_account","merchants":["mer_1"],"settings":{"appid":"1","bank_account":"icbc"}})",
       R"({"object":"channel_account","settings":{"appid":"1"}})"},
      {"a list", R"({"object":"list","url":"/v1/cases","has_more":false,"data":[{"object":"case","note":"n"}]})",
       R"({"object":"list","url":"/v1/cases","has_more":false,"data":[{"object":"case"}]})"},
      {"a webhook", R"({"type":"case.opened","timestamp":"t","data":{"object":"case","note":"n"}})",
       R"({"type":"case.opened","timestamp":"t","data":{"object":"case"}})"},
      {"a timeline", R"({"object":"list","data":[{"id":"tli_1","detail":{"object":"event","cause":{"key":"key_1"}}}]})",
       R"({"object":"list","data":[{"id":"tli_1","detail":{"object":"event","cause":{}}}]})"},
      {"an object for operators", R"({"id":"key_1","object":"api_key","name":"night"})", "{}"},
      {"an unknown object", R"({"id":"new_1","object":"new","secret":"s"})", "{}"},
      {"an unknown field", R"({"object":"case","new":1})", R"({"object":"case"})"},
      {"malformed text", R"({"object":"case",)", "{}"},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(to_merchant(row.json), row.shown) << row.what;
    EXPECT_EQ(shown_to(Audience::operators, row.json), row.json) << row.what;
  }
}

TEST(Audience, TextWithoutRestrictedObjectsIsUnchanged) {
  for (const char* text : {"", "<html>", R"({"id":"ord_1","object":"order","new": 1})",
                           R"({"object":"order","subject":"\"object\":\"case\"","note": 1})"})
    EXPECT_EQ(to_merchant(text), text);
}

TEST(Audience, TheMetadataOfAMerchantIsNoObjectOfTheApi) {
  const std::string order = R"({"object":"order","metadata":{"object":"case","note":"mine","data":{"key":"k"}}})";
  EXPECT_EQ(to_merchant(order), order);
}

TEST(Audience, DeepJsonOfAChannelIsShown) {
  std::string deep = "1";
  for (int i = 0; i < 60; ++i) deep = R"({"a":)" + deep + "}";
  const std::string event = R"({"object":"event","cause":{"exchange":)" + deep + "}}";
  EXPECT_EQ(to_merchant(event), event);
}

TEST(Audience, TheTableNamesEachObjectAndEachFieldOnce) {
  std::set<std::string_view> objects;
  for (const ObjectFields& row : object_fields()) {
    EXPECT_TRUE(objects.insert(row.object).second) << row.object;
    std::set<std::string> names;
    for (std::string_view rest : {row.everyone, row.operators})
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        EXPECT_TRUE(names.insert(std::string(rest.substr(0, end))).second) << row.object << ' ' << rest;
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
  }
}

// All triggers and details, with all optional fields.
std::vector<std::string> all_causes() {
  static_assert(std::variant_size_v<Trigger> == 9 && std::variant_size_v<Detail> == 8, "add the new alternative below");
  const Currency cny = *parse_currency("CNY");
  const ReportedSettlement settlement{.transaction_no = "S1", .amount = 1, .currency = cny, .exchange_rate = "7"};
  std::vector<std::string> causes;
  for (const Trigger& trigger : std::initializer_list<Trigger>{
           ApiRequest{"req_1", ApiKeyId{3}}, ReceivedNotification{"req_1", "n-1", "r-1"}, ReturnedPayer{"req_1"},
           ChoosingPayer{"req_1"}, CallResult{.call = "query", .status = 200},
           CallResult{.call = "query", .failure = "no route"}, CallResult{.call = "query", .called = false},
           DueSince{kAt}, CommandLine{}, BenchRun{}})
    for (const Detail& detail : std::initializer_list<Detail>{
             {},
             PaymentEvidence{"sandbox", Evidence{.kind = EvidenceKind::paid,
                                                 .asked_at = kAt,
                                                 .channel_trade_no = "T1",
                                                 .amount = 1,
                                                 .currency = cny,
                                                 .refunded = 1,
                                                 .refund = ReportedRefund{.number = "R1"},
                                                 .settlement = settlement,
                                                 .code = "C",
                                                 .message = "M"}},
             AuthorizationReport{"sandbox", AuthorizationEvidence{.kind = AuthorizationEvidenceKind::released,
                                                                  .asked_at = kAt,
                                                                  .channel_trade_no = "H1",
                                                                  .authorized = 1,
                                                                  .currency = cny,
                                                                  .authorized_at = kAt,
                                                                  .capture_before = kAt,
                                                                  .is_unfunded = true,
                                                                  .captures = {{"n-1c1", "T1", 1, cny, kAt}}}},
             AttemptEvidence{"sandbox", "R1",
                             RefundEvidence{.asked_at = kAt,
                                            .is_stranded = true,
                                            .returned = ReportedReturn{.number = "B1", .amount = 1},
                                            .settlement = settlement}},
             DeliveryResult{.number = 1, .status = 500, .error = "status 500"},
             BrokenRule{"sums differ"},
             ResolutionStep{CaseId{9}, "keep", "a private note", "key_1", MerchantId{7}},
             FoundDifference{Difference{.statement_id = StatementId{1},
                                        .line_no = 2,
                                        .ours = 1,
                                        .theirs = 2,
                                        .amount = 1,
                                        .currency = cny,
                                        .subject = "T1"}}})
      causes.push_back(detail_json({.trigger = trigger, .traceparent = "00-1"}, detail));
  causes.push_back(with_exchange("", "{}"));
  return causes;
}

TEST(Audience, TheTableContainsEveryFieldOfACause) {
  const std::set<std::string_view> hidden{"key", "note", "resolution", "merchant"};
  for (const std::string& cause : all_causes()) {
    boost::json::object expected = boost::json::parse(cause.empty() ? "{}" : cause).as_object();
    for (const std::string_view name : hidden) expected.erase(name);
    if (boost::json::value* via = expected.if_contains("via")) via->as_object().erase("key");
    const std::string shown = cause_shown_to(Audience::merchant, cause);
    EXPECT_EQ(boost::json::parse(shown.empty() ? "{}" : shown).as_object(), expected) << cause;
    EXPECT_FALSE(shown.contains("key_")) << shown;
    EXPECT_EQ(cause_shown_to(Audience::operators, cause), cause);
  }
}

TEST(Audience, AWebhookAboutACaseIsForTheMerchant) {
  const Case row{.id = CaseId{1}, .root_id = 2, .evidence = R"([{"key":"key_1"}])", .note = "a private note"};
  const std::string body = to_merchant(notification_json("case.opened", kAt, case_json(row, nullptr)));
  EXPECT_FALSE(body.contains("key_1")) << body;
  EXPECT_FALSE(body.contains("private")) << body;
  EXPECT_TRUE(body.contains(R"("order":"ord_0000000000002")")) << body;
}

}  // namespace
}  // namespace finality::wire
