#include "decide/testing/test_world.h"

#include <algorithm>
#include <utility>

#include "engine/render_texts.h"
#include "wire/json_renderer.h"

namespace finality::test {

World::World() {
  policy.channels["sandbox"] = {.methods = {"redirect"}};
  policy.channels["by_payer"] = {.methods = {"qr_code"}, .made_by_payer = {"qr_code"}};
  policy.accounts[std::string(kWallet)] = {.channel = std::string(kWallet), .funds = Funds::internal};
  store.merchants[kPlatform] = {.id = kPlatform, .name = "platform"};
  for (const MerchantId id : {kMerchant, kOtherMerchant}) {
    Merchant merchant;
    merchant.id = id;
    merchant.name = "The corner shop";
    merchant.webhook_secret = Secret("whsec_bWVyY2hhbnQ=");
    merchant.link_secret = Secret("link");
    store.merchants[id] = merchant;
  }
}

World::World(const World&) = default;
World& World::operator=(const World&) = default;
World::~World() = default;

Decision World::run(const Command& command) {
  Decision decision = try_run(command);
  EXPECT_EQ(findings, std::vector<std::string>{});
  return decision;
}

Decision World::try_run(const Command& command) {
  WorkingSet rows;
  ReadSet reads;
  add_reads(command, reads);
  store.load(reads, rows);
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
    render_texts(wire::json_renderer(), context);
    rows.accept();
  }
  note(rows);
  store.keep(rows);
  return decision;
}

ApproveResolution World::reviewed(ApproveResolution approval) const {
  ReadSet reads;
  add_id(reads, approval.root);
  WorkingSet rows;
  store.load(reads, rows);
  if (const Case* row = find_child<Case>(rows, approval.root, approval.case_id)) approval.version = row->version;
  return approval;
}

std::string World::refusal_of(const Command& command) {
  const Decision decision = run(command);
  return decision ? "ok" : std::string(name_of(decision.error().code));
}

CreateOrder World::order_request() {
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

OrderId World::new_order(const CreateOrder& command) { return OrderId{run(command)->object.value}; }

PaymentId World::start(OrderId order, PaymentFields fields) {
  return PaymentId{run(StartPayment{kMerchant, order, std::move(fields)})->object.value};
}

RecordEvidence World::evidence_command(PaymentId payment, Evidence evidence) const {
  const Payment& row = this->payment(payment);
  if (evidence.asked_at == Time{}) evidence.asked_at = now;
  return {row.merchant_id, payment, row.channel, row.out_trade_no, std::move(evidence)};
}

Decision World::record_evidence(PaymentId payment, Evidence evidence) {
  return run(evidence_command(payment, std::move(evidence)));
}

MinorUnits World::balance(AccountKind kind, Currency currency) const {
  for (const auto& [id, account] : store.accounts)
    if (account.kind == kind && account.currency == currency) return account.balance;
  return 0;
}

std::vector<ChannelCallKind> World::calls() const {
  std::vector<ChannelCallKind> kinds;
  for (const Effect& effect : effects)
    if (const auto* call = std::get_if<ChannelCall>(&effect)) kinds.push_back(call->kind);
  return kinds;
}

std::string World::delivery_types() const {
  std::string types;
  for (const DeliveryId id : new_deliveries) types += (types.empty() ? "" : " ") + delivery(id).type;
  return types;
}

const Event* World::event_of(ObjectRef object) const {
  const auto at = std::ranges::find_if(
      events, [&](const Event& row) { return ObjectRef(row.object_type, row.object_id) == object; });
  return at == events.end() ? nullptr : &*at;
}

void World::note(const WorkingSet& rows) {
  events = rows.events;
  new_deliveries.clear();
  rows.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& after) {
    if (!base && after) new_deliveries.push_back(id);
  });
  std::ranges::sort(new_deliveries);
}

Evidence waiting(std::string trade_no) {
  return {.kind = EvidenceKind::waiting, .channel_trade_no = std::move(trade_no)};
}

Evidence paid(std::string trade_no, MinorUnits amount, Currency currency) {
  return {.kind = EvidenceKind::paid,
          .channel_trade_no = std::move(trade_no),
          .amount = amount,
          .currency = currency,
          .paid_at = kNow};
}

Evidence refunded(std::string trade_no, MinorUnits amount) {
  Evidence evidence = paid(std::move(trade_no), amount);
  evidence.refunded = amount;
  return evidence;
}

Evidence failed(std::string code) {
  return {.kind = EvidenceKind::failed, .code = std::move(code), .message = "The bank said no."};
}

Evidence queried(Evidence evidence) {
  evidence.source = CauseKind::query;
  return evidence;
}

Evidence closed() { return {.kind = EvidenceKind::closed}; }
Evidence not_found() { return {.kind = EvidenceKind::not_found}; }
Evidence unknown() { return {.kind = EvidenceKind::unknown, .code = "timeout"}; }

}  // namespace finality::test
