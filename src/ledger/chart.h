// Chart of accounts: the journal template of each entry type (docs/adr/0009-credits-are-positive.md,
// docs/adr/0038-journals-from-templates.md).
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "base/check.h"
#include "model/objects/account.h"
#include "model/objects/channel_account.h"
#include "model/objects/entry.h"

namespace finality::ledger {

enum class Side : std::uint8_t { debit, credit };

/// The amount that a line moves: the posted amount, or the amount in the settlement currency.
enum class Money : std::uint8_t { posted, settled };

/// One line of a journal: the account that it debits or credits, and the amount.
struct Line {
  Side side;
  AccountKind account;
  Money money = Money::posted;
  bool is_adjusted = false;  // the account kind is Posting::adjusted; `account` is not used
  bool operator==(const Line&) const = default;

  /// The same line with the amount in the settlement currency.
  constexpr Line settled() const { return {side, account, Money::settled, is_adjusted}; }
};

constexpr Line debit(AccountKind account) { return {Side::debit, account}; }
constexpr Line credit(AccountKind account) { return {Side::credit, account}; }
/// Lines on the account that an adjustment names: Posting::adjusted.
constexpr Line debit_adjusted() { return {Side::debit, AccountKind::merchant_payable, Money::posted, true}; }
constexpr Line credit_adjusted() { return {Side::credit, AccountKind::merchant_payable, Money::posted, true}; }

/// The lines of a journal, in the order of their entries.
class Lines {
 public:
  static constexpr std::size_t kMax = 4;

  constexpr Lines() = default;
  constexpr Lines(std::initializer_list<Line> lines) : size_(lines.size()) {
    std::size_t i = 0;
    for (const Line& line : lines) lines_[i++] = line;
  }
  constexpr const Line* begin() const { return lines_.data(); }
  constexpr const Line* end() const { return lines_.data() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

 private:
  std::array<Line, kMax> lines_{};
  std::size_t size_ = 0;
};

/// The journal that a posting of one entry type writes, in the books of one merchant.
struct JournalTemplate {
  EntryType type;
  Lines lines;
  /// The lines when the money belongs to the merchant: receipts in an account of the merchant's own, and payments from
  /// user accounts (Funds::merchant, Funds::internal). Empty: the same lines.
  Lines direct;
  std::string_view about;  // when the journal is posted, for the reference

  constexpr const Lines& lines_for(Funds funds) const {
    return funds == Funds::platform || direct.empty() ? lines : direct;
  }
};

namespace chart {
using enum AccountKind;
using T = EntryType;

inline constexpr JournalTemplate kTemplates[] = {
    {T::receipt_accepted,
     {debit(channel_receivable), credit(merchant_payable)},
     {debit(channel_receivable), credit(merchant_direct)},
     "The channel reports a payment that pays its order."},
    {T::receipt_in_suspense,
     {debit(channel_receivable), credit(suspense)},
     {},
     "The channel reports a payment that does not pay its order: a second one, a late one, or a wrong amount or "
     "currency."},
    {T::mismatch_accepted,
     {debit(suspense), credit(merchant_payable)},
     {debit(suspense), credit(merchant_direct)},
     "Operators resolve a case with `accept`: the received amount, less or more than the order's, pays the order."},
    {T::receipt_written_off,
     {debit(loss), credit(channel_receivable)},
     {debit(merchant_direct), credit(channel_receivable)},
     "Operators resolve a case with `write_off`: the channel has withdrawn its result and does not settle the "
     "payment."},
    {T::reversal_succeeded,
     {debit(suspense), credit(channel_receivable)},
     {},
     "The channel has returned a receipt in suspense to the payer."},
    {T::reversal_settled_offline,
     {debit(suspense), credit(bank)},
     {debit(suspense), credit(merchant_direct)},
     "Operators resolve a case with `settled_offline`: the payer received the money outside the channel."},
    {T::refund_accepted,
     {debit(merchant_payable), credit(refunds_in_transit)},
     {debit(merchant_direct), credit(direct_refunds_in_transit)},
     "The merchant requests a refund."},
    {T::refund_succeeded,
     {debit(refunds_in_transit), credit(channel_receivable)},
     {debit(direct_refunds_in_transit), credit(channel_receivable)},
     "The channel has paid the refund out."},
    {T::refund_failed,
     {debit(refunds_in_transit), credit(merchant_payable)},
     {debit(direct_refunds_in_transit), credit(merchant_direct)},
     "The channel has refused the refund permanently."},
    {T::external_refund,
     {debit(merchant_payable), credit(channel_receivable)},
     {debit(merchant_direct), credit(channel_receivable)},
     "The channel reports a refund of an accepted receipt that Finality did not request."},
    {T::external_refund_from_suspense,
     {debit(suspense), credit(channel_receivable)},
     {},
     "The channel reports a refund of a receipt in suspense that Finality did not request."},
    {T::external_refund_charged,
     {debit(loss), credit(merchant_payable)},
     {},
     "Operators resolve a case with `charge_platform`: the platform bears an external refund in place of the "
     "merchant."},
    {T::transfer, {debit(user), credit(user)}, {}, "A transfer between two user accounts."},
    {T::transfer_reversed, {debit(user), credit(user)}, {}, "A transfer is reversed."},
    {T::hold_posted, {debit(user), credit(user)}, {}, "A hold is posted."},
    {T::wallet_paid,
     {debit(user), credit(channel_receivable)},
     {},
     "An order is paid from a user account. `receipt_accepted` follows."},
    {T::wallet_refunded,
     {debit(channel_receivable), credit(user)},
     {},
     "A refund is paid to a user account. `refund_succeeded` follows."},
    {T::fee_charged,
     {debit(merchant_payable), credit(fee_income)},
     {},
     "A payment succeeds, and its merchant has a fee for the channel."},
    {T::fee_returned,
     {debit(fee_income), credit(merchant_payable)},
     {},
     "A refund succeeds, and the fee is refundable: its share is returned."},
    {T::refund_returned,
     {debit(channel_receivable), credit(merchant_payable)},
     {debit(channel_receivable), credit(merchant_direct)},
     "The channel has returned a refund to us after it had succeeded."},
    // The platform had paid the merchant for the refund. Money that returns to the merchant's own account does not
    // reach the platform, so the merchant's payable is reduced instead.
    {T::charged_refund_returned,
     {debit(channel_receivable), credit(loss)},
     {debit(channel_receivable), credit(merchant_direct), debit(merchant_payable), credit(loss)},
     "The part of a returned refund that the platform had borne."},
    {T::fee_charged_again,
     {debit(merchant_payable), credit(fee_income)},
     {},
     "The share of the fee that was returned with the returned refund."},
    {T::receipt_converted,
     {debit(fx), credit(channel_receivable), debit(channel_receivable).settled(), credit(fx).settled()},
     {},
     "The channel reports that it settles a receipt in another currency."},
    {T::refund_converted,
     {debit(channel_receivable), credit(fx), debit(fx).settled(), credit(channel_receivable).settled()},
     {},
     "The channel reports that it debits a refund or reversal in another currency."},
    {T::receipt_converted_for_merchant,
     {debit(merchant_payable), credit(fx), debit(fx).settled(), credit(merchant_payable).settled()},
     {debit(merchant_direct), credit(fx), debit(fx).settled(), credit(merchant_direct).settled()},
     "With `merchant_currency = \"settlement\"`: the merchant's part of a receipt that was converted."},
    {T::refund_converted_for_merchant,
     {debit(fx), credit(merchant_payable), debit(merchant_payable).settled(), credit(fx).settled()},
     {debit(fx), credit(merchant_direct), debit(merchant_direct).settled(), credit(fx).settled()},
     "With `merchant_currency = \"settlement\"`: the merchant's part of a refund that was converted."},
    {T::channel_fee,
     {debit(channel_fee_expense), credit(channel_receivable)},
     {debit(merchant_direct), credit(channel_receivable)},
     "The fee that the channel keeps from a settlement, or the fees that a funds statement lists."},
    {T::channel_fee_returned,
     {debit(channel_receivable), credit(channel_fee_expense)},
     {debit(channel_receivable), credit(merchant_direct)},
     "A fee that the channel returns with the settlement of a refund, or the returned fees of a funds statement."},
    {T::unknown_receipt,
     {debit(channel_receivable), credit(suspense)},
     {},
     "The channel reports a payment of an unknown number. In the books of the platform."},
    // An assignment is two journals, one in the books of each of the two merchants, and the sum of all clearing
    // accounts is 0.
    {T::receipt_assigned_from,
     {debit(suspense), credit(clearing)},
     {},
     "Operators resolve a case with `assign`: an unknown receipt leaves the books of the platform."},
    {T::receipt_assigned,
     {debit(clearing), credit(merchant_payable)},
     {debit(clearing), credit(merchant_direct)},
     "The same assignment, in the books of the merchant that receives the money."},
    {T::opening_balance_credited,
     {debit(equity), credit_adjusted()},
     {},
     "Two operators post an adjustment `opening_balance` with a positive amount."},
    {T::opening_balance_debited,
     {debit_adjusted(), credit(equity)},
     {},
     "Two operators post an adjustment `opening_balance` with a negative amount."},
    {T::penalty,
     {debit(loss), credit(channel_receivable)},
     {debit(merchant_direct), credit(channel_receivable)},
     "Two operators post an adjustment `penalty`: the channel has deducted the amount."},
    {T::rounding_loss,
     {debit(loss), credit(channel_receivable)},
     {debit(merchant_direct), credit(channel_receivable)},
     "Two operators post an adjustment `rounding` with a positive amount: the channel settles less than the books "
     "contain."},
    {T::rounding_gain,
     {debit(channel_receivable), credit(loss)},
     {debit(channel_receivable), credit(merchant_direct)},
     "Two operators post an adjustment `rounding` with a negative amount: the channel settles more than the books "
     "contain."},
    {T::unknown_receipt_cancelled,
     {debit(suspense), credit(channel_receivable)},
     {},
     "Operators resolve a case with `cancel`: the payment is booked elsewhere. In the books of the platform."},
    // Lines of funds statements are posted in the books of the platform. The bank account of a merchant is not in them.
    {T::channel_withdrawal,
     {debit(bank), credit(channel_receivable)},
     {debit(merchant_direct), credit(channel_receivable)},
     "A funds statement lists a withdrawal from the channel account to a bank account."},
    {T::channel_top_up,
     {debit(channel_receivable), credit(bank)},
     {debit(channel_receivable), credit(merchant_direct)},
     "A funds statement lists a transfer from a bank account to the channel account, or a returned withdrawal."},
    {T::channel_deduction,
     {debit(loss), credit(channel_receivable)},
     {debit(merchant_direct), credit(channel_receivable)},
     "A funds statement lists an amount that the channel deducted, for example a penalty."},
    {T::channel_compensation,
     {debit(channel_receivable), credit(loss)},
     {debit(channel_receivable), credit(merchant_direct)},
     "A funds statement lists an amount that the channel paid, for example a compensation."},
    {T::bank_shortage,
     {debit(loss), credit(bank)},
     {},
     "Two operators resolve a difference of a bank statement with `adjust`: the bank account has less than the books."},
    {T::bank_surplus,
     {debit(bank), credit(loss)},
     {},
     "Two operators resolve a difference of a bank statement with `adjust`: the bank account has more than the books."},
};
}  // namespace chart

/// The journal template of that entry type.
constexpr const JournalTemplate& template_of(EntryType type) {
  return chart::kTemplates[static_cast<std::size_t>(type)];
}

/// Whether the template has as many debit lines as credit lines for each of the two amounts. The lines of one amount
/// are in the same currency, so the journal then sums to zero in each currency.
constexpr bool is_balanced(const Lines& lines) {
  int posted = 0;
  int settled = 0;
  for (const Line& line : lines) (line.money == Money::posted ? posted : settled) += line.side == Side::debit ? -1 : 1;
  return posted == 0 && settled == 0;
}

constexpr bool is_complete_chart() {
  std::size_t i = 0;
  for (const JournalTemplate& row : chart::kTemplates) {
    if (static_cast<std::size_t>(row.type) != i++) return false;
    if (row.lines.size() < 2 || !is_balanced(row.lines) || !is_balanced(row.direct)) return false;
  }
  return i == kCount<EntryType>;
}
static_assert(is_complete_chart(), "one balanced template per EntryType, in its order");

}  // namespace finality::ledger
