#include "sandbox/alipay/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/crypto/encoding.h"

namespace finality::sandbox::alipay {
namespace {

struct Meaning {
  std::string_view code;
  std::string_view message;
};

constexpr std::array<Meaning, 8> kMeanings{{{"10000", "Success"},
                                            {"10003", "order success pay inprocess"},
                                            {"20000", "Service Currently Unavailable"},
                                            {"40001", "Missing Required Arguments"},
                                            {"40002", "Invalid Arguments"},
                                            {"40004", "Business Failed"},
                                            {"40005", "Call Limited"},
                                            {"40006", "Insufficient Permissions"}}};

std::string replace_all(std::string_view text, char from, std::string_view to) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == from) {
      out += to;
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string> form_decode(std::string_view text) { return percent_decode(replace_all(text, '+', "%20")); }

// Percent-encodes `text` for a form. Encodes a space as `+`, like Java's URLEncoder.
std::string form_encode(std::string_view text) {
  std::string out = percent_encode(text);
  for (std::size_t at = out.find("%20"); at != std::string::npos; at = out.find("%20", at)) out.replace(at, 3, "+");
  return out;
}

std::string content_without(const Params& params, bool sign_type_too) {
  std::string content;
  for (const auto& [name, value] : params) {
    if (name == "sign" || value.empty() || (sign_type_too && name == "sign_type")) continue;
    if (!content.empty()) content += '&';
    content += name + "=" + value;
  }
  return content;
}

boost::json::object node_of(std::string_view code) {
  const auto* meaning = std::ranges::find(kMeanings, code, &Meaning::code);
  return {{"code", code}, {"msg", meaning != kMeanings.end() ? meaning->message : std::string_view()}};
}

// Serializes the node in `charset` with every `/` as `\/`, as Alipay does. The result is valid JSON, because a `/`
// occurs only inside strings.
std::string text_of(const boost::json::object& node, const Charset& charset) {
  return encode(charset, replace_all(boost::json::serialize(node), '/', "\\/"));
}

std::string name_of_response(std::string_view method) { return replace_all(method, '.', "_") + "_response"; }

}  // namespace

bool add_form(std::string_view text, Params& params) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    auto name = form_decode(pair.substr(0, equals));
    auto value = form_decode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
    if (!name || !value) return false;
    params[std::move(*name)] = std::move(*value);
  }
  return true;
}

bool convert_to_utf8(const Charset& charset, Params& params) {
  for (auto& [name, value] : params) {
    auto converted = decode(charset, value);
    if (!converted) return false;
    value = std::move(*converted);
  }
  return true;
}

std::string to_form(const Params& params) {
  std::string form;
  for (const auto& [name, value] : params) {
    if (!form.empty()) form += '&';
    form += form_encode(name) + "=" + form_encode(value);
  }
  return form;
}

std::string content_of_request(const Params& params) { return content_without(params, false); }

std::string content_of_notification(const Params& params) { return content_without(params, true); }

std::string_view value_of(const Params& params, std::string_view name) {
  const auto found = params.find(name);
  return found != params.end() ? std::string_view(found->second) : std::string_view();
}

std::string sign(const RsaPrivateKey& key, std::string_view content) { return to_base64(key.sign(content)); }

bool verifies(const RsaPublicKey& key, std::string_view content, std::string_view base64) {
  const std::optional<std::string> signature = from_base64(base64);
  return signature && key.verifies(content, *signature);
}

boost::json::object success() { return node_of("10000"); }

boost::json::object pay_in_process() { return node_of("10003"); }

boost::json::object failure(std::string_view code, std::string_view sub_code, std::string_view sub_msg) {
  boost::json::object node = node_of(code);
  node["sub_code"] = sub_code;
  node["sub_msg"] = sub_msg;
  return node;
}

boost::json::object business_failure(std::string_view sub_code, std::string_view sub_msg) {
  return failure("40004", sub_code, sub_msg);
}

std::string signed_answer(std::string_view method, const boost::json::object& node, const Charset& charset,
                          const RsaPrivateKey& key, std::string_view certificate_sn) {
  const std::string text = text_of(node, charset);
  const std::string sn = certificate_sn.empty() ? "" : fmt::format(R"("alipay_cert_sn":"{}",)", certificate_sn);
  return fmt::format(R"({{"{}":{},{}"sign":"{}"}})", name_of_response(method), text, sn, sign(key, text));
}

std::string gateway_refusal(const boost::json::object& node, const Charset& charset) {
  return fmt::format(R"({{"error_response":{}}})", text_of(node, charset));
}

}  // namespace finality::sandbox::alipay
