#include "store/archive/channel_accounts.h"

#include <fmt/format.h>

#include <algorithm>

namespace finality::store {

bool lacks_channel_accounts(const WholeOrder& order) {
  return std::ranges::any_of(order.rows.payments, [](const Payment& row) { return !row.channel_account_id; });
}

Result<void> give_channel_accounts(std::span<const ChannelAccount> accounts, WholeOrder& order) {
  for (Payment& payment : order.rows.payments) {
    const auto account = std::ranges::find(accounts, payment.channel, &ChannelAccount::channel);
    if (account == accounts.end())
      return fail(
          fmt::format("the channel {} of {} has no channel account. Start a server once that has it in its "
                      "configuration",
                      payment.channel, to_text(payment.id)));
    payment.channel_account_id = account->id;
    const auto give = [&payment](auto& rows) {
      for (auto& row : rows)
        if (row.payment_id == payment.id) row.channel_account_id = payment.channel_account_id;
    };
    give(order.rows.receipts);
    give(order.rows.refunds);
    give(order.rows.reversals);
  }
  return {};
}

}  // namespace finality::store
