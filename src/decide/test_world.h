// For tests of commands: a merchant, a channel, a clock that stands still, and commands run as a lane runs them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decide/decide.h"
#include "decide/invariants.h"
#include "decide/test_store.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {

/// So that a failed comparison of states and codes can be read.
template <DescribedEnum Enum>
std::ostream& operator<<(std::ostream& out, Enum value) {
  return out << name_of(value);
}

}  // namespace finality

namespace finality::test {

using namespace std::chrono_literals;

inline constexpr Time kNow{1'790'000'000'000};
inline constexpr MerchantId kMerchant{7};
inline constexpr MerchantId kOtherMerchant{8};
inline const Currency kCny = *parse_currency("CNY");
inline const Currency kUsd = *parse_currency("USD");
inline constexpr MinorUnits kAmount = 1999;

class World {
 public:
  World() {
    policy.channels["sandbox"] = {.methods = {"redirect"}};
    policy.channels["by_payer"] = {.methods = {"qr_code"}, .made_by_payer = {"qr_code"}};
    for (const MerchantId id : {kMerchant, kOtherMerchant}) {
      Merchant merchant;
      merchant.id = id;
      merchant.name = "The corner shop";
      merchant.webhook_secret = Secret("whsec_bWVyY2hhbnQ=");
      merchant.link_secret = Secret("link");
      store.merchants[id] = merchant;
    }
  }

  Time now = kNow;
  Policy policy;
  Cause cause;  // of the commands that are run
  TestStore store;
  // What the last command left.
  std::vector<Effect> effects;
  std::vector<std::string> findings;
  std::vector<Event> events;
  std::vector<DeliveryId> new_deliveries;

  /// Runs a command that must break no rule.
  Decision run(const Command& command) {
    Decision decision = try_run(command);
    EXPECT_EQ(findings, std::vector<std::string>{});
    return decision;
  }

  /// Runs a command. What breaks a rule, or is refused, leaves nothing but its finding or its refusal.
  Decision try_run(const Command& command) {
    WorkingSet rows;
    Needs needs;
    add_needs(command, needs);
    store.load(needs, rows);
    effects.clear();
    findings.clear();
    ids_.advance(now);
    Context context{rows, ids_, policy, now, cause, effects, findings};
    Decision decision = decide(command, context);
    if (findings.empty()) findings = broken_invariants(rows);
    const bool kept = decision || decision.error().kept;
    if (!kept || !findings.empty()) {
      rows.roll_back();
      effects.clear();
    } else {
      rows.accept();
    }
    note(rows);
    store.keep(rows);
    return decision;
  }

  /// The same, with the word that it was refused with; `ok` when it was not.
  std::string refusal_of(const Command& command) {
    const Decision decision = run(command);
    return decision ? "ok" : std::string(name_of(decision.error().code));
  }

  CreateOrder order_request() {
    CreateOrder command;
    command.merchant_id = kMerchant;
    command.merchant_order_no = "A-" + std::to_string(++numbers_);
    command.fingerprint = sha256_16(command.merchant_order_no);
    command.amount = kAmount;
    command.currency = kCny;
    command.subject = "A pot of tea";
    command.expires_in = 1h;
    command.notify_url = "https://shop.example/notify";
    return command;
  }
  OrderId new_order() { return new_order(order_request()); }
  OrderId new_order(const CreateOrder& command) { return OrderId{run(command)->object.value}; }

  PaymentId start(OrderId order, PaymentFields fields = {.channel = "sandbox", .method = "redirect"}) {
    return PaymentId{run(StartPayment{kMerchant, order, std::move(fields)})->object.value};
  }

  RecordEvidence word(PaymentId payment, Evidence evidence) const {
    const Payment& row = this->payment(payment);
    if (evidence.asked_at == Time{}) evidence.asked_at = now;
    return {row.merchant_id, payment, row.channel, row.out_trade_no, std::move(evidence)};
  }
  /// The payment's channel says so now.
  Decision tell(PaymentId payment, Evidence evidence) { return run(word(payment, std::move(evidence))); }

  OrderAggregate& aggregate(OrderId id) { return store.orders.at(id); }
  const Order& order(OrderId id) const { return store.orders.at(id).order; }
  const OrderAggregate& order_of(PaymentId id) const { return *store.order_of(id); }
  const Account& account(AccountId id) const { return store.accounts.at(id); }
  const Transfer& transfer(TransferId id) const { return store.transfers.at(id); }
  const Hold& hold(HoldId id) const { return store.holds.at(id); }
  const Payment& payment(PaymentId id) const { return *find_row(order_of(id).payments, id); }
  const Delivery& delivery(DeliveryId id) const { return store.deliveries.at(id).delivery; }

  MinorUnits balance(AccountKind kind, Currency currency = kCny) const {
    for (const auto& [id, account] : store.accounts)
      if (account.kind == kind && account.currency == currency) return account.balance;
    return 0;
  }
  /// The calls to a channel that the last command asks for.
  std::vector<ChannelCallKind> calls() const {
    std::vector<ChannelCallKind> kinds;
    for (const Effect& effect : effects)
      if (const auto* call = std::get_if<ChannelCall>(&effect)) kinds.push_back(call->kind);
    return kinds;
  }
  /// The types of the notifications that the last command made, with a space between.
  std::string told() const {
    std::string types;
    for (const DeliveryId id : new_deliveries) types += (types.empty() ? "" : " ") + delivery(id).type;
    return types;
  }
  const Event* event_of(ObjectRef object) const {
    const auto at = std::ranges::find_if(
        events, [&](const Event& row) { return ObjectRef(row.object_type, row.object_id) == object; });
    return at == events.end() ? nullptr : &*at;
  }

 private:
  void note(const WorkingSet& rows) {
    events = rows.events;
    new_deliveries.clear();
    rows.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& after) {
      if (!base && after) new_deliveries.push_back(id);
    });
    std::ranges::sort(new_deliveries);
  }

  IdGenerator ids_{0, Time{}};
  int numbers_ = 0;
};

// What a channel may say.
inline Evidence waiting(std::string trade_no = "T1") {
  return {.kind = EvidenceKind::waiting, .channel_trade_no = std::move(trade_no)};
}
inline Evidence paid(std::string trade_no = "T1", MinorUnits amount = kAmount, Currency currency = kCny) {
  return {.kind = EvidenceKind::paid,
          .channel_trade_no = std::move(trade_no),
          .amount = amount,
          .currency = currency,
          .paid_at = kNow};
}
inline Evidence refunded(std::string trade_no = "T1", MinorUnits amount = kAmount) {
  Evidence evidence = paid(std::move(trade_no), amount);
  evidence.kind = EvidenceKind::refunded;
  evidence.refunded = amount;
  return evidence;
}
inline Evidence failed(std::string code = "declined") {
  return {.kind = EvidenceKind::failed, .code = std::move(code), .message = "The bank said no."};
}
/// The same, in answer to a query.
inline Evidence asked(Evidence evidence) {
  evidence.source = CauseKind::query;
  return evidence;
}
inline Evidence closed() { return {.kind = EvidenceKind::closed}; }
inline Evidence absent() { return {.kind = EvidenceKind::absent}; }
inline Evidence unknown() { return {.kind = EvidenceKind::unknown, .code = "timeout"}; }

}  // namespace finality::test
