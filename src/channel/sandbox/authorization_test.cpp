#include "channel/sandbox/authorization.h"

#include "channel/sandbox/testing/test_sandbox.h"

namespace finality::channel_contract {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Sandbox, AuthorizationContract, SandboxSubject);

using E = AuthorizationEvidenceKind;

class SandboxAuthorizationTest : public testing::Test {
 protected:
  AuthorizationCall call(AuthorizationCallKind kind) const { return authorization_call_of(kind, *channel_); }
  CaptureCall call(CaptureCallKind kind) const { return capture_call_of(kind, *channel_); }
  UpstreamRequest request_of(const auto& of) const { return channel_->authorizations()->request_of(of, kNow); }
  AuthorizationEvidence query_evidence(const boost::json::object& authorization) const {
    return read_response(*channel_, query_, signed_answer(200, {{"authorization", authorization}}, kNow));
  }

  std::unique_ptr<Channel> channel_ = SandboxSubject::make();
  AuthorizationCall query_ = call(AuthorizationCallKind::query_authorization);
};

TEST_F(SandboxAuthorizationTest, SendsAnAuthorizationWithTheOrdersDeadline) {
  AuthorizationCall send = call(AuthorizationCallKind::send_authorization);
  send.authorization.scenario = "authorizes";
  const UpstreamRequest request = request_of(send);
  EXPECT_EQ(request.url, "http://127.0.0.1:8090/sandbox/authorizations");
  EXPECT_EQ(request.http.method, "POST");
  const boost::json::object expected{{"out_order_no", send.authorization.out_trade_no},
                                     {"amount", 1000},
                                     {"currency", "CNY"},
                                     {"subject", "Tea"},
                                     {"expires_at", to_rfc3339(send.order.expires_at)},
                                     {"notify_url", "https://pay.example/notify/sandbox"},
                                     {"return_url", "https://pay.example/return/t"},
                                     {"scenario", "authorizes"}};
  EXPECT_EQ(boost::json::parse(request.http.body), boost::json::value(expected));
}

TEST_F(SandboxAuthorizationTest, NamesTheObjectInThePath) {
  const std::string authorization = "http://127.0.0.1:8090/sandbox/authorizations/" + query_.authorization.out_trade_no;
  EXPECT_EQ(request_of(query_).url, authorization);
  EXPECT_EQ(request_of(query_).http.method, "GET");
  EXPECT_EQ(request_of(call(AuthorizationCallKind::close_authorization)).url, authorization + "/close");
  EXPECT_EQ(request_of(call(AuthorizationCallKind::release_authorization)).url, authorization + "/releases");
  EXPECT_EQ(request_of(call(CaptureCallKind::send_capture)).url, authorization + "/captures");
  const CaptureCall query = call(CaptureCallKind::query_capture);
  EXPECT_EQ(request_of(query).url, "http://127.0.0.1:8090/sandbox/captures/" + query.capture.out_trade_no);
}

TEST_F(SandboxAuthorizationTest, AReleaseStatesItsNumberAndAmount) {
  AuthorizationCall release = call(AuthorizationCallKind::release_authorization);
  release.authorization.release_attempts = 2;
  release.authorization.release_amount = 600;
  const boost::json::object expected{{"out_request_no", release.authorization.out_trade_no + "r2"}, {"amount", 600}};
  EXPECT_EQ(boost::json::parse(request_of(release).http.body), boost::json::value(expected));
}

TEST_F(SandboxAuthorizationTest, ACaptureStatesWhetherItIsFinal) {
  CaptureCall send = call(CaptureCallKind::send_capture);
  for (const bool is_final : {false, true}) {
    send.capture.is_final = is_final;
    const boost::json::object expected{
        {"out_trade_no", send.capture.out_trade_no}, {"amount", 400}, {"final", is_final}};
    EXPECT_EQ(boost::json::parse(request_of(send).http.body), boost::json::value(expected));
  }
}

TEST_F(SandboxAuthorizationTest, ReportsAllFactsAboutAHold) {
  boost::json::object authorization = ended_authorization_of(query_, "lapsed");
  authorization["unfunded"] = true;
  const AuthorizationEvidence evidence = query_evidence(authorization);
  EXPECT_EQ(evidence.kind, E::expired);
  EXPECT_EQ(evidence.channel_trade_no, "sba_1");
  EXPECT_EQ(evidence.authorized, 1000);
  EXPECT_EQ(evidence.captured, 400);
  EXPECT_EQ(evidence.released, 600);
  EXPECT_TRUE(evidence.is_unfunded);
  EXPECT_EQ(evidence.channel_payer, "somebody");
  EXPECT_EQ(evidence.authorized_at, parse_rfc3339("2026-09-21T14:13:19Z"));
  EXPECT_EQ(evidence.capture_before, parse_rfc3339("2026-09-28T14:13:20Z"));
  ASSERT_EQ(evidence.captures.size(), 1u);
  EXPECT_EQ(evidence.captures[0].out_trade_no, out_capture_no(MerchantId{7}, OrderId{6}, 1));
  EXPECT_EQ(evidence.captures[0].channel_trade_no, "sbt_9");
  EXPECT_EQ(evidence.captures[0].amount, 400);
  EXPECT_EQ(evidence.captures[0].paid_at, parse_rfc3339("2026-09-21T14:13:20Z"));
}

TEST_F(SandboxAuthorizationTest, StatesAreDistinguished) {
  for (const auto& [ended_by, kind] :
       {std::pair("captured", E::released), {"released", E::released}, {"lapsed", E::expired}})
    EXPECT_EQ(query_evidence(ended_authorization_of(query_, ended_by)).kind, kind) << ended_by;
  EXPECT_EQ(query_evidence(ended_authorization_of(query_, "weather")).code, "malformed");
  EXPECT_EQ(query_evidence(authorization_of(query_, "ended")).code, "malformed");
  EXPECT_EQ(query_evidence(authorization_of(query_, "seized")).code, "malformed");
}

TEST_F(SandboxAuthorizationTest, TotalsAndStateMustNotContradictEachOther) {
  EXPECT_EQ(query_evidence(authorization_of(query_, "held")).code, "malformed") << "nothing is held";
  for (const char* state : {"waiting", "failed", "closed"}) {
    for (const char* total : {"authorized", "captured", "released"}) {
      boost::json::object authorization = authorization_of(query_, state);
      authorization[total] = 1;
      EXPECT_EQ(query_evidence(authorization).code, "malformed") << state << ' ' << total;
    }
  }
  boost::json::object more = ended_authorization_of(query_, "captured");
  more["captured"] = 1200;
  more["released"] = 0;
  EXPECT_EQ(query_evidence(more).captured, 1200) << "captured above the hold: reported unchanged";
}

TEST_F(SandboxAuthorizationTest, AMissingOrBrokenFieldIsUnknown) {
  const boost::json::object whole = ended_authorization_of(query_, "released");
  ASSERT_EQ(query_evidence(whole).kind, E::released);
  for (const char* name : {"auth_no", "out_order_no", "state", "ended_by", "authorized", "captured", "released",
                           "currency", "unfunded", "captures", "authorized_at", "capture_before"}) {
    boost::json::object authorization = whole;
    authorization.erase(name);
    const bool is_optional = std::string_view(name) == "authorized_at" || std::string_view(name) == "capture_before";
    EXPECT_EQ(query_evidence(authorization).kind, is_optional ? E::released : E::unknown) << name;
    for (const boost::json::value& wrong :
         {boost::json::value(nullptr), boost::json::value(-1), boost::json::value(std::string(100, 'A'))}) {
      authorization[name] = wrong;
      EXPECT_EQ(query_evidence(authorization).kind, E::unknown) << name;
    }
  }
  for (const char* name : {"out_trade_no", "trade_no", "amount", "currency", "paid_at"}) {
    boost::json::object authorization = whole;
    authorization["captures"].as_array()[0].as_object()[name] = nullptr;
    EXPECT_EQ(query_evidence(authorization).code, "malformed") << name;
  }
}

TEST_F(SandboxAuthorizationTest, AWaitingAuthorizationWithoutAPageForThePayerIsUnknown) {
  const AuthorizationCall send = call(AuthorizationCallKind::send_authorization);
  const boost::json::object waiting = authorization_of(send, "waiting");
  const auto evidence_of = [&](const boost::json::object& body) {
    return read_response(*channel_, send, signed_answer(200, body, kNow));
  };
  EXPECT_EQ(evidence_of({{"authorization", waiting}}).code, "malformed");
  EXPECT_EQ(evidence_of({{"authorization", waiting}, {"action", {{"type", "redirect"}, {"url", "javascript:1"}}}}).code,
            "malformed");
  const AuthorizationEvidence sent = read_response(*channel_, send, authorization_answer_of(send, waiting, kNow));
  EXPECT_EQ(sent.action_type, ActionType::redirect);
  EXPECT_EQ(sent.action_url, "http://127.0.0.1:8090/wallet/sba_1");
}

TEST_F(SandboxAuthorizationTest, RefusalsOfAuthorizationsMatchTheProtocolTable) {
  struct Case {
    AuthorizationCallKind call;
    int status;
    const char* code;
    E expected;
  };
  using enum AuthorizationCallKind;
  const Case cases[] = {
      {send_authorization, 400, "invalid_parameter", E::failed},
      {send_authorization, 409, "context_inconsistent", E::unknown},
      {send_authorization, 404, "authorization_not_exist", E::unknown},
      {query_authorization, 404, "authorization_not_exist", E::not_found},
      {query_authorization, 404, "not_found", E::unknown},
      {query_authorization, 400, "invalid_parameter", E::unknown},
      {close_authorization, 404, "authorization_not_exist", E::not_found},
      {close_authorization, 409, "not_held", E::unknown},
      {release_authorization, 404, "authorization_not_exist", E::not_found},
      {release_authorization, 400, "invalid_parameter", E::release_refused},
      {release_authorization, 409, "release_refused", E::release_refused},
      {release_authorization, 409, "release_refused_for_now", E::release_again},
      {release_authorization, 409, "release_exceeds_held", E::release_again},
      {release_authorization, 409, "not_held", E::unknown},
      {release_authorization, 401, "invalid_signature", E::unknown},
  };
  for (const Case& row : cases) {
    const auto answer = signed_answer(row.status, {{"code", row.code}, {"message", "why"}}, kNow);
    const AuthorizationEvidence evidence = read_response(*channel_, call(row.call), answer);
    EXPECT_EQ(evidence.kind, row.expected) << name_of(row.call) << ' ' << row.status << ' ' << row.code;
    EXPECT_EQ(evidence.code, row.code);
    EXPECT_EQ(evidence.message, "why");
  }
}

TEST_F(SandboxAuthorizationTest, ARefusalWithTheAuthorizationIsEvidenceOfItsState) {
  const AuthorizationCall close = call(AuthorizationCallKind::close_authorization);
  const boost::json::object body{{"code", "not_held"}, {"authorization", ended_authorization_of(close, "released")}};
  EXPECT_EQ(read_response(*channel_, close, signed_answer(409, body, kNow)).kind, E::released);
}

TEST_F(SandboxAuthorizationTest, RefusalsOfCapturesMatchTheProtocolTable) {
  struct Case {
    CaptureCallKind call;
    int status;
    const char* code;
    EvidenceKind expected;
  };
  using enum CaptureCallKind;
  const Case cases[] = {
      {send_capture, 400, "invalid_parameter", EvidenceKind::failed},
      {send_capture, 404, "authorization_not_exist", EvidenceKind::failed},
      {send_capture, 409, "not_held", EvidenceKind::failed},
      {send_capture, 409, "capture_exceeds_held", EvidenceKind::failed},
      {send_capture, 409, "capture_refused", EvidenceKind::failed},
      {send_capture, 409, "capture_not_now", EvidenceKind::unknown},
      {send_capture, 409, "context_inconsistent", EvidenceKind::unknown},
      {query_capture, 404, "capture_not_exist", EvidenceKind::not_found},
      {query_capture, 409, "capture_refused", EvidenceKind::unknown},
  };
  for (const Case& row : cases) {
    const auto answer = signed_answer(row.status, {{"code", row.code}, {"message", "why"}}, kNow);
    const Evidence evidence = read_response(*channel_, call(row.call), answer);
    EXPECT_EQ(evidence.kind, row.expected) << name_of(row.call) << ' ' << row.status << ' ' << row.code;
    EXPECT_EQ(evidence.code, row.code);
    EXPECT_EQ(evidence.is_not_now, std::string_view(row.code) == "capture_not_now");
  }
}

TEST_F(SandboxAuthorizationTest, ANotificationAboutACaptureIsOneAboutItsTrade) {
  const CaptureCall capture = call(CaptureCallKind::query_capture);
  const auto notification =
      channel_->verify(SandboxSubject::notification_of(notification_body(capture_of(capture)), kNow), kNow);
  ASSERT_TRUE(notification) << notification.error().message;
  EXPECT_EQ(notification->out_trade_no, capture.capture.out_trade_no);
  EXPECT_FALSE(notification->authorization);
  EXPECT_EQ(notification->evidence.kind, EvidenceKind::paid);
  EXPECT_EQ(notification->evidence.amount, 400);
}

TEST_F(SandboxAuthorizationTest, AMalformedNotificationIsRejectedEvenWhenSigned) {
  const boost::json::object whole = held_authorization_of(query_);
  for (const char* name : {"auth_no", "out_order_no", "state", "authorized", "captures"}) {
    boost::json::object authorization = whole;
    authorization.erase(name);
    const std::string body = authorization_notification_body(authorization);
    EXPECT_FALSE(channel_->verify(SandboxSubject::notification_of(body, kNow), kNow)) << name;
  }
}

TEST(SandboxTerms, FollowFromTheTradeNumbersOfCaptures) {
  const AuthorizationTerms separate = sandbox_channel::terms_of(false), shared = sandbox_channel::terms_of(true);
  EXPECT_EQ(separate.refund_by, RefundBy::capture);
  EXPECT_EQ(shared.refund_by, RefundBy::authorization);
  EXPECT_TRUE(shared.shares_trade_no && !separate.shares_trade_no);
  SandboxOptions options{.name = "sandbox2", .url = "http://a", .secret = kSecret, .public_url = "http://b"};
  options.shares_trade_no = true;
  EXPECT_TRUE(make_sandbox_channel(std::move(options))->capabilities().authorization->shares_trade_no);
}

}  // namespace
}  // namespace finality::channel_contract
