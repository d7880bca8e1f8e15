#include <fmt/format.h>

#include "model/machines.h"
#include "store/audit/questions.h"

namespace finality::audit {
namespace {

// The machines' cells as a table in the query: machine, from, event, cell, to, actions.
std::string cells_table() {
  std::string rows;
  for (const fsm::View& machine : all_machines())
    for (std::size_t s = 0; s < machine.states.size(); ++s)
      for (std::size_t e = 0; e < machine.events.size(); ++e) {
        const auto& cell = machine.cells[s][e];
        const std::string_view to = cell.kind == fsm::CellKind::move ? cell.to : machine.states[s].name;
        const std::string_view type = machine.name == "case" ? std::string_view("dispute_case") : machine.name;
        rows += fmt::format("{}('{}','{}','{}','{}','{}',{})", rows.empty() ? "" : ",", type, machine.states[s].name,
                            machine.events[e], name_of(cell.kind), to, static_cast<int>(cell.actions));
      }
  return "WITH cells(machine, from_state, event, cell, to_state, actions) AS (VALUES " + rows + ") ";
}

// Every row that has a life: its type, its id and the state it is in.
constexpr std::string_view kStates = R"sql(
  SELECT 'order' AS type, id, state FROM orders UNION ALL SELECT 'payment', id, state FROM payments
  UNION ALL SELECT 'refund', id, state FROM refunds UNION ALL SELECT 'reversal', id, state FROM reversals
  UNION ALL SELECT 'dispute_case', id, state FROM cases UNION ALL SELECT 'delivery', id, state FROM deliveries
  UNION ALL SELECT 'webhook_endpoint', id, state FROM webhook_endpoints
  UNION ALL SELECT 'merchant', id, 'active' FROM merchants
  UNION ALL SELECT 'api_key', id, CASE WHEN revoked_at IS NULL THEN 'active' ELSE 'revoked' END FROM api_keys
  UNION ALL SELECT 'account', id, state FROM accounts WHERE kind = 'user'
  UNION ALL SELECT 'transfer', id, state FROM transfers UNION ALL SELECT 'hold', id, state FROM holds
  UNION ALL SELECT 'price', id, 'active' FROM prices UNION ALL SELECT 'fee', id, 'active' FROM fees)sql";

// Every root whose version only its steps raise: its id, its merchant and its version.
constexpr std::string_view kRoots = R"sql(
  SELECT 'order' AS type, id, merchant_id, version FROM orders
  UNION ALL SELECT 'delivery', id, merchant_id, version FROM deliveries
  UNION ALL SELECT 'webhook_endpoint', id, merchant_id, version FROM webhook_endpoints
  UNION ALL SELECT 'merchant', id, id, version FROM merchants
  UNION ALL SELECT 'api_key', id, coalesce(merchant_id, 0), version FROM api_keys
  UNION ALL SELECT 'transfer', id, merchant_id, version FROM transfers
  UNION ALL SELECT 'price', id, merchant_id, version FROM prices
  UNION ALL SELECT 'fee', id, merchant_id, version FROM fees)sql";

// A user's account is a root too; its entries raise its version as well.
std::string all_roots() {
  return fmt::format("{} UNION ALL SELECT 'account', id, merchant_id, version FROM accounts WHERE kind = 'user'",
                     kRoots);
}

// What is in a root and counts its own steps: its id, its root and its version.
constexpr std::string_view kParts = R"sql(
  SELECT 'payment' AS type, id, order_id AS root_id, version FROM payments
  UNION ALL SELECT 'refund', id, order_id, version FROM refunds
  UNION ALL SELECT 'reversal', id, order_id, version FROM reversals
  UNION ALL SELECT 'dispute_case', id, root_id, version FROM cases
  UNION ALL SELECT 'hold', id, account_id, version FROM holds)sql";

}  // namespace

void ask_about_steps(Questions& questions) {
  // By IN, since the stores hash that: joined, the cells are few enough for a planner to go through them for each step.
  questions.push_back({"1 every stored transition is in its table", "event", cells_table() + R"sql(
    SELECT e.id, e.object_type || ': ' || e.event || ' from ' || coalesce(e.from_state, 'nothing') || ' to ' || e.to_state || ' (' || e.cell || ')'
    FROM events e WHERE NOT CASE
      WHEN e.from_state IS NULL THEN e.event = 'created' AND e.cell = 'move'
      WHEN (e.object_type, e.from_state, e.event, e.cell, e.to_state, e.actions) IN (
        SELECT machine, from_state, event, cell, to_state, actions FROM cells) THEN e.cell IN ('move', 'keep')
      WHEN (e.object_type, e.from_state, e.event) IN (SELECT machine, from_state, event FROM cells) THEN FALSE
      WHEN e.cell = 'keep' THEN e.from_state = e.to_state
        AND (e.object_type, e.event) NOT IN (SELECT machine, event FROM cells)
      ELSE e.cell = 'move' AND e.from_state <> e.to_state AND e.object_type NOT IN (SELECT machine FROM cells) END)sql"});
  questions.push_back({"1 what comes into being is in a first state", "event", R"sql(
    SELECT id, object_type || ' came into being ' || to_state FROM events
    WHERE from_state IS NULL AND object_type || ' ' || to_state NOT IN (
      'order pending', 'payment created', 'refund pending', 'reversal pending', 'dispute_case open', 'delivery pending',
      'webhook_endpoint enabled', 'merchant active', 'api_key active', 'account open', 'hold held', 'transfer posted',
      'transfer refused', 'transfer reversed', 'price active', 'fee active'))sql"});
  questions.push_back({"1 each step begins where the last one ended", "event", R"sql(
    SELECT id, object_type || ': ' || event || ' begins in ' || coalesce(from_state, 'nothing') || ', the step before ended in ' || coalesce(before, 'nothing')
    FROM (SELECT id, object_type, event, from_state,
                 lag(to_state) OVER (PARTITION BY root_id, object_type, object_id ORDER BY root_version, id) AS before FROM events) s
    WHERE coalesce(from_state, '') <> coalesce(before, ''))sql"});
  questions.push_back({"1 a row is in the state its last step ended in", "",
                       fmt::format(R"sql(
    SELECT s.type || ':' || s.id, s.type || ' is ' || s.state || ', its last step ended in ' || coalesce(l.to_state, 'nothing')
    FROM ({}) s LEFT JOIN (
      SELECT object_type, object_id, to_state,
             row_number() OVER (PARTITION BY object_type, object_id ORDER BY root_version DESC, id DESC) AS place FROM events) l
      ON l.object_type = s.type AND l.object_id = s.id AND l.place = 1
    WHERE l.to_state IS NULL OR l.to_state <> s.state)sql",
                                   kStates)});
  questions.push_back({"1 no step without its row", "",
                       fmt::format(R"sql(
    SELECT e.object_type || ':' || e.object_id, 'is not there, though ' || count(*) || ' steps tell of it'
    FROM events e LEFT JOIN ({}) s ON s.type = e.object_type AND s.id = e.object_id
    WHERE s.id IS NULL GROUP BY e.object_type, e.object_id)sql",
                                   kStates)});
  questions.push_back({"1 no step without its root", "",
                       fmt::format(R"sql(
    SELECT e.root_type || ':' || e.root_id, 'is not there, though ' || count(*) || ' steps changed it'
    FROM events e LEFT JOIN ({}) r ON r.type = e.root_type AND r.id = e.root_id
    WHERE r.id IS NULL GROUP BY e.root_type, e.root_id)sql",
                                   all_roots())});
  questions.push_back({"1 a step is of its root's merchant", "event",
                       fmt::format(R"sql(
    SELECT e.id, e.event || ' is of merchant ' || e.merchant_id || ', its ' || e.root_type || ' of ' || r.merchant_id
    FROM events e JOIN ({}) r ON r.type = e.root_type AND r.id = e.root_id WHERE r.merchant_id <> e.merchant_id)sql",
                                   all_roots())});
}

void ask_about_versions(Questions& questions) {
  questions.push_back({"1 a root's version rises by one per change", "",
                       fmt::format(R"sql(
    SELECT r.type || ':' || r.id, 'version ' || r.version || ', events explain ' || coalesce(e.versions, 0) || ' up to ' || coalesce(e.last, 0)
    FROM ({}) r LEFT JOIN (SELECT root_id, count(DISTINCT root_version) AS versions, min(root_version) AS first,
                                  max(root_version) AS last FROM events GROUP BY root_id) e ON e.root_id = r.id
    WHERE coalesce(e.versions, 0) <> r.version OR e.last <> r.version OR e.first <> 1)sql",
                                   kRoots)});
  questions.push_back({"1 a part's version counts its steps", "",
                       fmt::format(R"sql(
    SELECT p.type || ':' || p.id, 'version ' || p.version || ', steps ' || coalesce(e.steps, 0)
    FROM ({}) p LEFT JOIN (SELECT root_id, object_type, object_id, count(*) AS steps FROM events
                           GROUP BY root_id, object_type, object_id) e
      ON e.root_id = p.root_id AND e.object_type = p.type AND e.object_id = p.id
    WHERE coalesce(e.steps, 0) <> p.version)sql",
                                   kParts)});
  questions.push_back({"1 a close that was asked for left its step", "order", R"sql(
    SELECT o.id, 'close_requested is ' || o.close_requested || ', steps that asked ' || count(e.id)
    FROM orders o LEFT JOIN events e ON e.root_id = o.id AND e.object_type = 'order' AND e.event = 'close_asked'
    GROUP BY o.id, o.close_requested HAVING o.close_requested <> CASE WHEN count(e.id) > 0 THEN 1 ELSE 0 END)sql"});
}

}  // namespace finality::audit
