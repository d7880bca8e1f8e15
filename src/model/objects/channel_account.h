// Channel account (渠道账户): one of our merchant accounts at a channel. Each payment is assigned to a channel account
// when it is created. All refunds, queries and receipts of the payment use that account, even if the configuration
// changes. A bank account of the platform is a channel account of the kind `bank`, over which no payments are made
// (docs/adr/0043-bank-accounts.md).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// The kind of the bank accounts of the platform. No channel has this kind.
inline constexpr std::string_view kBankKind = "bank";

/// A disabled channel account accepts no new payments. Existing payments and refunds continue.
enum class ChannelAccountState : std::uint8_t { enabled, disabled };
BOOST_DESCRIBE_ENUM(ChannelAccountState, enabled, disabled)

/// Recipient of the money that the channel settles: the platform, which then pays the merchants, or the merchant.
/// `internal` is for the wallet, which collects no money but debits user accounts.
enum class Funds : std::uint8_t { platform, merchant, internal };
BOOST_DESCRIBE_ENUM(Funds, platform, merchant, internal)

/// Currency of the merchant's balance when the channel settles a payment in another currency: that of the payment
/// (presentment), or that in which the channel settles.
enum class MerchantCurrency : std::uint8_t { presentment, settlement };
BOOST_DESCRIBE_ENUM(MerchantCurrency, presentment, settlement)

struct ChannelAccount {
  ChannelAccountId id;
  std::string channel;    // NAME of [channels.NAME] or [bank_accounts.NAME]; unique, never changes
  std::string kind;       // kBankKind, or selects the adapter; empty until a server has started with this channel
  std::string identity;   // settings that identify the account at the channel; set with `kind`, then constant
  std::string merchants;  // ids of the merchants that may use the account, space separated; empty: all
  Funds funds = Funds::platform;
  MerchantCurrency merchant_currency = MerchantCurrency::presentment;
  std::int64_t platform_until = 0;  // payments up to this id were posted as funds of the platform, before schema 16
  std::string settings;             // JSON: configured settings without secrets; set with `kind`
  ChannelAccountState state = ChannelAccountState::enabled;
  Time created_at;
  std::int64_t version = 1;

  bool is_bank() const { return kind == kBankKind; }
  /// Returns whether that merchant may use the account. Does not check `state`. No merchant uses a bank account.
  bool serves(MerchantId merchant) const {
    return !is_bank() && (merchants.empty() || listed(merchants, to_text(merchant)));
  }
};
BOOST_DESCRIBE_STRUCT(ChannelAccount, (),
                      (id, channel, kind, identity, merchants, funds, merchant_currency, platform_until, settings,
                       state, created_at, version))
FINALITY_ROW(ChannelAccount, "channel_accounts", root, "id", "channel platform_until created_at",
             .about =
                 "one of our accounts at a channel (渠道账户) or a bank; `[channels.NAME]` or "
                 "`[bank_accounts.NAME]` of the configuration",
             .owner = Owner::none)

}  // namespace finality
