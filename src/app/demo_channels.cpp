#include "app/demo_channels.h"

#include <boost/json/parse.hpp>

#include <utility>

#include "app/secret_file.h"

namespace finality::app {
namespace {

namespace json = boost::json;

/// A directory of what the sandbox wrote for a merchant.
class MerchantFiles {
 public:
  explicit MerchantFiles(std::string directory) : directory_(std::move(directory)) {}

  TextSource source(const std::string& name) const { return {directory_ + name, {}}; }
  /// The text of a file; keeps the first error.
  std::string text(const std::string& name) {
    auto found = read_source(source(name));
    if (found) return std::move(*found);
    if (!error_) error_ = std::move(found.error());
    return {};
  }
  /// A text of account.json.
  std::string account(std::string_view name) {
    if (account_.empty()) read_account();
    const json::value* value = account_.if_contains(name);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    if (!error_) error_ = Error{directory_ + "account.json lacks " + std::string(name)};
    return {};
  }
  Result<void> check() const { return error_ ? Result<void>(std::unexpected(*error_)) : Result<void>(); }

 private:
  void read_account() {
    boost::system::error_code broken;
    const json::value read = json::parse(text("account.json"), broken);
    if (!broken && read.is_object()) account_ = read.get_object();
  }

  std::string directory_;
  json::object account_;
  std::optional<Error> error_;
};

Result<void> add_alipay(const std::string& directory, const std::string& sandbox_url, NodeOptions& node,
                        json::object& shown) {
  MerchantFiles files(directory);
  AlipaySettings settings{.name = "alipay",
                          .gateway = sandbox_url + "/gateway.do",
                          .app_id = files.account("app_id"),
                          .seller_id = files.account("seller_id"),
                          .public_url = node.policy.public_url,
                          .is_sandbox = true,
                          .private_key = files.source("app_private_key.pem"),
                          .alipay_public_key = files.source("alipay_public_key.pem"),
                          .app_certificate = {},
                          .alipay_certificates = {},
                          .root_certificates = {}};
  shown["alipay"] = json::object{{"gateway", settings.gateway},
                                 {"endpoint", sandbox_url},
                                 {"app_id", settings.app_id},
                                 {"seller_id", settings.seller_id},
                                 {"merchant_private_key", files.text("app_private_key.pem")},
                                 {"alipay_public_key", files.text("alipay_public_key.pem")},
                                 {"app_certificate", files.text("app_certificate.pem")},
                                 {"alipay_certificate", files.text("alipay_certificate.pem")},
                                 {"alipay_root_certificate", files.text("alipay_root_certificate.pem")}};
  node.alipay_channels.push_back(std::move(settings));
  return files.check();
}

Result<void> add_wechatpay(const std::string& directory, const std::string& sandbox_url, NodeOptions& node,
                           json::object& shown) {
  MerchantFiles files(directory);
  const std::string key_id = files.account("public_key_id");
  WechatpaySettings settings{.url = sandbox_url,
                             .appid = files.account("appid"),
                             .mchid = files.account("mchid"),
                             .public_url = node.policy.public_url,
                             .fetches_certificates = true,
                             .is_sandbox = true,
                             .private_key = files.source("private_key.pem"),
                             .certificate = files.source("certificate.pem"),
                             .api_v3_key = files.source("api_v3_key"),
                             .platform_certificates = {},
                             .public_keys = {{key_id, files.source("wechatpay_public_key.pem").file}}};
  shown["wechatpay"] = json::object{
      {"base_url", sandbox_url},
      {"mchid", settings.mchid},
      {"appid", settings.appid},
      {"serial", files.account("serial_no")},
      {"private_key", files.text("private_key.pem")},
      {"api_v3_key", files.text("api_v3_key")},
      {"platform_keys", json::object{{key_id, files.text("wechatpay_public_key.pem")},
                                     {files.account("platform_serial_no"), files.text("platform_certificate.pem")}}}};
  node.wechatpay_channels.push_back(std::move(settings));
  return files.check();
}

}  // namespace

Result<void> add_demo_channels(const std::string& keys, const std::string& sandbox_url, NodeOptions& node,
                               json::object& shown) {
  if (auto added = add_alipay(keys + "/alipay/merchant/", sandbox_url, node, shown); !added) return added;
  return add_wechatpay(keys + "/wechatpay/merchant/", sandbox_url, node, shown);
}

}  // namespace finality::app
