// The payment methods that an order offers on its checkout page. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace finality {

/// A method of a channel, or of a kind of channels. Neither name contains a space or a slash.
struct CheckoutMethod {
  std::string channel;
  std::string method;

  friend bool operator==(const CheckoutMethod&, const CheckoutMethod&) = default;
};

/// Returns the text that the column `methods` of an order stores: `alipay/qr wechatpay/native`.
inline std::string text_of(const std::vector<CheckoutMethod>& methods) {
  std::string text;
  for (const CheckoutMethod& one : methods) text += (text.empty() ? "" : " ") + one.channel + '/' + one.method;
  return text;
}

/// Returns the methods in a stored text. REQUIRES: text_of() made the text.
inline std::vector<CheckoutMethod> checkout_methods_of(std::string_view text) {
  std::vector<CheckoutMethod> methods;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t slash = word.find('/');
    methods.push_back({std::string(word.substr(0, slash)), std::string(word.substr(slash + 1))});
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return methods;
}

}  // namespace finality
