#include "http/server/server.h"

#include <map>

#include "base/net/test_socket.h"
#include "http/testing/test_server.h"
#include "model/out_trade_no.h"
#include "model/payer_link.h"

namespace finality::http {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

const std::string kBody = R"({"merchant_order_no":"A-1","amount":5,"currency":"CNY","subject":"Tea"})";

// Tests of the order of checks.

TEST_F(Server, ChecksSizeThenRouteThenKeyThenFields) {
  EXPECT_EQ(code_of(fetch("POST", "/v1/nothing", "", std::string((1 << 20) + 1, 'x'))), "body_too_large");
  EXPECT_EQ(code_of(fetch("POST", "/v1/nothing", "", "{")), "unknown_endpoint");
  const net::HttpResponse method = fetch("PUT", "/v1/orders", "", "{");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.headers.get("Allow"), "POST, GET, HEAD");
  const net::HttpResponse keyless = fetch("POST", "/v1/orders", "", "{");
  EXPECT_EQ(keyless.status, 401);
  EXPECT_EQ(keyless.headers.get("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(fetch("POST", "/v1/orders", "op_viewer", "{", naming(kShop)).status, 400);
  EXPECT_EQ(fetch("POST", "/v1/orders", "op_operator", kBody).status, 400);
  EXPECT_EQ(fetch("POST", "/v1/orders", "op_operator", kBody, naming(MerchantId{9})).status, 404);
  EXPECT_TRUE(engine_.empty());
}

TEST_F(Server, EveryRouteExceptOpenOnesRefusesUnknownQueryParameters) {
  // The routes with required parameters.
  const std::map<std::string, std::string> required{
      {"POST /v1/statements", "kind=bank&date=2026-01-01&channel_account=" + to_text(ChannelAccountId{5}) + "&"},
      {"GET /v1/events", "object=" + to_text(OrderId{100}) + "&"},
      {"GET /v1/holds", "account=" + to_text(AccountId{3}) + "&"},
      {"GET /v1/refunds", "order=" + to_text(OrderId{100}) + "&"},
      {"GET /v1/transfers", "reference=T-1&"},
      {"GET /v1/reconciliation", "channel_account=" + to_text(ChannelAccountId{5}) + "&"}};
  int checked = 0;
  for (const HttpRoute* route : server_->routes()) {
    if (route->access == Access::open) continue;
    std::string target = route->pattern;
    if (const std::size_t at = target.find('{'); at != std::string::npos)
      target.replace(at, target.find('}') + 1 - at, "x");
    const auto query = required.find(route->method + " " + route->pattern);
    target += "?" + (query == required.end() ? std::string() : query->second) + "colour=red";
    SCOPED_TRACE(route->method + " " + target);
    const bool names_merchant = route->access == Access::merchant || route->access == Access::operators;
    const net::HttpResponse response =
        fetch(route->method, target, "op_admin", "", names_merchant ? naming(kShop) : net::Headers());
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(json::parse(response.body).as_object().at("param"), "colour") << response.body;
    ++checked;
  }
  EXPECT_GE(checked, 70);
  EXPECT_TRUE(engine_.empty());
  EXPECT_EQ(fetch("GET", "/healthz?colour=red", "").status, 200);
}

// Tests of large bodies.

constexpr std::size_t kLarge = limits::kBodyBytesMax + 1;

/// A connection that announces a large statement and waits for "100 Continue" or a rejection.
class Upload {
 public:
  Upload(std::uint16_t port, std::string_view key, std::size_t bytes) : socket_(net::TestSocket::connect(port)) {
    socket_.send("POST /v1/statements HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nAuthorization: Bearer " +
                 std::string(key) + "\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n");
    answer_ = socket_.read_response();
  }
  std::string status() const { return answer_.substr(9, 3); }
  const std::string& answer() const { return answer_; }
  std::string send_body() {
    socket_.send(std::string(kLarge, 'x'));
    return read_response();
  }
  std::string read_response() { return socket_.read_response(); }

 private:
  net::TestSocket socket_;
  std::string answer_;
};

TEST_F(Server, AcceptsALargeBodyOnlyOnItsRouteAndFromAKeyThatMayUseIt) {
  const std::string file(kLarge, 'x');
  EXPECT_EQ(code_of(fetch("POST", "/v1/statements", "op_operator", file)), "invalid_request");
  EXPECT_EQ(code_of(fetch("POST", "/v1/statements", "", file)), "unauthorized");
  EXPECT_EQ(code_of(fetch("POST", "/v1/statements", "op_unknown", file)), "unauthorized");
  EXPECT_EQ(code_of(fetch("POST", "/v1/statements", "op_viewer", file)), "forbidden");
  EXPECT_EQ(code_of(fetch("POST", "/v1/statements", "sk_shop", file)), "forbidden");
  const net::HttpResponse elsewhere = fetch("POST", "/v1/statements/fetch", "op_operator", file);
  EXPECT_EQ(code_of(elsewhere), "body_too_large");
  EXPECT_NE(elsewhere.body.find("at most 1 MiB"), std::string::npos);
  EXPECT_TRUE(engine_.empty());
}

TEST_F(Server, RejectsALargeBodyBeforeItIsSent) {
  const Upload too_large(server_->port(), "op_operator", limits::kStatementBytesMax + 1);
  EXPECT_EQ(too_large.status(), "413");
  EXPECT_NE(too_large.answer().find("at most 64 MiB"), std::string::npos);
  EXPECT_EQ(Upload(server_->port(), "op_unknown", kLarge).status(), "401");
  EXPECT_EQ(Upload(server_->port(), "op_viewer", kLarge).status(), "403");
}

TEST_F(Server, UploadsOfOneKeyLeaveRoomForAnotherKey) {
  std::vector<Upload> held;
  for (int i = 0; i < 2; ++i) {
    held.emplace_back(server_->port(), "op_operator", limits::kStatementBytesMax);
    EXPECT_EQ(held.back().status(), "100");
  }
  const Upload further(server_->port(), "op_operator", limits::kStatementBytesMax);
  EXPECT_EQ(further.status(), "429");
  EXPECT_NE(further.answer().find("\r\nRetry-After: "), std::string::npos);
  EXPECT_EQ(fetch("POST", "/v1/statements", "op_operator", "small").status, 400);
  held.emplace_back(server_->port(), "op_admin", limits::kStatementBytesMax);
  EXPECT_EQ(held.back().status(), "100");
}

TEST_F(Server, AnUploadReturnsItsMemoryWithItsResponse) {
  Upload first(server_->port(), "op_operator", kLarge);
  EXPECT_NE(first.send_body().find("invalid_request"), std::string::npos);
  EXPECT_EQ(Upload(server_->port(), "op_operator", limits::kStatementBytesMax).status(), "100");
}

/// A server that soon refuses slow requests.
class ImpatientServer : public Server {
 protected:
  ImpatientServer() {
    net::ServerOptions options;
    options.request_timeout = 500ms;
    options.body_rules.large_rate_window = 100ms;
    server_.reset();
    server_ = std::move(*ApiServer::start({engine_, store_, channels_, policy_, clock_, io_, registry_}, options));
  }
};

TEST_F(ImpatientServer, StatesTheTimeLimitsOfASlowRequest) {
  Upload upload(server_->port(), "op_operator", kLarge);
  EXPECT_EQ(upload.status(), "100");
  const std::string slow_upload = upload.read_response();
  EXPECT_TRUE(slow_upload.starts_with("HTTP/1.1 408 ")) << slow_upload;
  EXPECT_TRUE(slow_upload.contains("at least 16 KiB per second over each 10 seconds")) << slow_upload;
  net::TestSocket socket = net::TestSocket::connect(server_->port());
  socket.send("POST /v1/orders HTTP/1.1\r\nHost: here\r\n");
  const std::string slow_request = socket.read_response();
  EXPECT_TRUE(slow_request.starts_with("HTTP/1.1 408 ")) << slow_request;
  EXPECT_TRUE(slow_request.contains("Send a request within 15 seconds.")) << slow_request;
}

// Tests of the checks before a body is read.

/// The response to the head of a request whose body does not follow.
std::string answer_to_head(std::uint16_t port, const std::string& line, const std::string& fields) {
  net::TestSocket socket = net::TestSocket::connect(port);
  socket.send(line + " HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\n" + fields + "\r\n");
  return socket.read_response();
}

TEST_F(Server, ChecksRouteKeyAndRoleBeforeALongBody) {
  for (const std::string length : {"Content-Length: 16385\r\n", "Transfer-Encoding: chunked\r\n"}) {
    const auto answer = [&](const std::string& line, const std::string& key) {
      return answer_to_head(server_->port(), line, "Authorization: Bearer " + key + "\r\n" + length);
    };
    EXPECT_EQ(answer("POST /v1/nothing", "sk_shop").substr(9, 3), "404");
    EXPECT_EQ(answer("PUT /v1/orders", "sk_shop").substr(9, 3), "405");
    EXPECT_EQ(answer("POST /v1/orders", "sk_unknown").substr(9, 3), "401");
    EXPECT_EQ(answer("POST /v1/merchants", "sk_shop").substr(9, 3), "403");
    EXPECT_EQ(answer("POST /v1/orders", "sk_shop").substr(9, 3), "100");
    EXPECT_EQ(answer("POST /notify/sandbox", "none").substr(9, 3), "100");
  }
  EXPECT_TRUE(engine_.empty());
}

TEST_F(Server, ReadsALongBodyOfAValidKey) {
  const std::string padding(limits::kUncheckedBodyBytesMax, ' ');
  auto answer = send("POST", "/v1/orders", "sk_shop", kBody + padding);
  engine_.take().reply({.status = 201, .body = "{}"});
  EXPECT_EQ(answer.get().status, 201);
}

TEST_F(Server, NamesARepeatedHeader) {
  net::Headers headers = naming(kShop);
  headers.add("finality-merchant", to_text(kOtherShop));
  const net::HttpResponse response = fetch("GET", "/v1/orders/ord_1", "op_admin", "", headers);
  EXPECT_EQ(code_of(response), "invalid_request");
  EXPECT_NE(response.body.find("The header finality-merchant must not be repeated."), std::string::npos);
}

TEST_F(Server, LeavesIdempotencyAndRoleToTheEngine) {
  net::Headers headers = naming(kShop);
  headers.add("Idempotency-Key", "\"one\"");
  auto answer = send("POST", "/v1/orders", "op_viewer", kBody, headers);
  const Request request = engine_.take();
  EXPECT_TRUE(request.refuse_with);
  EXPECT_TRUE(request.idempotency);
  request.reply({.status = 422,
                 .body = R"({"code":"idempotency_key_reused"})",
                 .refusal = Refusal{RefusalCode::idempotency_key_reused, "", {}, {}}});
  EXPECT_EQ(code_of(answer.get()), "idempotency_key_reused");
}

// Tests of requests that change objects.

TEST_F(Server, TurnsAPostIntoACommand) {
  net::Headers headers;
  headers.add("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  const std::string body = R"({"merchant_order_no":"A-1","amount":5,"currency":"CNY","subject":"Tea","attempts":3,)"
                           R"("expires_in":60,"close_policy":"local","metadata":{"b":"2","a":"1"}})";
  auto answer = send("POST", "/v1/orders", "sk_shop", body, headers);
  Request request = engine_.take();
  const auto& order = std::get<CreateOrder>(request.command);
  EXPECT_EQ(order.merchant_id, kShop);
  EXPECT_EQ(order.amount, 5);
  EXPECT_EQ(order.expires_in, 60s);
  EXPECT_EQ(order.attempts, 3);
  EXPECT_EQ(order.close_policy, ClosePolicy::local);
  EXPECT_EQ(order.metadata, R"({"a":"1","b":"2"})");
  EXPECT_FALSE(order.payment);
  EXPECT_EQ(request.merchant_id, kShop);
  EXPECT_EQ(request.cause.kind, CauseKind::api);
  const auto& trigger = std::get<ApiRequest>(request.cause.trigger);
  EXPECT_EQ(trigger.request_id, request.request_id);
  EXPECT_TRUE(trigger.key);
  EXPECT_EQ(request.cause.traceparent, headers.get("traceparent"));
  EXPECT_FALSE(request.await_answer);
  EXPECT_FALSE(request.refuse_with);

  request.reply({.status = 201, .body = "{}", .object = OrderId{100}, .replayed = true});
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.headers.get("Content-Type"), "application/json");
  EXPECT_EQ(response.headers.get("Request-Id"), request.request_id);
  EXPECT_EQ(response.headers.get("Idempotent-Replayed"), "true");
}

TEST_F(Server, FingerprintsTheValuesOfAnOrderNotTheirSpelling) {
  const auto fingerprint = [this](const std::string& body) {
    auto answer = send("POST", "/v1/orders", "sk_shop", body);
    const Request request = engine_.take();
    request.reply({.status = 201, .body = "{}"});
    answer.get();
    return std::get<CreateOrder>(request.command).fingerprint;
  };
  const Hash16 first = fingerprint(kBody);
  EXPECT_EQ(
      first,
      fingerprint(R"({"subject":"T\u0065a","amount":5,"currency":"CNY","expires_in":3600,"merchant_order_no":"A-1"})"));
  EXPECT_NE(first, fingerprint(R"({"merchant_order_no":"A-1","amount":6,"currency":"CNY","subject":"Tea"})"));
}

TEST_F(Server, SendsRetryAfter) {
  const std::string target = "/v1/orders/" + to_text(OrderId{100}) + "/payments";
  auto answer = send("POST", target, "sk_shop", R"({"channel":"sandbox"})");
  Request request = engine_.take();
  EXPECT_EQ(std::get<StartPayment>(request.command).fields.method, "default");
  EXPECT_TRUE(request.await_answer);
  request.reply({.status = 409,
                 .body = R"({"code":"payment_in_progress"})",
                 .refusal = Refusal{RefusalCode::payment_in_progress, "", {}, {}}});
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.headers.get("Retry-After"), "1");
}

TEST_F(Server, ReplaysAStoredRefusalAsAProblem) {
  auto answer = send("POST", "/v1/orders/" + to_text(OrderId{100}) + "/close");
  engine_.take().reply({.status = 409, .body = R"({"code":"order_succeeded"})", .replayed = true});
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(code_of(response), "order_succeeded");
  EXPECT_EQ(response.headers.get("Idempotent-Replayed"), "true");
}

TEST_F(Server, ShowsTheObjectIfTheReplyHasShowObject) {
  auto answer = send("POST", "/v1/orders", "sk_shop", kBody);
  engine_.take().reply({.status = 201, .object = OrderId{100}, .replayed = true, .show_object = true});
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(json::parse(response.body).as_object().at("id"), json::value(to_text(OrderId{100})));
  EXPECT_EQ(response.headers.get("Idempotent-Replayed"), "true");
}

TEST_F(Server, ShowsTheObjectWhenTheChannelTakesTooLong) {
  const std::string body = R"({"merchant_order_no":"A-1","amount":5,"currency":"CNY","subject":"Tea",)"
                           R"("payment":{"channel":"sandbox","scenario":"slow"}})";
  auto answer = send("POST", "/v1/orders", "sk_shop", body);
  Request request = engine_.take();
  ASSERT_TRUE(request.await_answer);
  const auto committed_at = std::chrono::steady_clock::now();
  request.committed(OrderId{100}, 201);
  const net::HttpResponse response = answer.get();
  EXPECT_GE(std::chrono::steady_clock::now() - committed_at, limits::kAnswerWait - 10ms);
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(json::parse(response.body).as_object().at("id"), json::value(to_text(OrderId{100})));
  request.reply({.status = 500, .body = "too late"});
}

TEST_F(Server, ShowsANewKeyOnce) {
  auto answer = send("POST", "/v1/api_keys", "op_admin", R"({"role":"operator","name":"night shift"})");
  Request request = engine_.take();
  const auto& command = std::get<CreateApiKey>(request.command);
  EXPECT_EQ(command.role, Role::operator_);
  request.reply({.status = 201, .body = R"({"id":"key_1"})"});
  const json::object key = json::parse(answer.get().body).as_object();
  EXPECT_EQ(command.hash, sha256_16(std::string(key.at("key").as_string())));

  answer = send("POST", "/v1/api_keys", "op_admin", R"({"role":"operator","name":"night shift"})");
  engine_.take().reply({.status = 201, .body = R"({"id":"key_1"})", .replayed = true});
  EXPECT_FALSE(json::parse(answer.get().body).as_object().contains("key"));
}

TEST_F(Server, RejectsARevokedKeyImmediately) {
  EXPECT_EQ(fetch("GET", "/v1/orders").status, 200);
  auto answer = send("DELETE", "/v1/api_keys/" + to_text(ApiKeyId{1}), "op_admin");
  const Request request = engine_.take();
  EXPECT_EQ(std::get<RevokeApiKey>(request.command).key_id, ApiKeyId{1});
  store_.rows.api_keys.at(sha256_16("sk_shop")).revoked_at = clock_.now();
  request.reply({.status = 200, .body = "{}"});
  EXPECT_EQ(answer.get().status, 200);
  EXPECT_EQ(fetch("GET", "/v1/orders").status, 401);
}

TEST_F(Server, MarksPlatformRoutesForbiddenToMerchants) {
  auto answer = send("POST", "/v1/merchants", "sk_shop", R"({"name":"mine"})");
  const Request request = engine_.take();
  EXPECT_TRUE(request.refuse_with);
  request.reply({.status = 403, .body = R"({"code":"forbidden"})"});
  EXPECT_EQ(answer.get().status, 403);
  EXPECT_EQ(fetch("GET", "/v1/merchants/" + to_text(kShop)).status, 403);
}

// Tests of requests that read objects.

TEST_F(Server, ShowsOnlyObjectsOfTheMerchant) {
  EXPECT_EQ(fetch("GET", "/v1/orders/" + to_text(OrderId{100})).status, 200);
  for (const std::string& id : {to_text(OrderId{200}), to_text(OrderId{300}), std::string("x"), to_text(PaymentId{1})})
    for (const char* rest : {"", "/timeline"})
      EXPECT_EQ(code_of(fetch("GET", "/v1/orders/" + id + rest)), "not_found") << id << rest;
  EXPECT_EQ(code_of(fetch("GET", "/v1/events?object=" + to_text(OrderId{200}))), "not_found");
  EXPECT_EQ(fetch("GET", "/v1/events?object=" + to_text(OrderId{100})).status, 200);
  EXPECT_EQ(code_of(fetch("GET", "/v1/events")), "invalid_request");
  Event& event = store_.rows.events.emplace_back();
  event.root_id = 70;
  event.object_type = ObjectType::exception_case;
  event.object_id = 71;
  store_.rows.cases[CaseId{71}] = {.id = CaseId{71},
                                   .root_id = 70,
                                   .merchant_id = kShop,
                                   .kind = CaseKind::unknown_receipt,
                                   .object_type = ObjectType::unknown_receipt,
                                   .object_id = 70};
  store_.rows.cases[CaseId{72}] = {.id = CaseId{72}, .root_id = 72, .merchant_id = kOtherShop};
  const net::HttpResponse of_case = fetch("GET", "/v1/events?object=" + to_text(CaseId{71}));
  EXPECT_EQ(of_case.status, 200) << "the root of a case need not be an order";
  EXPECT_TRUE(of_case.body.contains(to_text(CaseId{71})));
  EXPECT_EQ(code_of(fetch("GET", "/v1/events?object=" + to_text(CaseId{72}))), "not_found");
}

TEST_F(Server, NamesTheArchiveOfAnArchivedOrder) {
  auto& archived = store_.rows.archived_orders;
  archived[OrderId{400}] = {OrderId{400}, kShop, {1'700'000'000'000}, "year-1-0a1b2c3d"};
  archived[OrderId{500}] = {OrderId{500}, kOtherShop, {1'700'000'000'000}, "year-1-0a1b2c3d"};
  const std::string path = "/v1/orders/" + to_text(OrderId{400});
  for (const std::string& target : {path, path + "/timeline"}) {
    const net::HttpResponse response = fetch("GET", target);
    EXPECT_EQ(response.status, 410) << target;
    EXPECT_TRUE(response.body.contains("year-1-0a1b2c3d")) << response.body;
    EXPECT_TRUE(response.body.contains("finality unarchive")) << response.body;
  }
  EXPECT_EQ(code_of(fetch("GET", "/v1/orders/" + to_text(OrderId{500}))), "not_found") << "another merchant's";

  auto answer = send("POST", path + "/close", "sk_shop");
  engine_.take().reply({.status = 404, .refusal = Refusal{RefusalCode::not_found, "Not found.", {}, {}}});
  EXPECT_EQ(answer.get().status, 410);
  answer = send("POST", "/v1/orders/" + to_text(OrderId{600}) + "/close", "sk_shop");
  engine_.take().reply({.status = 404, .refusal = Refusal{RefusalCode::not_found, "Not found.", {}, {}}});
  EXPECT_EQ(answer.get().status, 404);
}

TEST_F(Server, ListsContainTheirUrl) {
  const net::HttpResponse response = fetch("GET", "/v1/orders?limit=1", "op_viewer", "", naming(kShop));
  ASSERT_EQ(response.status, 200);
  const json::object list = json::parse(response.body).as_object();
  EXPECT_EQ(list.at("object"), "list");
  EXPECT_EQ(list.at("url"), "/v1/orders");
  EXPECT_EQ(list.at("has_more"), false);
  EXPECT_EQ(list.at("data").as_array().size(), 1u);
}

TEST_F(Server, PagesThroughWebhookEndpoints) {
  for (std::int64_t id = 1; id <= 3; ++id) {
    WebhookEndpoint endpoint;
    endpoint.id = WebhookEndpointId{id};
    endpoint.merchant_id = kShop;
    endpoint.secret = Secret("whsec_hidden");
    store_.rows.endpoints.push_back(endpoint);
  }
  const auto ids = [this](const std::string& query) {
    const net::HttpResponse response = fetch("GET", "/v1/webhook_endpoints" + query);
    EXPECT_FALSE(response.body.contains("hidden"));
    std::string text;
    const json::object list = json::parse(response.body).as_object();
    for (const json::value& item : list.at("data").as_array()) text += item.as_object().at("id").as_string().back();
    return text + (list.at("has_more").as_bool() ? "+" : "");
  };
  EXPECT_EQ(ids(""), "321");
  EXPECT_EQ(ids("?limit=2"), "32+");
  EXPECT_EQ(ids("?limit=2&starting_after=" + to_text(WebhookEndpointId{2})), "1");
  EXPECT_EQ(ids("?limit=1&ending_before=" + to_text(WebhookEndpointId{1})), "2+");
}

TEST_F(Server, SubmitsNoCommandAfterAReadError) {
  EXPECT_EQ(fetch("GET", "/v1/orders").status, 200);  // caches the key
  store_.rows.broken = true;
  const std::string refund = R"({"payment":")" + to_text(PaymentId{101}) + R"(","merchant_refund_no":"R1"})";
  EXPECT_EQ(code_of(fetch("POST", "/v1/refunds", "sk_shop", refund)), "storage_read_error");
  const std::string wallet = R"({"channel":"wallet","account":")" + to_text(AccountId{1}) + R"("})";
  EXPECT_EQ(code_of(fetch("POST", "/v1/orders/" + to_text(OrderId{100}) + "/payments", "sk_shop", wallet)),
            "storage_read_error");
  EXPECT_TRUE(engine_.empty());
}

TEST_F(Server, ReportsThatTheStoreIsUnavailable) {
  EXPECT_EQ(fetch("GET", "/readyz", "").status, 200);
  EXPECT_EQ(fetch("GET", "/v1/orders").status, 200);
  store_.rows.broken = true;
  const net::HttpResponse response = fetch("GET", "/v1/orders/" + to_text(OrderId{100}));
  EXPECT_EQ(code_of(response), "storage_read_error");
  EXPECT_EQ(response.status, 503);
  EXPECT_FALSE(response.body.contains("disk"));
  EXPECT_EQ(fetch("GET", "/readyz", "").status, 503);
  EXPECT_EQ(fetch("GET", "/healthz", "").status, 200);
}

TEST_F(Server, ReportsThatTheStoreAcceptsNoWrites) {
  engine_.fault = StoreFault::disk_full;
  const net::HttpResponse response = fetch("GET", "/readyz", "");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(code_of(response), "storage_write_error");
  EXPECT_TRUE(response.body.contains("the disk is full")) << response.body;
  EXPECT_EQ(fetch("GET", "/healthz", "").status, 200);
  EXPECT_EQ(fetch("GET", "/v1/orders").status, 200);
  engine_.fault = std::optional<StoreFault>();
  EXPECT_EQ(fetch("GET", "/readyz", "").status, 200);
}

// Tests of channel notifications.

TEST_F(Server, RejectsANotificationThatIsNotVerified) {
  const net::HttpResponse response = fetch("POST", "/notify/sandbox", "", "x");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.body, "fail");
  EXPECT_EQ(fetch("POST", "/notify/unknown", "", "x").status, 404);
  EXPECT_TRUE(engine_.empty());
  EXPECT_TRUE(fetch("GET", "/metrics", "")
                  .body.contains(R"(finality_notifications_refused_total{channel="sandbox",reason="unverified"} 1)"));
}

// A series that starts at 1 would not trigger an alert on `increase()`.
TEST_F(Server, ExposesTheCountersOfRefusedNotificationsFromTheStart) {
  const std::string shown = fetch("GET", "/metrics", "").body;
  for (const char* reason :
       {"unverified", "foreign_trade", "foreign_refund", "payment_gone", "refund_gone", "unavailable"})
    EXPECT_TRUE(shown.contains(
        fmt::format(R"(finality_notifications_refused_total{{channel="sandbox",reason="{}"}} 0)", reason)))
        << reason;
}

TEST_F(Server, AcknowledgesANotificationAfterTheCommit) {
  net::Headers headers;
  headers.add("Word", "sesame");
  const std::string number = out_number(kShop, 101);
  auto answer = send("POST", "/notify/sandbox/" + to_text(kShop), "", number, headers);
  Request request = engine_.take();
  const auto& command = std::get<RecordEvidence>(request.command);
  EXPECT_EQ(command.payment_id, PaymentId{101});
  EXPECT_EQ(command.merchant_id, kShop);
  EXPECT_EQ(command.channel, "sandbox");
  EXPECT_EQ(request.cause.kind, CauseKind::notification);
  request.reply({.status = 200});
  EXPECT_EQ(answer.get().body, "success");

  EXPECT_EQ(fetch("POST", "/notify/sandbox/" + to_text(kOtherShop), "", number, headers).status, 404);
  EXPECT_EQ(fetch("POST", "/notify/sandbox", "", "not ours", headers).status, 404);
  EXPECT_TRUE(engine_.empty());

  store_.rows.orders.at(OrderId{100}).payments.emplace_back().id = PaymentId{101};
  answer = send("POST", "/notify/sandbox", "", number, headers);
  engine_.take().reply({.status = 404, .refusal = Refusal{RefusalCode::not_found, "", {}, {}}});
  EXPECT_EQ(answer.get().status, 404);
  const auto lost = [this] {
    return fetch("GET", "/metrics", "").body.contains(R"(channel="sandbox",reason="payment_gone"} 1)");
  };
  EXPECT_FALSE(lost()) << "the payment exists, but on another channel";
  answer = send("POST", "/notify/sandbox", "", out_number(kShop, 999), headers);
  engine_.take().reply({.status = 404, .refusal = Refusal{RefusalCode::not_found, "", {}, {}}});
  EXPECT_EQ(answer.get().status, 404);
  EXPECT_TRUE(lost());
  answer = send("POST", "/notify/sandbox", "", number, headers);
  engine_.take().reply({.status = 503, .refusal = Refusal{RefusalCode::busy, "", {}, {}}});
  EXPECT_EQ(answer.get().status, 503);
}

TEST_F(Server, BooksAPaymentOfAnUnknownNumberForThePlatform) {
  net::Headers headers;
  headers.add("Word", "sesame");
  headers.add("Trade", "T-1");
  const auto not_found = [] { return Reply{.status = 404, .refusal = Refusal{RefusalCode::not_found, "", {}, {}}}; };
  auto answer = send("POST", "/notify/sandbox", "", "till-1", headers);
  Request request = engine_.take();
  const auto& command = std::get<RecordUnknownReceipt>(request.command);
  EXPECT_EQ(command.channel, "sandbox");
  EXPECT_EQ(command.out_trade_no, "till-1");
  EXPECT_EQ(command.evidence.channel_trade_no, "T-1");
  EXPECT_EQ(request.merchant_id, kPlatform);
  EXPECT_EQ(request.cause.kind, CauseKind::notification);
  request.reply({.status = 201});
  EXPECT_EQ(answer.get().body, "success");

  answer = send("POST", "/notify/sandbox", "", out_number(kShop, 999), headers);
  request = engine_.take();
  EXPECT_TRUE(std::holds_alternative<RecordEvidence>(request.command));
  request.reply(not_found());
  request = engine_.take();
  EXPECT_TRUE(std::holds_alternative<RecordUnknownReceipt>(request.command));
  request.reply(not_found());
  EXPECT_EQ(answer.get().status, 404) << "its receipt is archived";
  EXPECT_TRUE(fetch("GET", "/metrics", "").body.contains(R"(channel="sandbox",reason="payment_gone"} 1)"));

  store_.rows.orders.at(OrderId{100}).payments.emplace_back().id = PaymentId{101};
  answer = send("POST", "/notify/sandbox", "", out_number(kShop, 101), headers);
  engine_.take().reply(not_found());
  EXPECT_EQ(answer.get().status, 404) << "the store has the payment over another channel";
  EXPECT_TRUE(engine_.empty());
  EXPECT_TRUE(fetch("GET", "/metrics", "").body.contains(R"(channel="sandbox",reason="foreign_trade"} 1)"));

  answer = send("POST", "/notify/sandbox", "", "till-1", headers);
  engine_.take().reply({.status = 503, .refusal = Refusal{RefusalCode::busy, "", {}, {}}});
  EXPECT_EQ(answer.get().status, 503);
  EXPECT_EQ(fetch("POST", "/notify/sandbox/" + to_text(kOtherShop), "", out_number(kShop, 999), headers).status, 404);
  EXPECT_TRUE(engine_.empty()) << "the path names another merchant";
}

// Tests of the endpoints for operation: contract, metrics and health.

TEST_F(Server, ShowsItsContractAndItsMetrics) {
  EXPECT_EQ(json::parse(fetch("GET", "/openapi.json", "").body).as_object().at("openapi"), "3.1.0");
  fetch("GET", "/v1/orders/x");
  const net::HttpResponse metrics = fetch("GET", "/metrics", "");
  EXPECT_TRUE(metrics.body.contains(
      R"(finality_http_request_duration_seconds_count{method="GET",route="/v1/orders/{id}",status="4xx"} 1)"))
      << metrics.body;
}

// Fixture whose reads of orders block until the end of the test.
class BlockedReads : public Server {
 protected:
  BlockedReads() {
    store_.rows.before_order = [reads_go_on = released_.get_future().share()] { reads_go_on.wait(); };
    fetch("GET", "/v1/orders");  // caches the key
    for (std::size_t i = 0; i < 2 * limits::kReaders; ++i)
      blocked_.push_back(send("GET", "/v1/orders/" + to_text(OrderId{100})));
  }
  ~BlockedReads() override {
    released_.set_value();
    for (auto& answer : blocked_) EXPECT_EQ(answer.get().status, 200);
  }
  // Returns the status of the response, or 0 without a response within five seconds.
  static int status_of(std::future<net::HttpResponse> answer) {
    return answer.wait_for(5s) == std::future_status::ready ? answer.get().status : 0;
  }

  std::promise<void> released_;
  std::vector<std::future<net::HttpResponse>> blocked_;
};

TEST_F(BlockedReads, LeaveReadinessAndMetrics) {
  EXPECT_EQ(status_of(send("GET", "/readyz", "")), 200);
  EXPECT_EQ(status_of(send("GET", "/metrics", "")), 200);
}

TEST_F(BlockedReads, OfOneMerchantLeaveKeysAndReadsOfOthers) {
  EXPECT_EQ(status_of(send("GET", "/v1/orders", "op_viewer", "", naming(kOtherShop))), 200);
  EXPECT_EQ(status_of(send("GET", "/v1/orders", "sk_unknown", "")), 401);
}

TEST_F(Server, ListensForHealthAndMetricsSeparately) {
  const std::uint16_t port = server_->health_port();
  EXPECT_NE(port, server_->port());
  for (const char* path : {"/healthz", "/readyz", "/metrics"})
    EXPECT_EQ(send_to(port, "GET", path).get().status, 200) << path;
  EXPECT_EQ(send_to(port, "GET", "/v1/orders", "sk_shop").get().status, 404);
  EXPECT_EQ(fetch("GET", "/metrics", "").status, 200) << "they are on the port of the API too";
}

TEST_F(Server, Drains) {
  std::promise<void> drained;
  server_->drain(5s, [&drained] { drained.set_value(); });
  drained.get_future().get();
}

// Tests of POST /v1/payments/{id}/query.

class PaymentQuery : public Server {
 protected:
  PaymentQuery() {
    add_payment(OrderId{100}, PaymentId{101}, kShop);
    add_payment(OrderId{200}, PaymentId{201}, kOtherShop);
  }

  /// Sends a query of the payment, which the engine stub answers with `reply`. Returns the code of the refusal that the
  /// server passed to the engine, or empty.
  std::optional<RefusalCode> query(PaymentId payment, Reply reply, const std::string& key = "sk_shop") {
    auto answer = send("POST", "/v1/payments/" + to_text(payment) + "/query", key, "", naming(kShop));
    const Request request = engine_.take();
    EXPECT_EQ(std::get<QueryPayment>(request.command).payment_id, payment);
    EXPECT_TRUE(request.await_answer);
    request.reply(std::move(reply));
    answer.get();
    if (!request.refuse_with) return std::nullopt;
    return request.refuse_with->code;
  }

  const Reply done_{.status = 200, .body = "{}"};

 private:
  void add_payment(OrderId order, PaymentId id, MerchantId merchant) {
    Payment& payment = store_.rows.orders.at(order).payments.emplace_back();
    payment.id = id;
    payment.merchant_id = merchant;
    payment.state = PaymentState::pending;
  }
};

TEST_F(PaymentQuery, IsRefusedWithinThePauseOfThePayment) {
  const std::string target = "/v1/payments/" + to_text(PaymentId{101}) + "/query";
  EXPECT_EQ(query(PaymentId{101}, done_), std::nullopt);
  clock_.advance(limits::kQueryPause - Duration{1});
  auto answer = send("POST", target);
  const Request request = engine_.take();
  ASSERT_TRUE(request.refuse_with);
  request.reply({.status = 429, .body = R"({"code":"rate_limited"})", .refusal = request.refuse_with});
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(code_of(response), "rate_limited");
  EXPECT_EQ(response.headers.get("Retry-After"), "1");
  EXPECT_EQ(query(PaymentId{101}, done_, "op_operator"), RefusalCode::rate_limited);
  clock_.advance(Duration{1});
  EXPECT_EQ(query(PaymentId{101}, done_), std::nullopt);
}

TEST_F(PaymentQuery, StartsNoPauseIfItWasNotExecuted) {
  EXPECT_EQ(query(PaymentId{101}, {.status = 200, .body = "{}", .replayed = true}), std::nullopt);
  EXPECT_EQ(query(PaymentId{101}, {.status = 503, .body = "{}", .refusal = Refusal{RefusalCode::busy, "", {}, {}}}),
            std::nullopt);
  EXPECT_EQ(query(PaymentId{101}, {.status = 403, .body = "{}"}, "op_viewer"), RefusalCode::forbidden);
  net::Headers bad_key;
  bad_key.add("Idempotency-Key", std::string(256, 'x'));
  EXPECT_EQ(fetch("POST", "/v1/payments/" + to_text(PaymentId{101}) + "/query", "sk_shop", "", bad_key).status, 400);
  EXPECT_EQ(query(PaymentId{101}, done_), std::nullopt);
}

TEST_F(PaymentQuery, OfAForeignPaymentStartsNoPause) {
  for (const PaymentId payment : {PaymentId{201}, PaymentId{999}, PaymentId{201}, PaymentId{999}})
    EXPECT_EQ(query(payment, {.status = 404, .body = "{}"}), std::nullopt) << to_text(payment);
}

// Tests of GET /return/{token}.

class PayerReturn : public Server {
 protected:
  PayerReturn() {
    OrderAggregate& aggregate = store_.rows.orders.at(OrderId{100});
    aggregate.order.return_url = "https://shop.example/thanks?cart=1";
    Payment& payment = aggregate.payments.emplace_back();
    payment.id = PaymentId{101};
    payment.merchant_id = kShop;
    payment.state = PaymentState::pending;
  }

  Payment& payment() { return store_.rows.orders.at(OrderId{100}).payments.front(); }
  std::string link() const { return return_url("", store_.rows.merchants.at(kShop), PaymentId{101}); }
  static std::string location(OrderState state) {
    return fmt::format("https://shop.example/thanks?cart=1&order={}&state={}", to_text(OrderId{100}), name_of(state));
  }
};

TEST_F(PayerReturn, QueriesTheChannelBeforeItRedirectsTheBrowser) {
  auto answer = send("GET", link() + "?trade_status=TRADE_SUCCESS", "");
  const Request request = engine_.take();
  ASSERT_TRUE(std::holds_alternative<QueryPayment>(request.command));
  EXPECT_EQ(std::get<QueryPayment>(request.command).payment_id, PaymentId{101});
  EXPECT_TRUE(request.await_answer);
  store_.rows.orders.at(OrderId{100}).order.state = OrderState::succeeded;
  request.reply({});
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(response.headers.get("Location"), location(OrderState::succeeded));
  EXPECT_EQ(response.headers.get("Cache-Control"), "no-store");
}

TEST_F(PayerReturn, DoesNotWaitForAnUnresponsiveChannel) {
  auto answer = send("GET", link(), "");
  const Request request = engine_.take();
  request.committed(PaymentId{101}, 200);
  EXPECT_EQ(answer.get().headers.get("Location"), location(OrderState::pending));
}

TEST_F(PayerReturn, QueriesOnceForManyReloads) {
  auto first = send("GET", link(), "");
  engine_.take().reply({});
  first.get();
  for (int reload = 0; reload < 3; ++reload) EXPECT_EQ(fetch("GET", link(), "").status, 303);
  EXPECT_TRUE(engine_.empty());
  clock_.advance(limits::kReturnAskedAgainAfter);
  auto later = send("GET", link(), "");
  engine_.take().reply({});
  EXPECT_EQ(later.get().status, 303);
}

TEST_F(PayerReturn, DoesNotQueryIfNoResultIsPending) {
  for (const PaymentState state :
       {PaymentState::created, PaymentState::succeeded, PaymentState::failed, PaymentState::closed}) {
    payment().state = state;
    EXPECT_EQ(fetch("GET", link(), "").status, 303) << name_of(state);
  }
  EXPECT_TRUE(engine_.empty());
}

TEST_F(PayerReturn, RequiresTheExactLink) {
  const std::string other = return_url("", store_.rows.merchants.at(kShop), PaymentId{102});
  for (const std::string& target :
       {other, link() + "0", link().substr(0, link().size() - 1), std::string("/return/x"),
        checkout_url("", store_.rows.merchants.at(kShop), OrderId{101}).replace(1, 8, "return")})
    EXPECT_EQ(code_of(fetch("GET", target, "")), "not_found") << target;
  store_.rows.orders.at(OrderId{100}).order.return_url.reset();
  EXPECT_EQ(code_of(fetch("GET", link(), "")), "not_found") << "the order has no return_url";
  EXPECT_TRUE(engine_.empty());
}

}  // namespace
}  // namespace finality::http
