#include "worker/statements/refund_trades.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/id.h"
#include "base/time/date.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/refund/external_refund.h"
#include "model/out_trade_no.h"
#include "worker/statements/statement_rows.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRowsPerRead = 1000;
constexpr Duration kEntrySpan = 5min;    // of the entries that one read examines, matched ones included
constexpr Duration kBookedWithin = 96h;  // from the start of the day to the entries of its refunds

}  // namespace

Result<void> RefundTrades::complete(StatementLine& line, const Hash16& key) {
  const bool is_about_refund = line.kind == LineKind::refund || line.kind == LineKind::refund_returned;
  if (!is_about_refund || !line.out_trade_no.empty()) return {};
  const auto trade = find(line, key);
  if (!trade) return std::unexpected(trade.error());
  if (!*trade) return {};
  line.out_trade_no = (*trade)->out_trade_no;
  if (line.channel_trade_no.empty()) line.channel_trade_no = (*trade)->channel_trade_no;
  return {};
}

Result<std::optional<RefundTrades::Trade>> RefundTrades::find(const StatementLine& line, const Hash16& key) {
  if (const auto number = parse_out_refund_no(line.out_refund_no)) {
    auto of_refund = trade_of(RefundId{number->object});
    if (!of_refund || *of_refund) return of_refund;
    return trade_of(ReversalId{number->object});
  }
  if (auto loaded = load(); !loaded) return std::unexpected(loaded.error());
  if (const auto at = matched_.find(key); at != matched_.end()) return trade_of(at->second);
  for (const std::string* number : {&line.out_refund_no, &line.channel_refund_no})
    if (const auto at = by_refund_.find(*number); at != by_refund_.end()) return at->second;
  if (const auto at = by_trade_.find(line.channel_trade_no); at != by_trade_.end()) return at->second;
  return std::nullopt;
}

// Returns the trade of a refund or reversal; empty for other documents and for one that does not exist.
Result<std::optional<RefundTrades::Trade>> RefundTrades::trade_of(ObjectRef document) {
  if (document.type != ObjectType::refund && document.type != ObjectType::reversal) return std::nullopt;
  const auto id = task_.reader.order_of(document);
  if (!id) return std::unexpected(id.error());
  if (!*id) return std::nullopt;
  const auto order = task_.reader.order(**id);
  if (!order) return std::unexpected(order.error());
  if (!*order) return std::nullopt;
  const OrderAggregate& found = **order;
  const Refund* refund = find_row(found.refunds, RefundId{document.value});
  const Reversal* reversal = find_row(found.reversals, ReversalId{document.value});
  if (refund == nullptr && reversal == nullptr) return std::nullopt;
  const auto receipt_id = refund != nullptr ? refund->receipt_id : std::optional(reversal->receipt_id);
  const Receipt* receipt = receipt_id ? find_row(found.receipts, *receipt_id) : nullptr;
  if (receipt == nullptr) return Trade{std::string(collector_of(found, *refund).out_trade_no), {}};
  return Trade{std::string(collector_of(found, *receipt).out_trade_no), trade_no_of(found, *receipt)};
}

Result<void> RefundTrades::load() {
  if (std::exchange(is_loaded_, true)) return {};
  const auto matches = funds_matches_of(task_);
  if (!matches) return std::unexpected(matches.error());
  for (const FundsMatch& match : *matches)
    matched_.emplace(match.line, ObjectRef(match.document_type, match.document_id));
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
  return {};
}

void RefundTrades::add(const OrderAggregate& order) {
  for (const Receipt& receipt : order.receipts) {
    if (receipt.channel_account_id != task_.account.id) continue;
    const Trade trade{std::string(collector_of(order, receipt).out_trade_no), trade_no_of(order, receipt)};
    by_trade_.emplace(trade.channel_trade_no, trade);
    for (const Refund& refund : order.refunds)
      if (is_external(refund) && refund.receipt_id == receipt.id && refund.channel_refund_no)
        by_refund_.emplace(*refund.channel_refund_no, trade);
  }
}

}  // namespace finality
