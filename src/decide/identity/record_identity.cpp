#include "decide/identity/record_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "decide/exception/open_case.h"

namespace finality {
namespace {

constexpr std::size_t kFindingsMax = 10;  // in the evidence of the case

std::string evidence_of(const std::vector<std::string>& findings) {
  const std::span<const std::string> shown(findings.data(), std::min(findings.size(), kFindingsMax));
  const std::size_t rest = findings.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, "; "), rest == 0 ? "" : fmt::format("; and {} more", rest));
}

}  // namespace

void add_reads(const RecordIdentity& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const RecordIdentity& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr) return refuse(RefusalCode::not_found, "The order does not exist.");
  if (found->order.version != command.order_version)
    return refuse(RefusalCode::illegal_transition, "The order has changed since it was checked.", {},
                  std::string(name_of(found->order.state)));
  const bool is_open = find_open_case(found->cases, CaseKind::identity, command.order_id) != nullptr;
  if (is_open != command.findings.empty()) return CommandResult{.object = command.order_id};
  context.detail = BrokenRule{evidence_of(command.findings)};
  OrderWriter writer(context, command.order_id);
  if (is_open)
    settle_case(writer, CaseKind::identity, command.order_id);
  else
    open_case(writer, CaseKind::identity, command.order_id);
  return CommandResult{.object = command.order_id};
}

}  // namespace finality
