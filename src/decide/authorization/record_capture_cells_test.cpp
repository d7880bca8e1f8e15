#include <map>
#include <set>
#include <sstream>

#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

constexpr MinorUnits kPart = 700;

// A capture in a given state, of an authorization that holds more, to which evidence is recorded.
class Scene : public Authorizations {
 public:
  explicit Scene(std::string_view capture) {
    record_evidence_of_other_order();
    order_id = held_order();
    now = now + 1s;
    subject = CaptureId{run(capture_request(order_id, kPart, false))->object.value};
    bring_to(capture);
    now = now + 1min;
  }

  // Records the evidence with that name, from the column `said` of kTable.
  void record_evidence(const std::string& name) {
    static const std::map<std::string, Evidence (*)()> evidence_by_name = {
        {"accepted", [] { return waiting("T2"); }},
        {"paid", [] { return paid("T2", kPart); }},
        {"paid_less", [] { return paid("T2", kPart - 1); }},
        {"paid_dollars", [] { return paid("T2", kPart, kUsd); }},
        {"paid_known", [] { return paid("T1", kPart); }},
        {"paid_other", [] { return paid("T-other", kPart); }},
        {"failed", [] { return failed(); }},
        {"closed", [] { return closed(); }},
        {"queried", [] { return queried(failed()); }},
        {"not_now", [] { return refused_for_now(); }},
        {"not_found", [] { return not_found(); }},
        {"unknown", [] { return unknown(); }},
        {"stale", [] { return Evidence{.kind = EvidenceKind::failed, .asked_at = kNow}; }},
    };
    ASSERT_TRUE(evidence_by_name.contains(name)) << name;
    report_capture(order_id, evidence_by_name.at(name)());
  }

  const Capture& row() const { return *find_row(store.orders.at(order_id).captures, subject); }

  OrderId order_id;
  CaptureId subject;

 private:
  static Evidence refused_for_now() {
    Evidence evidence = unknown();
    evidence.code = "not_now";
    evidence.is_not_now = true;
    return evidence;
  }
  // Books the trade T-other, of an automatic order.
  void record_evidence_of_other_order() { World::record_evidence(start(new_order()), paid("T-other")); }

  // Sends the capture again under its number: the first request had no result, and a query did not find it.
  void send_again() {
    now = *row().due_at;
    run(ClaimRequest{kMerchant, order_id, subject, now});
    now = now + 1s;
  }

  // `resent`: processing, sent twice. `doubted`: the second request was refused, too.
  void bring_to(std::string_view state) {
    const bool is_resent = state == "resent" || state == "doubted";
    if (state == "pending" || is_resent) {
      now = now + 1min;  // past the send deadline
      report_capture(order_id, not_found());
    }
    if (is_resent) send_again();
    if (state == "doubted") report_capture(order_id, failed("not_held"));
    if (state == "succeeded") report_capture(order_id, paid("T1", kPart));
    if (state == "failed") report_capture(order_id, failed());
  }
};

struct Row {
  std::string capture, evidence;                                      // situation and evidence
  std::string event, capture_after, receipts, cases, delivery_types;  // expected result
  std::ptrdiff_t reversals = 0;
};

std::vector<Row> read_table(const char* table) {
  std::vector<Row> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    Row row;
    if (columns >> row.capture >> row.evidence >> row.event >> row.capture_after >> row.receipts >> row.cases >>
        row.reversals >> row.delivery_types)
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

// One row per state and evidence (`said`), with the result. An event in parentheses is not recorded, because it changes
// nothing. `back`: number of reversals of the order. `told`: notifications of the merchant. The header is no row,
// because `back` is no number.
constexpr const char* kTable = R"(
  capture    said         event                  capture    receipts          cases              back told
  pending    accepted     accepted               processing -                 -                  0    -
  pending    paid         captured               succeeded  accepted          -                  0    capture.succeeded
  pending    paid_less    captured_mismatch      failed     suspense          amount_mismatch    0    capture.failed,case.opened
  pending    paid_dollars captured_mismatch      failed     suspense          amount_mismatch    0    capture.failed,case.opened
  pending    failed       refused                failed     -                 -                  0    capture.failed
  pending    closed       refused                failed     -                 -                  0    capture.failed
  pending    not_now      not_now                pending    -                 -                  0    -
  pending    not_found    (not_found)            pending    -                 -                  0    -
  pending    unknown      unknown                processing -                 -                  0    -

  processing accepted     accepted               processing -                 -                  0    -
  processing paid         captured               succeeded  accepted          -                  0    capture.succeeded
  processing paid_less    captured_mismatch      failed     suspense          amount_mismatch    0    capture.failed,case.opened
  processing paid_dollars captured_mismatch      failed     suspense          amount_mismatch    0    capture.failed,case.opened
  processing failed       refused                failed     -                 -                  0    capture.failed
  processing closed       refused                failed     -                 -                  0    capture.failed
  processing not_now      not_now                pending    -                 -                  0    -
  processing not_found    not_found              pending    -                 -                  0    -
  processing unknown      unknown                processing -                 -                  0    -
  processing paid_other   already_known          processing -                 -                  0    -
  pending    paid_other   already_known          pending    -                 -                  0    -

  resent     failed       unknown                processing -                 -                  0    -
  resent     closed       unknown                processing -                 -                  0    -
  resent     queried      refused                failed     -                 -                  0    capture.failed
  resent     not_found    not_found              pending    -                 -                  0    -
  resent     paid         captured               succeeded  accepted          -                  0    capture.succeeded
  doubted    not_found    refused                failed     -                 -                  0    capture.failed
  doubted    queried      refused                failed     -                 -                  0    capture.failed
  doubted    unknown      unknown                processing -                 -                  0    -
  doubted    accepted     accepted               processing -                 -                  0    -
  doubted    not_now      not_now                pending    -                 -                  0    -
  doubted    paid         captured               succeeded  accepted          -                  0    capture.succeeded
  doubted    paid_less    captured_mismatch      failed     suspense          amount_mismatch    0    capture.failed,case.opened

  succeeded  accepted     accepted               succeeded  accepted          -                  0    -
  succeeded  paid         captured_unexpectedly  succeeded  accepted,suspense -                  1    -
  succeeded  paid_less    captured_mismatch      succeeded  accepted,suspense amount_mismatch    0    case.opened
  succeeded  paid_known   already_known          succeeded  accepted          -                  0    -
  succeeded  failed       refused                succeeded  accepted          conflicting_result 0    case.opened
  succeeded  not_now      not_now                succeeded  accepted          -                  0    -
  succeeded  not_found    not_found              succeeded  accepted          conflicting_result 0    case.opened
  succeeded  unknown      unknown                succeeded  accepted          -                  0    -
  succeeded  stale        already_known          succeeded  accepted          -                  0    -

  failed     accepted     accepted               failed     -                 -                  0    -
  failed     paid         captured_after_failure failed     suspense          paid_after_failure 1    case.opened
  failed     paid_less    captured_mismatch      failed     suspense          amount_mismatch    0    case.opened
  failed     failed       (refused)              failed     -                 -                  0    -
  failed     closed       refused                failed     -                 -                  0    -
  failed     not_now      not_now                failed     -                 -                  0    -
  failed     not_found    not_found              failed     -                 -                  0    -
  failed     unknown      unknown                failed     -                 -                  0    -
  failed     paid_other   already_known          failed     -                 -                  0    -
  failed     stale        already_known          failed     -                 -                  0    -
)";

bool is_repeated(const Row& row) { return row.event.starts_with('('); }
std::string event_of(const Row& row) {
  return is_repeated(row) ? row.event.substr(1, row.event.size() - 2) : row.event;
}

std::string event_recorded(const Scene& scene) {
  const Event* event = scene.event_of(scene.subject);
  return event != nullptr ? event->event : "nothing";
}

TEST(RecordCapture, HasTheResultsOfTheTable) {
  const std::vector<Row> rows = read_table(kTable);
  ASSERT_GT(rows.size(), 35u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.capture + " capture, evidence " + row.evidence);
    Scene scene(row.capture);
    scene.record_evidence(row.evidence);
    const OrderAggregate& aggregate = scene.aggregate(scene.order_id);
    EXPECT_EQ(event_recorded(scene), is_repeated(row) ? "nothing" : row.event);
    EXPECT_EQ(name_of(scene.row().state), row.capture_after);
    EXPECT_EQ(joined(aggregate.receipts, [](const Receipt& one) { return name_of(one.state); }), row.receipts);
    EXPECT_EQ(joined(aggregate.cases, [](const Case& one) { return name_of(one.kind); }), row.cases);
    EXPECT_EQ(std::ssize(aggregate.reversals), row.reversals);
    EXPECT_EQ(joined(scene.new_deliveries, [&](DeliveryId id) { return scene.delivery(id).type; }), row.delivery_types);
    EXPECT_EQ(scene.authorization(scene.order_id).state, AuthorizationState::authorized);
    EXPECT_EQ(aggregate.order.state, OrderState::authorized);
  }
}

// The refusal of a repeated request is kept until a query confirms it, or the channel reports something else.
TEST(RecordCapture, TheFailureIsThatOfTheConfirmedRefusal) {
  const std::pair<std::string, std::optional<std::string>> rows[] = {
      {"not_found", "not_held"}, {"queried", "declined"},          {"unknown", "not_held"},  {"accepted", std::nullopt},
      {"paid", std::nullopt},    {"paid_less", "amount_mismatch"}, {"not_now", std::nullopt}};
  for (const auto& [evidence, code] : rows) {
    Scene scene("doubted");
    EXPECT_EQ(scene.row().failure_code, "not_held");
    scene.record_evidence(evidence);
    EXPECT_EQ(scene.row().failure_code, code) << evidence;
  }
}

TEST(RecordCapture, TheTableCoversEveryCellThatEvidenceCanReach) {
  std::set<std::pair<CaptureState, std::string>> reached;
  for (const Row& row : read_table(kTable)) {
    const Scene scene(row.capture);
    reached.insert({scene.row().state, event_of(row)});
  }
  for (const std::string_view state_name : kNames<CaptureState>)
    for (const std::string_view event_name : kNames<CaptureEvent>) {
      const auto state = *parse_enum<CaptureState>(state_name);
      const auto event = *parse_enum<CaptureEvent>(event_name);
      if (event == CaptureEvent::send) continue;  // our own event
      // An authorization does not end while a capture is open. External captures are in authorization_console_test.
      if (event == CaptureEvent::captured_unexpectedly && !capture_machine.is_final(state)) continue;
      if (capture_machine.at(state, event).kind == fsm::CellKind::impossible) continue;
      EXPECT_TRUE(reached.contains({state, std::string(event_name)})) << state_name << " × " << event_name;
    }
}

}  // namespace
}  // namespace finality::test
