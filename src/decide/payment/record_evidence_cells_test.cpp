#include <map>
#include <set>
#include <sstream>

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

// An order and a payment in a given situation, to which evidence is recorded. Situations of the order:
//   open     nothing else has happened      closing  a close was requested and has not taken effect
//   taken    another payment succeeded      gone     the order ended unpaid
class Scene {
 public:
  Scene(std::string_view order, std::string_view payment) {
    CreateOrder request = world.order_request();
    if (order == "gone" && payment == "closed") request.close_policy = ClosePolicy::local;
    if (order == "gone" && payment == "failed") request.attempts = 1;
    order_id = world.new_order(request);
    if (order == "taken" && payment != "succeeded") rival_ = wait(world.start(order_id));
    subject = world.start(order_id);
    if (order == "closing" && payment == "succeeded") close();
    bring_to(payment, order == "gone");
    if (rival_) world.record_evidence(*rival_, paid("T-rival"));
    if (order == "closing" && payment != "succeeded") close();
    world.now = world.now + 1min;
  }

  // Records the evidence with that name, from the column `said` of kTable.
  void record_evidence(const std::string& name) {
    static const std::map<std::string, Evidence (*)()> evidence_by_name = {
        {"waiting", [] { return waiting("T2"); }},
        {"paid", [] { return paid("T2"); }},
        {"paid_less", [] { return paid("T2", kAmount - 1); }},
        {"paid_dollars", [] { return paid("T2", kAmount, kUsd); }},
        {"paid_known", [] { return paid("T1"); }},
        {"paid_rival", [] { return paid("T-rival"); }},
        {"refunded", [] { return refunded("T2"); }},
        {"refunded_known", [] { return refunded("T1"); }},
        {"failed", [] { return failed(); }},
        {"closed", [] { return closed(); }},
        {"not_found", [] { return not_found(); }},
        {"unknown", [] { return unknown(); }},
        {"stale", [] { return Evidence{.kind = EvidenceKind::failed, .asked_at = kNow}; }},
    };
    ASSERT_TRUE(evidence_by_name.contains(name)) << name;
    world.record_evidence(subject, evidence_by_name.at(name)());
  }

  World world;
  OrderId order_id;
  PaymentId subject;

 private:
  PaymentId wait(PaymentId id) {
    world.record_evidence(id, waiting());
    return id;
  }
  void close() { world.run(CloseOrder{kMerchant, order_id}); }
  void bring_to(std::string_view state, bool gone) {
    world.now = world.now + 1s;
    if (state == "created") {
      world.now = world.now + 1min;  // past the send deadline
      world.record_evidence(subject, not_found());
    }
    if (state == "pending") wait(subject);
    if (state == "succeeded") world.record_evidence(subject, paid("T1"));
    if (state == "failed") world.record_evidence(subject, failed());
    if (state == "wrong") world.record_evidence(subject, paid("T1", 1));
    if (state == "unasked") {  // failed, then paid
      world.record_evidence(subject, failed());
      world.record_evidence(subject, paid("T1"));
    }
    if (state == "vain") {  // closed, then paid
      world.record_evidence(subject, closed());
      world.record_evidence(subject, paid("T1"));
    }
    if (state == "closed" && gone) close();
    if (state == "closed" && !gone) world.record_evidence(subject, closed());
    if (state == "twice") {  // succeeded, and a second trade is reversed
      world.record_evidence(subject, paid("T0"));
      world.record_evidence(subject, paid("T1"));
    }
  }

  std::optional<PaymentId> rival_;
};

struct Row {
  std::string order, payment, evidence;                                            // situation and evidence
  std::string event, payment_after, order_after, receipts, cases, delivery_types;  // expected result
  int reversals = 0;
};

std::vector<Row> read_table(const char* table) {
  std::vector<Row> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    Row row;
    if (columns >> row.order >> row.payment >> row.evidence >> row.event >> row.payment_after >> row.order_after >>
        row.receipts >> row.cases >> row.reversals >> row.delivery_types)
      rows.push_back(row);
  }
  return rows;
}

template <class Rows, class Name>
std::string joined(const Rows& rows, Name name) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ",") + std::string(name(row));
  return text.empty() ? "-" : text;
}

std::string receipts_of(const Scene& scene) {
  std::vector<Receipt> own;
  for (const Receipt& receipt : scene.world.order_of(scene.subject).receipts)
    if (receipt.payment_id == scene.subject) own.push_back(receipt);
  return joined(own, [](const Receipt& receipt) { return name_of(receipt.state); });
}

std::string delivery_types_of(const Scene& scene) {
  return joined(scene.world.new_deliveries, [&](DeliveryId id) { return scene.world.delivery(id).type; });
}

// One row per situation and evidence (`said`), with the result. An event in parentheses is not recorded, because it
// changes nothing. `unasked`, `vain`, `wrong` and `twice`: payments in state failed, closed, under_review and succeeded
// with a receipt T1 in suspense. `back`: number of reversals of the order. `told`: notifications of the merchant.
constexpr const char* kTable = R"(
  order   payment    said           event                   payment      order      receipts          cases                              back told
  open    created    waiting        waiting                 pending      pending    -                 -                                  0    -
  open    created    paid           paid                    succeeded    succeeded  accepted          -                                  0    order.succeeded
  open    created    paid_less      paid_mismatch           under_review processing suspense          amount_mismatch                    0    case.opened
  open    created    paid_dollars   paid_mismatch           under_review processing suspense          amount_mismatch                    0    case.opened
  open    created    failed         failed                  failed       pending    -                 -                                  0    -
  open    created    closed         closed                  closed       pending    -                 -                                  0    -
  open    created    not_found      (not_found)             created      processing -                 -                                  0    -
  open    created    unknown        unknown                 processing   processing -                 -                                  0    -
  open    created    refunded       paid                    succeeded    succeeded  accepted          external_refund                    0    order.succeeded,refund.external,case.opened
  closing created    not_found      not_found_while_closing closed       closed     -                 -                                  0    order.closed
  closing created    paid           paid                    succeeded    succeeded  accepted          -                                  0    order.succeeded
  taken   created    paid           paid_unexpectedly       closed       succeeded  suspense          -                                  1    -
  taken   created    paid_rival     already_known           created      succeeded  -                 -                                  0    -
  taken   created    not_found      not_found_while_closing closed       succeeded  -                 -                                  0    -

  open    processing waiting        waiting                 pending      pending    -                 -                                  0    -
  open    processing paid           paid                    succeeded    succeeded  accepted          -                                  0    order.succeeded
  open    processing paid_less      paid_mismatch           under_review processing suspense          amount_mismatch                    0    case.opened
  open    processing paid_dollars   paid_mismatch           under_review processing suspense          amount_mismatch                    0    case.opened
  open    processing failed         failed                  failed       pending    -                 -                                  0    -
  open    processing closed         closed                  closed       pending    -                 -                                  0    -
  open    processing not_found      not_found               created      processing -                 -                                  0    -
  open    processing unknown        unknown                 processing   processing -                 -                                  0    -
  open    processing refunded       paid                    succeeded    succeeded  accepted          external_refund                    0    order.succeeded,refund.external,case.opened
  closing processing waiting        waiting                 pending      pending    -                 -                                  0    -
  closing processing paid           paid                    succeeded    succeeded  accepted          -                                  0    order.succeeded
  closing processing failed         failed                  failed       closed     -                 -                                  0    order.closed
  closing processing closed         closed                  closed       closed     -                 -                                  0    order.closed
  closing processing not_found      not_found_while_closing closed       closed     -                 -                                  0    order.closed
  closing processing unknown        unknown                 processing   processing -                 -                                  0    -
  taken   processing paid           paid_unexpectedly       closed       succeeded  suspense          -                                  1    -
  taken   processing paid_less      paid_mismatch           failed       succeeded  suspense          amount_mismatch                    0    case.opened
  taken   processing paid_rival     already_known           processing   succeeded  -                 -                                  0    -
  taken   processing waiting        waiting                 pending      succeeded  -                 -                                  0    -
  taken   processing failed         failed                  failed       succeeded  -                 -                                  0    -
  taken   processing not_found      not_found_while_closing closed       succeeded  -                 -                                  0    -

  open    pending    waiting        waiting                 pending      pending    -                 -                                  0    -
  open    pending    paid           paid                    succeeded    succeeded  accepted          -                                  0    order.succeeded
  open    pending    paid_less      paid_mismatch           under_review processing suspense          amount_mismatch                    0    case.opened
  open    pending    paid_dollars   paid_mismatch           under_review processing suspense          amount_mismatch                    0    case.opened
  open    pending    failed         failed                  failed       pending    -                 -                                  0    -
  open    pending    closed         closed                  closed       pending    -                 -                                  0    -
  open    pending    not_found      not_found               pending      pending    -                 -                                  0    -
  open    pending    unknown        unknown                 processing   processing -                 -                                  0    -
  open    pending    refunded       paid                    succeeded    succeeded  accepted          external_refund                    0    order.succeeded,refund.external,case.opened
  closing pending    waiting        waiting                 pending      pending    -                 -                                  0    -
  closing pending    paid           paid                    succeeded    succeeded  accepted          -                                  0    order.succeeded
  closing pending    closed         closed                  closed       closed     -                 -                                  0    order.closed
  closing pending    not_found      not_found_while_closing closed       closed     -                 -                                  0    order.closed
  closing pending    paid_less      paid_mismatch           under_review processing suspense          amount_mismatch                    0    case.opened
  taken   pending    paid           paid_unexpectedly       closed       succeeded  suspense          -                                  1    -
  taken   pending    paid_rival     already_known           pending      succeeded  -                 -                                  0    -
  taken   pending    closed         closed                  closed       succeeded  -                 -                                  0    -
  taken   pending    unknown        unknown                 processing   succeeded  -                 -                                  0    -

  taken   succeeded  waiting        waiting                 succeeded    succeeded  accepted          -                                  0    -
  taken   succeeded  paid           paid_unexpectedly       succeeded    succeeded  accepted,suspense -                                  1    -
  taken   succeeded  paid_less      paid_mismatch           succeeded    succeeded  accepted,suspense amount_mismatch                    0    case.opened
  taken   succeeded  paid_dollars   paid_mismatch           succeeded    succeeded  accepted,suspense amount_mismatch                    0    case.opened
  taken   succeeded  paid_known     already_known           succeeded    succeeded  accepted          -                                  0    -
  taken   succeeded  failed         failed                  succeeded    succeeded  accepted          conflicting_result                 0    case.opened
  taken   succeeded  closed         closed                  succeeded    succeeded  accepted          conflicting_result                 0    case.opened
  taken   succeeded  not_found      not_found               succeeded    succeeded  accepted          conflicting_result                 0    case.opened
  closing succeeded  not_found      not_found_while_closing succeeded    succeeded  accepted          conflicting_result                 0    case.opened
  taken   succeeded  unknown        unknown                 succeeded    succeeded  accepted          -                                  0    -
  taken   succeeded  stale          already_known           succeeded    succeeded  accepted          -                                  0    -
  taken   succeeded  refunded_known already_known           succeeded    succeeded  accepted          external_refund                    0    refund.external,case.opened
  taken   succeeded  refunded       paid_unexpectedly       succeeded    succeeded  accepted,returned external_refund                    0    refund.external,case.opened
  open    twice      refunded_known already_known           succeeded    succeeded  accepted,suspense -                                  1    -

  open    failed     waiting        waiting                 failed       pending    -                 -                                  0    -
  open    failed     paid           paid_after_failure      failed       pending    suspense          paid_after_failure                 1    case.opened
  gone    failed     paid           paid_after_failure      failed       failed     suspense          paid_after_failure                 1    case.opened
  open    failed     paid_less      paid_mismatch           failed       pending    suspense          amount_mismatch                    0    case.opened
  open    wrong      paid_known     already_known           under_review processing suspense          amount_mismatch,report_mismatch    0    case.opened
  open    wrong      paid           paid                    succeeded    succeeded  suspense,accepted amount_mismatch                    0    order.succeeded
  open    wrong      paid_less      paid_mismatch           under_review processing suspense,suspense amount_mismatch                    0    -
  open    wrong      waiting        waiting                 under_review processing suspense          amount_mismatch                    0    -
  open    wrong      unknown        unknown                 under_review processing suspense          amount_mismatch                    0    -
  open    wrong      stale          already_known           under_review processing suspense          amount_mismatch                    0    -
  open    wrong      failed         failed                  under_review processing suspense          amount_mismatch,conflicting_result 0    case.opened
  open    wrong      closed         closed                  under_review processing suspense          amount_mismatch,conflicting_result 0    case.opened
  open    wrong      not_found      not_found               under_review processing suspense          amount_mismatch,conflicting_result 0    case.opened
  closing wrong      not_found      not_found_while_closing under_review processing suspense          amount_mismatch,conflicting_result 0    case.opened
  open    failed     failed         (failed)                failed       pending    -                 -                                  0    -
  open    failed     closed         closed                  failed       pending    -                 -                                  0    -
  open    failed     not_found      not_found               failed       pending    -                 -                                  0    -
  closing failed     not_found      not_found_while_closing failed       closed     -                 -                                  0    -
  open    failed     unknown        unknown                 failed       pending    -                 -                                  0    -
  open    failed     stale          already_known           failed       pending    -                 -                                  0    -
  open    failed     refunded       paid_after_failure      failed       pending    returned          external_refund,paid_after_failure 0    refund.external,case.opened,case.opened
  open    unasked    refunded_known already_known           failed       pending    suspense          paid_after_failure                 1    -

  open    closed     waiting        waiting                 closed       pending    -                 -                                  0    -
  open    closed     paid           paid_unexpectedly       closed       pending    suspense          -                                  1    -
  gone    closed     paid           paid_unexpectedly       closed       closed     suspense          -                                  1    -
  taken   closed     paid           paid_unexpectedly       closed       succeeded  suspense          -                                  1    -
  open    vain       paid           paid_unexpectedly       closed       pending    suspense,suspense -                                  2    -
  open    vain       paid_known     already_known           closed       pending    suspense          -                                  1    -
  gone    closed     paid_less      paid_mismatch           closed       closed     suspense          amount_mismatch                    0    case.opened
  open    closed     failed         failed                  closed       pending    -                 -                                  0    -
  gone    closed     closed         closed                  closed       closed     -                 -                                  0    -
  open    closed     not_found      not_found               closed       pending    -                 -                                  0    -
  gone    closed     not_found      not_found_while_closing closed       closed     -                 -                                  0    -
  gone    closed     unknown        unknown                 closed       closed     -                 -                                  0    -
  gone    closed     stale          already_known           closed       closed     -                 -                                  0    -
  open    closed     refunded       paid_unexpectedly       closed       pending    returned          external_refund                    0    refund.external,case.opened
  open    vain       refunded_known already_known           closed       pending    suspense          -                                  1    -
)";

bool is_repeated(const Row& row) { return row.event.starts_with('('); }
std::string event_of(const Row& row) {
  return is_repeated(row) ? row.event.substr(1, row.event.size() - 2) : row.event;
}

std::string event_recorded(const Scene& scene) {
  const Event* event = scene.world.event_of(scene.subject);
  return event != nullptr ? event->event : "nothing";
}

TEST(RecordEvidence, HasTheResultsOfTheTable) {
  const std::vector<Row> rows = read_table(kTable);
  ASSERT_GT(rows.size(), 80u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.order + " order, " + row.payment + " payment, evidence " + row.evidence);
    Scene scene(row.order, row.payment);
    scene.record_evidence(row.evidence);
    const OrderAggregate& aggregate = scene.world.order_of(scene.subject);
    EXPECT_EQ(event_recorded(scene), is_repeated(row) ? "nothing" : row.event);
    EXPECT_EQ(name_of(scene.world.payment(scene.subject).state), row.payment_after);
    EXPECT_EQ(name_of(aggregate.order.state), row.order_after);
    EXPECT_EQ(receipts_of(scene), row.receipts);
    EXPECT_EQ(joined(aggregate.cases, [](const Case& one) { return name_of(one.kind); }), row.cases);
    EXPECT_EQ(static_cast<int>(aggregate.reversals.size()), row.reversals);
    EXPECT_EQ(delivery_types_of(scene), row.delivery_types);
  }
}

TEST(RecordEvidence, TheTableCoversEveryCellThatEvidenceCanReach) {
  std::set<std::pair<std::string, std::string>> reached;
  for (const Row& row : read_table(kTable)) {
    const Scene scene(row.order, row.payment);
    reached.insert({std::string(name_of(scene.world.payment(scene.subject).state)), event_of(row)});
  }
  for (const std::string_view state : kNames<PaymentState>)
    for (const std::string_view event : kNames<PaymentEvent>) {
      if (event == "send" || event == "close_locally" || event.starts_with("mismatch_")) continue;  // our own events
      const auto& cell = payment_machine.at(*parse_enum<PaymentState>(state), *parse_enum<PaymentEvent>(event));
      if (cell.kind == fsm::CellKind::impossible) continue;
      EXPECT_TRUE(reached.contains({std::string(state), std::string(event)})) << state << " × " << event;
    }
}

}  // namespace
}  // namespace finality
