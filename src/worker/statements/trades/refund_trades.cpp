#include "worker/statements/trades/refund_trades.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/id.h"
#include "base/time/date.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/refund/external_refund.h"
#include "decide/statement/compare_line.h"
#include "model/out_trade_no.h"
#include "worker/statements/statement_rows.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRowsPerRead = 1000;
constexpr Duration kEntrySpan = 5min;    // of the entries that one read examines, matched ones included
constexpr Duration kBookedWithin = 96h;  // from the start of the day to the entries of its refunds

void set_numbers(StatementLine& line, const std::string& out_trade_no, const std::string& channel_trade_no) {
  line.out_trade_no = out_trade_no;
  if (line.channel_trade_no.empty()) line.channel_trade_no = channel_trade_no;
}

}  // namespace

RefundTrades::Trade RefundTrades::trade_of_receipt(const OrderAggregate& order, const Receipt& receipt) {
  return {std::string(collector_of(order, receipt).out_trade_no), trade_no_of(order, receipt)};
}

// Returns the trade of the order's refund or reversal with the id; empty if the order has none.
std::optional<RefundTrades::Trade> RefundTrades::trade_of_refund(const OrderAggregate& order, std::int64_t id) {
  const Refund* refund = find_row(order.refunds, RefundId{id});
  const Reversal* reversal = find_row(order.reversals, ReversalId{id});
  if (refund == nullptr && reversal == nullptr) return std::nullopt;
  const auto receipt_id = refund != nullptr ? refund->receipt_id : std::optional(reversal->receipt_id);
  const Receipt* receipt = receipt_id ? find_row(order.receipts, *receipt_id) : nullptr;
  if (receipt == nullptr) return Trade{std::string(collector_of(order, *refund).out_trade_no), {}};
  return trade_of_receipt(order, *receipt);
}

Result<std::optional<ArchivedOrder>> RefundTrades::complete(StatementLine& line, const Hash16& key) {
  const bool is_about_refund = line.kind == LineKind::refund || line.kind == LineKind::refund_returned;
  if (!is_about_refund || !line.out_trade_no.empty()) return std::nullopt;
  const auto trade = find(line, key);
  if (!trade) return std::unexpected(trade.error());
  if (*trade) {
    set_numbers(line, (*trade)->out_trade_no, (*trade)->channel_trade_no);
    return std::nullopt;
  }
  const auto order = find_order(line, key);
  if (!order) return std::unexpected(order.error());
  return *order ? task_.reader.archived_order(**order) : std::optional<ArchivedOrder>();
}

Result<void> RefundTrades::complete_from(StatementLine& line, const Hash16& key, OrderId order) {
  const auto found = task_.reader.order(order);
  if (!found) return std::unexpected(found.error());
  if (!*found) return {};
  if (const auto trade = trade_in(**found, line, key)) set_numbers(line, trade->out_trade_no, trade->channel_trade_no);
  return {};
}

Result<std::optional<RefundTrades::Trade>> RefundTrades::find(const StatementLine& line, const Hash16& key) {
  if (const auto number = parse_out_refund_no(line.out_refund_no)) {
    auto of_refund = trade_of(RefundId{number->object});
    if (!of_refund || *of_refund) return of_refund;
    return trade_of(ReversalId{number->object});
  }
  if (auto loaded = load(); !loaded) return std::unexpected(loaded.error());
  if (const auto at = matched_.find(key); at != matched_.end()) return trade_of(at->second.object);
  for (const std::string* number : {&line.out_refund_no, &line.channel_refund_no})
    if (const auto at = by_refund_.find(*number); at != by_refund_.end()) return at->second;
  if (const auto at = by_trade_.find(line.channel_trade_no); at != by_trade_.end()) return at->second;
  return std::nullopt;
}

// Returns the trade of a refund or reversal; empty for other documents and for one that the store does not have.
Result<std::optional<RefundTrades::Trade>> RefundTrades::trade_of(ObjectRef document) {
  if (document.type != ObjectType::refund && document.type != ObjectType::reversal) return std::nullopt;
  const auto id = task_.reader.order_of(document);
  if (!id) return std::unexpected(id.error());
  if (!*id) return std::nullopt;
  const auto order = task_.reader.order(**id);
  if (!order) return std::unexpected(order.error());
  return *order ? trade_of_refund(**order, document.value) : std::nullopt;
}

// Returns the trade of the line in its order: that of its refund or, if the line does not name one, that of the receipt
// with the channel's number.
std::optional<RefundTrades::Trade> RefundTrades::trade_in(const OrderAggregate& order, const StatementLine& line,
                                                          const Hash16& key) const {
  if (const auto document = document_of(line, key))
    if (auto trade = trade_of_refund(order, document->object.value)) return trade;
  for (const Receipt& receipt : order.receipts)
    if (receipt.channel_account_id == task_.account.id && trade_no_of(order, receipt) == line.channel_trade_no)
      return trade_of_receipt(order, receipt);
  return std::nullopt;
}

// Returns the document that the line names by our number, or that an earlier run has matched. Our number does not state
// whether it is of a refund or of a reversal.
std::optional<RefundTrades::Document> RefundTrades::document_of(const StatementLine& line, const Hash16& key) const {
  if (const auto number = parse_out_refund_no(line.out_refund_no))
    return Document{number->merchant_id, RefundId{number->object}};
  const auto at = matched_.find(key);
  return at == matched_.end() ? std::nullopt : std::optional(at->second);
}

// Returns the order of a line whose refund the store does not have; empty if nothing refers to it any more.
Result<std::optional<OrderId>> RefundTrades::find_order(const StatementLine& line, const Hash16& key) {
  if (const auto document = document_of(line, key)) {
    auto order = order_of_posting(*document);
    if (!order || *order) return order;
  }
  return order_of_trade(line);
}

// Entries stay in the store when their order is archived. A reversal posts nothing when it is created, so its order is
// found only while no line matches its entry.
Result<std::optional<OrderId>> RefundTrades::order_of_posting(const Document& document) {
  const auto root = task_.reader.root_of_posting(document.merchant_id, document.object);
  if (!root) return std::unexpected(root.error());
  if (*root != 0) return OrderId{*root};
  if (auto loaded = load(); !loaded) return std::unexpected(loaded.error());
  const auto at = not_stored_.find(document.object.value);
  return at == not_stored_.end() ? std::nullopt : std::optional(at->second);
}

// The natural key of a receipt refers to the order while it is archived. The trade is of the merchant that the refund
// number names, or else of any whose money the account has collected.
Result<std::optional<OrderId>> RefundTrades::order_of_trade(const StatementLine& line) {
  const auto named = merchant_of(line);
  const auto keys = named ? owners_.find(line.channel_trade_no, *named) : owners_.find(line.channel_trade_no);
  if (!keys) return std::unexpected(keys.error());
  return keys->empty() ? std::nullopt : std::optional(OrderId{keys->front().id});
}

Result<void> RefundTrades::load() {
  if (std::exchange(is_loaded_, true)) return {};
  const auto matches = funds_matches_of(task_);
  if (!matches) return std::unexpected(matches.error());
  for (const FundsMatch& match : *matches)
    matched_.emplace(match.line, Document{match.merchant_id, ObjectRef(match.document_type, match.document_id)});
  const auto start = start_of_day(task_.statement.date, task_.plan.utc_offset);
  if (!start) return fail(fmt::format("{} is no day", task_.statement.date));
  for (Time from = *start; from < *start + kBookedWithin; from = from + kEntrySpan) {
    const EntryId until{first_id_at(from + kEntrySpan) - 1};
    EntryId after{first_id_at(from) - 1};
    while (true) {
      const auto entries =
          task_.reader.unmatched_entries(task_.account.id, StatementKind::funds, {after, until}, kRowsPerRead);
      if (!entries) return std::unexpected(entries.error());
      if (auto added = add_orders(*entries); !added) return added;
      if (entries->size() < kRowsPerRead) break;
      after = entries->back().id;
    }
    if (auto gone_on = task_.go_on(); !gone_on) return gone_on;
  }
  return {};
}

Result<void> RefundTrades::add_orders(std::span<const Entry> entries) {
  ReadSet reads;
  for (const Entry& entry : entries)
    if (books_refund(entry.type)) reads.orders.push_back(OrderId{entry.root_id});
  if (reads.orders.empty()) return {};
  WorkingSet rows;
  if (auto loaded = task_.reader.load(reads, rows); !loaded) return loaded;
  for (const OrderId id : reads.orders)
    if (const OrderAggregate* order = rows.orders.find(id)) add(*order);
  for (const Entry& entry : entries)
    if (books_refund(entry.type) && rows.orders.find(OrderId{entry.root_id}) == nullptr)
      not_stored_.emplace(entry.document_id, OrderId{entry.root_id});
  return {};
}

void RefundTrades::add(const OrderAggregate& order) {
  for (const Receipt& receipt : order.receipts) {
    if (receipt.channel_account_id != task_.account.id) continue;
    const Trade trade = trade_of_receipt(order, receipt);
    by_trade_.emplace(trade.channel_trade_no, trade);
    for (const Refund& refund : order.refunds)
      if (is_external(refund) && refund.receipt_id == receipt.id && refund.channel_refund_no)
        by_refund_.emplace(*refund.channel_refund_no, trade);
  }
}

}  // namespace finality
