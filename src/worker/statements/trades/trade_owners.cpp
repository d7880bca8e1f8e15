#include "worker/statements/trades/trade_owners.h"

#include <algorithm>
#include <set>
#include <span>

#include "model/out_trade_no.h"

namespace finality {
namespace {

constexpr std::size_t kMerchantsPerRead = 500;
constexpr std::int64_t kOrdinals[] = {0, 1};  // of a payment or a capture with its own trade, and of a first capture

// Adds the keys of the trade that the merchants have.
Result<void> add_keys(const MatchTask& task, std::string_view channel_trade_no, std::span<const MerchantId> merchants,
                      std::vector<Key>& found) {
  ReadSet reads;
  for (const MerchantId merchant : merchants)
    for (const std::int64_t ordinal : kOrdinals)
      reads.keys.push_back({key_of_receipt(merchant, task.account.channel, channel_trade_no, ordinal)});
  WorkingSet rows;
  if (auto loaded = task.reader.load(reads, rows); !loaded) return loaded;
  for (const KeyRead& read : reads.keys)
    if (const Key* key = rows.keys.find(read.hash)) found.push_back(*key);
  return {};
}

}  // namespace

void TradeOwners::add(MerchantId merchant) {
  if (!merchants_) return;
  const auto at = std::ranges::lower_bound(*merchants_, merchant);
  if (at == merchants_->end() || *at != merchant) merchants_->insert(at, merchant);
}

Result<std::vector<Key>> TradeOwners::find(std::string_view channel_trade_no) {
  std::vector<Key> found;
  if (channel_trade_no.empty()) return found;
  if (auto loaded = load_merchants(); !loaded) return std::unexpected(loaded.error());
  std::span<const MerchantId> rest = *merchants_;
  while (!rest.empty()) {
    const std::size_t count = std::min(rest.size(), kMerchantsPerRead);
    if (auto added = add_keys(task_, channel_trade_no, rest.first(count), found); !added)
      return std::unexpected(added.error());
    rest = rest.subspan(count);
    if (rest.empty()) break;
    if (auto gone_on = task_.go_on(); !gone_on) return std::unexpected(gone_on.error());
  }
  return found;
}

Result<std::vector<Key>> TradeOwners::find(std::string_view channel_trade_no, MerchantId merchant) {
  std::vector<Key> found;
  if (channel_trade_no.empty()) return found;
  if (auto added = add_keys(task_, channel_trade_no, {&merchant, 1}, found); !added)
    return std::unexpected(added.error());
  return found;
}

Result<bool> TradeOwners::has_other_order(const StatementLine& line, const LineReads& reads, const Comparison& found) {
  auto is_other = is_trade_of_other(line, reads, found);
  if (!is_other || *is_other || line.kind != LineKind::refund || !found.order_id) return is_other;
  return is_refund_of_other(line, *found.order_id);
}

Result<bool> TradeOwners::is_trade_of_other(const StatementLine& line, const LineReads& reads,
                                            const Comparison& found) {
  if (line.kind == LineKind::refund && line.out_trade_no.empty()) return false;  // it names no other document
  const auto keys = find(line.channel_trade_no);
  if (!keys) return std::unexpected(keys.error());
  if (keys->empty()) return false;
  std::optional<OrderAggregate> order;
  if (found.order_id) {
    auto read = task_.reader.order(*found.order_id);
    if (!read) return std::unexpected(read.error());
    order = std::move(*read);
  }
  const auto is_at_platform = [](const Key& key) { return key.merchant_id == kPlatform; };
  if (!order && !reads.is_named() && std::ranges::any_of(*keys, is_at_platform)) return false;  // its own trade
  return std::ranges::any_of(*keys, [&](const Key& key) {
    if (order) return key.id != order->order.id.value && find_row(order->receipts, ReceiptId{key.id}) == nullptr;
    return !reads.is_named() || key.merchant_id != reads.merchant_id;  // its own order may be archived
  });
}

Result<bool> TradeOwners::is_refund_of_other(const StatementLine& line, OrderId named) {
  const auto number = parse_out_refund_no(line.out_refund_no);
  if (!number) return false;
  const auto order = order_of_refund(number->merchant_id, number->object);
  if (!order) return std::unexpected(order.error());
  return *order && **order != named;
}

// Returns the order of the refund or reversal; empty if the books do not have it. Our number does not state which of
// both it is. Entries stay in the store when their order is archived; a reversal posts nothing when it is created.
Result<std::optional<OrderId>> TradeOwners::order_of_refund(MerchantId merchant, std::int64_t id) {
  for (const ObjectRef document : {ObjectRef(RefundId{id}), ObjectRef(ReversalId{id})}) {
    auto order = task_.reader.order_of(document);
    if (!order || *order) return order;
  }
  const auto root = task_.reader.root_of_posting(merchant, RefundId{id});
  if (!root) return std::unexpected(root.error());
  return *root == 0 ? std::optional<OrderId>() : OrderId{*root};
}

// The platform is one of the merchants: it has the keys of unknown receipts and of reserved trades.
Result<void> TradeOwners::load_merchants() {
  if (merchants_) return {};
  const auto accounts = task_.reader.accounts_of_channel_account(task_.account.id);
  if (!accounts) return std::unexpected(accounts.error());
  std::set<MerchantId> merchants = {kPlatform};
  for (const Account& account : *accounts)
    if (account.kind == AccountKind::channel_receivable) merchants.insert(account.merchant_id);
  merchants_.emplace(merchants.begin(), merchants.end());
  return {};
}

}  // namespace finality
