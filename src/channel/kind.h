// Description of a kind of channel, as data: all that the rest of the program needs from an adapter's folder. Each
// folder exports one ChannelKind, channel/registry.cpp lists it, and app/ uses it to read configuration and keys.
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
#include "channel/channel.h"
#include "channel/demo_account.h"
#include "channel/maintenance.h"
#include "channel/refunds.h"
#include "channel/replaceable_keys.h"
#include "channel/setting.h"
#include "channel/statements.h"

namespace finality {

/// Input for making a channel, except the texts of secrets and files.
struct ChannelOptions {
  std::string name;        // NAME of [channels.NAME], also used by the API and the ledger
  std::string public_url;  // URL at which the channel reaches this server; no trailing slash
  ChannelValues values;
};

/// The optional interfaces that the channels of a kind implement.
struct ChannelInterfaces {
  bool refunds = false;
  bool statements = false;
  bool maintenance = false;
  bool replaceable_keys = false;
};
template <std::derived_from<Channel> Adapter>
constexpr ChannelInterfaces interfaces_of() {
  return {.refunds = std::derived_from<Adapter, Refunds>,
          .statements = std::derived_from<Adapter, Statements>,
          .maintenance = std::derived_from<Adapter, Maintenance>,
          .replaceable_keys = std::derived_from<Adapter, ReplaceableKeys>};
}

/// Plain data. Everything that it points to has static storage duration.
struct ChannelKind {
  std::string_view name;     // `kind` of [channels.NAME]
  std::string_view title;    // name of the kind in documents, in Markdown
  std::string_view about{};  // sentences for configuration.md
  std::span<const Setting> settings;
  /// The settings that identify the account at the channel. All are required and must not change for an account. Two
  /// channels of one kind must differ in at least one of them.
  std::span<const std::string_view> identity{};
  /// The channel distinguishes accounts by NAME, so NAME is part of the identity.
  bool is_identified_by_name = false;
  ChannelInterfaces interfaces;
  /// Checks rules between settings that are each valid alone. Null: no such rules. `configured` holds the keys that the
  /// configuration contains.
  std::optional<WrongSetting> (*check)(const ChannelValues& values, const SettingKeys& configured) = nullptr;
  /// Makes a channel. The error states what to change and never contains a text. It begins with the setting's key and a
  /// colon when one text is invalid, and with the setting's key when one value is invalid.
  Result<std::unique_ptr<Channel>> (*make)(const ChannelOptions& options, const ChannelTexts& texts);
  /// One sentence per certificate in the texts that has expired at `now`, beginning with the setting's key and a colon.
  /// An error when no valid certificate remains to verify the channel's replies. Null: the kind has no certificates.
  Result<std::vector<std::string>> (*expired)(const ChannelValues& values, const ChannelTexts& texts,
                                              Time now) = nullptr;
  /// Fields of requests and replies that hold a secret or personal data of the payer, in the channel's own spelling.
  /// Every field whose name contains one of them is masked, except those in `shown_fields`. worker/effects/mask.cpp
  /// already masks the names that any channel may use.
  std::span<const std::string_view> hidden_fields{};
  std::span<const std::string_view> shown_fields{};
  DemoAccount demo{};
};

}  // namespace finality
