// The merchant of the populated store (populated_store.h): runs commands through a real engine over the store, and
// plays the channel by recording evidence.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/engine.h"
#include "model/out_trade_no.h"
#include "store/store.h"
#include "wire/json_renderer.h"

namespace finality::audit {

using namespace std::chrono_literals;

inline constexpr MinorUnits kAmount = 1000;
inline constexpr Currency kCurrency{{'C', 'N', 'Y'}};
inline constexpr const char* kTreasury = "treasury";  // name of the bank account

class TestClock final : public Clock {
 public:
  Time now() const override { return Time{ms_.load()}; }
  void pass(Duration time) { ms_ += time.count(); }

 private:
  std::atomic<std::int64_t> ms_ = 1'790'000'000'000;
};

template <class T>
T must(Result<T> result) {
  FINALITY_CHECK(result.has_value(), result.error().message);
  return std::move(*result);
}

inline Policy make_policy() {
  Policy policy;
  policy.channels["sandbox"] = {.methods = {"redirect"}};
  policy.channels["sandbox"].authorization = AuthorizationTerms{.methods = {"redirect"}, .capture_within_max = 168h};
  return policy;
}

/// Not thread-safe. Every refusal and every error stops the program.
class Shop {
 public:
  explicit Shop(const std::string& url)
      : store_(must(open_store({.url = url}))),
        engine_(must(Engine::start(
            *store_, {.policy = &policy_, .clock = &clock_, .renderer = &wire::json_renderer(), .perform = {}}))),
        reader_(must(store_->open_reader())) {
    merchant_ = MerchantId{run(CreateMerchant{"Shop", Secret("whsec_1"), Secret("link")}).object->value};
    register_channel_accounts();
  }

  Reply run(Command command, std::optional<Idempotency> idempotency = {}) {
    Reply reply = ask(std::move(command), idempotency);
    FINALITY_CHECK(reply.status < 300, reply.body);
    return reply;
  }
  /// Runs a command in the books of the platform.
  Reply run_at_platform(Command command) {
    Reply reply = ask(std::move(command), {}, kPlatform);
    FINALITY_CHECK(reply.status < 300, reply.body);
    return reply;
  }
  /// Runs a command that must be refused with `code`.
  void run_refused(Command command, RefusalCode code) {
    const Reply reply = ask(std::move(command), {});
    FINALITY_CHECK(reply.refusal && reply.refusal->code == code, "wrong refusal: " + reply.body);
  }
  Reply ask(Command command, std::optional<Idempotency> idempotency) {
    return ask(std::move(command), idempotency, merchant_);
  }
  Reply ask(Command command, std::optional<Idempotency> idempotency, MerchantId merchant) {
    clock_.pass(1s);
    std::promise<Reply> promise;
    Request request;
    request.command = std::move(command);
    request.merchant_id = merchant;
    request.request_id = "req_1";
    request.idempotency = idempotency;
    request.reply = [&promise](Reply reply) { promise.set_value(std::move(reply)); };
    engine_->submit(std::move(request));
    return promise.get_future().get();
  }

  MerchantId merchant() const { return merchant_; }
  /// Records a payment of a number that the store does not have. Returns its case.
  Case receive_unknown(const std::string& trade, MinorUnits refunded = 0) {
    Evidence evidence{.kind = EvidenceKind::paid, .source = CauseKind::notification, .asked_at = clock_.now()};
    evidence.channel_trade_no = trade;
    evidence.amount = kAmount;
    evidence.currency = kCurrency;
    evidence.refunded = refunded;
    evidence.paid_at = clock_.now();
    run_at_platform(RecordUnknownReceipt{"sandbox", "till-" + trade, evidence});
    return must(reader_->cases(kPlatform, CaseState::open, {.limit = 1})).rows.front();
  }
  /// Ends the work on a final order: its deliveries are acknowledged, and it is archived at the end.
  void archive_later(OrderId id) {
    answer_deliveries(id, true);
    to_archive_.push_back(id);
  }
  const std::vector<OrderId>& to_archive() const { return to_archive_; }
  ChannelAccountId account_of(const std::string& channel) const { return policy_.account_of(channel); }
  /// Returns the approval with the current version of its case, as if the approver had just reviewed the case.
  ApproveResolution reviewed(ApproveResolution approval) {
    approval.version = must(reader_->find_case(approval.case_id))->version;
    return approval;
  }
  /// One operator proposes the resolution of the order's newest case, another one approves it.
  void resolve(OrderId order, const std::string& resolution) {
    const CaseId row = read_order(order).cases.back().id;
    run(ProposeResolution{merchant_, order, row, resolution, "asked the channel", "key_a", {}});
    run(reviewed({merchant_, order, row, "key_b", resolution, "sandbox", kCurrency}));
  }
  CaseId newest_case() { return must(reader_->cases(merchant_, CaseState::open, {.limit = 1})).rows.front().id; }
  /// Lines that agree with the receipts of the merchant's newest orders over the sandbox.
  std::vector<MatchedLine> lines_of_receipts() {
    std::vector<MatchedLine> lines;
    for (const OrderAggregate& order : must(reader_->orders(merchant_, {}, {.limit = 100})).rows)
      for (const Receipt& receipt : order.receipts) {
        if (receipt.channel != "sandbox" || lines.size() == 3) continue;
        const auto number = static_cast<std::int64_t>(lines.size() + 1);
        lines.push_back({receipt.id, sha256_16(to_text(receipt.id)), number, receipt.amount});
      }
    return lines;
  }
  CreateOrder order_called(const std::string& name) const {
    CreateOrder command;
    command.merchant_id = merchant_;
    command.merchant_order_no = name;
    command.fingerprint = sha256_16(name);
    command.amount = kAmount;
    command.currency = kCurrency;
    command.subject = "Tea";
    command.notify_url = "https://shop.example/notify";
    return command;
  }
  OrderId make(const CreateOrder& command) { return OrderId{run(command).object->value}; }
  OrderId make_paid_by(CreateOrder command) {
    command.payment = PaymentFields{.channel = "sandbox", .method = "redirect"};
    return make(command);
  }
  OrderAggregate read_order(OrderId id) { return *must(reader_->order(id)); }

  /// Records evidence from the channel about the order's last payment.
  void report(OrderId id, EvidenceKind kind, const std::string& trade = "", MinorUnits amount = kAmount,
              MinorUnits refunded = 0) {
    const Payment payment = read_order(id).payments.back();
    Evidence evidence;
    evidence.kind = kind;
    evidence.source = CauseKind::query;
    evidence.asked_at = clock_.now() + 1s;
    if (!trade.empty()) evidence.channel_trade_no = trade;
    evidence.amount = amount;
    evidence.currency = payment.currency;
    evidence.refunded = refunded;
    evidence.paid_at = clock_.now();
    run(RecordEvidence{merchant_, payment.id, "sandbox", payment.out_trade_no, evidence});
  }
  AdjustmentId propose(AdjustmentType type, AccountKind account, MinorUnits amount, const std::string& note) {
    ProposeAdjustment command{merchant_, type, account, "", kCurrency, amount, note, "key_1"};
    if (account == AccountKind::channel_receivable) command.channel = "sandbox";
    if (account == AccountKind::bank && !policy_.bank_accounts.empty()) command.channel = kTreasury;
    return AdjustmentId{run(command).object->value};
  }
  /// From now on, adjustments of `bank` name the bank account.
  void configure_bank_account() { policy_.bank_accounts[kTreasury] = kCurrency; }
  void decide(AdjustmentId id, AdjustmentEvent event) {
    const Adjustment adjustment = *must(reader_->adjustment(id));
    run(decision_about(&adjustment, merchant_, event, "key_2", adjustment.version));
  }
  CreateOrder manual_order_called(const std::string& name) const {
    CreateOrder command = order_called(name);
    command.capture_method = CaptureMethod::manual;
    return command;
  }
  /// Makes an order with an authorization over the sandbox that is not sent yet.
  OrderId make_authorized_by(const CreateOrder& command) {
    return authorize(command, {.channel = "sandbox", .method = "redirect"});
  }
  /// Makes an order whose amount is reserved on that account.
  OrderId make_authorized_from(AccountId account, const CreateOrder& command) {
    return authorize(command, {.channel = "wallet", .method = "balance", .account_id = account});
  }
  /// Evidence about an order's amount. A test adds what is captured and released.
  AuthorizationEvidence hold_evidence(AuthorizationEvidenceKind kind) const {
    AuthorizationEvidence evidence{.kind = kind, .source = CauseKind::query, .asked_at = clock_.now() + 1s};
    evidence.authorized = kAmount;
    evidence.currency = kCurrency;
    evidence.capture_before = clock_.now() + 100h;
    return evidence;
  }
  /// Records evidence from the channel about the order's last authorization.
  void report_hold(OrderId id, AuthorizationEvidence evidence) {
    const Authorization row = read_order(id).authorizations.back();
    evidence.channel_trade_no = "A-" + row.out_trade_no;
    run(RecordAuthorization{merchant_, id, row.channel, row.out_trade_no, std::move(evidence)});
  }
  /// Makes an order whose amount the sandbox holds.
  OrderId make_held(const std::string& name) {
    const OrderId id = make_authorized_by(manual_order_called(name));
    report_hold(id, hold_evidence(AuthorizationEvidenceKind::authorized));
    return id;
  }
  CaptureId capture(OrderId id, MinorUnits amount, const std::string& number, bool is_final) {
    const Authorization row = read_order(id).authorizations.back();
    return CaptureId{run(CreateCapture{merchant_, id, row.id, number, amount, is_final}).object->value};
  }
  /// Records evidence from the channel about the order's last capture.
  void report_capture(OrderId id, EvidenceKind kind, const std::string& trade = "") {
    const Capture row = read_order(id).captures.back();
    Evidence evidence{.kind = kind, .source = CauseKind::query, .asked_at = clock_.now() + 1s};
    if (!trade.empty()) evidence.channel_trade_no = trade;
    evidence.amount = row.amount;
    evidence.currency = row.currency;
    evidence.paid_at = clock_.now();
    run(RecordCapture{merchant_, id, "sandbox", row.out_trade_no, evidence});
  }
  /// From now on, captures over the sandbox share the trade number of their authorization, which is refunded as a
  /// whole, or they have trades of their own.
  void share_trades(bool is_shared) {
    AuthorizationTerms& terms = *policy_.channels["sandbox"].authorization;
    terms.shares_trade_no = is_shared;
    terms.refund_by = is_shared ? RefundBy::authorization : RefundBy::capture;
  }
  /// `collected`: a capture, or an authorization whose captures share a trade.
  void refund_captured(OrderId id, ObjectRef collected, MinorUnits amount, const std::string& number) {
    const Authorization row = read_order(id).authorizations.back();
    CreateRefund command{.merchant_id = merchant_, .amount = amount, .merchant_refund_no = number};
    command.channel = row.channel;
    command.currency = row.currency;
    command.account_id = row.account_id;
    command.collected = collected;
    command.order_id = id;
    run(command);
  }
  void refund(OrderId id, MinorUnits amount, const std::string& number) {
    const Payment payment = read_order(id).payments.back();
    run(CreateRefund{merchant_, payment.id, amount, number, {}, payment.channel, payment.currency, payment.account_id});
  }
  /// Records evidence from the channel about a refund or a reversal.
  template <class Row>
  void report_refund(const Row& row, RefundEvidenceKind kind, std::optional<ReportedReturn> returned = {}) {
    const RefundEvidence evidence{
        .kind = kind, .source = CauseKind::query, .asked_at = clock_.now() + 1s, .returned = std::move(returned)};
    run(RecordRefund{merchant_, row.order_id, row.id, row.out_refund_no, "sandbox", row.currency, row.amount,
                     evidence});
  }
  /// Records the settlement of the order's paid trade, and of its last refund.
  void settle(OrderId id, const std::string& trade) {
    const OrderAggregate order = read_order(id);
    const Payment& payment = order.payments.back();
    const Refund& refund = order.refunds.back();
    const Currency dollars = *parse_currency("USD");
    Evidence paid{.kind = EvidenceKind::paid, .source = CauseKind::notification, .asked_at = clock_.now()};
    paid.channel_trade_no = trade;
    paid.amount = payment.amount;
    paid.currency = payment.currency;
    paid.settlement = ReportedSettlement{"B-1", 139, dollars, 5, "0.139", {}};
    run(RecordEvidence{merchant_, payment.id, "sandbox", payment.out_trade_no, paid});
    RefundEvidence refunded{.kind = RefundEvidenceKind::refunded, .source = CauseKind::notification};
    refunded.settlement = ReportedSettlement{"B-2", 43, dollars, -1, "0.1433", {}};
    run(RecordRefund{merchant_, id, refund.id, refund.out_refund_no, "sandbox", refund.currency, refund.amount,
                     refunded});
  }

  AccountId open_account(const std::string& name, MinorUnits overdraft = 0) {
    return AccountId{run(OpenAccount{merchant_, name, "customer", kCurrency, overdraft}).object->value};
  }
  void change_account(AccountId id, AccountEvent event) { run(ChangeAccount{merchant_, id, event}); }
  /// Returns the lock's token.
  std::string lock(AccountId id, std::optional<std::string> token = {}) {
    run(LockAccount{merchant_, id, "till", 1h, "nonce", std::move(token)});
    return *must(reader_->account(id))->lock_token;
  }
  PostTransfer transfer_called(const std::string& reference, AccountId from, AccountId to) const {
    PostTransfer command;
    command.merchant_id = merchant_;
    command.debit_account_id = from;
    command.credit_account_id = to;
    command.currency = kCurrency;
    command.source = "api";
    command.reference = reference;
    command.fingerprint = sha256_16(reference);
    return command;
  }
  void transfer(const std::string& reference, AccountId from, AccountId to, MinorUnits amount) {
    PostTransfer command = transfer_called(reference, from, to);
    command.amount = amount;
    run(command);
  }
  void reverse(const std::string& reference) { run(ReverseTransfer{merchant_, "api", reference}); }
  HoldId hold(const std::string& reference, AccountId from, AccountId to, MinorUnits amount, Duration expires_in) {
    CreateHold command;
    command.merchant_id = merchant_;
    command.account_id = from;
    command.credit_account_id = to;
    command.amount = amount;
    command.currency = kCurrency;
    command.source = "api";
    command.reference = reference;
    command.fingerprint = sha256_16(reference);
    command.expires_in = expires_in;
    return HoldId{run(command).object->value};
  }
  /// Makes an order that this account pays, or fails to pay for lack of balance.
  OrderId make_paid_from(AccountId account, CreateOrder command) {
    command.payment = PaymentFields{.channel = "wallet", .method = "balance", .account_id = account};
    return make(command);
  }

  void answer_deliveries(OrderId id, bool acknowledged) {
    for (const Delivery& delivery : must(reader_->deliveries(merchant_, id, {.limit = 100})).rows) {
      RecordDelivery attempt{.merchant_id = merchant_, .delivery_id = delivery.id};
      attempt.status = 500;
      run(attempt);  // the first attempt always fails
      attempt.acknowledged = acknowledged;
      attempt.gone = !acknowledged;
      attempt.status = acknowledged ? 200 : 410;
      run(attempt);
    }
  }

 private:
  OrderId authorize(const CreateOrder& command, PaymentFields fields) {
    const OrderId id = make(command);
    run(StartAuthorization{merchant_, id, std::move(fields), command.currency});
    return id;
  }
  // A server does this when it starts. No payment uses the third account.
  void register_channel_accounts() {
    for (const auto& [channel, funds, state] : {std::tuple("sandbox", Funds::platform, ChannelAccountState::enabled),
                                                std::tuple("wallet", Funds::internal, ChannelAccountState::enabled),
                                                std::tuple("old", Funds::platform, ChannelAccountState::disabled)}) {
      RegisterChannelAccount command;
      command.channel = command.kind = command.identity = channel;
      command.funds = funds;
      command.state = state;
      command.merchant_currency = MerchantCurrency::settlement;
      run(command);
    }
    run(RegisterChannelAccount{
        .channel = kTreasury, .kind = std::string(kBankKind), .identity = "number=6222000000001234 currency=CNY"});
    for (const ChannelAccount& row : must(reader_->channel_accounts())) policy_.accounts[row.channel] = row;
    for (const auto& [from_date, basis_points] : {std::pair("2026-01-01", 60), {"2026-07-01", 55}, {"2026-07-01", 50}})
      run(SetChannelRate{
          .channel_account_id = policy_.account_of("sandbox"), .basis_points = basis_points, .from_date = from_date});
  }

  Policy policy_ = make_policy();
  TestClock clock_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Reader> reader_;
  MerchantId merchant_;
  std::vector<OrderId> to_archive_;
};

/// Accounts, named after their role.
struct UserAccounts {
  AccountId bank;  // funds the others
  AccountId rich;
  AccountId poor;
};

}  // namespace finality::audit
