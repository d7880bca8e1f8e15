// Test fixture: an engine over rows in memory. A test can make the store delay commits, return conflicts and fail.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <stdexcept>

#include "base/testing/test_clock.h"
#include "decide/testing/test_world.h"
#include "engine/engine.h"
#include "wire/json_renderer.h"

namespace finality::test {

inline constexpr Duration kPatience = 20s;  // timeout of waits; a wait that ends by it fails the test

/// The rows of the store and the outcomes that a test has set. Shared by the store, its sessions and the test. Thread
/// safe.
class StoreScript {
 public:
  /// Sets the fault of the store: while it is set, commits and renewals fail with it.
  void set_fault(std::optional<StoreFault> fault) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
  }
  /// Sets the outcomes of the next commits; further commits return ok.
  void commits_answer(std::deque<CommitOutcome> outcomes) {
    const std::lock_guard lock(mutex_);
    outcomes_ = std::move(outcomes);
  }
  void fail_loads(bool fail) {
    const std::lock_guard lock(mutex_);
    loads_fail_ = fail;
  }
  /// Makes the loads, or with `at_commit` the commits, fail that use a part of the store, until restore_parts(). Each
  /// merchant is a part.
  void fail_part(MerchantId part, bool at_commit = false) {
    const std::lock_guard lock(mutex_);
    (at_commit ? unwritable_ : unreadable_).push_back(part.value);
  }
  void restore_parts() {
    const std::lock_guard lock(mutex_);
    unwritable_.clear();
    unreadable_.clear();
  }
  /// The number of loads and commits that failed because of a part.
  int part_failures() {
    const std::lock_guard lock(mutex_);
    return part_failures_;
  }
  /// Blocks commits until release().
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  /// Waits until a commit is blocked by hold().
  void wait_for_commit() {
    wait([this] { return committing_; }, "no commit within the timeout");
  }
  template <class Look>
  auto look(Look look_at) {
    const std::lock_guard lock(mutex_);
    return look_at(rows_);
  }

  Result<void> load(const ReadSet& reads, WorkingSet& rows) {
    const std::lock_guard lock(mutex_);
    owners_ = reads.owners;
    has_failed_in_part_ = uses_any(unreadable_);
    if (loads_fail_ || has_failed_in_part_) return fail("the disk has failed");
    rows_.load(reads, rows);
    return {};
  }
  bool has_failed_in_part() {
    const std::lock_guard lock(mutex_);
    return has_failed_in_part_;
  }
  /// Makes sessions flush separately from commits. Flushes block until release_flushes(error), which then lets them
  /// succeed, or fail with `error` if it is not empty.
  void flush_apart() {
    const std::lock_guard lock(mutex_);
    apart_ = flushes_held_ = true;
  }
  /// Waits until `count` flushes have started. Throws std::runtime_error after kPatience.
  void wait_for_flushes(int count) {
    wait([&] { return flushes_ >= count; }, "no flush within the timeout");
  }
  /// Waits until the store contains `count` orders. Throws std::runtime_error after kPatience.
  void wait_for_orders(std::size_t count) {
    wait([&] { return rows_.orders.size() >= count; }, "too few commits within the timeout");
  }
  void release_flushes(std::string error = {}) {
    const std::lock_guard lock(mutex_);
    flushes_held_ = false;
    flush_error_ = std::move(error);
    changed_.notify_all();
  }
  bool flushes_apart() {
    const std::lock_guard lock(mutex_);
    return apart_;
  }
  int flushes() {
    const std::lock_guard lock(mutex_);
    return flushes_;
  }
  Result<void> flush() {
    std::unique_lock lock(mutex_);
    ++flushes_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !flushes_held_; });
    if (!flush_error_.empty()) return fail(flush_error_);
    return {};
  }
  CommitResult commit(const WorkingSet& rows) {
    std::unique_lock lock(mutex_);
    committing_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    committing_ = false;
    if (fault_) return {CommitOutcome::failed, "injected by the test", fault_};
    CommitOutcome outcome = CommitOutcome::ok;
    if (!outcomes_.empty()) {
      outcome = outcomes_.front();
      outcomes_.pop_front();
    }
    has_failed_in_part_ = uses_any(unwritable_);
    if (has_failed_in_part_) outcome = CommitOutcome::failed;
    if (outcome == CommitOutcome::ok) rows_.keep(rows);
    changed_.notify_all();
    return {outcome, "injected by the test"};
  }
  CommitResult renew() {
    const std::lock_guard lock(mutex_);
    return fault_ ? CommitResult{CommitOutcome::failed, "injected by the test", fault_} : CommitResult{};
  }
  /// Sets the results of the next expiry steps; further steps find no expired rows.
  void steps_answer(std::deque<Expired> steps) {
    const std::lock_guard lock(mutex_);
    expired_ = std::move(steps);
  }
  std::vector<ExpireStep> steps() {
    const std::lock_guard lock(mutex_);
    return steps_;
  }
  Expired expire(const ExpireStep& step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(step);
    if (expired_.empty()) return {.at_end = true};
    const Expired out = expired_.front();
    expired_.pop_front();
    return out;
  }

 private:
  // Whether the batch that was loaded last uses one of the parts. Counts it.
  bool uses_any(const std::vector<StorePart>& parts) {
    const bool is_used = std::ranges::any_of(
        owners_, [&](MerchantId owner) { return std::ranges::find(parts, owner.value) != parts.end(); });
    part_failures_ += is_used;
    return is_used;
  }
  template <class Condition>
  void wait(Condition condition, const char* otherwise) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience, condition)) throw std::runtime_error(otherwise);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  TestStore rows_;
  std::deque<CommitOutcome> outcomes_;
  std::optional<StoreFault> fault_;
  std::deque<Expired> expired_;
  std::vector<ExpireStep> steps_;
  std::vector<MerchantId> owners_;  // of the batch that was loaded last
  std::vector<StorePart> unreadable_;
  std::vector<StorePart> unwritable_;
  int part_failures_ = 0;
  bool has_failed_in_part_ = false;
  bool loads_fail_ = false;
  bool held_ = false;
  bool committing_ = false;
  bool apart_ = false;
  bool flushes_held_ = false;
  int flushes_ = 0;
  std::string flush_error_;
};

class ScriptedFlusher final : public Flusher {
 public:
  explicit ScriptedFlusher(StoreScript& script) : script_(script) {}
  Result<void> flush() override { return script_.flush(); }

 private:
  StoreScript& script_;
};

class ScriptedSession final : public Session {
 public:
  explicit ScriptedSession(StoreScript& script) : script_(script) {}
  Result<void> load(const ReadSet& reads, WorkingSet& rows) override { return script_.load(reads, rows); }
  CommitResult commit(const WorkingSet& rows, const IdGenerator&) override { return script_.commit(rows); }
  Result<std::unique_ptr<Flusher>> flush_apart() override {
    if (!script_.flushes_apart()) return nullptr;
    return std::make_unique<ScriptedFlusher>(script_);
  }
  bool has_failed_in_part() const override { return script_.has_failed_in_part(); }
  Result<std::vector<StorePart>> parts_of(const std::vector<MerchantId>& merchants) override {
    std::vector<StorePart> parts;
    for (const MerchantId merchant : merchants) parts.push_back(merchant.value);
    return parts;
  }
  void discard() override {}
  Result<void> lease() override {
    ++node_;
    return {};
  }
  CommitResult renew() override { return script_.renew(); }
  Expired expire(const ExpireStep& step) override { return script_.expire(step); }
  std::int64_t node() const override { return node_; }
  Time ids_not_before() const override { return {}; }

 private:
  StoreScript& script_;
  std::int64_t node_ = 5;
};

class ScriptedStore final : public Store {
 public:
  std::size_t lanes() const override { return 1; }
  Result<std::unique_ptr<Session>> open_session() override { return std::make_unique<ScriptedSession>(script); }
  Result<std::unique_ptr<Reader>> open_reader() override { return fail("none"); }
  Result<AuditReport> audit(const AuditProgress&) override { return fail("none"); }

  StoreScript script;
};

/// JSON renderer that counts the rendered replies.
class CountingRenderer final : public Renderer {
 public:
  std::string detail(const Cause& cause, const Detail& detail) const override { return json_.detail(cause, detail); }
  std::string with_exchange(std::string_view detail, std::string_view exchange) const override {
    return json_.with_exchange(detail, exchange);
  }
  std::string with_evidence(std::string_view evidence, std::string_view detail) const override {
    return json_.with_evidence(evidence, detail);
  }
  std::string notification(const Notice& notice, const WorkingSet& rows, const RenderOptions& options) const override {
    return json_.notification(notice, rows, options);
  }
  RenderedReply reply(const WorkingSet& rows, const CommandResult& done, MerchantId merchant,
                      const RenderOptions& options) const override {
    ++replies;
    return json_.reply(rows, done, merchant, options);
  }
  std::string problem(const Refusal& refusal, std::string_view request_id) const override {
    return json_.problem(refusal, request_id);
  }

  mutable std::atomic<int> replies = 0;

 private:
  const Renderer& json_ = wire::json_renderer();
};

enum class Flushes : std::uint8_t { with_commits, apart };

/// Test fixture with an engine of one lane, over a StoreScript or over the store `real` if given.
class EngineWorld {
 public:
  explicit EngineWorld(Flushes flushes) : EngineWorld(nullptr, flushes) {}
  explicit EngineWorld(Store* real = nullptr, Flushes flushes = Flushes::with_commits) {
    if (flushes == Flushes::apart) store.script.flush_apart();
    policy.channels["sandbox"] = {
        .methods = {"redirect"},
        .authorization = AuthorizationTerms{.methods = {"redirect"}, .capture_within_max = std::chrono::hours(168)}};
    World rows;
    store.script.look([&](TestStore& all) {
      all.merchants = rows.store.merchants;
      return 0;
    });
    EngineOptions options{
        .policy = &policy, .clock = &clock, .renderer = &renderer, .perform = [this](std::vector<Effect> effects) {
          const std::lock_guard lock(mutex_);
          std::ranges::move(effects, std::back_inserter(effects_));
        }};
    auto started = Engine::start(real != nullptr ? *real : store, std::move(options));
    if (!started) throw std::runtime_error(started.error().message);
    engine = std::move(*started);
  }

  std::future<Reply> submit(Request request) {
    auto promise = std::make_shared<std::promise<Reply>>();
    request.show = true;
    request.request_id = "req_1";
    request.reply = [promise](Reply reply) { promise->set_value(std::move(reply)); };
    engine->submit(std::move(request));
    return promise->get_future();
  }
  std::future<Reply> submit(Command command) { return submit(request_of(std::move(command))); }
  Reply execute(Request request) { return wait(submit(std::move(request))); }
  Reply execute(Command command) { return execute(request_of(std::move(command))); }

  static Reply wait(std::future<Reply> reply) {
    if (reply.wait_for(kPatience) != std::future_status::ready) throw std::runtime_error("no reply within the timeout");
    return reply.get();
  }
  static bool is_ready(std::future<Reply>& reply) { return reply.wait_for(0s) == std::future_status::ready; }
  static Request request_of(Command command) { return {.command = std::move(command), .merchant_id = kMerchant}; }
  /// Returns request_of(command) with the Idempotency-Key `key` and the fingerprint of `body`.
  static Request keyed(Command command, std::string_view key, std::string_view body = "body") {
    Request request = request_of(std::move(command));
    request.idempotency = Idempotency{sha256_16(key), sha256_16(body)};
    return request;
  }

  CreateOrder order_request() { return requests_.order_request(); }
  OrderId new_order() { return OrderId{execute(order_request()).object->value}; }
  StartPayment payment_for(OrderId order) { return {kMerchant, order, {.channel = "sandbox", .method = "redirect"}}; }
  RecordEvidence evidence_command(PaymentId payment, Evidence evidence) {
    evidence.asked_at = clock.now();
    return {kMerchant, payment, "sandbox", out_number(kMerchant, payment.value), std::move(evidence)};
  }
  StartAuthorization authorization_for(OrderId order) {
    return {kMerchant, order, {.channel = "sandbox", .method = "redirect"}, kCny};
  }
  /// Records evidence about the first authorization of the order.
  RecordAuthorization hold_command(OrderId order, AuthorizationEvidence evidence) {
    evidence.asked_at = clock.now();
    return {kMerchant, order, "sandbox", out_authorization_no(kMerchant, order, 1), std::move(evidence)};
  }
  /// Records evidence about the first capture of the order.
  RecordCapture capture_command(OrderId order, Evidence evidence) {
    evidence.asked_at = clock.now();
    return {kMerchant, order, "sandbox", out_capture_no(kMerchant, order, 1), std::move(evidence)};
  }
  std::optional<OrderAggregate> order(OrderId id) {
    return store.script.look(
        [&](TestStore& rows) { return rows.orders.contains(id) ? std::optional(rows.orders.at(id)) : std::nullopt; });
  }
  std::size_t order_count() {
    return store.script.look([](TestStore& rows) { return rows.orders.size(); });
  }
  std::vector<Effect> effects() {
    const std::lock_guard lock(mutex_);
    return effects_;
  }
  std::size_t effect_count() { return effects().size(); }

  Policy policy;  // must not change while requests are in progress
  TestClock clock{kNow};
  CountingRenderer renderer;
  ScriptedStore store;

 private:
  World requests_;
  std::mutex mutex_;
  std::vector<Effect> effects_;

 public:
  std::unique_ptr<Engine> engine;  // last member: its lanes use the members above
};

}  // namespace finality::test
