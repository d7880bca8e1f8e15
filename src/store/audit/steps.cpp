#include <fmt/format.h>

#include "model/machines.h"
#include "model/row_types.h"
#include "store/audit/questions.h"

namespace finality::audit {
namespace {

// Returns a WITH clause that defines the transitions of all state machines as a table `cells`: machine, from_state,
// event, cell, to_state, actions. One row per state and event, and one per transition of earlier versions.
std::string cells_table() {
  std::string rows;
  for (const fsm::View& machine : all_machines()) {
    const std::string_view type = machine.name == "case" ? std::string_view("exception_case") : machine.name;
    const auto add = [&](std::string_view from, std::string_view event, const fsm::View::ViewCell& cell) {
      const std::string_view to = cell.kind == fsm::CellKind::move ? cell.to : from;
      rows += fmt::format("{}('{}','{}','{}','{}','{}',{})", rows.empty() ? "" : ",", type, from, event,
                          name_of(cell.kind), to, static_cast<int>(cell.actions));
    };
    for (std::size_t s = 0; s < machine.states.size(); ++s)
      for (std::size_t e = 0; e < machine.events.size(); ++e)
        add(machine.states[s].name, machine.events[e], machine.cells[s][e]);
    for (const auto& [state, event, cell] : machine.formers) add(state, event, cell);
  }
  return "WITH cells(machine, from_state, event, cell, to_state, actions) AS (VALUES " + rows + ") ";
}

template <class Row>
std::string_view type_name() {
  return name_of(decltype(Row::id)::type);
}

// Calls text_of(std::type_identity<Row>()) for each row type and joins the returned queries with UNION ALL. Skips empty
// texts.
template <class TextOf>
std::string union_of(TextOf text_of) {
  std::string all;
  for_each_row_type<WrittenRows>([&]<class Row>(std::type_identity<Row> type) {
    const std::string text = text_of(type);
    if (!text.empty()) all += fmt::format("{}{}", all.empty() ? "" : " UNION ALL ", text);
  });
  return all;
}

// Whether rows of the type have a version, which counts their events. Roots and rows with a state machine have one.
template <class Row>
inline constexpr bool kHasSteps = requires(Row row) { row.version; };

// WHERE clause for the rows that have events. Only user accounts have events; ledger accounts have only entries.
template <class Row>
constexpr std::string_view those_with_steps() {
  return std::is_same_v<Row, Account> ? " WHERE kind = 'user'" : "";
}

// SQL expression for the state of a row. A row type without a state column and without revoked_at is always active.
template <class Row>
constexpr std::string_view state_of() {
  if constexpr (requires(Row row) { row.state; })
    return "state";
  else if constexpr (requires(Row row) { row.revoked_at; })
    return "CASE WHEN revoked_at IS NULL THEN 'active' ELSE 'revoked' END";
  else
    return "'active'";
}

// SQL expression for the merchant of a row; 0 for a row of no merchant.
template <class Row>
constexpr std::string_view merchant_of() {
  constexpr Owner kOwner = RowTraits<Row>::options.owner;
  if constexpr (kOwner == Owner::none && requires(Row row) { row.merchant_id; }) return "coalesce(merchant_id, 0)";
  return kOwner == Owner::self ? "id" : kOwner == Owner::none ? "0" : "merchant_id";
}

// Returns a query for all rows whose version counts their events: type, id, merchant and state.
std::string states() {
  return union_of([]<class Row>(std::type_identity<Row>) {
    if constexpr (kHasSteps<Row>)
      return fmt::format("SELECT '{}' AS type, id, {} AS merchant_id, {} AS state FROM {}{}", type_name<Row>(),
                         merchant_of<Row>(), state_of<Row>(), RowTraits<Row>::table, those_with_steps<Row>());
    return std::string();
  });
}

// Returns the valid initial states of all row types as an SQL list of 'TYPE STATE'.
std::string first_states() {
  std::string all = "'transfer posted', 'transfer refused', 'transfer reversed'";  // `requested` is never stored
  for_each_row_type<WrittenRows>([&]<class Row>(std::type_identity<Row>) {
    if constexpr (kHasSteps<Row> && !std::is_same_v<Row, Transfer>) {
      std::string_view state = "active";
      if constexpr (kHasMachine<Row>)
        state = name_of(machine_of(Row().state).first);
      else if constexpr (requires(Row row) { row.state; })
        state = name_of(Row().state);
      all += fmt::format(", '{} {}'", type_name<Row>(), state);
    }
  });
  return all;
}

// Returns a query for the roots of one type: type, id, merchant and version. Empty for types that are not roots.
template <class Row>
std::string root_text() {
  if constexpr (kHasSteps<Row> && RowTraits<Row>::kind == RowKind::root)
    return fmt::format("SELECT '{}' AS type, id, {} AS merchant_id, version FROM {}{}", type_name<Row>(),
                       merchant_of<Row>(), RowTraits<Row>::table, those_with_steps<Row>());
  return {};
}

std::string all_roots() {
  return union_of([]<class Row>(std::type_identity<Row>) { return root_text<Row>(); });
}

// Returns a query for the roots whose version counts only their events. Excludes accounts, because entries raise an
// account's version too.
std::string roots() {
  return union_of([]<class Row>(std::type_identity<Row>) {
    return std::is_same_v<Row, Account> ? std::string() : root_text<Row>();
  });
}

// Returns a query for the children whose version counts their events: type, id, merchant, root and version.
std::string children() {
  return union_of([]<class Row>(std::type_identity<Row>) {
    constexpr RowOptions kOptions = RowTraits<Row>::options;
    if constexpr (kHasSteps<Row> && RowTraits<Row>::kind == RowKind::child)
      return fmt::format("SELECT '{}' AS type, id, merchant_id, {} AS root_id, version FROM {}", type_name<Row>(),
                         kOptions.parent.empty() ? kOptions.guard : kOptions.parent, RowTraits<Row>::table);
    return std::string();
  });
}

}  // namespace

void add_steps_questions(Questions& questions) {
  // Uses IN instead of a join: both databases hash the IN list, while a join would scan the table of cells once per
  // event.
  questions.push_back({"1 every stored transition is defined by its state machine", "event", cells_table() + R"sql(
    SELECT e.id, e.object_type || ': ' || e.event || ' from ' || coalesce(e.from_state, 'nothing') || ' to ' || e.to_state || ' (' || e.cell || ')'
    FROM events e WHERE NOT CASE
      WHEN e.from_state IS NULL THEN e.event = 'created' AND e.cell = 'move'
      WHEN (e.object_type, e.from_state, e.event, e.cell, e.to_state, e.actions) IN (
        SELECT machine, from_state, event, cell, to_state, actions FROM cells) THEN e.cell IN ('move', 'keep')
      WHEN (e.object_type, e.from_state, e.event) IN (SELECT machine, from_state, event FROM cells) THEN FALSE
      WHEN e.cell = 'keep' THEN e.from_state = e.to_state
        AND (e.object_type, e.event) NOT IN (SELECT machine, event FROM cells)
      ELSE e.cell = 'move' AND e.from_state <> e.to_state AND e.object_type NOT IN (SELECT machine FROM cells) END)sql"});
  questions.push_back({"1 every object is created in an initial state", "event",
                       fmt::format(R"sql(
    SELECT id, object_type || ' was created in state ' || to_state FROM events
    WHERE from_state IS NULL AND object_type || ' ' || to_state NOT IN ({}))sql",
                                   first_states())});
  questions.push_back({"1 an event starts from the state of the previous event", "event", R"sql(
    SELECT id, object_type || ': ' || event || ' from ' || coalesce(from_state, 'nothing') || ', the previous event ended in ' || coalesce(before, 'nothing')
    FROM (SELECT id, object_type, event, from_state,
                 lag(to_state) OVER (PARTITION BY root_id, merchant_id, object_type, object_id ORDER BY root_version,
                   id) AS before FROM events) s
    WHERE coalesce(from_state, '') <> coalesce(before, ''))sql"});
  questions.push_back({"1 a row has the state of its last event", "",
                       fmt::format(R"sql(
    SELECT s.type || ':' || s.id, s.type || ' is ' || s.state || ', its last event ended in ' || coalesce(l.to_state, 'nothing')
    FROM ({}) s LEFT JOIN (
      SELECT object_type, object_id, merchant_id, to_state,
             row_number() OVER (PARTITION BY object_type, object_id, merchant_id ORDER BY root_version DESC,
               id DESC) AS place FROM events) l
      ON l.object_type = s.type AND l.object_id = s.id AND l.merchant_id = s.merchant_id AND l.place = 1
    WHERE l.to_state IS NULL OR l.to_state <> s.state)sql",
                                   states())});
  questions.push_back({"1 every event has its row", "",
                       fmt::format(R"sql(
    SELECT e.object_type || ':' || e.object_id, 'has ' || count(*) || ' events but no row'
    FROM events e LEFT JOIN ({}) s ON s.type = e.object_type AND s.id = e.object_id AND s.merchant_id = e.merchant_id
    WHERE s.id IS NULL GROUP BY e.object_type, e.object_id)sql",
                                   states())});
  questions.push_back({"1 every event has its root", "",
                       fmt::format(R"sql(
    SELECT e.root_type || ':' || e.root_id, 'root of ' || count(*) || ' events, but has no row'
    FROM events e LEFT JOIN ({}) r ON r.type = e.root_type AND r.id = e.root_id AND r.merchant_id = e.merchant_id
    WHERE r.id IS NULL GROUP BY e.root_type, e.root_id)sql",
                                   all_roots())});
  questions.push_back({"1 an event has its root's merchant", "event",
                       fmt::format(R"sql(
    SELECT e.id, e.event || ' has merchant ' || e.merchant_id || ', who has no such ' || e.root_type
    FROM events e LEFT JOIN ({}) r ON r.type = e.root_type AND r.id = e.root_id AND r.merchant_id = e.merchant_id
      WHERE r.id IS NULL)sql",
                                   all_roots())});
}

void add_versions_questions(Questions& questions) {
  questions.push_back({"1 a root's version rises by one per change", "",
                       fmt::format(R"sql(
    SELECT r.type || ':' || r.id, 'version ' || r.version || ', versions in events ' || coalesce(e.versions, 0) || ', highest ' || coalesce(e.last, 0)
    FROM ({}) r LEFT JOIN (SELECT root_id, merchant_id, count(DISTINCT root_version) AS versions,
      min(root_version) AS first,
                                  max(root_version) AS last FROM events
                                    GROUP BY root_id, merchant_id) e ON e.root_id = r.id
                                    AND e.merchant_id = r.merchant_id
    WHERE coalesce(e.versions, 0) <> r.version OR e.last <> r.version OR e.first <> 1)sql",
                                   roots())});
  questions.push_back({"1 a child's version counts its events", "",
                       fmt::format(R"sql(
    SELECT p.type || ':' || p.id, 'version ' || p.version || ', events ' || coalesce(e.steps, 0)
    FROM ({}) p LEFT JOIN (SELECT root_id, merchant_id, object_type, object_id, count(*) AS steps FROM events
                           GROUP BY root_id, merchant_id, object_type, object_id) e
      ON e.root_id = p.root_id AND e.merchant_id = p.merchant_id AND e.object_type = p.type AND e.object_id = p.id
    WHERE coalesce(e.steps, 0) <> p.version)sql",
                                   children())});
  // The text of the steps has the length of its events. An unreadable step has no event, or one with other values.
  questions.push_back({"1 the steps of a change are readable", "event", R"sql(
    SELECT c.id, c.root_type || ' ' || c.root_id || ', steps has ' || length(c.steps) || ' characters, its events have '
      || coalesce(e.characters, 0)
    FROM changes c LEFT JOIN (
      SELECT root_id, merchant_id, change_id, 1 + sum(1 + length('[' || (id - change_id) || ',"' || object_type || '",'
        || (object_id - root_id) || ',"' || event || '",' || coalesce('"' || from_state || '"', 'null')
        || ',"' || to_state || '"' || CASE WHEN cell = 'move' AND actions = 0 AND journal_id IS NULL THEN ''
             ELSE ',"' || cell || '",' || actions END
        || coalesce(',' || (journal_id - change_id), '') || ']')) AS characters
      FROM events GROUP BY root_id, merchant_id, change_id) e
      ON e.root_id = c.root_id AND e.merchant_id = c.merchant_id AND e.change_id = c.id
    WHERE coalesce(e.characters, -1) <> length(c.steps))sql"});
  questions.push_back({"1 an order is checked after each change that posts or ends a document", "event", R"sql(
    SELECT c.id, c.root_type || ' ' || c.root_id || ', is_checked is ' || c.is_checked FROM changes c
    WHERE c.is_checked <> CASE WHEN c.root_type = 'order' AND EXISTS (SELECT 1 FROM events e
      WHERE e.root_id = c.root_id AND e.merchant_id = c.merchant_id AND e.change_id = c.id
        AND (e.journal_id IS NOT NULL
          OR e.to_state IN ('succeeded', 'failed', 'returned', 'settled_offline', 'resolved'))) THEN 1 ELSE 0 END)sql"});
  questions.push_back({"1 a requested close has its event", "order", R"sql(
    SELECT o.id, 'close_requested is ' || o.close_requested || ', events ' || count(e.id)
    FROM orders o LEFT JOIN events e ON e.root_id = o.id AND e.merchant_id = o.merchant_id AND e.object_type = 'order'
      AND e.event = 'close_requested'
    GROUP BY o.id, o.close_requested HAVING o.close_requested <> CASE WHEN count(e.id) > 0 THEN 1 ELSE 0 END)sql"});
}

// Presence bits tell sessions which child types of a root to load. If a bit is missing, its rows are no longer loaded.
void add_children_questions(Questions& questions) {
  for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
    using Root = RootRow<T>;
    std::string present;
    for_each_row_type<ChildRows<T>>([&]<class Row>(std::type_identity<Row>) {
      present += fmt::format("{}SELECT DISTINCT {} AS root_id, merchant_id, {} AS bit FROM {}",
                             present.empty() ? "" : " UNION ", RowTraits<Row>::options.parent, kPresence<Row>,
                             RowTraits<Row>::table);
    });
    questions.push_back({fmt::format("1 the presence bits of the {} match its rows", type_name<Root>()),
                         std::string(type_name<Root>()),
                         fmt::format(R"sql(
    SELECT r.id, 'children ' || r.children || ', expected ' || coalesce(c.bits, 0) FROM {} r
    LEFT JOIN (SELECT root_id, merchant_id, sum(bit) AS bits FROM ({}) p
      GROUP BY root_id, merchant_id) c ON c.root_id = r.id AND c.merchant_id = r.merchant_id
    WHERE r.children <> coalesce(c.bits, 0))sql",
                                     RowTraits<Root>::table, present)});
  });
}

}  // namespace finality::audit
