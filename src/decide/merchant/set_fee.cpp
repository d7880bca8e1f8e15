#include "decide/merchant/set_fee.h"

#include "decide/record.h"

namespace finality {
namespace {

void fill(Fee& fee, const SetFee& command, Time now) {
  fee.basis_points = command.basis_points;
  fee.fixed = command.fixed;
  fee.minimum = command.minimum;
  fee.maximum = command.maximum;
  fee.refundable = command.refundable;
  fee.changed_at = now;
}

}  // namespace

void add_reads(const SetFee& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const SetFee& command, Context& context) {
  auto& fees = context.rows.fees.change(command.merchant_id);
  if (const auto known = std::ranges::find(fees, command.channel, &Fee::channel); known != fees.end()) {
    fill(*known, command, context.now);
    known->version += 1;
    record_setting(context, *known);
    return CommandResult{.object = known->id};
  }
  Fee fee;
  fee.id = context.next_id<FeeId>();
  fee.merchant_id = command.merchant_id;
  fee.channel = command.channel;
  fee.created_at = context.now;
  fill(fee, command, context.now);
  record_setting(context, fee);
  fees.push_back(fee);
  return CommandResult{.object = fee.id};
}

}  // namespace finality
