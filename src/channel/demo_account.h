// Mapping from a sandbox account to a channel of `finality demo` and to the entries of demo.json. The sandbox writes a
// merchant's account to KEYS/KIND/merchant/: account.json, and keys and certificates in files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace finality {

enum class DemoSource : std::uint8_t {
  sandbox_url,    // the sandbox's URL followed by `from`
  account_field,  // the field `from` of account.json
  merchant_file,  // the file `from` in KEYS/KIND/merchant/
  demo_file,      // the file `from` in the demo's own directory
  enabled,        // a flag, set to true
};

/// One value, of a setting or in demo.json.
struct DemoValue {
  std::string_view name;  // a setting's key, or a name in demo.json
  DemoSource source = DemoSource::account_field;
  std::string_view from{};
  /// For a setting that is a table of files (SettingType::files): the field of account.json with the id of the entry.
  std::string_view id_field{};
};

struct DemoAccount {
  std::span<const std::string_view> channels{};  // names; empty: the demo has no channel of this kind
  std::span<const DemoValue> settings{};
  std::span<const DemoValue> shown{};  // values in demo.json below the channel's name; of a file, its content
};

}  // namespace finality
