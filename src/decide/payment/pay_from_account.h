// Payments over the wallet, the channel whose upstream is our own ledger: pay(order, account, amount) of seed 003. The
// account is debited once, in the commit that creates the payment, so the result is known immediately.
#pragma once

#include "decide/order/order_writer.h"
#include "decide/payment/start_payment.h"
#include "model/read_set.h"

namespace finality {

/// Adds the reads of a wallet payment beside its order. Adds nothing for other channels.
void add_wallet_reads(MerchantId merchant, const PaymentFields& fields, Currency currency, ReadSet& reads);

/// Refuses a wallet payment before it is created: not_found, currency_mismatch, account_locked. Always succeeds for
/// other channels.
std::expected<void, Refusal> check_wallet(const Context& context, MerchantId merchant, const PaymentFields& fields,
                                          Currency currency);

/// Debits the account. The payment succeeds, or fails with the refusal's code. REQUIRES: check_wallet() succeeded.
void pay_from_account(OrderWriter& writer, Payment& payment);

/// Credits the refund to the account, with an immediate result. A frozen or locked account can be credited; for a
/// closed account the refund fails.
void refund_to_account(OrderWriter& writer, Refund& refund, const Payment& payment);

}  // namespace finality
