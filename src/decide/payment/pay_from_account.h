// The wallet: the channel whose upstream is our own ledger. pay(order, account, amount) of seed 003: the account is
// debited once, in the commit that makes the payment, and the answer is known at once.
#pragma once

#include "decide/order/order_writer.h"
#include "decide/payment/start_payment.h"
#include "model/read_set.h"

namespace finality {

/// What a payment over the wallet needs beside its order. Nothing for other channels.
void add_wallet_reads(MerchantId merchant, const PaymentFields& fields, Currency currency, ReadSet& reads);

/// Why no payment comes of it at all: not_found, currency_mismatch, account_locked. Asked before anything is changed;
/// other channels are always fine.
std::expected<void, Refusal> check_wallet(const Context& context, MerchantId merchant, const PaymentFields& fields,
                                          Currency currency);

/// Debits the account: the payment has succeeded, or failed with the refusal's code. REQUIRES: check_wallet() was fine.
void pay_from_account(OrderWriter& writer, Payment& payment);

/// The way back, decided at once too: a frozen or locked account takes it, a closed one does not and the refund fails.
void refund_to_account(OrderWriter& writer, Refund& refund, const Payment& payment);

}  // namespace finality
