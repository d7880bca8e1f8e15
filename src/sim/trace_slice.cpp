#include "sim/trace_slice.h"

#include <set>

namespace finality::sim {
namespace {

using Names = std::set<std::string, std::less<>>;

// Returns all identifiers of the order and its parts, in the store and at the channel.
Names names_of(const OrderAggregate& order, const OrderAuditor& orders, const Upstream& upstream) {
  Names names{to_text(order.order.id)};
  for (const Payment& payment : order.payments) names.insert(payment.out_trade_no);
  for (const Authorization& authorization : order.authorizations) names.insert(authorization.out_trade_no);
  for (const Capture& capture : order.captures) names.insert(capture.out_trade_no);
  for (const Receipt& receipt : order.receipts) names.insert(receipt.channel_trade_no);
  for (const Refund& refund : order.refunds) names.insert(refund.out_refund_no);
  for (const Reversal& reversal : order.reversals) names.insert(reversal.out_refund_no);
  for_each_child_type<OrderAggregate>([&](std::string_view, auto member) {
    for (const auto& row : order.*member) names.insert(to_text(row.id));
  });
  for (const auto& [id, delivery] : orders.deliveries())
    if (delivery.order_id == order.order.id) names.insert(to_text(id));
  for (const auto& trade : upstream.trades())
    if (names.contains(trade->out_trade_no)) names.insert(trade->trade_no);
  names.erase("");
  return names;
}

// Returns true if the text contains the identifier as a whole word: "T12" does not mention "T1".
bool mentions(std::string_view text, std::string_view name) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

Names concerned(const Finding& finding, const OrderAuditor& orders, const MoneyAuditor& money,
                const Upstream& upstream) {
  Names all;
  const auto add_if_named = [&](Names names) {
    if (std::ranges::any_of(names, [&](const std::string& name) { return mentions(finding.detail, name); }))
      all.merge(names);
  };
  for (const auto& [id, order] : orders.orders()) add_if_named(names_of(order, orders, upstream));
  for (const auto& [id, account] : money.accounts()) {
    Names names{to_text(id)};
    for (const auto& [hold_id, hold] : money.holds())
      if (hold.account_id == id) names.insert(to_text(hold_id));
    add_if_named(std::move(names));
  }
  return all;
}

// Maximum interval between a trace line and a fault that is shown with it.
constexpr Duration kNear{100};

bool is_fault(std::string_view what) { return parse_enum<Fault>(what).has_value(); }

}  // namespace

std::vector<TraceLine> trace_slice(const std::vector<TraceLine>& lines, const Finding& finding,
                                   const OrderAuditor& orders, const MoneyAuditor& money, const Upstream& upstream) {
  const Names names = concerned(finding, orders, money, upstream);
  if (names.empty()) return lines;
  const auto is_about = [&](const TraceLine& line) { return names.contains(line.object); };
  std::vector<TraceLine> part;
  std::vector<TraceLine> faults;  // faults since the last line of `part`
  for (const TraceLine& line : lines) {
    if (line.object.empty() && is_fault(line.what)) faults.push_back(line);
    if (!is_about(line)) continue;
    for (const TraceLine& fault : faults)
      if (line.at - fault.at <= kNear || (!part.empty() && fault.at - part.back().at <= kNear)) part.push_back(fault);
    faults.clear();
    part.push_back(line);
  }
  return part;
}

}  // namespace finality::sim
