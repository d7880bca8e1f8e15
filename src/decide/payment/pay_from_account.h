// Payments over the channel `wallet`: pay(order, account, amount) of seed 003. A wallet payment debits a user account
// of Finality's ledger instead of calling an external channel. The debit is part of the commit that creates the
// payment, so the result is known immediately.
#pragma once

#include "decide/order/order_writer.h"
#include "decide/payment/start_payment.h"
#include "model/read_set.h"

namespace finality {

/// Adds the account and ledger accounts of a wallet payment to the read set. Adds nothing for other channels.
void add_wallet_reads(MerchantId merchant, const PaymentFields& fields, Currency currency, ReadSet& reads);

/// Checks a wallet payment before it is created. Refuses with `not_found` (no such account), `currency_mismatch`,
/// `account_locked` (no or wrong lock token). Always succeeds for other channels. `prefix`: as in check_fields()
/// (order_refusal.h).
std::expected<void, Refusal> check_wallet(const Context& context, MerchantId merchant, const PaymentFields& fields,
                                          Currency currency, std::string_view prefix);

/// Debits the account. The payment succeeds, or fails with the code of the refused debit as failure_code. REQUIRES:
/// check_wallet() succeeded.
void pay_from_account(OrderWriter& writer, Payment& payment);

/// Credits the refund to the account of its collector and records its result. A frozen or locked account is credited;
/// for a closed account the refund fails. REQUIRES: the collector has an account.
void refund_to_account(OrderWriter& writer, Refund& refund);

}  // namespace finality
