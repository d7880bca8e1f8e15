#include "query/cases.h"

#include <utility>
#include <vector>

#include "decide/exception/preview_resolution.h"
#include "decide/exception/resolution.h"
#include "decide/payment/collector.h"
#include "decide/refund/external_refund.h"
#include "query/refusals.h"
#include "query/statements.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

// Copies the channel and currency of the case's receipt to the command. They identify the ledger accounts to which the
// resolution can post.
void name_money(const OrderAggregate& aggregate, const Case& row, ApproveResolution& command) {
  const Reversal* reversal = find_row(aggregate.reversals, ReversalId{row.object_id});
  const Refund* refund = find_row(aggregate.refunds, RefundId{row.object_id});
  for (const Receipt& receipt : aggregate.receipts) {
    const bool is_affected = is_collected_by(receipt, object_of(row)) ||
                             (reversal != nullptr && reversal->receipt_id == receipt.id) ||
                             (refund != nullptr && receipt_of(aggregate, *refund) == &receipt);
    if (!is_affected || (!command.channel.empty() && receipt.state != ReceiptState::accepted)) continue;
    command.channel = receipt.channel;
    command.currency = receipt.currency;
  }
}

// The three functions below copy the channel and currency of the case's root to the command. They refuse if the root
// cannot be read. An order that does not exist is left to the command, which refuses.
std::expected<void, Refusal> name_order(Reader& reader, const Case& row, ApproveResolution& command) {
  const auto order = find_order(reader, row.merchant_id, OrderId{row.root_id});
  if (is_unread(order)) return std::unexpected(order.error());
  if (order) name_money(*order, row, command);
  return {};
}

std::expected<void, Refusal> name_unknown_receipt(Reader& reader, const Case& row, ApproveResolution& command) {
  const auto receipt = find_unknown_receipt(reader, row.merchant_id, UnknownReceiptId{row.object_id});
  if (!receipt) return std::unexpected(receipt.error());
  command.channel = receipt->channel;
  command.currency = receipt->currency;
  command.assign_to = row.assign_to;
  return {};
}

std::expected<void, Refusal> name_difference(Reader& reader, const Policy& policy, const Case& row,
                                             ApproveResolution& command) {
  const auto found = find_difference(reader, row.merchant_id, DifferenceId{row.object_id});
  if (!found) return std::unexpected(found.error());
  for (const auto& [name, account] : policy.accounts)
    if (account.id == found->difference.channel_account_id) command.channel = name;
  command.currency = found->difference.currency;
  return {};
}

std::expected<void, Refusal> name_accounts(Reader& reader, const Policy& policy, const Case& row,
                                           ApproveResolution& command) {
  if (command.root.type == ObjectType::order) return name_order(reader, row, command);
  if (command.root.type == ObjectType::unknown_receipt) return name_unknown_receipt(reader, row, command);
  if (command.root.type == ObjectType::difference) return name_difference(reader, policy, row, command);
  return {};
}

// Returns the difference that the case is about; empty for a case about another object.
std::expected<std::optional<Difference>, Refusal> read_difference(Reader& reader, const Case& row) {
  if (row.object_type != ObjectType::difference) return std::nullopt;
  auto found = find_difference(reader, row.merchant_id, DifferenceId{row.object_id});
  if (!found) return std::unexpected(found.error());
  return std::move(found->difference);
}

std::expected<std::vector<ResolutionPreview>, Refusal> preview_all(Reader& reader, const Policy& policy, Time now,
                                                                   const Case& row, const Difference* difference) {
  std::vector<ResolutionPreview> previews;
  auto approval = approval_of(reader, policy, row);
  if (!approval) return std::unexpected(approval.error());
  for (const std::string_view name : resolutions_of(row, difference)) {
    approval->resolution = name;
    approval->assign_to = find_resolution(row, name)->names_merchant ? row.assign_to : std::nullopt;
    PreviewSteps steps{*approval};
    std::optional<ResolutionPreview> preview;
    while (!preview) {
      ReadSet reads;
      add_reads_of_preview(steps, reads);
      WorkingSet rows;
      if (auto loaded = reader.load(reads, rows); !loaded) return std::unexpected(unreadable(loaded.error()));
      preview = preview_resolution(steps, rows, policy, now);
    }
    previews.push_back(*std::move(preview));
  }
  return previews;
}

const Difference* pointer_to(const std::optional<Difference>& difference) {
  return difference ? &*difference : nullptr;
}

}  // namespace

Shown show_case(Reader& reader, const Policy& policy, Time now, MerchantId merchant, CaseId id, bool has_previews) {
  const auto row = find_case(reader, merchant, id);
  if (!row) return std::unexpected(row.error());
  const auto difference = read_difference(reader, *row);
  if (!difference) return std::unexpected(difference.error());
  if (!has_previews || case_machine.is_final(row->state)) return wire::case_json(*row, pointer_to(*difference));
  const auto previews = preview_all(reader, policy, now, *row, pointer_to(*difference));
  if (!previews) return std::unexpected(previews.error());
  return wire::case_json(*row, pointer_to(*difference), *previews);
}

Shown list_cases(Reader& reader, MerchantId merchant, std::optional<CaseState> state, const Page& page) {
  const Result<Listed<Case>> listed = reader.cases(merchant, state, page);
  if (!listed) return std::unexpected(unreadable(listed.error()));
  std::vector<std::string> items;
  for (const Case& row : listed->rows) {
    const auto difference = read_difference(reader, row);
    if (!difference) return std::unexpected(difference.error());
    items.push_back(wire::case_json(row, pointer_to(*difference)));
  }
  return wire::list_json("/v1/cases", listed->has_more, items);
}

std::expected<ApproveResolution, Refusal> approval_of(Reader& reader, const Policy& policy, const Case& row) {
  ApproveResolution command;
  command.merchant_id = row.merchant_id;
  command.root = root_of_case(row);
  command.case_id = row.id;
  if (auto named = name_accounts(reader, policy, row, command); !named) return std::unexpected(named.error());
  return command;
}

}  // namespace finality::query
