// A kind of channel, as data: everything that the rest of the program has to know of an adapter's folder. The folder
// exports one, channel/registry.cpp lists it, and app/ reads configuration and keys by it.
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

/// What a channel is made from, besides its texts.
struct ChannelOptions {
  std::string name;        // NAME of [channels.NAME], which is what the API and the books call it
  std::string public_url;  // where the channel reaches this server; no slash at its end
  ChannelValues values;
};

/// Which optional interfaces the channels of a kind have.
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

/// Plain data without owners: what it points to lives as long as the program.
struct ChannelKind {
  std::string_view name;     // `kind` of [channels.NAME]
  std::string_view title;    // a noun, in Markdown
  std::string_view about{};  // sentences for configuration.md
  std::span<const Setting> settings;
  /// The settings that say which account at the channel it is: all required, and unchangeable for an account. Two
  /// channels of one kind never have all of them equal.
  std::span<const std::string_view> identity{};
  /// The channel tells accounts apart by NAME (as well).
  bool is_identified_by_name = false;
  ChannelInterfaces interfaces;
  /// Rules between settings, each of which is good by itself; null: there are none. `given` are the keys that the
  /// configuration has.
  std::optional<WrongSetting> (*check)(const ChannelValues& values, const SettingKeys& given) = nullptr;
  /// An error says what to change and never shows a text. Where one text is wrong it begins with the key of its setting
  /// and a colon, where one value is, with the key of its setting.
  Result<std::unique_ptr<Channel>> (*make)(const ChannelOptions& options, const ChannelTexts& texts);
  /// Certificates among the texts that have expired at `now`, a sentence each that begins with the setting's key and a
  /// colon. An error where none is left to verify the channel's replies with. Null: there are no certificates.
  Result<std::vector<std::string>> (*expired)(const ChannelValues& values, const ChannelTexts& texts,
                                              Time now) = nullptr;
  /// Fields of its requests and replies that hold a secret or the payer's person, in the channel's own spelling: every
  /// name that contains one of them is masked, but for those that are `shown`. Names that any channel may use are known
  /// already (worker/effects/mask.cpp).
  std::span<const std::string_view> hidden_fields{};
  std::span<const std::string_view> shown_fields{};
  DemoAccount demo{};
};

}  // namespace finality
