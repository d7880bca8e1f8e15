// Describes how `finality demo` derives the settings of a channel and the entries of demo.json from a sandbox account.
// The sandbox writes the account of a merchant to KEYS/KIND/merchant/: account.json, and one file per key and
// certificate.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace finality {

enum class DemoSource : std::uint8_t {
  sandbox_url,    // the sandbox's URL followed by `from`
  account_field,  // the field `from` of account.json
  merchant_file,  // the file `from` in KEYS/KIND/merchant/
  demo_file,      // the file `from` in the directory of `finality demo`
  enabled,        // the constant true, for a flag
  constant,       // the text `from`
};

/// One value, for a setting of the channel or for an entry of demo.json.
struct DemoValue {
  std::string_view name;  // key of the setting, or name of the entry in demo.json
  DemoSource source = DemoSource::account_field;
  std::string_view from{};
  /// Only for a setting of type SettingType::files, a table of files by id: the field of account.json with the id.
  std::string_view id_field{};
  std::string_view channel{};  // only for the demo's channel of this name; empty: for all
};

struct DemoAccount {
  std::span<const std::string_view> channels{};  // names of the demo's channels of this kind
  std::span<const DemoValue> settings{};
  std::span<const DemoValue> shown{};  // entries of demo.json under the channel's name; for a file, its content
};

}  // namespace finality
