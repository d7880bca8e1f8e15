#include "wire/statement_wire.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "wire/optional_field.h"

namespace finality::wire {
namespace {

namespace json = boost::json;

void add_text(json::object& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.emplace(name, text);
}

json::object total_object(const StatementTotal& total) {
  json::object out{{"currency", total.currency.text()},
                   {"lines", total.lines},
                   {"payments", total.payments},
                   {"paid", total.paid},
                   {"refunds", total.refunds},
                   {"refunded", total.refunded},
                   {"fees", fee_text(total.fee_e5)},
                   {"credits", total.credits},
                   {"debits", total.debits}};
  add_optional(out, "opening_balance", total.opening_balance);
  add_optional(out, "closing_balance", total.closing_balance);
  return out;
}

json::object movement_object(const StatementMovement& movement) {
  json::object out{{"kind", name_of(movement.kind)},
                   {"currency", movement.currency.text()},
                   {"booked_on", movement.booked_on},
                   {"lines", movement.lines},
                   {"amount", movement.amount}};
  add_optional(out, "journal", movement.journal_id);
  return out;
}

json::object statement_object(const Statement& statement) {
  json::object out{{"id", to_text(statement.id)},
                   {"object", "statement"},
                   {"channel_account", to_text(statement.channel_account_id)},
                   {"channel", statement.channel},
                   {"kind", name_of(statement.kind)}};
  add_text(out, "funds_account", statement.funds_account);
  out["date"] = statement.date;
  out["version"] = statement.file_version;
  out["source"] = name_of(statement.source);
  out["state"] = name_of(statement.state);
  add_text(out, "sha256", statement.sha256);
  out["bytes"] = statement.bytes;
  out["lines"] = statement.lines;
  out["counts"] = json::object{{"matched", statement.matched},
                               {"repaired", statement.repaired},
                               {"carried", statement.carried},
                               {"differences", statement.differences}};
  add_optional(out, "failure", statement.failure);
  out["tries"] = statement.tries;
  add_optional(out, "due_at", statement.due_at);
  add_optional(out, "received_at", statement.received_at);
  out["created_at"] = to_rfc3339(statement.created_at);
  return out;
}

void add_document(json::object& out, std::string_view name, ObjectType type, std::int64_t id) {
  if (id != 0) out.emplace(name, to_text(ObjectRef(type, id)));
}

json::object difference_object(const Difference& difference, std::string_view merchant_order_no = {}) {
  json::object out{{"id", to_text(difference.id)},     {"object", "difference"},
                   {"date", difference.date},          {"channel_account", to_text(difference.channel_account_id)},
                   {"kind", name_of(difference.kind)}, {"class", name_of(difference.difference_class)}};
  json::array also;
  for (std::string_view rest = difference.also; !rest.empty();) {
    const std::size_t end = rest.find(' ');
    also.emplace_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  out["also"] = std::move(also);
  out["state"] = name_of(difference.state);
  if (difference.merchant_id != kPlatform) out["merchant"] = to_text(difference.merchant_id);
  add_optional(out, "order", difference.order_id);
  if (!merchant_order_no.empty()) out["merchant_order_no"] = merchant_order_no;
  add_document(out, "document", difference.document_type, difference.document_id);
  out["subject"] = difference.subject;
  add_optional(out, "statement", difference.statement_id);
  if (difference.line_no != 0) out["line_no"] = difference.line_no;
  add_optional(out, "ours", difference.ours);
  add_optional(out, "theirs", difference.theirs);
  out["amount"] = difference.amount;
  if (difference.difference_class != DifferenceClass::statement_missing) out["currency"] = difference.currency.text();
  out["changes_balance"] = difference.changes_balance;
  out["missed"] = difference.missed;
  add_optional(out, "ended_at", difference.ended_at);
  add_document(out, "repaired_by", difference.repaired_by_type, difference.repaired_by_id);
  out["created_at"] = to_rfc3339(difference.created_at);
  out["version"] = difference.version;
  return out;
}

}  // namespace

std::string fee_text(std::int64_t fee_e5) {
  constexpr std::uint64_t kMajor = 100'000;
  const std::uint64_t size = fee_e5 < 0 ? 0 - static_cast<std::uint64_t>(fee_e5) : static_cast<std::uint64_t>(fee_e5);
  return fmt::format("{}{}.{:05}", fee_e5 < 0 ? "-" : "", size / kMajor, size % kMajor);
}

std::string statement_json(const Statement& statement) { return json::serialize(statement_object(statement)); }

std::string statement_json(const StatementAggregate& aggregate) {
  json::object out = statement_object(aggregate.statement);
  json::array totals;
  for (const StatementTotal& total : aggregate.totals) totals.push_back(total_object(total));
  out["totals"] = std::move(totals);
  if (aggregate.statement.kind == StatementKind::trades) return json::serialize(out);
  json::array movements;
  for (const StatementMovement& movement : aggregate.movements) movements.push_back(movement_object(movement));
  out["movements"] = std::move(movements);
  return json::serialize(out);
}

std::string statement_line_json(const StatementLine& line, const LineResult& result) {
  json::object out{{"object", "statement_line"}, {"line_no", line.line_no}, {"kind", name_of(line.kind)}};
  out["status"] = name_of(line.status);
  add_text(out, "line_id", line.line_id);
  add_text(out, "channel_trade_no", line.channel_trade_no);
  add_text(out, "out_trade_no", line.out_trade_no);
  add_text(out, "channel_refund_no", line.channel_refund_no);
  add_text(out, "out_refund_no", line.out_refund_no);
  out["currency"] = line.currency.text();
  out["amount"] = line.amount;
  out["discount"] = line.discount;
  out["fee"] = fee_text(line.fee_e5);
  add_optional(out, "balance", line.balance);
  out["at"] = to_rfc3339(line.at);
  add_text(out, "text", line.text);
  if (result.match) out["match"] = to_text(*result.match);
  add_optional(out, "difference", result.difference);
  return json::serialize(out);
}

std::string difference_json(const Difference& difference) { return json::serialize(difference_object(difference)); }

std::string difference_json(const Difference& difference, std::string_view merchant_order_no) {
  return json::serialize(difference_object(difference, merchant_order_no));
}

std::string difference_json(const DifferenceAggregate& aggregate, std::string_view merchant_order_no) {
  json::object out = difference_object(aggregate.difference, merchant_order_no);
  if (!aggregate.cases.empty()) out["case"] = to_text(aggregate.cases.back().id);
  return json::serialize(out);
}

}  // namespace finality::wire
