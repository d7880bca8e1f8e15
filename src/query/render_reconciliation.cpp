#include "query/render_reconciliation.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/html.h"
#include "wire/statement_wire.h"

namespace finality::query {
namespace {

namespace json = boost::json;

json::object sum_object(const SideSum& sum) { return {{"count", sum.count}, {"amount", sum.amount}}; }

json::object trades_object(const Reconciliation& row) {
  return {
      {"payments", json::object{{"ours", sum_object(row.our_payments)}, {"theirs", sum_object(row.their_payments)}}},
      {"refunds", json::object{{"ours", sum_object(row.our_refunds)}, {"theirs", sum_object(row.their_refunds)}}},
      {"net", json::object{{"ours", row.our_payments.amount - row.our_refunds.amount},
                           {"theirs", row.their_payments.amount - row.their_refunds.amount}}},
      {"fees", wire::fee_text(row.their_fee_e5)}};
}

json::object proof_object(const Reconciliation& row, const ledger::Proof& proof) {
  json::array items;
  const auto add = [&items](std::string_view type, MinorUnits amount) {
    if (amount != 0) items.push_back(json::object{{"type", type}, {"amount", amount}});
  };
  add("booked_later", proof.booked_later);
  add("listed_later", -proof.listed_later);
  add("opening_balance", proof.opening);
  for (const Difference& one : row.open)
    if (one.changes_balance && one.amount != 0)
      items.push_back(json::object{{"type", "difference"},
                                   {"difference", to_text(one.id)},
                                   {"class", name_of(one.difference_class)},
                                   {"state", name_of(one.state)},
                                   {"date", one.date},
                                   {"amount", one.amount}});
  if (row.unlisted.proof_count > 0)
    items.push_back(json::object{
        {"type", "further_differences"}, {"count", row.unlisted.proof_count}, {"amount", row.unlisted.proof_amount}});
  return {{"books", proof.books},
          {"statement", proof.statement},
          {"booked_later", proof.booked_later},
          {"listed_later", proof.listed_later},
          {"differences", proof.differences},
          {"opening_balance", proof.opening},
          {"unexplained", proof.unexplained},
          {"items", std::move(items)}};
}

json::array differences_array(const Reconciliation& row) {
  json::array items;
  for (const Difference& one : row.open)
    items.push_back(json::object{{"difference", to_text(one.id)},
                                 {"class", name_of(one.difference_class)},
                                 {"state", name_of(one.state)},
                                 {"date", one.date},
                                 {"amount", one.amount},
                                 {"changes_balance", one.changes_balance},
                                 {"subject", one.subject}});
  return items;
}

json::object statement_object(const Statement& statement) {
  json::object out{{"id", to_text(statement.id)},
                   {"kind", name_of(statement.kind)},
                   {"version", statement.file_version},
                   {"state", name_of(statement.state)},
                   {"lines", statement.lines}};
  if (statement.received_at) out["received_at"] = to_rfc3339(*statement.received_at);
  return out;
}

std::string line(std::string_view name, std::string_view value, bool is_sum = false) {
  return fmt::format("<tr{}><td>{}</td><td class=\"amount\">{}</td></tr>\n", is_sum ? " class=\"sum\"" : "", name,
                     value);
}

std::string sides(std::string_view name, const SideSum& ours, const SideSum& theirs, Currency currency) {
  return fmt::format(
      "<tr><td>{}</td><td class=\"amount\">{}</td><td class=\"amount\">{}</td><td class=\"amount\">{}</td>"
      "<td class=\"amount\">{}</td></tr>\n",
      name, ours.count, format_money(ours.amount, currency), theirs.count, format_money(theirs.amount, currency));
}

std::string proof_table(const Reconciliation& row) {
  if (!row.unknown_since.empty())
    return fmt::format("<p>The balance is unknown: the statement of {} is missing or not compared.</p>\n",
                       row.unknown_since);
  if (!row.proof) return "<p>No statement states the balance of this day.</p>\n";
  const ledger::Proof& proof = *row.proof;
  const Currency currency = row.currency;
  std::string out = "<table><caption>Proof of balance</caption>\n";
  out += line("Balance in the books", format_money(proof.books, currency));
  out += line("Listed on this day, posted later", format_money(proof.booked_later, currency));
  out += line("Posted up to this day, listed later", format_money(-proof.listed_later, currency));
  out += line("Differences", format_money(proof.differences, currency));
  out += line("Opening balance that the books do not have", format_money(proof.opening, currency));
  out += line("Unexplained", format_money(proof.unexplained, currency));
  out += line("Closing balance of the statement", format_money(proof.statement, currency), true);
  return out + "</table>\n";
}

std::string differences_table(const Reconciliation& row) {
  if (row.open.empty()) return {};
  std::string out =
      "<table><caption>Differences</caption>\n<tr><th>Id</th><th>Date</th><th>Class</th><th>State</th>"
      "<th>Subject</th><th>Amount</th></tr>\n";
  for (const Difference& one : row.open)
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"amount\">{}</td></tr>\n",
                       to_text(one.id), one.date, name_of(one.difference_class), name_of(one.state),
                       escape_html(one.subject), format_money(one.amount, row.currency));
  out += "</table>\n";
  const UnlistedDifferences& more = row.unlisted;
  if (more.count > 0)
    out += fmt::format("<p>And {} further differences, {} of them in the proof with the sum {}.</p>\n", more.count,
                       more.proof_count, format_money(more.proof_amount, row.currency));
  return out;
}

std::string statements_table(const Reconciliation& row) {
  std::string out =
      "<table><caption>Statements</caption>\n<tr><th>Id</th><th>Kind</th><th>Version</th><th>State</th>"
      "<th>Received at</th></tr>\n";
  for (const Statement& one : row.statements)
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", to_text(one.id),
                       name_of(one.kind), one.file_version, name_of(one.state),
                       one.received_at ? to_rfc3339(*one.received_at) : "–");
  for (const StatementKind kind : row.missing)
    out += fmt::format("<tr><td>–</td><td>{}</td><td>–</td><td>missing</td><td>–</td></tr>\n", name_of(kind));
  return out + "</table>\n";
}

// Returns the rows `Net` and `Fees`. The books have no fees by day of the payment.
std::string net_and_fees(const Reconciliation& row) {
  const auto money = [&](MinorUnits amount) { return format_money(amount, row.currency); };
  const auto line_of = [](std::string_view name, std::string_view ours, std::string_view theirs) {
    return fmt::format(
        "<tr><td>{}</td><td></td><td class=\"amount\">{}</td><td></td><td class=\"amount\">{}</td></tr>\n", name, ours,
        theirs);
  };
  return line_of("Net", money(row.our_payments.amount - row.our_refunds.amount),
                 money(row.their_payments.amount - row.their_refunds.amount)) +
         line_of("Fees", "", fmt::format("{} {}", wire::fee_text(row.their_fee_e5), row.currency.text()));
}

std::string section(const Reconciliation& row) {
  std::string out = fmt::format("<section>\n<h2>{} {} <span class=\"{}\">{}</span></h2>\n", row.date,
                                row.currency.text(), name_of(row.result), name_of(row.result));
  out += statements_table(row);
  out +=
      "<table><caption>Payments and refunds</caption>\n<tr><th></th><th colspan=\"2\">Books</th>"
      "<th colspan=\"2\">Statement</th></tr>\n";
  out += sides("Payments", row.our_payments, row.their_payments, row.currency);
  out += sides("Refunds", row.our_refunds, row.their_refunds, row.currency);
  out += net_and_fees(row);
  out += "</table>\n" + proof_table(row) + differences_table(row);
  return out + "</section>\n";
}

constexpr std::string_view kStyle =
    "body{font:14px/1.4 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0;width:100%}caption{text-align:left;font-weight:bold}"
    "td,th{border-bottom:1px solid #ccc;padding:.2em .5em;text-align:left}.amount{text-align:right;"
    "font-variant-numeric:tabular-nums}.sum td{border-top:2px solid #000;font-weight:bold}"
    ".balanced{color:#060}.differences{color:#a00}.incomplete{color:#850}"
    "@media print{section{break-inside:avoid}}";

}  // namespace

std::string reconciliation_json(const ChannelAccount& account, const Reconciliation& row) {
  json::object out{
      {"object", "reconciliation"}, {"channel_account", to_text(account.id)}, {"channel", account.channel}};
  if (!row.funds_account.empty()) out["funds_account"] = row.funds_account;
  out["currency"] = row.currency.text();
  out["date"] = row.date;
  json::array statements;
  for (const Statement& one : row.statements) statements.push_back(statement_object(one));
  out["statements"] = std::move(statements);
  json::array missing;
  for (const StatementKind kind : row.missing) missing.emplace_back(name_of(kind));
  out["missing"] = std::move(missing);
  if (!account.is_bank()) out["trades"] = trades_object(row);
  json::array funds;
  for (const KindSum& one : row.funds)
    funds.push_back(json::object{{"kind", name_of(one.kind)}, {"lines", one.sum.count}, {"amount", one.sum.amount}});
  out["funds"] = std::move(funds);
  if (row.proof) out["proof"] = proof_object(row, *row.proof);
  if (!row.unknown_since.empty()) out["unknown_since"] = row.unknown_since;
  out["differences"] = json::object{{"open", row.open_count}, {"carried", row.carried_count}};
  out["listed_differences"] = differences_array(row);
  if (const UnlistedDifferences& more = row.unlisted; more.count > 0)
    out["further_differences"] =
        json::object{{"count", more.count}, {"in_proof", more.proof_count}, {"amount", more.proof_amount}};
  out["result"] = name_of(row.result);
  return json::serialize(out);
}

std::string reconciliation_page(const ChannelAccount& account, std::span<const Reconciliation> rows) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Reconciliation of {0}</title>"
      "<style>{1}</style></head>\n<body><h1>Reconciliation of {0}</h1>\n<p>{2}</p>\n",
      escape_html(account.channel), kStyle, to_text(account.id));
  for (const Reconciliation& row : rows) out += section(row);
  return out + "</body></html>\n";
}

}  // namespace finality::query
