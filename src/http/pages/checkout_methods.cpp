#include "http/pages/checkout_methods.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/checkout_method.h"
#include "model/usable_channels.h"

namespace finality::http {
namespace {

constexpr std::string_view kClientIp = "client_ip";

// Parts of the User-Agent of phones and tablets.
constexpr std::string_view kPhoneWords[] = {"Mobi", "Android", "iPhone", "iPad", "HarmonyOS"};

/// The methods that are compatible with the order, and whether their channels are unavailable.
class Offers {
 public:
  Offers(const Order& order, const Policy& policy, const query::IsDown& is_down)
      : order_(order), policy_(policy), is_down_(is_down) {}

  // Adds the method of the channel if the page can start it for the order. Replaces a method that looks alike and is
  // unavailable.
  void add(std::string_view channel, std::string_view method) {
    const Capabilities& capabilities = policy_.channels.find(channel)->second;
    const auto kind = capabilities.page_methods.find(method);
    if (kind == capabilities.page_methods.end() || !accepts(capabilities, method)) return;
    const auto needed = capabilities.payer_field.find(method);
    const bool needs_more = needed != capabilities.payer_field.end();
    if (needs_more && needed->second != kClientIp) return;
    OfferedMethod offer{std::string(channel), std::string(method), kind->second, capabilities.payer_app, needs_more};
    const bool down = is_down_ && is_down_(channel);
    const auto same = std::ranges::find_if(found_, [&](const Found& one) { return look_alike(one.offer, offer); });
    if (same == found_.end())
      found_.push_back({std::move(offer), down});
    else if (same->is_down && !down)
      *same = {std::move(offer), down};
  }

  void add_all(std::string_view channel) {
    const Capabilities& capabilities = policy_.channels.find(channel)->second;
    for (const std::string& method : methods_of(capabilities)) add(channel, method);
  }

  std::vector<OfferedMethod> take() && {
    const bool all_down = std::ranges::all_of(found_, &Found::is_down);
    std::vector<OfferedMethod> offers;
    for (Found& one : found_)
      if (all_down || !one.is_down) offers.push_back(std::move(one.offer));
    return offers;
  }

 private:
  struct Found {
    OfferedMethod offer;
    bool is_down = false;
  };

  // Whether a payer cannot distinguish the methods: the page names the app, or else the channel.
  static bool look_alike(const OfferedMethod& one, const OfferedMethod& other) {
    return one.kind == other.kind && one.app == other.app &&
           (one.app != PayerApp::any || (one.channel == other.channel && one.method == other.method));
  }

  const std::vector<std::string>& methods_of(const Capabilities& capabilities) const {
    static const std::vector<std::string> none;
    if (order_.capture_method == CaptureMethod::automatic) return capabilities.methods;
    return capabilities.authorization ? capabilities.authorization->methods : none;
  }

  bool accepts(const Capabilities& capabilities, std::string_view method) const {
    return !capabilities.takes_account && capabilities.takes(order_.currency) &&
           order_.amount <= capabilities.amount_max && Capabilities::has(methods_of(capabilities), method);
  }

  const Order& order_;
  const Policy& policy_;
  const query::IsDown& is_down_;
  std::vector<Found> found_;
};

// Returns the channels that the merchant can use: first those whose accounts list the merchant.
std::vector<std::string_view> usable_channels(const Policy& policy, MerchantId merchant) {
  std::vector<std::string_view> channels;
  for (const auto& [name, capabilities] : policy.channels)
    if (is_usable(policy, merchant, name)) channels.push_back(name);
  std::ranges::sort(channels, {}, [&](std::string_view channel) {
    const auto account = policy.accounts.find(channel);
    return std::pair(account == policy.accounts.end() || account->second.merchants.empty(), channel);
  });
  return channels;
}

bool works_on(Device device, PageMethod kind) {
  if (kind == PageMethod::any) return true;
  return (kind == PageMethod::phone) == (device == Device::phone);
}

}  // namespace

Device device_of(const net::Headers& headers) {
  if (const std::string_view mobile = headers.get("Sec-CH-UA-Mobile"); !mobile.empty())
    return mobile == "?1" ? Device::phone : Device::computer;
  const std::string_view agent = headers.get("User-Agent");
  const bool is_phone = std::ranges::any_of(kPhoneWords, [&](std::string_view word) { return agent.contains(word); });
  return is_phone ? Device::phone : Device::computer;
}

std::vector<OfferedMethod> payable_methods(const Order& order, const Policy& policy, const query::IsDown& is_down) {
  Offers offers(order, policy, is_down);
  for (const CheckoutMethod& one : checkout_methods_of(order.methods))
    for (const std::string_view channel : channels_for(policy, order.merchant_id, one.channel))
      offers.add(channel, one.method);
  if (order.methods.empty())
    for (const std::string_view channel : usable_channels(policy, order.merchant_id)) offers.add_all(channel);
  return std::move(offers).take();
}

std::vector<OfferedMethod> methods_for(Device device, const std::vector<OfferedMethod>& methods) {
  std::vector<OfferedMethod> suited;
  std::ranges::copy_if(methods, std::back_inserter(suited),
                       [device](const OfferedMethod& one) { return works_on(device, one.kind); });
  return suited.empty() ? methods : suited;
}

}  // namespace finality::http
