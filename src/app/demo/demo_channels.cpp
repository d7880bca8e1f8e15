#include "app/demo/demo_channels.h"

#include <boost/json/parse.hpp>

#include <optional>
#include <utility>

#include "app/channel_keys.h"
#include "channel/registry.h"

namespace finality::app {
namespace {

namespace json = boost::json;

// The bank account to which the simulated channels withdraw, with the number that the sandbox gives it.
constexpr std::string_view kBank = "bank";
constexpr std::string_view kBankCurrency = "CNY";

/// Reads the files that the sandbox wrote for a merchant, and derives settings from them. Keeps the first error for
/// check().
class DemoMerchant {
 public:
  DemoMerchant(const DemoPlaces& places, std::string_view kind)
      : places_(places), directory_(fmt::format("{}/{}/merchant/", places.keys, kind)) {}

  bool is_file(DemoSource source) const {
    return source == DemoSource::merchant_file || source == DemoSource::demo_file;
  }
  /// The path of the file that `value` names. REQUIRES: is_file(value.source).
  std::string path_of(const DemoValue& value) const {
    const std::string directory = value.source == DemoSource::demo_file ? places_.directory + '/' : directory_;
    return directory + std::string(value.from);
  }
  /// The text field `name` of account.json; empty if it is missing, which is an error.
  std::string field(std::string_view name) {
    if (account_.empty()) read_account();
    const json::value* value = account_.if_contains(name);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    if (!error_) error_ = Error{directory_ + "account.json has no field " + std::string(name)};
    return {};
  }
  /// The value as text. For a value in a file, the contents of the file.
  std::string text_of(const DemoValue& value) {
    if (value.source == DemoSource::sandbox_url) return places_.sandbox_url + std::string(value.from);
    if (value.source == DemoSource::account_field) return field(value.from);
    if (value.source == DemoSource::constant) return std::string(value.from);
    return read(path_of(value));
  }
  Result<void> check() const { return error_ ? Result<void>(std::unexpected(*error_)) : Result<void>(); }

 private:
  std::string read(const std::string& path) {
    auto found = read_source({path, {}});
    if (found) return std::move(*found);
    if (!error_) error_ = std::move(found.error());
    return {};
  }
  void read_account() {
    boost::system::error_code broken;
    const json::value read_value = json::parse(read(directory_ + "account.json"), broken);
    if (!broken && read_value.is_object()) account_ = read_value.get_object();
  }

  const DemoPlaces& places_;
  std::string directory_;
  json::object account_;
  std::optional<Error> error_;
};

void put_setting(DemoMerchant& merchant, const DemoValue& value, ChannelAccountSettings& account) {
  const std::string key(value.name);
  if (value.source == DemoSource::enabled)
    account.values.set(key, true);
  else if (!value.id_field.empty())
    account.tables[key][merchant.field(value.id_field)] = merchant.path_of(value);
  else if (merchant.is_file(value.source))
    account.sources[key] = {merchant.path_of(value), {}};
  else
    account.values.set(key, merchant.text_of(value));
}

void put_shown(DemoMerchant& merchant, const DemoValue& value, json::object& shown) {
  if (value.id_field.empty()) {
    shown[value.name] = merchant.text_of(value);
    return;
  }
  json::value& entries = shown[value.name];
  if (!entries.is_object()) entries = json::object();
  entries.get_object()[merchant.field(value.id_field)] = merchant.text_of(value);
}

Result<void> add_demo_channel(const ChannelKind& kind, std::string_view name, const DemoPlaces& places,
                              NodeOptions& node, json::object& shown) {
  DemoMerchant merchant(places, kind.name);
  ChannelAccountSettings account{.channel = std::string(name), .kind = &kind, .values = default_values(kind.settings)};
  account.bank_account = kBank;
  for (const DemoValue& value : kind.demo.settings)
    if (value.channel.empty() || value.channel == name) put_setting(merchant, value, account);
  json::object values;
  for (const DemoValue& value : kind.demo.shown) put_shown(merchant, value, values);
  if (!values.empty()) shown[name] = std::move(values);
  node.channel_accounts.push_back(std::move(account));
  return merchant.check();
}

}  // namespace

Result<void> add_demo_channels(const DemoPlaces& places, NodeOptions& node, json::object& shown) {
  node.bank_accounts.push_back({.name = std::string(kBank),
                                .currency = *parse_currency(kBankCurrency),
                                .number = fmt::format("SANDBOX-{}", kBankCurrency),
                                .title = "Bank account of the demo"});
  for (const ChannelKind* kind : channel_kinds())
    for (const std::string_view name : kind->demo.channels)
      if (auto added = add_demo_channel(*kind, name, places, node, shown); !added) return added;
  return {};
}

}  // namespace finality::app
