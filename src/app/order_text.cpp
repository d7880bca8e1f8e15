#include "app/order_text.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "app/server_objects.h"
#include "app/text_table.h"
#include "base/printable.h"
#include "model/objects/account.h"
#include "model/objects/entry.h"
#include "model/objects/order.h"

namespace finality::app {
namespace {

namespace json = boost::json;

// ---- The money

/// A row of the sum: its name, and the types of the entries on the merchant's accounts that it sums.
struct MoneyRow {
  std::string_view name;
  std::span<const EntryType> types;
};

using enum EntryType;
constexpr EntryType kPaid[] = {receipt_accepted, receipt_assigned, mismatch_accepted};
constexpr EntryType kRefunded[] = {refund_accepted, refund_failed, refund_returned, external_refund};
constexpr EntryType kBorne[] = {external_refund_charged, charged_refund_returned};
constexpr EntryType kFees[] = {fee_charged, fee_returned, fee_charged_again};
constexpr EntryType kWrittenOff[] = {receipt_written_off};
constexpr EntryType kConverted[] = {receipt_converted_for_merchant, refund_converted_for_merchant};
constexpr MoneyRow kMoneyRows[] = {
    {"paid", kPaid}, {"refunded", kRefunded},      {"refund borne by the platform", kBorne},
    {"fee", kFees},  {"written off", kWrittenOff}, {"converted", kConverted},
    {"other", {}}};
constexpr int kOther = std::size(kMoneyRows) - 1;
constexpr int kSuspense = std::size(kMoneyRows);  // not a part of the sum
constexpr std::string_view kTotal = "the merchant gets";
constexpr std::string_view kSuspenseName = "not part of the order, in suspense";

int row_of(EntryType type) {
  const auto* const row = std::ranges::find_if(
      kMoneyRows, [&](const MoneyRow& one) { return std::ranges::find(one.types, type) != one.types.end(); });
  return row == std::end(kMoneyRows) ? kOther : static_cast<int>(row - std::begin(kMoneyRows));
}

// The row of an entry on that account; empty if the entry does not change what the merchant gets.
std::optional<int> row_of(AccountKind account, EntryType type) {
  if (account == AccountKind::suspense) return kSuspense;
  const bool is_merchants = account == AccountKind::merchant_payable || account == AccountKind::merchant_direct;
  return is_merchants ? std::optional(row_of(type)) : std::nullopt;
}

std::optional<MinorUnits> integer_in(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

// The amount in the field with the currency of the object; `-` without both.
std::string money_in(const json::object& object, std::string_view name) {
  const auto amount = integer_in(object, name);
  const auto currency = parse_currency(text_of(object, "currency"));
  return amount && currency ? format_money(*amount, *currency) : "-";
}

using Rows = std::vector<std::pair<std::string, std::string>>;

// Names in a column, and values that end at the same position.
std::string aligned(const Rows& rows) {
  std::size_t names = 0;
  std::size_t values = 0;
  for (const auto& [name, value] : rows) {
    names = std::max(names, text_width(name));
    values = std::max(values, text_width(value));
  }
  std::string out;
  for (const auto& [name, value] : rows) out += fmt::format("  {:<{}}  {:>{}}\n", name, names, value, values);
  return out;
}

// ---- The order

std::optional<Time> time_in(const json::object& object, std::string_view name) {
  return object.contains(name) ? parse_rfc3339(text_of(object, name)) : std::nullopt;
}

std::string state_text(const json::object& order) {
  std::string text = text_of(order, "state");
  if (order.contains("closed_reason")) text += fmt::format(" ({})", text_of(order, "closed_reason"));
  if (!is_final_order(order) && order.contains("close_requested") && order.at("close_requested") == json::value(true))
    text += ", close requested";
  return text;
}

// When the order became final, or when it expires; `-` if that is unknown.
std::pair<std::string, std::string> end_of(const json::object& order, std::optional<Time> final_at) {
  if (!is_final_order(order)) return {"expires", text_of(order, "expires_at")};
  if (!final_at) return {"final", "-"};
  const auto created = time_in(order, "created_at");
  const std::string took =
      created && *created <= *final_at ? ", after " + duration_text(*final_at - *created) : std::string();
  return {"final", to_rfc3339(*final_at) + took};
}

// "code: message" of the failure of a payment; empty if it has not failed.
std::string failure_of(const json::object& object) {
  const json::value* failure = object.if_contains("failure");
  if (failure == nullptr || !failure->is_object()) return {};
  const std::string code = text_of(failure->get_object(), "code");
  return failure->get_object().contains("message") ? code + ": " + text_of(failure->get_object(), "message") : code;
}

using Cells = std::vector<std::vector<std::string>>;

// Adds a row for each object in the field `name`, and for the captures of each object.
void add_attempts(const json::object& parent, std::string_view name, Cells& rows) {
  const json::value* list = parent.if_contains(name);
  if (list == nullptr || !list->is_array()) return;
  for (const json::value& item : list->get_array()) {
    if (!item.is_object()) continue;
    const json::object& one = item.get_object();
    rows.push_back({text_of(one, "id"), one.contains("channel") ? text_of(one, "channel") : "",
                    one.contains("method") ? text_of(one, "method") : "", text_of(one, "state"),
                    money_in(one, "amount"), failure_of(one)});
    add_attempts(one, "captures", rows);
  }
}

// ---- The timeline

constexpr int kSecondMs = 1000;
constexpr int kMinuteMs = 60 * kSecondMs;
constexpr int kHourMs = 60 * kMinuteMs;
constexpr int kDayMs = 24 * kHourMs;

/// A duration below `below` is shown in these units.
struct DurationUnits {
  std::int64_t below;
  std::int64_t unit;
  std::string_view name;
  std::int64_t part;
  std::string_view part_name;
};

constexpr DurationUnits kUnits[] = {{kHourMs, kMinuteMs, "min", kSecondMs, "s"},
                                    {kDayMs, kHourMs, "h", kMinuteMs, "min"},
                                    {std::numeric_limits<std::int64_t>::max(), kDayMs, "d", kHourMs, "h"}};

}  // namespace

bool is_final_order(const json::object& order) {
  const auto state = parse_enum<OrderState>(text_of(order, "state"));
  return state && order_machine.is_final(*state);
}

std::string duration_text(Duration duration) {
  const std::int64_t ms = duration.count();
  if (ms < kSecondMs) return fmt::format("{} ms", ms);
  if (ms < kMinuteMs) return fmt::format("{}.{} s", ms / kSecondMs, ms % kSecondMs / 100);
  const auto* const units = std::ranges::find_if(kUnits, [&](const DurationUnits& one) { return ms < one.below; });
  const std::int64_t parts = ms % units->unit / units->part;
  return fmt::format("{} {}{}", ms / units->unit, units->name,
                     parts == 0 ? "" : fmt::format(" {} {}", parts, units->part_name));
}

std::string order_text(const json::object& order, std::optional<Time> final_at) {
  Rows facts{{"number", text_of(order, "merchant_order_no")},
             {"subject", text_of(order, "subject")},
             {"amount", money_in(order, "amount")},
             {"created", text_of(order, "created_at")},
             end_of(order, final_at)};
  const std::string checkout = text_of(order, "checkout_url");
  if (!is_final_order(order) && checkout.starts_with("http")) facts.emplace_back("checkout", checkout);
  std::string out = fmt::format("order {}: {}\n", text_of(order, "id"), state_text(order));
  for (const auto& [name, value] : facts) out += fmt::format("  {:<8}  {}\n", name, value);
  Cells rows;
  add_attempts(order, "payments", rows);
  add_attempts(order, "authorizations", rows);
  if (rows.empty()) return out;
  constexpr TextColumn kColumns[] = {{"attempt"}, {"channel"}, {"method"}, {"state"}, {"amount", true}, {"failure"}};
  return out + '\n' + text_table(kColumns, rows);
}

std::string TimelineText::line_of(const json::object& item) {
  const auto at = time_in(item, "at");
  const json::value* detail = item.if_contains("detail");
  const bool has_detail = detail != nullptr && detail->is_object();
  if (has_detail && text_of(item, "kind") == "entry") add_entry(detail->get_object());
  if (has_detail && at) note_end(detail->get_object(), *at);
  if (!at) return fmt::format("{:>26}  {}\n", "", text_of(item, "summary"));
  constexpr std::size_t kDateLength = 10;
  constexpr std::size_t kTimeLength = 12;
  const std::string text = to_rfc3339(*at);
  const bool is_same_day = last_ && to_rfc3339(*last_).starts_with(text.substr(0, kDateLength));
  const std::string since = last_ && *at > *last_ ? "+" + duration_text(*at - *last_) : "";
  last_ = at;
  return fmt::format("{}{}  {:>12}  {}\n", is_same_day ? "" : text.substr(0, kDateLength) + " (UTC)\n",
                     text.substr(kDateLength + 1, kTimeLength), since, text_of(item, "summary"));
}

// Notes the event that moved the order to a final state.
void TimelineText::note_end(const json::object& event, Time at) {
  const auto state = parse_enum<OrderState>(text_of(event, "to"));
  const bool has_moved = text_of(event, "object") == "event" && text_of(event, "machine") == "order" &&
                         text_of(event, "from") != text_of(event, "to");
  if (has_moved && state && order_machine.is_final(*state)) final_at_ = at;
}

void TimelineText::add_entry(const json::object& detail) {
  const auto account = parse_enum<AccountKind>(text_of(detail, "account_kind"));
  const auto type = parse_enum<EntryType>(text_of(detail, "type"));
  const auto currency = parse_currency(text_of(detail, "currency"));
  const auto amount = integer_in(detail, "amount");
  if (!account || !currency || !amount) return;
  const auto row = row_of(*account, type.value_or(transfer));  // a type that this program does not know is `other`
  if (!row) return;
  MinorUnits& sum = sums_[{*currency, *row}];
  sum = checked_add(sum, *amount).value_or(sum);
}

std::string TimelineText::money_of(const json::object& order) const {
  Rows rows{{"ordered", money_in(order, "amount")}};
  if (order.contains("authorized_amount")) rows.emplace_back("authorized", money_in(order, "authorized_amount"));
  std::set<Currency> currencies;
  if (const auto currency = parse_currency(text_of(order, "currency"))) currencies.insert(*currency);
  for (const auto& [key, amount] : sums_) currencies.insert(key.first);
  for (const Currency currency : currencies) {
    MinorUnits total = 0;
    for (int row = 0; row <= kOther; ++row) {
      const auto sum = sums_.find({currency, row});
      if (sum == sums_.end() || sum->second == 0) continue;
      rows.emplace_back(kMoneyRows[row].name, format_money(sum->second, currency));
      total = checked_add(total, sum->second).value_or(total);
    }
    rows.emplace_back(kTotal, format_money(total, currency));
    if (const auto held = sums_.find({currency, kSuspense}); held != sums_.end() && held->second != 0)
      rows.emplace_back(kSuspenseName, format_money(held->second, currency));
  }
  return "money\n" + aligned(rows);
}

}  // namespace finality::app
