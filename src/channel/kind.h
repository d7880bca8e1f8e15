// Describes a kind of channel (sandbox, alipay, wechatpay) as data. Every adapter folder exports one ChannelKind, and
// the rest of the program uses only this object of the folder. channel/registry.cpp lists all kinds; app/ uses them to
// read configuration and keys.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"
#include "channel/authorizations.h"
#include "channel/channel.h"
#include "channel/demo_account.h"
#include "channel/maintenance.h"
#include "channel/refunds.h"
#include "channel/replaceable_keys.h"
#include "channel/setting.h"
#include "channel/statements.h"

namespace finality {

/// Options of a channel, without the contents of secrets and files (ChannelTexts).
struct ChannelOptions {
  std::string name;        // NAME of [channels.NAME]; the API and the ledger use the same name
  std::string public_url;  // URL at which the channel reaches this server; no trailing slash
  ChannelValues values;
};

/// The optional interfaces that the channels of a kind implement. interfaces_of() derives them from the adapter class.
struct ChannelInterfaces {
  bool authorizations = false;
  bool refunds = false;
  bool statements = false;
  bool maintenance = false;
  bool replaceable_keys = false;
};
template <std::derived_from<Channel> Adapter>
constexpr ChannelInterfaces interfaces_of() {
  return {.authorizations = std::derived_from<Adapter, Authorizations>,
          .refunds = std::derived_from<Adapter, Refunds>,
          .statements = std::derived_from<Adapter, Statements>,
          .maintenance = std::derived_from<Adapter, Maintenance>,
          .replaceable_keys = std::derived_from<Adapter, ReplaceableKeys>};
}

/// A kind of channel. All spans, views and function pointers refer to objects with static storage duration.
struct ChannelKind {
  std::string_view name;     // value of `kind` in [channels.NAME]
  std::string_view title;    // name of the kind in the documentation, in Markdown
  std::string_view about{};  // introduction for configuration.md, in Markdown; may be empty
  std::span<const Setting> settings;
  /// Keys of the settings that identify an account at the channel. These settings are required and must not change for
  /// an account. Two channels of one kind must differ in at least one of these settings.
  std::span<const std::string_view> identity{};
  /// Whether NAME of [channels.NAME] is part of the identity, because the channel distinguishes accounts by NAME.
  bool is_identified_by_name = false;
  ChannelInterfaces interfaces;
  /// The statements that all channels of this kind provide; null if the kind provides none.
  const StatementPlan& (*statement_plan)() = nullptr;
  /// Checks rules that concern several settings, each of which is valid alone. Returns the first violation. Null if
  /// the kind has no such rules. `configured` holds the keys of the settings that the configuration contains.
  std::optional<WrongSetting> (*check)(const ChannelValues& values, const SettingKeys& configured) = nullptr;
  /// Makes a channel. The error states what to change and never contains a text. The error begins with "KEY: " if the
  /// text of the setting KEY is invalid, and with "KEY " if the value of the setting KEY is invalid.
  Result<std::unique_ptr<Channel>> (*make)(const ChannelOptions& options, const ChannelTexts& texts);
  /// Returns one sentence "KEY: …" for each certificate in the texts that has expired at `now`, KEY being the key of
  /// its setting. Returns an error if no valid certificate or key remains to verify the channel's replies. Null if the
  /// kind has no certificates.
  Result<std::vector<std::string>> (*expired)(const ChannelValues& values, const ChannelTexts& texts,
                                              Time now) = nullptr;
  /// Names of fields, in the spelling of the channel, that hold a secret or personal data of the payer. Recorded
  /// requests and replies mask every field whose name contains one of these names, except the fields in `shown_fields`.
  /// worker/effects/mask.cpp masks further names for all channels.
  std::span<const std::string_view> hidden_fields{};
  std::span<const std::string_view> shown_fields{};
  DemoAccount demo{};
};

}  // namespace finality
