#include "sim/world/world.h"

#include <exception>

#include "base/check.h"
#include "base/check_trap.h"
#include "base/limits.h"
#include "decide/identity/check_identities.h"
#include "model/out_trade_no.h"
#include "sim/auditors/transition_observer.h"
#include "sim/bugs/bug.h"
#include "sim/statements/sim_statement_service.h"
#include "sim/trace_slice.h"
#include "sim/upstream/performer.h"
#include "sim/world/case_operators.h"
#include "sim/world/scanner.h"
#include "sim/world/shop.h"
#include "store/cache/caching_session.h"
#include "store/memory/store.h"

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Time kStart{1'790'000'000'000};
constexpr Duration kFaultsLast = hours(80);  // longer than the latest late success, after 72 hours
constexpr Duration kQuietWithin = hours(7 * 24);
// Maximum number of steps, to detect endless loops of requests. Runs without a bug need less than a third of it.
constexpr std::int64_t kStepsMax = 20'000;
constexpr std::int64_t kStepsPerPaymentMax = 1'000;
constexpr int kMerchants = 2;
constexpr int kAccounts = 5;
constexpr MinorUnits kOverdraft = 1'000'000'000;
constexpr Currency kCurrency{{'C', 'N', 'Y'}};

template <class T>
T must(Result<T> result) {
  FINALITY_CHECK(result.has_value(), result.error().message);
  return std::move(*result);
}

/// What a world does with the balances of its channel accounts and bank accounts. Drawn apart, so that the other worlds
/// do not depend on it.
struct FundsTerms {
  bool has_statements = false;      // of funds and of the banks
  bool is_one_bank = false;         // both channels pay their withdrawals to one bank account
  bool has_paid_elsewhere = false;  // the second channel pays to no bank account of ours
};

FundsTerms draw_funds(const WorldOptions& options) {
  constexpr std::uint64_t kApart = 0x46756e6473;
  if (options.left_out.contains(Part::statements) || options.left_out.contains(Part::funds)) return {};
  Random random(options.seed ^ kApart);
  FundsTerms terms;
  terms.has_statements = random.chance(options.funds_per_mille);
  terms.is_one_bank = random.chance(500);
  terms.has_paid_elsewhere = random.chance(200);
  return terms;
}

// A settlement in another currency is not compared with funds statements.
ChannelProfiles draw_channels(Random& random, const FundsTerms& funds) {
  ChannelProfiles channels;
  for (const char* channel : {"sandbox", "sandbox2"}) {
    channels[channel] = draw_profile(random);
    if (funds.has_statements) channels[channel].settles_abroad = false;
  }
  return channels;
}

Policy draw_policy(Random& random, const ChannelProfiles& channels, const FundsTerms& funds) {
  Policy policy;
  for (const auto& [channel, profile] : channels) {
    policy.channels[channel] = profile.capabilities;
    // Registers the channel account as a server does, but only in the policy: no check reads stored channel accounts.
    const ChannelAccountId id{static_cast<std::int64_t>(policy.accounts.size()) + 1};
    policy.accounts[channel] = {.id = id, .channel = channel, .kind = "sandbox"};
    if (random.chance(300)) policy.accounts[channel].funds = Funds::merchant;
    if (random.chance(500)) policy.accounts[channel].merchant_currency = MerchantCurrency::settlement;
    policy.accounts[channel].created_at = kStart;
  }
  for (const char* name : {"bank_a", "bank_b"}) {
    const ChannelAccountId id{static_cast<std::int64_t>(policy.accounts.size()) + 1};
    policy.accounts[name] = {.id = id, .channel = name, .kind = std::string(kBankKind), .created_at = kStart};
    policy.bank_accounts[name] = kCurrency;
  }
  if (funds.has_statements) {
    policy.withdrawal_accounts["sandbox"] = "bank_a";
    if (!funds.has_paid_elsewhere) policy.withdrawal_accounts["sandbox2"] = funds.is_one_bank ? "bank_a" : "bank_b";
  }
  policy.query_max = random.between(minutes(10), hours(6));
  policy.resend_max = random.between(minutes(10), hours(6));
  policy.sends_max = random.between(2, 5);
  policy.not_now_max = random.between(minutes(10), hours(12));
  policy.reversal_blocked_pause = random.between(hours(1), hours(12));
  policy.not_now_first = random.between(minutes(1), minutes(10));
  policy.channels[std::string(kWallet)].authorization->capture_within_max = random.between(hours(2), hours(70));
  policy.authorization_watch = random.between(hours(1), hours(12));
  policy.expiring_notice = random.between(minutes(10), hours(24));
  policy.release_blocked_pause = random.between(minutes(10), hours(6));
  return policy;
}

// Draws the share of the orders with manual capture, in per mille.
int draw_manual_share(Random& random) { return random.chance(250) ? 0 : static_cast<int>(random.between(200, 600)); }

/// The command that records what a channel reports about a trade.
using TradeRecord = std::variant<RecordEvidence, RecordCapture>;

TradeRecord record_of(const Trade& trade, Evidence evidence) {
  if (const auto capture = parse_out_capture_no(trade.out_trade_no))
    return RecordCapture{capture->merchant_id, capture->order_id, trade.channel, trade.out_trade_no,
                         std::move(evidence)};
  const auto payment = parse_out_trade_no(trade.out_trade_no);
  FINALITY_CHECK(payment.has_value(), "a trade with an invalid number");
  return RecordEvidence{payment->merchant_id, payment->payment_id, trade.channel, trade.out_trade_no,
                        std::move(evidence)};
}
MerchantId merchant_of(const TradeRecord& record) {
  return std::visit([](const auto& command) { return command.merchant_id; }, record);
}

// Returns true if loads lock rows. No other engine can then commit between load and commit: in the simulation's only
// thread, its commit would wait for a lock that the same thread holds.
bool with_locks(const WorldOptions& options) { return options.store == StoreKind::postgres && options.seed % 2 == 0; }
// Returns the faults that cannot happen with these options. SQLite and PostgreSQL load all rows in one call, which the
// simulation cannot interrupt. Without statements, no money may move that only statements report.
FaultMask impossible_faults(const WorldOptions& options) {
  const FaultMask only_in_statements = bit_of(Fault::refund_unannounced) | bit_of(Fault::payment_unannounced);
  return (with_locks(options) ? bit_of(Fault::commit_overtaken) : 0) |
         (options.store == StoreKind::memory ? 0 : bit_of(Fault::load_overtaken)) |
         (options.left_out.contains(Part::statements) ? only_in_statements : 0);
}
std::string without_locks(const std::string& url) {
  return url + (url.contains('?') ? '&' : '?') + "finality_lock_roots=off";
}

// Sizes of the row cache for runs with the memory store: no cache, a size with constant evictions, the production size.
constexpr std::size_t kRowsRemembered[] = {0, 8, limits::kRowsRememberedMax};

// Returns true if the store flushes separately, as SQLite does: one process owns the store, and a commit becomes
// durable after Session::commit has returned.
bool flushes_apart(const WorldOptions& options, int engines) {
  return options.store == StoreKind::memory && engines == 1;
}

class World {
 public:
  explicit World(const WorldOptions& options)
      : options_(options),
        scheduler_(options.seed, kStart, options.trace, options.without | impossible_faults(options)),
        funds_(draw_funds(options)),
        channels_(draw_channels(scheduler_.random(), funds_)),
        policy_(draw_policy(scheduler_.random(), channels_, funds_)),
        engine_count_(options.engines.value_or(static_cast<int>(scheduler_.random().between(1, 3)))),
        store_(open_store_of(options, engine_count_)),
        reader_(must(store_->open_reader())),
        auditor_(upstream_, policy_, options.mutant) {
    if (options.bug != nullptr && options.bug->session != nullptr) session_bug_ = options.bug->session();
    session_hooks_ = {.watch = &watch_,
                      .commit_other_engines = [this] { commit_other_engines(); },
                      .committed = [this](const WorkingSet& rows, std::int64_t node) { committed(rows, node); },
                      .failed_part = &failed_part_,
                      .failed = [this](std::optional<MerchantId> of_part) { store_failed(of_part); },
                      .hides_failed_part = options.bug != nullptr && options.bug->hides_failed_part,
                      .bug = session_bug_.get(),
                      .decision = options.bug != nullptr ? options.bug->decision : nullptr};
    EngineHooks hooks{
        .open_session = [this] { return open_session(); },
        .perform = [this](int engine, std::vector<Effect> effects) { performer_.perform(engine, std::move(effects)); },
        .refused_by_store = [this](const Request& request) { auditor_.refused_by_store(request, scheduler_.now()); },
        .has_failed = [this](MerchantId merchant) { return failed_part_.has_failed(merchant); },
        .cell_watch = &watch_,
        .replies_before_flush = options.bug != nullptr && options.bug->replies_before_flush,
        .follows_spikes = options.bug != nullptr && options.bug->follows_spikes,
        .accepts_failed_parts = options.bug != nullptr && options.bug->accepts_failed_parts};
    if (flushes_apart(options, engine_count_))
      hooks.lose_power = [this] { dynamic_cast<memory::MemoryStore&>(*store_).lose_power(); };
    for (int i = 0; i < engine_count_; ++i)
      engines_.push_back(std::make_unique<SimEngine>(i, scheduler_, policy_, hooks));
  }

  WorldResult run() {
    try {
      const CheckTrap trap([](std::string message) { throw FailedCheck{std::move(message)}; });
      run_to_end();
    } catch (const FailedCheck& failed) {
      fail(failed.message);
    } catch (const std::exception& error) {
      fail(error.what());
    }
    return result();
  }

 private:
  /// Thrown by a failed FINALITY_CHECK, which ends the run with a finding.
  struct FailedCheck {
    std::string message;
  };
  void fail(std::string_view message) { auditor_.findings().require(false, "0 the program fails", "{}", message); }

  void run_to_end() {
    set_up();
    scheduler_.start_faults();
    plan_work();
    run_until(scheduler_.now() + kFaultsLast);
    scheduler_.stop_faults();
    for (const auto& engine : engines_) engine->set_clock(Duration{0});
    run_until(scheduler_.now() + kQuietWithin);
    for (const auto& shop : shops_) operators_.record_cash_refund(shop->merchant);
    if (auditor_.findings().empty() || !options_.stop_at_first) {
      auditor_.ended(*reader_, book_);
      check_money_identities();
      client_.recorder().check(auditor_.findings());
    }
    for (const auto& engine : engines_)
      auditor_.findings().require(engine->undone() == 0, "1 steps", "an engine rolled back {} of its decisions",
                                  engine->undone());
  }

  static std::unique_ptr<Store> open_store_of(const WorldOptions& options, int engines) {
    if (options.store == StoreKind::memory)
      return std::make_unique<memory::MemoryStore>(
          std::make_shared<memory::Tables>(),
          flushes_apart(options, engines) ? std::make_shared<memory::Disk>() : nullptr);
    if (options.store == StoreKind::sqlite) return must(open_store({.url = "sqlite:" + options.place + "/store.db"}));
    return must(open_store({.url = with_locks(options) ? options.place : without_locks(options.place)}));
  }
  std::unique_ptr<Session> open_session() {
    auto* memory = dynamic_cast<memory::MemoryStore*>(store_.get());
    if (memory == nullptr) return make_faulty_session(must(store_->open_session()), scheduler_, session_hooks_);
    std::unique_ptr<Session> session = engines_.size() > 1 && scheduler_.happens(Fault::node_taken_over)
                                           ? memory->take_over(scheduler_.random().below(2))
                                           : must(store_->open_session());
    if (const std::size_t rows = kRowsRemembered[options_.seed % std::size(kRowsRemembered)]; rows != 0)
      session = store::cache_rows(std::move(session),
                                  engine_count_ == 1 ? store::Writers::one : store::Writers::several, rows);
    return make_faulty_session(std::move(session), scheduler_, session_hooks_);
  }
  // Lets all other engines run a batch, so that they can commit before the current engine.
  void commit_other_engines() {
    for (const auto& engine : engines_) engine->run();
  }
  void committed(const WorkingSet& rows, std::int64_t node) {
    for (const Event& event : rows.events) {
      scheduler_.trace().add(event.id.value);
      scheduler_.note(event.event, to_text(ObjectRef(event.object_type, event.object_id)),
                      static_cast<std::int64_t>(event.root_version));
    }
    auditor_.committed(rows, scheduler_.now(), node);
    scanner_.plan();
  }
  void store_failed(std::optional<MerchantId> of_part) {
    if (of_part)
      auditor_.part_failed(*of_part, scheduler_.now());
    else
      auditor_.store_failed(scheduler_.now());
  }
  void run_until(Time until) {
    const std::int64_t most = kStepsMax + kStepsPerPaymentMax * options_.payments;
    while ((auditor_.findings().empty() || !options_.stop_at_first) && steps_ <= most && scheduler_.step(until))
      ++steps_;
    auditor_.findings().require(steps_ <= most, "16 final or in the exception queue", "still busy after {} steps",
                                steps_);
  }

  // Checks all orders as the identity job of a server does.
  void check_money_identities() {
    for (const auto& [id, committed] : auditor_.orders().orders()) {
      const auto order = must(reader_->order(id));
      if (!order) continue;  // a finding of the auditor
      for (const std::string& violation : check_identities(*order, must(reader_->order_entries(order->order))))
        auditor_.findings().require(false, "18 money identities", "{}: {}", to_text(id), violation);
    }
  }

  // Executes a command that creates a merchant, endpoint or account before faults start, and returns the reply.
  Reply carry_out(Command command, MerchantId merchant = {}) {
    std::optional<Reply> answer;
    client_.call({std::move(command), merchant}, [&answer](const Reply& reply) { answer = reply; });
    while (!answer) FINALITY_CHECK(scheduler_.step(kStart + hours(1)), "the world cannot be set up");
    return *answer;
  }
  void set_up() {
    for (int i = 0; i < kMerchants; ++i) {
      const Reply made = carry_out(CreateMerchant{"shop", Secret("whsec_c2ltdWxhdGVk"), Secret("link")});
      Shop& shop = *shops_.emplace_back(std::make_unique<Shop>(
          Shop{scheduler_, client_, auditor_, *reader_, policy_, MerchantId{made.object->value}, kCurrency, {}, {}}));
      for (int e = 0; e <= i; ++e) {
        const Acknowledge acknowledge = e == 0 ? Acknowledge::status : Acknowledge::success_body;
        CreateWebhookEndpoint endpoint{shop.merchant, fmt::format("https://shop{}.example/{}", i, e), "", acknowledge,
                                       Secret("whsec_c2ltdWxhdGVk")};
        shop.endpoints.push_back(WebhookEndpointId{carry_out(endpoint, shop.merchant).object->value});
      }
      for (int a = 0; a < kAccounts; ++a) {
        OpenAccount open{shop.merchant, fmt::format("user {}", a), "", kCurrency, a == 0 ? kOverdraft : 0};
        shop.accounts.push_back(AccountId{carry_out(open, shop.merchant).object->value});
      }
      operators_.may_assign_to(shop.merchant);
      carry_out(SetPrice{shop.merchant, "cup", 100, kCurrency, std::nullopt}, shop.merchant);
      carry_out(SetFee{shop.merchant, "sandbox", 60, 0, std::nullopt, std::nullopt, i == 0}, shop.merchant);
    }
  }

  bool has(Part part) const { return !options_.left_out.contains(part); }
  void plan_work() {
    Random& random = scheduler_.random();
    const int manual = draw_manual_share(random);
    for (const auto& shop : shops_) shop->manual_share = has(Part::authorizations) ? manual : 0;
    // Spreads the orders over one second of simulated time per order, so the load does not depend on the run's size.
    const Duration most = seconds(options_.payments);
    const auto any_shop = [&]() -> Shop& { return *shops_[static_cast<std::size_t>(random.below(kMerchants))]; };
    for (int i = 0; i < options_.payments; ++i) {
      Shop& shop = any_shop();
      scheduler_.after(random.between(Duration{0}, most), [&shop] { begin_order(shop); });
      if (i % 3 == 0 && has(Part::accounts))
        scheduler_.after(random.between(Duration{0}, most), [&shop] { begin_account_work(shop); });
      if (i % 20 == 0 && has(Part::settings))
        scheduler_.after(random.spread(minutes(1), hours(40)), [&shop] { begin_settings(shop); });
      if (i % 20 == 0 && has(Part::operators))
        scheduler_.after(random.spread(minutes(1), hours(40)), [&shop] { begin_adjustment(shop); });
    }
    for (const auto& engine : engines_) trouble(*engine);
    if (has(Part::operators))
      for (const auto& shop : shops_) look_at_cases(shop->merchant);
    if (has(Part::operators)) look_at_cases(kPlatform);
    report_unknown();
    forge();
    if (!has(Part::statements)) return;
    book_.start();
    statements_.start();
  }
  // Schedules faults of an engine that are independent of its work: crashes and clock jumps.
  void trouble(SimEngine& engine) {
    scheduler_.after(scheduler_.random().spread(seconds(20), hours(6)), [this, &engine] {
      if (scheduler_.faults_stopped()) return;
      if (scheduler_.happens(Fault::crash)) engine.crash("crash");
      if (scheduler_.happens(Fault::clock_jump)) {
        const Duration by = scheduler_.random().spread(seconds(1), kClockErrorMax);
        engine.set_clock(scheduler_.random().chance(500) ? by : -by);
        auditor_.clocks_differ();
      }
      trouble(engine);
    });
  }
  void look_at_cases(MerchantId merchant) {
    scheduler_.after(scheduler_.random().spread(minutes(30), hours(10)), [this, merchant] {
      if (scheduler_.faults_stopped()) return;
      operators_.work(merchant);
      look_at_cases(merchant);
    });
  }
  // Schedules payments over the channel accounts that another system has requested: the engines do not know their
  // numbers.
  void report_unknown() {
    scheduler_.after(scheduler_.random().spread(minutes(10), hours(6)), [this] {
      if (scheduler_.faults_stopped()) return;
      Random& random = scheduler_.random();
      const std::string trade = client_.number("U");
      Evidence evidence{.kind = EvidenceKind::paid, .source = CauseKind::notification, .channel_trade_no = trade};
      evidence.amount = random.between(1, 1'000'000);
      evidence.currency = kCurrency;
      evidence.paid_at = scheduler_.now();
      const char* channel = random.chance(500) ? "sandbox" : "sandbox2";
      book_.add_unknown_payment(channel, trade, "till-" + trade, evidence.amount, evidence.currency);
      const bool is_unannounced = scheduler_.happens(Fault::payment_unannounced);
      for (std::int64_t i = is_unannounced ? 0 : random.between(1, 2); i > 0; --i)
        deliver_unknown({channel, "till-" + trade, evidence});
      report_unknown();
    });
  }
  // Submits the report. The channel repeats it until an engine acknowledges it.
  void deliver_unknown(RecordUnknownReceipt command) {
    const auto is_acknowledged = std::make_shared<bool>(false);
    SimEngine& engine = client_.any_engine();
    command.evidence.asked_at = engine.now();
    const std::string channel = command.channel;
    const std::string trade = *command.evidence.channel_trade_no;
    const auto acknowledge = [this, channel, trade, is_acknowledged](const Reply& reply) {
      if (reply.refusal) return;
      *is_acknowledged = true;
      auditor_.acknowledged_unknown(channel, trade);
    };
    if (engine.is_running())
      engine.submit(
          {.command = command, .merchant_id = kPlatform, .cause = {CauseKind::notification, {}}, .reply = acknowledge});
    scheduler_.after(scheduler_.random().spread(minutes(1), hours(2)), [this, command, is_acknowledged] {
      if (!*is_acknowledged) deliver_unknown(command);
    });
  }
  // Schedules forged notifications. They fail verification at the API, so that no command reaches an engine. With the
  // injected bug `skips_verification`, their commands are submitted.
  void forge() {
    scheduler_.after(scheduler_.random().spread(minutes(1), hours(4)), [this] {
      if (scheduler_.faults_stopped()) return;
      if (scheduler_.happens(Fault::notification_forged) && options_.bug != nullptr && options_.bug->skips_verification)
        deliver_unverified();
      forge();
    });
  }
  void deliver_unverified() {
    for (const auto& [id, aggregate] : auditor_.orders().orders())
      for (const Payment& payment : aggregate.payments) {
        if (payment_machine.is_final(payment.state)) continue;
        Trade forged{.channel = payment.channel, .out_trade_no = payment.out_trade_no, .trade_no = "F"};
        Evidence evidence{.kind = EvidenceKind::paid, .channel_trade_no = forged.trade_no, .amount = payment.amount};
        evidence.currency = payment.currency;
        return notify(forged, std::move(evidence), [](bool) {});
      }
  }
  void notify(const Trade& trade, Evidence evidence, const std::function<void(bool)>& done) {
    SimEngine& engine = client_.any_engine();
    if (!engine.is_running()) return done(false);
    const bool too_early = options_.bug != nullptr && options_.bug->acknowledges_all;
    if (too_early) done(true);
    evidence.source = CauseKind::notification;
    evidence.asked_at = engine.now();
    if (options_.bug != nullptr && options_.bug->notice != nullptr) options_.bug->notice(evidence);
    const TradeRecord record = record_of(trade, std::move(evidence));
    std::visit([&](const auto& command) { submit(engine, command, command.merchant_id, once_only(done, too_early)); },
               record);
  }

  void notify_hold(const UpstreamHold& hold, AuthorizationEvidence evidence, const std::function<void(bool)>& done) {
    const auto number = parse_out_authorization_no(hold.out_trade_no);
    FINALITY_CHECK(number.has_value(), "a hold with an invalid number");
    SimEngine& engine = client_.any_engine();
    if (!engine.is_running()) return done(false);
    const bool too_early = options_.bug != nullptr && options_.bug->acknowledges_all;
    if (too_early) done(true);
    evidence.source = CauseKind::notification;
    evidence.asked_at = engine.now();
    if (options_.bug != nullptr && options_.bug->authorization_evidence != nullptr)
      options_.bug->authorization_evidence(evidence);
    submit(engine,
           RecordAuthorization{number->merchant_id, number->order_id, hold.channel, hold.out_trade_no,
                               std::move(evidence)},
           number->merchant_id, once_only(done, too_early));
  }

  // Submits the command for a notification about a refund or reversal, as the API does.
  void notify_refund(const UpstreamRefund& refund, RefundEvidence evidence, const std::function<void(bool)>& done) {
    if (!parse_out_refund_no(refund.out_refund_no)) return done(true);  // an injected bug has changed the out_refund_no
    SimEngine& engine = client_.any_engine();
    if (!engine.is_running()) return done(false);
    evidence.source = CauseKind::notification;
    evidence.asked_at = engine.now();
    if (options_.bug != nullptr && options_.bug->refund_evidence != nullptr)
      options_.bug->refund_evidence(evidence, refund.out_refund_no);
    Evidence of_trade{.source = evidence.source, .asked_at = evidence.asked_at, .currency = refund.trade->currency};
    // Some channels report the refunded trade and the amount of the refund too.
    if (evidence.kind == RefundEvidenceKind::refunded && scheduler_.random().chance(500)) {
      of_trade.kind = EvidenceKind::paid;
      of_trade.channel_trade_no = refund.trade->trade_no;
      of_trade.amount = refund.trade->paid;
      of_trade.paid_at = refund.trade->paid_at;
      of_trade.refund =
          ReportedRefund{refund.out_refund_no, refund.amount, evidence.kind, evidence.returned, evidence.settlement};
    }
    TradeRecord record = record_of(*refund.trade, std::move(of_trade));
    const MerchantId merchant = merchant_of(record);
    submit(engine, RecordRefundNotice{std::move(record), refund.out_refund_no, std::move(evidence)}, merchant,
           once_only(done));
  }
  // Submits the command of a notification. The notification is acknowledged if the engine replies with success within
  // ten seconds.
  void submit(SimEngine& engine, Command command, MerchantId merchant, const std::function<void(bool)>& once) {
    auto kept = std::make_shared<const Command>(command);
    engine.submit({.command = std::move(command),
                   .merchant_id = merchant,
                   .cause = {CauseKind::notification, {}},
                   .reply = [this, once, kept, from = scheduler_.now()](const Reply& reply) {
                     if (!reply.refusal) auditor_.recorded(*kept, from, scheduler_.now());
                     once(!reply.refusal);
                   }});
    scheduler_.after(seconds(10), [once] { once(false); });
  }
  static std::function<void(bool)> once_only(const std::function<void(bool)>& done, bool answered = false) {
    const auto shared = std::make_shared<bool>(answered);
    return [shared, done](bool acknowledged) {
      if (!std::exchange(*shared, true)) done(acknowledged);
    };
  }

  WorldResult result() {
    WorldResult result;
    for (const auto& [id, aggregate] : auditor_.orders().orders())
      result.payments += static_cast<std::int64_t>(aggregate.payments.size() + aggregate.authorizations.size());
    result.faults = scheduler_.counts();
    result.coverage = auditor_.coverage();
    result.findings = auditor_.findings().list();
    result.trace_hash = scheduler_.trace().hash();
    if (options_.trace == TraceWish::kept && !result.findings.empty())
      result.trace = trace_slice(scheduler_.trace().lines(), result.findings.front(), auditor_.orders(),
                                 auditor_.money(), upstream_);
    return result;
  }

  const WorldOptions& options_;
  SimScheduler scheduler_;
  const FundsTerms funds_;
  const ChannelProfiles channels_;
  Policy policy_;
  const int engine_count_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
  Upstream upstream_{scheduler_,
                     [this](const Trade& trade, Evidence evidence, std::function<void(bool)> done) {
                       notify(trade, std::move(evidence), done);
                     },
                     [this](const UpstreamRefund& refund, RefundEvidence evidence, std::function<void(bool)> done) {
                       notify_refund(refund, std::move(evidence), done);
                     },
                     [this](const UpstreamHold& hold, AuthorizationEvidence evidence, std::function<void(bool)> done) {
                       notify_hold(hold, std::move(evidence), done);
                     },
                     channels_};
  Auditor auditor_;
  TransitionObserver watch_{scheduler_, auditor_, options_.mutant};
  std::unique_ptr<SessionBug> session_bug_;
  FailedPart failed_part_{scheduler_};
  SessionHooks session_hooks_;
  Engines engines_;
  Client client_{scheduler_, engines_, auditor_, options_.bug};
  Performer performer_{scheduler_, upstream_, engines_, auditor_, options_.bug};
  Scanner scanner_{scheduler_, client_, *reader_};
  CaseOperators operators_{scheduler_, client_, *reader_, upstream_, policy_};
  StatementBook book_{scheduler_, upstream_, auditor_.orders(), policy_, funds_.has_statements};
  SimStatementService statements_{scheduler_, client_, *reader_, book_, auditor_, policy_, options_.bug};
  std::vector<std::unique_ptr<Shop>> shops_;
  std::int64_t steps_ = 0;
};

}  // namespace

WorldResult run_world(const WorldOptions& options) { return World(options).run(); }

}  // namespace finality::sim
