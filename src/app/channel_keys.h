// Texts of a channel account's settings, keys above all: from files, which may be replaced while the server runs, or
// from the environment.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "app/config/channel_account_settings.h"

namespace finality::app {

/// The text, without the line ends after it. An error names the file or the variable, never the text.
Result<std::string> read_source(const TextSource& source, std::size_t bytes_max = kSettingTextBytesMax);

/// The texts as the files and the environment have them now. An error names the setting whose text cannot be read.
std::expected<ChannelTexts, WrongSetting> read_texts(const ChannelAccountSettings& account);

/// A message that begins with a setting's key and a colon begins with the setting and its place then:
/// "private_key_file (/etc/key.pem): …".
std::string in_settings(std::string message, const ChannelAccountSettings& account);

/// Certificates that have expired at `now`: a sentence each, with setting, file and day. An error where none is left to
/// verify the channel's replies with.
Result<std::vector<std::string>> expired_certificates(const ChannelAccountSettings& account, Time now);

/// The channel, with these texts. An error says what to change.
Result<std::unique_ptr<Channel>> make_channel(const ChannelAccountSettings& account, const ChannelTexts& texts,
                                              const std::string& public_url);
/// The same, with the texts as they are now.
Result<std::unique_ptr<Channel>> make_channel(const ChannelAccountSettings& account, const std::string& public_url);

/// Reads the texts again and hands them to the channel. An error leaves it with those it has.
Result<void> load_keys(Channel& channel, const ChannelAccountSettings& account);

/// The files that the texts are read from.
std::vector<std::string> key_files(const ChannelAccountSettings& account);

}  // namespace finality::app
