// Tests of authorizations and captures with HTTP requests.
#include "http/testing/test_server.h"
#include "model/out_trade_no.h"
#include "model/payer_link.h"

namespace finality::http {
namespace {

constexpr OrderId kOrder{100};
constexpr AuthorizationId kHold{301};
constexpr CaptureId kCapture{302};

class AuthorizationRequests : public Server {
 protected:
  AuthorizationRequests() {
    OrderAggregate& aggregate = store_.rows.orders.at(kOrder);
    aggregate.order.capture_method = CaptureMethod::manual;
    Authorization& hold = aggregate.authorizations.emplace_back();
    hold.id = kHold;
    hold.order_id = kOrder;
    hold.merchant_id = kShop;
    hold.channel = "sandbox";
    hold.currency = aggregate.order.currency;
    hold.state = AuthorizationState::pending;
    hold.out_trade_no = out_authorization_no(kShop, kOrder, 1);
    Capture& capture = aggregate.captures.emplace_back();
    capture.id = kCapture;
    capture.authorization_id = kHold;
  }

  // Sends the request, answers it with `reply`, and returns what was submitted.
  template <class C>
  std::pair<C, Request> submitted(const std::string& path, const std::string& body = "",
                                  Reply reply = {.status = 200, .body = "{}"}) {
    auto answer = send("POST", path, "sk_shop", body);
    Request request = engine_.take();
    C command = std::get<C>(request.command);
    request.reply(std::move(reply));
    answer.get();
    return {std::move(command), std::move(request)};
  }
  std::string param_of(const std::string& path, const std::string& body) {
    const net::HttpResponse response = fetch("POST", path, "sk_shop", body);
    EXPECT_EQ(code_of(response), "invalid_request");
    return std::string(boost::json::parse(response.body).at("param").as_string());
  }
  static std::string path_of(ObjectRef object, const std::string& rest) {
    return "/v1/" + std::string(name_of(object.type)) + "s/" + to_text(object) + rest;
  }
  static std::string order_body(const std::string& more) {
    return R"({"merchant_order_no":"A-7","currency":"CNY","subject":"Tea","amount":5)" + more + '}';
  }
};

TEST_F(AuthorizationRequests, ShowAuthorizationsAndCaptures) {
  const auto get = [&](ObjectRef object, const std::string& key) { return fetch("GET", path_of(object, ""), key); };
  EXPECT_EQ(boost::json::parse(get(kHold, "sk_shop").body).at("captures").as_array().size(), 1u);
  EXPECT_EQ(boost::json::parse(get(kCapture, "sk_shop").body).at("authorization"), boost::json::value(to_text(kHold)));
  for (const ObjectRef unknown : {ObjectRef(AuthorizationId{9}), ObjectRef(CaptureId{9})})
    EXPECT_EQ(code_of(get(unknown, "sk_shop")), "not_found");
}

TEST_F(AuthorizationRequests, StartAnAuthorizationAndWaitForItsResult) {
  const auto [command, request] = submitted<StartAuthorization>(path_of(kOrder, "/authorizations"),
                                                                R"({"channel":"sandbox","scenario":"authorizes"})");
  EXPECT_EQ(command.order_id, kOrder);
  EXPECT_EQ(command.fields.scenario, "authorizes");
  EXPECT_TRUE(request.await_answer);
}

TEST_F(AuthorizationRequests, RouteAnAuthorizationToAChannelThatHasThem) {
  policy_.channels["bank"] = {.methods = {"card"}};
  policy_.channels["bank"].authorization = AuthorizationTerms{.methods = {"hold"}};
  policy_.routes = {{.targets = {{"sandbox", ""}, {"bank", ""}}, .method = "", .currency = {}}};
  const auto [command, request] = submitted<StartAuthorization>(path_of(kOrder, "/authorizations"), "{}");
  EXPECT_EQ(command.fields.channel, "bank");
  EXPECT_EQ(command.fields.method, "hold");
  EXPECT_EQ(command.currency, *parse_currency("CNY"));
  EXPECT_EQ(submitted<StartPayment>(path_of(kOrder, "/payments"), "{}").first.fields.channel, "sandbox");
  const CreateOrder order =
      submitted<CreateOrder>("/v1/orders", order_body(R"(,"capture_method":"manual","payment":{})")).first;
  EXPECT_EQ(order.payment->channel, "bank");
}

TEST_F(AuthorizationRequests, NameTheOrderOfTheAuthorization) {
  const auto release = submitted<ReleaseAuthorization>(path_of(kHold, "/release"));
  EXPECT_EQ(release.first.order_id, kOrder);
  EXPECT_EQ(release.first.authorization_id, kHold);
  EXPECT_TRUE(release.second.await_answer);
  const auto query = submitted<QueryAuthorization>(path_of(kHold, "/query"));
  EXPECT_EQ(query.first.order_id, kOrder);
  EXPECT_FALSE(query.second.refuse_with);
  EXPECT_EQ(submitted<QueryAuthorization>(path_of(kHold, "/query")).second.refuse_with->code,
            RefusalCode::rate_limited);
  const AuthorizationId unknown{9};
  EXPECT_EQ(submitted<ReleaseAuthorization>(path_of(unknown, "/release")).first.order_id, OrderId{})
      << "the engine refuses it, after idempotency";
}

TEST_F(AuthorizationRequests, CaptureEverythingByDefault) {
  const std::string path = path_of(kHold, "/captures");
  const auto [all, request] = submitted<CreateCapture>(path, R"({"merchant_capture_no":"C-1"})");
  EXPECT_EQ(all.order_id, kOrder);
  EXPECT_EQ(all.merchant_capture_no, "C-1");
  EXPECT_FALSE(all.amount);
  EXPECT_TRUE(all.is_final);
  EXPECT_TRUE(request.await_answer);
  const CreateCapture part =
      submitted<CreateCapture>(path, R"({"merchant_capture_no":"C-2","amount":70,"final":false})").first;
  EXPECT_EQ(part.amount, 70);
  EXPECT_FALSE(part.is_final);
  EXPECT_EQ(param_of(path, "{}"), "merchant_capture_no");
  EXPECT_EQ(param_of(path, R"({"merchant_capture_no":"C-3","amount":0})"), "amount");
  EXPECT_EQ(param_of(path, R"({"merchant_capture_no":"C-3","final":"yes"})"), "final");
}

TEST_F(AuthorizationRequests, AcceptTheFieldsOfManualCaptureOnlyWithIt) {
  const CreateOrder order =
      submitted<CreateOrder>("/v1/orders", order_body(R"(,"capture_method":"manual","capture_within":3600,)"
                                                      R"("on_capture_deadline":"capture")"))
          .first;
  EXPECT_EQ(order.capture_method, CaptureMethod::manual);
  EXPECT_EQ(order.capture_within, 3600);
  EXPECT_EQ(order.on_capture_deadline, CaptureDeadlineAction::capture);
  EXPECT_EQ(param_of("/v1/orders", order_body(R"(,"capture_within":3600)")), "capture_within");
  EXPECT_EQ(param_of("/v1/orders", order_body(R"(,"on_capture_deadline":"release")")), "on_capture_deadline");
  EXPECT_EQ(param_of("/v1/orders", order_body(R"(,"capture_method":"manual","capture_within":2592001)")),
            "capture_within");
}

TEST_F(AuthorizationRequests, HaveFingerprintsThatDifferInTheFieldsOfManualCapture) {
  const auto fingerprint = [&](const std::string& more) {
    return submitted<CreateOrder>("/v1/orders", order_body(more)).first.fingerprint;
  };
  EXPECT_EQ(fingerprint(""), fingerprint(R"(,"capture_method":"automatic")"));
  const std::string manual = R"(,"capture_method":"manual")";
  EXPECT_NE(fingerprint(""), fingerprint(manual));
  EXPECT_EQ(fingerprint(manual), fingerprint(manual + R"(,"on_capture_deadline":"release")"));
  EXPECT_NE(fingerprint(manual), fingerprint(manual + R"(,"on_capture_deadline":"capture")"));
  EXPECT_NE(fingerprint(manual), fingerprint(manual + R"(,"capture_within":60)"));
}

TEST_F(AuthorizationRequests, RefundExactlyOneOfPaymentCaptureAndAuthorization) {
  const auto body = [](const std::string& fields) { return R"({"merchant_refund_no":"R-1")" + fields + '}'; };
  const std::string capture = R"(,"capture":")" + to_text(kCapture) + '"';
  const std::string hold = R"(,"authorization":")" + to_text(kHold) + '"';
  for (const auto& [field, collected] : {std::pair(capture, ObjectRef(kCapture)), std::pair(hold, ObjectRef(kHold))}) {
    const CreateRefund refund = submitted<CreateRefund>("/v1/refunds", body(field)).first;
    EXPECT_EQ(refund.collected, collected);
    EXPECT_EQ(refund.order_id, kOrder);
    EXPECT_EQ(refund.channel, "sandbox");
    EXPECT_EQ(refund.currency, *parse_currency("CNY"));
  }
  EXPECT_EQ(param_of("/v1/refunds", body("")), "payment");
  EXPECT_EQ(param_of("/v1/refunds", body(capture + hold)), "authorization");
  EXPECT_EQ(param_of("/v1/refunds", body(R"(,"capture":")" + to_text(kHold) + '"')), "capture");
}

TEST_F(AuthorizationRequests, QueryTheAuthorizationWhenThePayerReturns) {
  store_.rows.orders.at(kOrder).order.return_url = "https://shop.example/thanks";
  const std::string link = return_url("", store_.rows.merchants.at(kShop), kHold);
  auto answer = send("GET", link, "");
  const Request request = engine_.take();
  EXPECT_EQ(std::get<QueryAuthorization>(request.command).authorization_id, kHold);
  request.reply({});
  EXPECT_EQ(answer.get().status, 303);
}

// Channel stub. A notification has the number as its body. With the header Hold, it is about an authorization; with the
// header Ignored, about nothing that Finality books; otherwise about a captured trade.
class HoldChannel final : public Channel {
 public:
  const std::string& name() const override { return name_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  UpstreamRequest request_of(const ChannelCall&, Time) const override { return {}; }
  Evidence evidence_of(const ChannelCall&, const UpstreamResponse&, Time) const override { return {}; }
  Result<Notification> verify(const net::HttpRequest& raw, Time) const override {
    Notification word{raw.body, {}};
    word.is_ignored = !raw.headers.get("Ignored").empty();
    if (!raw.headers.get("Hold").empty())
      word.authorization = AuthorizationEvidence{.kind = AuthorizationEvidenceKind::authorized};
    else
      word.evidence = {.kind = EvidenceKind::paid, .channel_trade_no = "T-1", .amount = 5, .currency = cny_};
    return word;
  }
  net::HttpResponse acknowledgement() const override { return {.status = 200, .headers = {}, .body = "success"}; }
  net::HttpResponse negative_acknowledgement(int status) const override {
    return {.status = status, .headers = {}, .body = "fail"};
  }

 private:
  std::string name_ = "bank";
  Capabilities capabilities_{.methods = {"web"}};
  Currency cny_ = *parse_currency("CNY");
};

class HoldNotices : public AuthorizationRequests {
 protected:
  HoldNotices() { channels_.push_back(std::make_unique<HoldChannel>()); }
  std::future<net::HttpResponse> notify(const std::string& number, const std::string& header = "") {
    net::Headers headers;
    if (!header.empty()) headers.add(header, "1");
    return send("POST", "/notify/bank", "", number, headers);
  }
  static Reply not_found() { return {.status = 404, .refusal = Refusal{RefusalCode::not_found, "", {}, {}}}; }
  bool is_refused_as(const std::string& reason) {
    return fetch("GET", "/metrics", "").body.contains(R"(channel="bank",reason=")" + reason + R"("} 1)");
  }
};

TEST_F(HoldNotices, AreRecordedByTheKindOfTheirNumber) {
  const std::string hold = out_authorization_no(kShop, kOrder, 2);
  auto answer = notify(hold, "Hold");
  Request request = engine_.take();
  const auto& held = std::get<RecordAuthorization>(request.command);
  EXPECT_EQ(held.order_id, kOrder);
  EXPECT_EQ(held.out_trade_no, hold);
  EXPECT_EQ(held.channel, "bank");
  EXPECT_EQ(request.merchant_id, kShop);
  request.reply({.status = 200});
  EXPECT_EQ(answer.get().body, "success");
  answer = notify(out_capture_no(kShop, kOrder, 3));
  request = engine_.take();
  EXPECT_EQ(std::get<RecordCapture>(request.command).order_id, kOrder);
  request.reply({.status = 200});
  EXPECT_EQ(answer.get().body, "success");
}

TEST_F(HoldNotices, AreAcknowledgedIfTheyAreAboutNothingThatIsBooked) {
  EXPECT_EQ(notify("x", "Ignored").get().body, "success");
  EXPECT_TRUE(engine_.empty());
}

TEST_F(HoldNotices, OfAnUnknownAuthorizationAreRefused) {
  EXPECT_EQ(notify("freeze-1", "Hold").get().status, 404);
  auto answer = notify(out_authorization_no(kShop, kOrder, 9), "Hold");
  engine_.take().reply(not_found());
  EXPECT_EQ(answer.get().status, 404);
  EXPECT_TRUE(engine_.empty()) << "nothing was collected that could be an unknown receipt";
}

TEST_F(HoldNotices, OfAnUnknownCaptureAreBookedAsAnUnknownReceipt) {
  auto answer = notify(out_capture_no(kShop, kOrder, 9));
  engine_.take().reply(not_found());
  Request request = engine_.take();
  EXPECT_TRUE(std::holds_alternative<RecordUnknownReceipt>(request.command));
  request.reply({.status = 201});
  EXPECT_EQ(answer.get().body, "success");
}

TEST_F(HoldNotices, OfAnotherChannelAreRefused) {
  store_.rows.orders.at(kOrder).captures.front().out_trade_no = out_capture_no(kShop, kOrder, 1);
  auto answer = notify(out_capture_no(kShop, kOrder, 1));
  engine_.take().reply(not_found());
  EXPECT_EQ(answer.get().status, 404);
  EXPECT_TRUE(engine_.empty());
  EXPECT_TRUE(is_refused_as("foreign_trade"));
}

TEST_F(HoldNotices, OfAnArchivedOrderAreLost) {
  store_.rows.archived_orders[OrderId{400}] = {OrderId{400}, kShop, kNow, "year-1-0a1b2c3d"};
  auto answer = notify(out_authorization_no(kShop, OrderId{400}, 1), "Hold");
  engine_.take().reply(not_found());
  EXPECT_EQ(answer.get().status, 404);
  EXPECT_TRUE(is_refused_as("payment_gone"));
}

}  // namespace
}  // namespace finality::http
