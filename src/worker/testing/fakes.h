// Fakes for tests of the worker: an engine, a store, an HTTP client, timers and channels that the test controls.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "base/testing/test_clock.h"
#include "channel/authorizations.h"
#include "channel/maintenance.h"
#include "channel/refunds.h"
#include "worker/effects/effect_context.h"

namespace finality::fakes {

inline constexpr Time kNow{1'790'000'000'000};
inline constexpr Duration kPatience = std::chrono::seconds(20);  // timeout of waits that normally end immediately

inline Reply refused(RefusalCode code) { return {.status = info_of(code).status, .refusal = Refusal{.code = code}}; }

/// Engine that records requests. Replies immediately with the first of `answers`; if `answers` is empty, replies when
/// the test calls reply_to(). Like a lane, destroys a reply function after calling it, and returns requests to retry.
class FakeEngine final : public Engine {
 public:
  void submit(Request request) override {
    std::optional<Reply> answer;
    std::function<void(Reply)> reply;
    {
      const std::scoped_lock lock(mutex_);
      if (!answers.empty()) {
        answer = answers.front();
        answers.pop_front();
        reply = std::exchange(request.reply, nullptr);
        return_request(request, *answer);
      }
      requests_.push_back(std::move(request));
      changed_.notify_all();
    }
    if (answer) reply(*answer);
  }
  void release_unsent(MerchantId, UnsentCall unsent) override {
    const std::scoped_lock lock(mutex_);
    unsent_.push_back(unsent);
  }
  std::size_t queued() const override { return 0; }
  std::optional<StoreFault> store_fault() const override { return {}; }
  const EngineCounts& counts() const override { return counts_; }
  void drain() override {}

  std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return requests_.size();
  }
  bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return requests_.size() >= count; });
  }
  Request request(std::size_t index) const {
    const std::scoped_lock lock(mutex_);
    return requests_.at(index);
  }
  void reply_to(std::size_t index, Reply reply = {}) {
    std::function<void(Reply)> answer;
    {
      const std::scoped_lock lock(mutex_);
      answer = std::exchange(requests_.at(index).reply, nullptr);
      return_request(requests_.at(index), reply);
    }
    answer(std::move(reply));
  }
  /// The calls of release_unsent().
  std::vector<UnsentCall> unsent() const {
    const std::scoped_lock lock(mutex_);
    return unsent_;
  }
  template <class ACommand>
  ACommand command(std::size_t index) const {
    return std::get<ACommand>(request(index).command);
  }

  std::deque<Reply> answers;

 private:
  // Returns a copy of the request, because the test inspects the original later.
  static void return_request(const Request& request, Reply& reply) {
    if (should_retry(reply)) reply.request = std::make_shared<Request>(request);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Request> requests_;
  std::vector<UnsentCall> unsent_;
  EngineCounts counts_;
};

/// HTTP client that records calls. A call ends when the test calls finish().
class FakeClient final : public net::HttpClient {
 public:
  void call(net::Call call, std::function<void(net::CallResult)> done) override {
    const std::scoped_lock lock(mutex_);
    calls_.push_back(std::move(call));
    done_.push_back(std::move(done));
    changed_.notify_all();
  }

  std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return calls_.size();
  }
  bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return calls_.size() >= count; });
  }
  net::Call call_at(std::size_t index) const {
    const std::scoped_lock lock(mutex_);
    return calls_.at(index);
  }
  void finish(std::size_t index, net::CallResult outcome) {
    std::function<void(net::CallResult)> done;
    {
      const std::scoped_lock lock(mutex_);
      done = std::exchange(done_.at(index), nullptr);
    }
    done(std::move(outcome));
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<net::Call> calls_;
  std::vector<std::function<void(net::CallResult)>> done_;
};

inline net::CallResult answered(int status, std::string body = "") {
  return {.answered = true, .sent = true, .response = {.status = status, .body = std::move(body)}};
}
inline net::CallResult unanswered(std::string failure) { return {.sent = true, .failure = std::move(failure)}; }

/// Timers that expire when the test runs them.
struct FakeTimers {
  std::deque<std::pair<Duration, std::function<void()>>> waiting;

  void run_next() {
    auto task = std::move(waiting.front().second);
    waiting.pop_front();
    task();
  }
};

/// The due rows that the fake store returns. Thread safe if `mutex` is held.
struct DueRows {
  std::mutex mutex;
  std::vector<DueRow> rows;
  bool fails = false;
};

class FakeReader : public Reader {
 public:
  explicit FakeReader(DueRows& due) : due_(due) {}

  Result<std::vector<DueRow>> due(Time now, std::size_t limit, const DueBehind& behind) override {
    const std::scoped_lock lock(due_.mutex);
    if (due_.fails) return fail("injected read error");
    std::vector<DueRow> found;
    std::map<ObjectType, std::size_t> of_kind;
    for (const DueRow& row : due_.rows) {
      if (place_of(row) > behind_of(behind, row.row.type) && row.due_at <= now && of_kind[row.row.type]++ < limit)
        found.push_back(row);
    }
    return found;
  }
  Result<std::optional<OrderAggregate>> order(OrderId) override { return fail("not here"); }
  Result<std::optional<ArchivedOrder>> archived_order(OrderId) override { return fail("not here"); }
  Result<std::optional<OrderId>> order_of(ObjectRef) override { return fail("not here"); }
  Result<std::optional<MerchantId>> merchant_of(OrderId) override { return fail("not here"); }
  Result<std::optional<Merchant>> merchant(MerchantId) override { return fail("not here"); }
  Result<std::optional<ApiKey>> api_key(const Hash16&) override { return fail("not here"); }
  Result<std::optional<ChannelAccount>> channel_account(ChannelAccountId) override { return fail("not here"); }
  Result<std::vector<ChannelAccount>> channel_accounts() override { return fail("not here"); }
  Result<std::optional<ChannelRate>> channel_rate(ChannelRateId) override { return fail("not here"); }
  Result<std::vector<ChannelRate>> channel_rates() override { return fail("not here"); }
  Result<std::optional<Delivery>> delivery(DeliveryId) override { return fail("not here"); }
  Result<std::optional<UnknownReceipt>> unknown_receipt(UnknownReceiptId) override { return fail("not here"); }
  Result<Listed<UnknownReceipt>> unknown_receipts(std::optional<UnknownReceiptState>, const Page&) override {
    return fail("not here");
  }
  Result<std::optional<StatementAggregate>> statement(StatementId) override { return fail("not here"); }
  Result<Listed<Statement>> statements(const StatementFilter&, const Page&) override { return fail("not here"); }
  Result<std::optional<Statement>> newest_statement(ChannelAccountId, StatementKind, const std::string&,
                                                    const std::string&, StatementSource) override {
    return fail("not here");
  }
  Result<std::vector<Statement>> due_statements(Time, std::size_t, const DuePlace&) override {
    return fail("not here");
  }
  Result<std::optional<StatementPart>> statement_part(StatementId, std::int64_t) override { return fail("not here"); }
  Result<std::optional<StatementMatch>> match_of_line(MerchantId, const Hash16&) override { return fail("not here"); }
  Result<std::optional<DifferenceAggregate>> difference(DifferenceId) override { return fail("not here"); }
  Result<Listed<Difference>> differences(const DifferenceFilter&, const Page&) override { return fail("not here"); }
  Result<std::vector<Entry>> unmatched_entries(ChannelAccountId, StatementKind, const EntrySpan&,
                                               std::size_t) override {
    return fail("not here");
  }
  Result<std::vector<FundsMatch>> funds_matches(StatementId, std::size_t) override { return fail("not here"); }
  Result<std::vector<Account>> accounts_of_channel_account(ChannelAccountId) override { return fail("not here"); }
  Result<std::int64_t> root_of_posting(MerchantId, ObjectRef) override { return fail("not here"); }
  Result<std::vector<EntrySum>> entry_sums(ChannelAccountId, Time, Time) override { return fail("not here"); }
  Result<std::vector<ChangedOrder>> changed_orders(EventId, EventId, std::size_t) override { return fail("not here"); }
  Result<std::vector<Entry>> order_entries(const Order&) override { return fail("not here"); }
  Result<std::vector<OrderId>> disagreeing_orders(std::size_t) override { return fail("not here"); }
  Result<void> load(const ReadSet&, WorkingSet&) override { return fail("not here"); }
  Result<Listed<OrderAggregate>> orders(MerchantId, const OrderFilter&, const Page&) override {
    return fail("not here");
  }
  Result<Listed<Event>> events(std::int64_t, std::optional<ObjectRef>, const Page&, bool) override {
    return fail("not here");
  }
  Result<std::vector<Entry>> journal(EntryId) override { return fail("not here"); }
  Result<std::optional<Account>> account(AccountId) override { return fail("not here"); }
  Result<Listed<Account>> accounts(MerchantId, const Page&) override { return fail("not here"); }
  Result<Listed<Entry>> entries(const Account&, const EntryFilter&, const Page&) override { return fail("not here"); }
  Result<std::optional<Transfer>> transfer(TransferId) override { return fail("not here"); }
  Result<std::optional<Hold>> hold(HoldId) override { return fail("not here"); }
  Result<Listed<Hold>> holds(AccountId, std::optional<HoldState>, const Page&) override { return fail("not here"); }
  Result<std::int64_t> named(const Hash16&) override { return fail("not here"); }
  Result<std::optional<Price>> price(PriceId) override { return fail("not here"); }
  Result<Listed<Price>> prices(MerchantId, const Page&) override { return fail("not here"); }
  Result<std::optional<Adjustment>> adjustment(AdjustmentId) override { return fail("not here"); }
  Result<Listed<Adjustment>> adjustments(MerchantId, std::optional<AdjustmentState>, const Page&) override {
    return fail("not here");
  }
  Result<std::vector<Fee>> fees(MerchantId) override { return fail("not here"); }
  Result<std::vector<Account>> ledger_accounts(MerchantId) override { return fail("not here"); }
  Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId) override { return fail("not here"); }
  Result<std::optional<Case>> find_case(CaseId) override { return fail("not here"); }
  Result<Listed<Case>> cases(MerchantId, std::optional<CaseState>, const Page&) override { return fail("not here"); }
  Result<Listed<Delivery>> deliveries(MerchantId, std::optional<OrderId>, const Page&) override {
    return fail("not here");
  }
  Result<void> ping() override { return {}; }

 private:
  DueRows& due_;
};

class FakeStore final : public Store {
 public:
  std::size_t lanes() const override { return 1; }
  Result<std::unique_ptr<Session>> open_session() override { return fail("not here"); }
  Result<std::unique_ptr<Reader>> open_reader() override {
    ++readers_opened;
    if (refuses) return fail("the store cannot be opened");
    return std::make_unique<FakeReader>(due);
  }
  Result<AuditReport> audit(const AuditProgress&) override { return fail("not here"); }

  DueRows due;
  int readers_opened = 0;
  bool refuses = false;
};

inline std::vector<DueRow> due_rows(ObjectType type, std::size_t count) {
  std::vector<DueRow> rows;
  for (std::size_t i = 1; i <= count; ++i)
    rows.push_back({ObjectRef(type, static_cast<std::int64_t>(i)), MerchantId{7}, OrderId{5}, kNow});
  return rows;
}

/// Channel whose response bodies contain the name of the evidence kind, such as "paid".
class FakeChannel final : public Channel, public Refunds, public Authorizations, public Maintenance {
 public:
  std::optional<Evidence> known;  // if set, evidence for each call about payments, without a request
  std::optional<AuthorizationEvidence> known_authorization;  // the same for calls about authorizations
  std::optional<UpstreamRequest> maintenance;                // next maintenance request; empty: none is due
  std::vector<UpstreamResponse> kept_up;                     // maintenance replies that the channel received
  Result<void> maintenance_result = Result<void>();
  std::map<std::string, std::string, std::less<>> settings_of;  // results of config_hint(), by code
  mutable int requests_made = 0;

  std::optional<Evidence> answer_without_asking(const ChannelCall&, Time) const override { return known; }
  std::optional<AuthorizationEvidence> answer_without_asking(const AuthorizationCall&, Time) const override {
    return known_authorization;
  }
  std::string_view config_hint(std::string_view code) const override {
    const auto at = settings_of.find(code);
    return at == settings_of.end() ? std::string_view() : at->second;
  }
  std::optional<UpstreamRequest> maintenance_request(Time) const override { return maintenance; }
  Result<void> take_maintenance_reply(const UpstreamResponse& response, Time) override {
    kept_up.push_back(response);
    return maintenance_result;
  }
  const std::string& name() const override { return name_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  UpstreamRequest request_of(const ChannelCall& call, Time) const override {
    ++requests_made;
    UpstreamRequest request{.url = "http://upstream/" + std::string(name_of(call.kind)),
                            .http = {.method = "POST", .body = R"({"asks":"something"})"}};
    request.http.headers.add("X-Signature", "a secret thing");
    return request;
  }
  Evidence evidence_of(const ChannelCall&, const UpstreamResponse& response, Time asked_at) const override {
    return evidence_in<Evidence, EvidenceKind>(response, asked_at);
  }
  UpstreamRequest request_of(const RefundCall& call, Time) const override {
    return {.url = "http://upstream/" + std::string(name_of(call.kind)), .http = {.method = "POST", .body = "refund"}};
  }
  RefundEvidence evidence_of(const RefundCall&, const UpstreamResponse& response, Time asked_at) const override {
    return evidence_in<RefundEvidence, RefundEvidenceKind>(response, asked_at);
  }
  UpstreamRequest request_of(const AuthorizationCall& call, Time) const override {
    return {.url = "http://upstream/" + std::string(name_of(call.kind)), .http = {.method = "POST", .body = "hold"}};
  }
  AuthorizationEvidence evidence_of(const AuthorizationCall&, const UpstreamResponse& response,
                                    Time asked_at) const override {
    return evidence_in<AuthorizationEvidence, AuthorizationEvidenceKind>(response, asked_at);
  }
  UpstreamRequest request_of(const CaptureCall& call, Time) const override {
    return {.url = "http://upstream/" + std::string(name_of(call.kind)), .http = {.method = "POST", .body = "capture"}};
  }
  Evidence evidence_of(const CaptureCall&, const UpstreamResponse& response, Time asked_at) const override {
    return evidence_in<Evidence, EvidenceKind>(response, asked_at);
  }
  Result<Notification> verify(const net::HttpRequest&, Time) const override { return fail("not here"); }
  net::HttpResponse acknowledgement() const override { return {}; }
  net::HttpResponse negative_acknowledgement(int status) const override { return {.status = status}; }

 private:
  template <class AnEvidence, class Kind>
  static AnEvidence evidence_in(const UpstreamResponse& response, Time asked_at) {
    AnEvidence evidence;
    evidence.asked_at = asked_at;
    evidence.code = response.http ? response.http->body : "timeout";
    evidence.message = response.failure;
    if (response.http) evidence.kind = parse_enum<Kind>(response.http->body).value_or(Kind::unknown);
    return evidence;
  }

  std::string name_ = "fake";
  Capabilities capabilities_{.methods = {"web"}};
};

/// Channel that implements none of the optional interfaces, such as refunds.
class PlainChannel final : public Channel {
 public:
  const std::string& name() const override { return name_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  UpstreamRequest request_of(const ChannelCall&, Time) const override { return {}; }
  Evidence evidence_of(const ChannelCall&, const UpstreamResponse&, Time) const override { return {}; }
  Result<Notification> verify(const net::HttpRequest&, Time) const override { return fail("not here"); }
  net::HttpResponse acknowledgement() const override { return {}; }
  net::HttpResponse negative_acknowledgement(int status) const override { return {.status = status}; }

 private:
  std::string name_ = "plain";
  Capabilities capabilities_{.methods = {"web"}};
};

/// An EffectContext whose dependencies are fakes.
struct World {
  FakeEngine engine;
  Channels channels;
  FakeChannel* channel = nullptr;  // the channel "fake", owned by `channels`
  Policy policy;
  TestClock clock{kNow};
  FakeClient client;
  FakeTimers timers;
  std::shared_ptr<InFlightEffects> in_flight = InFlightEffects::create();
  std::shared_ptr<EffectContext> context;

  World() {
    auto made = std::make_unique<FakeChannel>();
    channel = made.get();
    channels.push_back(std::move(made));
    auto after = [this](Duration delay, std::function<void()> task) { timers.waiting.emplace_back(delay, task); };
    context.reset(new EffectContext{engine, channels, policy, clock, client, after, {.version = "1.2.3"}, {}, {}});
  }

  /// Runs `work` inside the shutdown guard, as the worker does.
  template <class Work>
  void inside(Work work) {
    EXPECT_TRUE(context->guard.enter(work));
  }
};

/// Opens the circuit breaker of the channel "fake": records failures of three trades.
inline void open_breaker(World& world) {
  for (std::size_t i = 0; i < limits::kBreakerConsecutiveFailures; ++i)
    world.context->breakers.record("fake", Admission::passes, false, std::string(1 + i % 3, 'x'), world.clock.now(),
                                   world.clock.now());
}

inline ChannelCall channel_call(ChannelCallKind kind) {
  ChannelCall call{.kind = kind, .deadline = kNow + std::chrono::seconds(10)};
  call.payment.id = PaymentId{8};
  call.payment.merchant_id = MerchantId{7};
  call.payment.channel = "fake";
  call.payment.out_trade_no = "our-number";
  return call;
}

inline AuthorizationCall authorization_call(AuthorizationCallKind kind) {
  AuthorizationCall call{.kind = kind, .deadline = kNow + std::chrono::seconds(10)};
  call.authorization.id = AuthorizationId{6};
  call.authorization.order_id = OrderId{5};
  call.authorization.merchant_id = MerchantId{7};
  call.authorization.channel = "fake";
  call.authorization.currency = Currency{{'C', 'N', 'Y'}};
  call.authorization.out_trade_no = "our-numbera1";
  return call;
}

inline CaptureCall capture_call(CaptureCallKind kind) {
  CaptureCall call{.kind = kind,
                   .authorization = authorization_call(AuthorizationCallKind::query_authorization).authorization,
                   .deadline = kNow + std::chrono::seconds(10)};
  call.capture.id = CaptureId{4};
  call.capture.authorization_id = call.authorization.id;
  call.capture.order_id = call.authorization.order_id;
  call.capture.merchant_id = call.authorization.merchant_id;
  call.capture.currency = call.authorization.currency;
  call.capture.out_trade_no = "our-numberc1";
  return call;
}

inline DeliveryAttempt delivery_attempt() {
  DeliveryAttempt attempt{.secrets = {Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")},
                          .deadline = kNow + std::chrono::seconds(10)};
  attempt.delivery.id = DeliveryId{9};
  attempt.delivery.merchant_id = MerchantId{7};
  attempt.delivery.url = "https://shop.example/hook";
  attempt.delivery.body = R"({"type":"order.succeeded"})";
  return attempt;
}

}  // namespace finality::fakes
