#include "decide/channel/claim_request.h"

#include "decide/authorization/claim_authorized.h"
#include "decide/channel/channel_operation.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

/// A row that can be closed before it is sent: a payment or an authorization.
template <class Row>
concept ClosableRow = requires(Row row) { row.close_pending; };

template <ClosableRow Row>
bool is_unwanted(const Order& order, const Row& row) {
  return row.close_pending || order.close_requested;
}

// Closes a payment or authorization that is due to be sent but whose close is requested. The channel has nothing to
// close.
template <ClosableRow Row>
void close_unsent(OrderWriter& writer, Row& row) {
  Context& context = writer.context();
  writer.step(row, MachineOf<Row>::Event::not_found_while_closing);
  row.close_pending = false;
  row.final_evidence_at = context.now;
  row.outstanding_since.reset();
  settle_overdue(writer, row);
  schedule(context, writer.order(), row);
  settle_order(writer);
}

// Whether the row is an authorization that holds an amount, which has more to do than a query.
template <class Row>
bool is_watched(const Row&) {
  return false;
}
bool is_watched(const Authorization& authorization) {
  return authorization_machine.due_effect(authorization.state) == AuthorizationEffect::watch;
}

template <ChannelOperationRow Row>
void claim(const ClaimRequest& command, Context& context) {
  const decltype(Row::id) id{command.row.value};
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Row* due = found != nullptr ? find_row(children_in<Row>(*found), id) : nullptr;
  if (due == nullptr || due->due_at != command.due_at || found->order.parked) return;

  if (!is_to_be_sent(*due) && !is_watched(*due)) {
    // A payment whose close is requested is queried first, because it may have been paid since the last query.
    OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
    return call_channel(context, aggregate, *find_row(children_in<Row>(aggregate), id), ChannelOperation<Row>::query);
  }
  OrderWriter writer(context, command.order_id);
  Row& row = *find_row(children_in<Row>(writer.aggregate()), id);
  if constexpr (std::is_same_v<Row, Authorization>)
    if (is_watched(row)) return act_on_authorized(writer, row);
  if constexpr (ClosableRow<Row>)
    if (is_unwanted(writer.order(), row)) return close_unsent(writer, row);
  claim_send(writer, row);
}

}  // namespace

void add_reads(const ClaimRequest& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const ClaimRequest& command, Context& context) {
  visit_channel_operation(command.row.type, [&]<class Row>(std::type_identity<Row>) { claim<Row>(command, context); });
  return CommandResult{.object = command.row};
}

}  // namespace finality
