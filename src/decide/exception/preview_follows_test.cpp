// Tests that the preview of every resolution has the entries and the requests of its approval and of the success that
// the channel then reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "decide/channel/channel_operation.h"
#include "decide/exception/preview_resolution.h"
#include "decide/exception/resolution.h"
#include "decide/testing/authorization_world.h"
#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;

constexpr ChannelAccountId kChannelAccount{5};

/// A world with an object about which a case exists.
struct Scene {
  World world;
  ObjectRef root;
  ObjectRef object;
  MerchantId merchant = kMerchant;
};

Scene about_payment(const RefundScenario& world) { return {world, world.order, world.payment}; }
Scene about_refund(RefundScenario& world) {
  return {world, world.order, world.aggregate(world.order).refunds.back().id};
}
Scene about_reversal(RefundScenario& world) {
  return {world, world.order, world.aggregate(world.order).reversals.back().id};
}
Scene about_capture(Authorizations& world, OrderId order) { return {world, order, world.last_capture(order).id}; }
Scene about_authorization(Authorizations& world, OrderId order) {
  return {world, order, world.authorization(order).id};
}

void add_case(std::vector<Case>& cases, ObjectRef root, CaseKind kind, ObjectRef object, MerchantId merchant) {
  cases.push_back({.id = CaseId{900},
                   .root_id = root.value,
                   .merchant_id = merchant,
                   .kind = kind,
                   .object_type = object.type,
                   .object_id = object.value});
}

std::vector<Case>& cases_of(World& world, ObjectRef root) {
  if (root.type == ObjectType::order) return world.store.orders.at(OrderId{root.value}).cases;
  if (root.type == ObjectType::delivery) return world.store.deliveries.at(DeliveryId{root.value}).cases;
  if (root.type == ObjectType::difference) return world.store.differences.at(DifferenceId{root.value}).cases;
  return world.store.unknown_receipts.at(UnknownReceiptId{root.value}).cases;
}

Scene started_payment() { return about_payment(RefundScenario()); }

Scene paid_payment() {
  RefundScenario world;
  world.pays();
  return about_payment(world);
}

Scene contradicted_payment() {
  RefundScenario world;
  world.pays();
  world.record_later(failed());
  return about_payment(world);
}

Scene mismatched_payment() {
  RefundScenario world;
  world.record_later(paid("T1", kPaid - 2));
  return about_payment(world);
}

Scene late_payment() {
  RefundScenario world;
  world.record_later(failed());
  world.pays();
  return about_payment(world);
}

Scene paid_order() {
  Scene scene = paid_payment();
  scene.object = scene.root;
  return scene;
}

// The payer has paid twice while the order was parked, so the reversal is not sent yet.
Scene parked_order() {
  RefundScenario world;
  world.pays();
  world.aggregate(world.order).order.parked = true;
  add_case(world.aggregate(world.order).cases, world.order, CaseKind::invariant_violation, world.order, kMerchant);
  world.pays("T2");
  return {world, world.order, world.order};
}

Scene external_refund() {
  RefundScenario world;
  world.pays();
  world.number("C1", 400);
  return about_refund(world);
}

Scene hidden_refund() {
  RefundScenario world;
  world.pays();
  world.hidden();
  return about_payment(world);
}

Scene excess_refund() {
  RefundScenario world;
  world.pays();
  world.create_refund(700);
  world.own_is(K::refunded);
  world.number("C1", 600);
  return about_refund(world);
}

Scene refund_to_be_sent_again() {
  RefundScenario world;
  world.pays();
  world.create_refund(400);
  world.own_is(K::not_now);
  return about_refund(world);
}

Scene sent_refund() {
  RefundScenario world;
  world.pays();
  world.create_refund(400);
  return about_refund(world);
}

Scene sent_reversal() {
  RefundScenario world;
  world.pays();
  world.pays("T2");
  return about_reversal(world);
}

Scene blocked_reversal() {
  RefundScenario world;
  world.pays();
  world.pays("T2");
  world.reversal_is(K::refused);
  return about_reversal(world);
}

Scene sent_authorization() {
  Authorizations world;
  const OrderId order = world.manual_order();
  world.authorize(order);
  return about_authorization(world, order);
}

Scene held_authorization() {
  Authorizations world;
  return about_authorization(world, world.held_order());
}

Scene mismatched_authorization() {
  Authorizations world;
  const OrderId order = world.manual_order();
  world.authorize(order);
  AuthorizationEvidence evidence = Authorizations::holds();
  evidence.currency = kUsd;
  world.report(order, evidence);
  return about_authorization(world, order);
}

Scene blocked_release() {
  Authorizations world;
  const OrderId order = world.held_order();
  world.run(ReleaseAuthorization{kMerchant, order, world.authorization(order).id});
  world.report(order, {.kind = AuthorizationEvidenceKind::release_refused, .code = "no"});
  return about_authorization(world, order);
}

Scene sent_capture() {
  Authorizations world;
  const OrderId order = world.held_order();
  world.run(world.capture_request(order));
  return about_capture(world, order);
}

Scene succeeded_capture() {
  Authorizations world;
  const OrderId order = world.held_order();
  world.capture(order, kAmount, true);
  return about_capture(world, order);
}

Scene mismatched_capture() {
  Authorizations world;
  const OrderId order = world.held_order();
  world.run(world.capture_request(order));
  world.report_capture(order, paid("T1", kAmount - 2));
  return about_capture(world, order);
}

Scene exhausted_delivery() {
  World world;
  CreateOrder request = world.order_request();
  request.notify_url = "https://shop.example/hook";
  world.run(CloseOrder{kMerchant, world.new_order(request)});
  Delivery& delivery = world.store.deliveries.begin()->second.delivery;
  delivery.state = DeliveryState::exhausted;
  return {world, delivery.id, delivery.id};
}

Scene unknown_receipt() {
  World world;
  world.run(RecordUnknownReceipt{"sandbox", "till-1", paid()});
  const UnknownReceiptId id = world.store.unknown_receipts.begin()->first;
  return {world, id, id, kPlatform};
}

Scene surplus() {
  World world;
  world.policy.accounts["sandbox"] = {.id = kChannelAccount, .channel = "sandbox", .kind = "sandbox"};
  RecordDifference command{.subject = "line 1"};
  command.difference.merchant_id = kMerchant;
  command.difference.channel_account_id = kChannelAccount;
  command.difference.kind = StatementKind::funds;
  command.difference.amount = 30;
  command.difference.currency = kCny;
  command.difference.changes_balance = true;
  const DifferenceId id{world.run(command)->object.value};
  return {world, id, id};
}

struct SceneRow {
  CaseKind kind;
  ObjectType type;
  Scene (*make)();
};

const SceneRow kScenes[] = {
    {CaseKind::conflicting_result, ObjectType::payment, contradicted_payment},
    {CaseKind::conflicting_result, ObjectType::capture, succeeded_capture},
    {CaseKind::conflicting_result, ObjectType::authorization, held_authorization},
    {CaseKind::amount_mismatch, ObjectType::payment, mismatched_payment},
    {CaseKind::amount_mismatch, ObjectType::capture, mismatched_capture},
    {CaseKind::amount_mismatch, ObjectType::authorization, mismatched_authorization},
    {CaseKind::paid_after_failure, ObjectType::payment, late_payment},
    {CaseKind::external_refund, ObjectType::refund, external_refund},
    {CaseKind::external_refund, ObjectType::payment, hidden_refund},
    {CaseKind::refunded_twice, ObjectType::refund, external_refund},
    {CaseKind::over_refunded, ObjectType::refund, excess_refund},
    {CaseKind::reversal_blocked, ObjectType::reversal, blocked_reversal},
    {CaseKind::result_overdue, ObjectType::payment, started_payment},
    {CaseKind::result_overdue, ObjectType::authorization, sent_authorization},
    {CaseKind::result_overdue, ObjectType::capture, sent_capture},
    {CaseKind::result_overdue, ObjectType::refund, sent_refund},
    {CaseKind::not_accepted, ObjectType::payment, started_payment},
    {CaseKind::not_accepted, ObjectType::authorization, sent_authorization},
    {CaseKind::not_accepted, ObjectType::capture, sent_capture},
    {CaseKind::not_accepted, ObjectType::refund, refund_to_be_sent_again},
    {CaseKind::not_accepted, ObjectType::reversal, sent_reversal},
    {CaseKind::invariant_violation, ObjectType::order, parked_order},
    {CaseKind::delivery_exhausted, ObjectType::delivery, exhausted_delivery},
    {CaseKind::unknown_receipt, ObjectType::unknown_receipt, unknown_receipt},
    {CaseKind::report_mismatch, ObjectType::payment, paid_payment},
    {CaseKind::difference, ObjectType::difference, surplus},
    {CaseKind::identity, ObjectType::order, paid_order},
    {CaseKind::over_captured, ObjectType::authorization, held_authorization},
    {CaseKind::external_capture, ObjectType::capture, succeeded_capture},
    {CaseKind::release_blocked, ObjectType::authorization, blocked_release},
};

// What a resolution did, or what its preview has, as sorted texts.
struct Outcome {
  std::vector<std::string> entries{};
  std::vector<std::string> requests{};
  std::string refusal = "ok";
  bool operator==(const Outcome&) const = default;

  void add(const Entry& entry, const Account& account) {
    entries.push_back(fmt::format("{} {} {} '{}' {} {}", name_of(entry.type), to_text(entry.merchant_id),
                                  name_of(account.kind), account.channel, entry.amount, entry.currency.text()));
  }
  void add(const PreviewedRequest& request) {
    requests.push_back(fmt::format("{} {} {} {}", request.channel, name_of(request.kind), request.amount.value_or(-1),
                                   request.currency.text()));
  }
  Outcome sorted() && {
    std::ranges::sort(entries);
    std::ranges::sort(requests);
    return std::move(*this);
  }
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.refusal << testing::PrintToString(outcome.entries) << testing::PrintToString(outcome.requests);
}

Outcome preview_of(const World& world, const ApproveResolution& approval) {
  PreviewSteps steps{approval};
  std::optional<ResolutionPreview> preview;
  while (!preview) {
    ReadSet reads;
    add_reads_of_preview(steps, reads);
    WorkingSet rows;
    world.store.load(reads, rows);
    preview = preview_resolution(steps, rows, world.policy, world.now);
  }
  Outcome outcome;
  if (preview->refusal) outcome.refusal = name_of(preview->refusal->code);
  for (const PreviewedEntry& one : preview->entries) outcome.add(one.entry, one.account);
  for (const PreviewedRequest& request : preview->requests) outcome.add(request);
  return std::move(outcome).sorted();
}

/// The channel and the worker: the channel has success with every refund and capture, and the scan finds due rows.
class Execution {
 public:
  Execution(World& world, ObjectRef root) : world_(world), root_(root), first_entry_(world.store.entries.size()) {}

  Outcome carry_out(ApproveResolution approval) {
    for_each_due_row([&](ObjectRef row, Time due_at, bool) { known_[row.value] = due_at; });
    run(ProposeResolution{approval.merchant_id, approval.root, approval.case_id, *approval.resolution, "we asked them",
                          "key_a", approval.assign_to});
    approval.approved_by = "key_b";
    approval.reviewed_merchant = approval.assign_to;
    if (outcome_.refusal == "ok") run(world_.reviewed(approval));
    if (outcome_.refusal == "ok") work();
    for (std::size_t i = first_entry_; i < world_.store.entries.size(); ++i)
      outcome_.add(world_.store.entries[i], world_.account(world_.store.entries[i].account_id));
    return std::move(outcome_).sorted();
  }

 private:
  void run(const Command& command) {
    const Decision decision = world_.run(command);
    if (!decision) outcome_.refusal = name_of(decision.error().code);
    effects_.insert(effects_.end(), world_.effects.begin(), world_.effects.end());
  }

  void work() {
    do
      while (!effects_.empty()) perform_next();
    while (claim_next());
  }

  void perform_next() {
    const Effect effect = effects_.front();
    effects_.pop_front();
    if (const auto request = request_of(effect)) outcome_.add(*request);
    if (const auto* refund = std::get_if<RefundCall>(&effect); refund != nullptr && !is_query(*refund))
      run(record_of(*refund, {.kind = K::refunded, .asked_at = world_.now}));
    const auto* capture = std::get_if<CaptureCall>(&effect);
    if (capture == nullptr || is_query(*capture)) return;
    Evidence evidence = paid("T-captured", capture->capture.amount);
    evidence.asked_at = world_.now;
    run(record_of(*capture, evidence));
  }

  template <class Visit>
  void for_each_due_row(Visit visit) {
    if (root_.type != ObjectType::order) return;
    boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, ChannelOperationRows>>(
        [&]<class Row>(std::type_identity<Row>) {
          for (const Row& row : children_in<Row>(world_.aggregate(OrderId{root_.value})))
            if (row.due_at) visit(row.id, *row.due_at, is_to_be_sent(row));
        });
  }

  // Claims the request of a row that became due, or whose send has to wait. Rows that were due before the approval are
  // not its effect.
  bool claim_next() {
    std::optional<ClaimRequest> claim;
    for_each_due_row([&](ObjectRef row, Time due_at, bool is_send) {
      const auto known = known_.find(row.value);
      const bool is_new = known == known_.end() || known->second != due_at;
      if (is_new && (is_send || due_at <= world_.now))
        claim = ClaimRequest{kMerchant, OrderId{root_.value}, row, due_at};
    });
    if (!claim) return false;
    world_.now = std::max(world_.now, claim->due_at);
    run(*claim);
    return true;
  }

  World& world_;
  ObjectRef root_;
  std::size_t first_entry_;
  std::map<std::int64_t, Time> known_;  // due_at before the proposal, by the id of the row
  std::deque<Effect> effects_;
  Outcome outcome_;
};

ApproveResolution approval_of(Scene& scene, const Resolution& resolution) {
  std::vector<Case>& cases = cases_of(scene.world, scene.root);
  const auto is_of_scene = [&](const Case& row) {
    return row.kind == resolution.kind && ObjectRef(row.object_type, row.object_id) == scene.object &&
           !case_machine.is_final(row.state);
  };
  if (std::ranges::none_of(cases, is_of_scene))
    add_case(cases, scene.root, resolution.kind, scene.object, scene.merchant);
  ApproveResolution approval{
      scene.merchant, scene.root, std::ranges::find_if(cases, is_of_scene)->id, {}, std::string(resolution.name),
      "sandbox",      kCny};
  if (resolution.names_merchant) approval.assign_to = kOtherMerchant;
  return approval;
}

TEST(PreviewFollows, OfEveryResolutionIsWhatHappens) {
  for (const Resolution& resolution : all_resolutions()) {
    bool has_scene = false;
    for (const SceneRow& row : kScenes) {
      if (row.kind != resolution.kind || (resolution.about && row.type != *resolution.about)) continue;
      has_scene = true;
      SCOPED_TRACE(fmt::format("{} {} {}", name_of(row.kind), name_of(row.type), resolution.name));
      Scene scene = row.make();
      ASSERT_EQ(scene.object.type, row.type);
      const ApproveResolution approval = approval_of(scene, resolution);
      const Outcome previewed = preview_of(scene.world, approval);
      EXPECT_EQ(previewed, Execution(scene.world, scene.root).carry_out(approval));
    }
    EXPECT_TRUE(has_scene) << name_of(resolution.kind) << " " << resolution.name << " has no scene";
  }
}

// The preview said that no money moves, and then the receipt was returned to the payer.
TEST(PreviewFollows, OfARefundOfAMismatchHasTheRequestAndItsPostings) {
  Scene scene = mismatched_payment();
  const auto resolutions = all_resolutions();
  const auto refund = std::ranges::find_if(resolutions, [](const Resolution& one) {
    return one.kind == CaseKind::amount_mismatch && one.name == "refund" && one.about == ObjectType::payment;
  });
  const Outcome previewed = preview_of(scene.world, approval_of(scene, *refund));
  EXPECT_EQ(previewed.requests, (std::vector<std::string>{fmt::format("sandbox refund {} CNY", kPaid - 2)}));
  EXPECT_EQ(previewed.entries,
            (std::vector<std::string>{
                fmt::format("reversal_succeeded {} channel_receivable 'sandbox' {} CNY", to_text(kMerchant), kPaid - 2),
                fmt::format("reversal_succeeded {} suspense '' {} CNY", to_text(kMerchant), -(kPaid - 2))}));
}

}  // namespace
}  // namespace finality::test
