#include <map>
#include <set>
#include <sstream>

#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

using Kind = AuthorizationEvidenceKind;

constexpr MinorUnits kCaptured = 700;

// An order with manual capture and an authorization in a given situation, to which evidence is recorded. Situations of
// the order:
//   open     nothing else has happened      closing  a close was requested before the result of the authorization or of
//   taken    another authorization holds             its capture was known
//                                           gone     a close was requested after that result
class Scene : public Authorizations {
 public:
  Scene(std::string_view order, std::string_view authorization) {
    order_id = manual_order();
    std::optional<AuthorizationId> rival;
    if (order == "taken") {
      rival = authorize(order_id);
      record(*rival, {.kind = Kind::waiting});
    }
    subject = authorize(order_id);
    now = now + 1s;
    if (order == "closing" && has_hold(authorization))
      start_capture();
    else
      bring_to(authorization);
    if (rival) record(*rival, hold());
    if (order == "closing" || order == "gone") run(CloseOrder{kMerchant, order_id});
    if (order == "closing" && authorization == "captured") report_capture(order_id, paid("T1", kCaptured));
    now = now + 1min;
  }

  // Records the evidence with that name, from the column `said` of kTable.
  void record_evidence(const std::string& name) {
    static const std::map<std::string, AuthorizationEvidence (*)(const Scene&)> evidence_by_name = {
        {"waiting", [](const Scene&) { return AuthorizationEvidence{.kind = Kind::waiting}; }},
        {"waiting_queried", [](const Scene&) { return queried({.kind = Kind::waiting}); }},
        {"held", [](const Scene& scene) { return scene.hold(); }},
        {"held_queried", [](const Scene& scene) { return queried(scene.hold()); }},
        {"held_dollars", [](const Scene& scene) { return scene.hold(kUsd); }},
        {"released", [](const Scene& scene) { return scene.over(Kind::released); }},
        {"expired", [](const Scene& scene) { return scene.over(Kind::expired); }},
        {"never_held", [](const Scene&) { return AuthorizationEvidence{.kind = Kind::released}; }},
        {"failed", [](const Scene&) { return refusal(); }},
        {"closed", [](const Scene&) { return AuthorizationEvidence{.kind = Kind::closed}; }},
        {"not_found", [](const Scene&) { return AuthorizationEvidence{.kind = Kind::not_found}; }},
        {"unknown", [](const Scene&) { return AuthorizationEvidence{.kind = Kind::unknown, .code = "timeout"}; }},
        {"stale", [](const Scene&) { return AuthorizationEvidence{.kind = Kind::failed, .asked_at = kNow}; }},
        {"refused", [](const Scene&) { return AuthorizationEvidence{.kind = Kind::release_refused, .code = "no"}; }},
        {"again", [](const Scene&) { return AuthorizationEvidence{.kind = Kind::release_again, .code = "again"}; }},
    };
    ASSERT_TRUE(evidence_by_name.contains(name)) << name;
    record(subject, evidence_by_name.at(name)(*this));
  }

  const Authorization& row() const { return *find_row(store.orders.at(order_id).authorizations, subject); }

  OrderId order_id;
  AuthorizationId subject;

 private:
  static AuthorizationEvidence queried(AuthorizationEvidence evidence) {
    evidence.source = CauseKind::query;
    return evidence;
  }
  static AuthorizationEvidence refusal() { return {.kind = Kind::failed, .code = "declined", .message = "No."}; }

  // The whole amount was held, and the captures that are booked were made.
  AuthorizationEvidence hold(Currency currency = kCny) const {
    AuthorizationEvidence evidence{.kind = Kind::authorized, .channel_trade_no = "AUTH-1", .currency = currency};
    evidence.authorized = kAmount;
    evidence.captured = row().captured_amount;
    return evidence;
  }
  AuthorizationEvidence over(Kind kind) const {
    AuthorizationEvidence evidence = hold();
    evidence.kind = kind;
    evidence.released = evidence.authorized - evidence.captured;
    return evidence;
  }

  void record(AuthorizationId id, AuthorizationEvidence evidence) {
    const Authorization& row = *find_row(aggregate(order_id).authorizations, id);
    if (evidence.asked_at == Time{}) evidence.asked_at = now;
    run(RecordAuthorization{row.merchant_id, order_id, row.channel, row.out_trade_no, std::move(evidence)});
  }

  static bool has_hold(std::string_view state) { return state == "authorized" || state == "captured"; }
  // A close that is requested while the result of a capture is outstanding waits for the result.
  void start_capture() {
    record(subject, hold());
    run(capture_request(order_id, kCaptured, true));
  }

  void bring_to(std::string_view state) {
    if (state == "created") {
      now = now + 1min;  // past the send deadline
      record(subject, {.kind = Kind::not_found});
    }
    if (state == "pending") record(subject, {.kind = Kind::waiting});
    if (state == "failed") record(subject, refusal());
    if (state == "closed") record(subject, {.kind = Kind::closed});
    if (state == "lapsed") record(subject, over(Kind::released));  // held and released before anything was known of it
    if (state == "authorized" || state == "releasing" || state == "captured" || state == "released")
      record(subject, hold());
    if (state == "captured") capture(order_id, kCaptured, true);
    if (state == "releasing" || state == "released") run(ReleaseAuthorization{kMerchant, order_id, subject});
    if (state == "released") record(subject, over(Kind::released));
  }
};

struct Row {
  std::string order, authorization, evidence;                                            // situation and evidence
  std::string event, authorization_after, order_after, cases, requests, delivery_types;  // expected result
};

std::vector<Row> read_table(const char* table) {
  std::vector<Row> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    Row row;
    if (columns >> row.order >> row.authorization >> row.evidence >> row.event >> row.authorization_after >>
        row.order_after >> row.cases >> row.requests >> row.delivery_types)
      if (row.order != "order") rows.push_back(row);
  }
  return rows;
}

template <class Rows, class Name>
std::string joined(const Rows& rows, Name name) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ",") + std::string(name(row));
  return text.empty() ? "-" : text;
}

// Returns the requests for authorizations that the last command claimed, without the suffix of their names.
std::string requests_of(const Scene& scene) {
  std::vector<std::string> kinds;
  for (const Effect& effect : scene.effects)
    if (const auto* call = std::get_if<AuthorizationCall>(&effect)) {
      const std::string_view name = name_of(call->kind);
      kinds.emplace_back(name.substr(0, name.find('_')));
    }
  return joined(kinds, [](const std::string& kind) { return kind; });
}

// One row per situation and evidence (`said`), with the result. An event in parentheses is not recorded, because it
// changes nothing. `lapsed`: an authorization in state released of an order that is open. `told`: notifications of the
// merchant.
constexpr const char* kTable = R"(
  order   row        said            event                    row        order      cases              requests told
  open    created    waiting         waiting                  pending    pending    -                  -        -
  open    created    held            authorized               authorized authorized -                  -        order.authorized
  open    created    held_dollars    authorized_mismatch      failed     pending    amount_mismatch    release  case.opened
  open    created    released        authorized               released   pending    -                  -        authorization.released
  open    created    failed          failed                   failed     pending    -                  -        -
  open    created    closed          closed                   closed     pending    -                  -        -
  open    created    never_held      closed                   closed     pending    -                  -        -
  open    created    not_found       (not_found)              created    processing -                  -        -
  open    created    unknown         unknown                  processing processing -                  -        -
  closing created    not_found       not_found_while_closing  closed     closed     -                  -        order.closed
  closing created    held            authorized_unexpectedly  releasing  pending    -                  release  -

  open    processing waiting         waiting                  pending    pending    -                  -        -
  open    processing held            authorized               authorized authorized -                  -        order.authorized
  open    processing held_dollars    authorized_mismatch      failed     pending    amount_mismatch    release  case.opened
  open    processing released        authorized               released   pending    -                  -        authorization.released
  open    processing failed          failed                   failed     pending    -                  -        -
  open    processing closed          closed                   closed     pending    -                  -        -
  open    processing not_found       not_found                created    processing -                  -        -
  open    processing unknown         unknown                  processing processing -                  -        -
  open    processing refused         unknown                  processing processing -                  -        -
  closing processing waiting         waiting                  pending    pending    -                  -        -
  closing processing held            authorized_unexpectedly  releasing  pending    -                  release  -
  closing processing released        authorized_unexpectedly  released   closed     -                  -        order.closed,authorization.released
  closing processing failed          failed                   failed     closed     -                  -        order.closed
  closing processing closed          closed                   closed     closed     -                  -        order.closed
  closing processing not_found       not_found_while_closing  closed     closed     -                  -        order.closed
  closing processing unknown         unknown                  processing processing -                  -        -
  taken   processing held            authorized_unexpectedly  releasing  authorized -                  release  -
  taken   processing waiting         waiting                  pending    authorized -                  -        -
  taken   processing not_found       not_found_while_closing  closed     authorized -                  -        -
  taken   processing failed          failed                   failed     authorized -                  -        -

  open    pending    waiting         (waiting)                pending    pending    -                  -        -
  open    pending    held            authorized               authorized authorized -                  -        order.authorized
  open    pending    held_dollars    authorized_mismatch      failed     pending    amount_mismatch    release  case.opened
  open    pending    released        authorized               released   pending    -                  -        authorization.released
  open    pending    failed          failed                   failed     pending    -                  -        -
  open    pending    closed          closed                   closed     pending    -                  -        -
  open    pending    not_found       not_found                pending    pending    -                  -        -
  open    pending    unknown         unknown                  processing processing -                  -        -
  closing pending    waiting_queried (waiting)                pending    pending    -                  close    -
  closing pending    held            authorized_unexpectedly  releasing  pending    -                  release  -
  closing pending    not_found       not_found_while_closing  closed     closed     -                  -        order.closed
  closing pending    closed          closed                   closed     closed     -                  -        order.closed
  taken   pending    held            authorized_unexpectedly  releasing  authorized -                  release  -

  open    authorized waiting         waiting                  authorized authorized -                  -        -
  open    authorized held            (authorized)             authorized authorized -                  -        -
  open    authorized held_dollars    authorized_mismatch      authorized authorized amount_mismatch    -        case.opened
  open    authorized released        authorized               released   closed     -                  -        order.closed,authorization.released
  open    authorized expired         authorized               released   closed     -                  -        order.closed,authorization.released
  open    authorized failed          failed                   authorized authorized conflicting_result -        case.opened
  open    authorized closed          closed                   authorized authorized conflicting_result -        case.opened
  open    authorized not_found       not_found                authorized authorized conflicting_result -        case.opened
  open    authorized unknown         unknown                  authorized authorized -                  -        -
  open    authorized refused         release_refused          authorized authorized -                  -        -
  open    authorized again           release_again            authorized authorized -                  -        -
  closing authorized not_found       not_found_while_closing  authorized authorized conflicting_result -        case.opened
  closing authorized released        authorized               authorized authorized -                  -        -

  open    releasing  waiting         waiting                  releasing  authorized -                  -        -
  open    releasing  held            (authorized)             releasing  authorized -                  -        -
  open    releasing  held_queried    authorized               releasing  authorized -                  release  -
  open    releasing  held_dollars    authorized_mismatch      releasing  authorized amount_mismatch    -        case.opened
  open    releasing  released        authorized               released   closed     -                  -        order.closed,authorization.released
  open    releasing  failed          failed                   releasing  authorized conflicting_result -        case.opened
  open    releasing  closed          closed                   releasing  authorized conflicting_result -        case.opened
  open    releasing  not_found       not_found                releasing  authorized conflicting_result -        case.opened
  open    releasing  unknown         unknown                  releasing  authorized -                  -        -
  open    releasing  refused         release_refused          releasing  authorized release_blocked    -        case.opened
  open    releasing  again           release_again            releasing  authorized -                  -        -
  gone    authorized not_found       not_found_while_closing  releasing  authorized conflicting_result -        case.opened

  open    captured   waiting         waiting                  captured   succeeded  -                  -        -
  open    captured   held            authorized_unexpectedly  captured   succeeded  -                  release  -
  open    captured   held_dollars    authorized_mismatch      captured   succeeded  amount_mismatch    release  case.opened
  open    captured   released        already_known            captured   succeeded  -                  -        -
  open    captured   failed          failed                   captured   succeeded  conflicting_result -        case.opened
  open    captured   closed          closed                   captured   succeeded  conflicting_result -        case.opened
  open    captured   not_found       not_found                captured   succeeded  conflicting_result -        case.opened
  open    captured   unknown         unknown                  captured   succeeded  -                  -        -
  open    captured   stale           already_known            captured   succeeded  -                  -        -
  open    captured   refused         release_refused          captured   succeeded  release_blocked    -        case.opened
  open    captured   again           release_again            captured   succeeded  -                  -        -
  closing captured   not_found       not_found_while_closing  captured   succeeded  conflicting_result -        case.opened

  open    lapsed     held            authorized_unexpectedly  released   pending    -                  release  -
  open    lapsed     not_found       not_found                released   pending    -                  -        -
  open    released   waiting         waiting                  released   closed     -                  -        -
  open    released   held            authorized_unexpectedly  released   closed     -                  release  -
  open    released   held_dollars    authorized_mismatch      released   closed     amount_mismatch    release  case.opened
  open    released   released        already_known            released   closed     -                  -        -
  open    released   failed          failed                   released   closed     -                  -        -
  open    released   closed          closed                   released   closed     -                  -        -
  open    released   not_found       not_found_while_closing  released   closed     -                  -        -
  open    released   unknown         unknown                  released   closed     -                  -        -
  open    released   stale           already_known            released   closed     -                  -        -
  open    released   refused         release_refused          released   closed     release_blocked    -        case.opened
  open    released   again           release_again            released   closed     -                  -        -

  open    failed     waiting         waiting                  failed     pending    -                  -        -
  open    failed     held            authorized_after_failure failed     pending    paid_after_failure release  case.opened
  open    failed     held_dollars    authorized_mismatch      failed     pending    amount_mismatch    release  case.opened
  open    failed     released        authorized_after_failure failed     pending    paid_after_failure -        case.opened
  open    failed     failed          (failed)                 failed     pending    -                  -        -
  open    failed     closed          closed                   failed     pending    -                  -        -
  open    failed     not_found       not_found                failed     pending    -                  -        -
  open    failed     unknown         unknown                  failed     pending    -                  -        -
  open    failed     stale           already_known            failed     pending    -                  -        -
  open    failed     refused         release_refused          failed     pending    release_blocked    -        case.opened
  open    failed     again           release_again            failed     pending    -                  -        -
  gone    failed     not_found       not_found_while_closing  failed     closed     -                  -        -

  open    closed     waiting         waiting                  closed     pending    -                  -        -
  open    closed     held            authorized_unexpectedly  closed     pending    -                  release  -
  gone    closed     held            authorized_unexpectedly  closed     closed     -                  release  -
  open    closed     held_dollars    authorized_mismatch      closed     pending    amount_mismatch    release  case.opened
  open    closed     released        already_known            closed     pending    -                  -        -
  open    closed     failed          failed                   closed     pending    -                  -        -
  open    closed     closed          (closed)                 closed     pending    -                  -        -
  open    closed     not_found       not_found                closed     pending    -                  -        -
  gone    closed     not_found       not_found_while_closing  closed     closed     -                  -        -
  open    closed     unknown         unknown                  closed     pending    -                  -        -
  open    closed     stale           already_known            closed     pending    -                  -        -
  open    closed     refused         release_refused          closed     pending    release_blocked    -        case.opened
  open    closed     again           release_again            closed     pending    -                  -        -
)";

bool is_repeated(const Row& row) { return row.event.starts_with('('); }
std::string event_of(const Row& row) {
  return is_repeated(row) ? row.event.substr(1, row.event.size() - 2) : row.event;
}

std::string event_recorded(const Scene& scene) {
  const Event* event = scene.event_of(scene.subject);
  return event != nullptr ? event->event : "nothing";
}

TEST(RecordAuthorization, HasTheResultsOfTheTable) {
  const std::vector<Row> rows = read_table(kTable);
  ASSERT_GT(rows.size(), 100u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.order + " order, " + row.authorization + " authorization, evidence " + row.evidence);
    Scene scene(row.order, row.authorization);
    scene.record_evidence(row.evidence);
    const OrderAggregate& aggregate = scene.aggregate(scene.order_id);
    EXPECT_EQ(event_recorded(scene), is_repeated(row) ? "nothing" : row.event);
    EXPECT_EQ(name_of(scene.row().state), row.authorization_after);
    EXPECT_EQ(name_of(aggregate.order.state), row.order_after);
    EXPECT_EQ(joined(aggregate.cases, [](const Case& one) { return name_of(one.kind); }), row.cases);
    EXPECT_EQ(requests_of(scene), row.requests);
    EXPECT_EQ(joined(scene.new_deliveries, [&](DeliveryId id) { return scene.delivery(id).type; }), row.delivery_types);
  }
}

TEST(RecordAuthorization, TheTableCoversEveryCellThatEvidenceCanReach) {
  using E = AuthorizationEvent;
  constexpr E kOwn[] = {E::send, E::close_locally, E::release, E::captured, E::released};
  std::set<std::pair<AuthorizationState, std::string>> reached;
  for (const Row& row : read_table(kTable)) {
    const Scene scene(row.order, row.authorization);
    reached.insert({scene.row().state, event_of(row)});
  }
  for (const std::string_view state_name : kNames<AuthorizationState>)
    for (const std::string_view event_name : kNames<AuthorizationEvent>) {
      const auto state = *parse_enum<AuthorizationState>(state_name);
      const auto event = *parse_enum<AuthorizationEvent>(event_name);
      const bool is_final = authorization_machine.is_final(state);
      if (std::ranges::find(kOwn, event) != std::end(kOwn)) continue;
      if (event == E::already_known && !is_final) continue;  // needs another hold, see the scenarios
      if (authorization_machine.at(state, event).kind == fsm::CellKind::impossible) continue;
      EXPECT_TRUE(reached.contains({state, std::string(event_name)})) << state_name << " × " << event_name;
    }
}

}  // namespace
}  // namespace finality::test
