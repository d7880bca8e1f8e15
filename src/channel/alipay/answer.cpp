#include "channel/alipay/answer.h"

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <optional>

#include "channel/alipay/signature.h"
#include "channel/parsing/json_fields.h"

namespace finality::alipay {
namespace {

constexpr std::size_t kCodeBytesMax = 100;
constexpr std::size_t kMessageBytesMax = 500;
constexpr std::size_t kSignatureBytesMax = 2048;

/// Splits the text of a JSON object into the raw bytes of its member names and values. Does not parse the values and
/// therefore accepts some invalid JSON; callers must parse every value that they use.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  bool take(char members) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != members) return false;
    ++at_;
    return true;
  }

  bool is_at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  /// Returns the next JSON string, including its quotes. Empty if the next token is not a terminated string.
  std::string_view take_string() {
    skip_blanks();
    const std::size_t from = at_;
    return skip_string() ? text_.substr(from, at_ - from) : std::string_view();
  }

  /// Returns the next value, without surrounding blanks: all bytes before the next comma or closing bracket outside
  /// nested values. Empty if there is no value or a string in it is unterminated.
  std::string_view take_value() {
    skip_blanks();
    const std::size_t from = at_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
      if (c == '"') {
        if (!skip_string()) return {};
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    }
    std::size_t end = at_;
    while (end > from && is_blank(text_[end - 1])) --end;
    return text_.substr(from, end - from);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool skip_string() {
    if (at_ >= text_.size() || text_[at_] != '"') return false;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        ++at_;
        return true;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string node_name(std::string_view method) {
  std::string name(method);
  std::ranges::replace(name, '.', '_');
  return name + "_response";
}

// Decodes a JSON string with quotes and escapes. Returns an empty string if `quoted` is not a JSON string.
std::string unquoted(std::string_view quoted) {
  boost::json::error_code error;
  const boost::json::value value = boost::json::parse(quoted, error);
  return !error && value.is_string() ? std::string(value.get_string()) : std::string();
}

// Returns Alipay's key for the certificate that the response names, or the only key in public-key mode. Null if this
// key is not configured.
const RsaPublicKey* key_of(const AlipayKeys& keys, const AnswerParts& parts) {
  const auto at = keys.alipay.find(keys.app_cert_sn.empty() ? "" : unquoted(parts.alipay_cert_sn));
  return at == keys.alipay.end() ? nullptr : &at->second;
}

std::optional<Rejection> check(const AlipayKeys& keys, const AnswerParts& parts) {
  if (parts.sign.empty()) return Rejection{"unsigned", "the channel's response has no signature"};
  const RsaPublicKey* key = key_of(keys, parts);
  if (key == nullptr)
    return Rejection{"unknown_certificate",
                     "the channel's response is signed with a certificate that is not configured"};
  if (parts.sign.size() > kSignatureBytesMax || !is_signed_by(*key, parts.node, unquoted(parts.sign)))
    return Rejection{"bad_signature", "the channel's response failed verification: its signature does not match"};
  return std::nullopt;
}

Rejection malformed(std::string reason) {
  return {"malformed", "the channel's response is malformed: " + std::move(reason)};
}

// Formats the sub_code of an unverified response for an error message. An unverified sub_code is never evidence.
std::string hint(std::string_view node) {
  const auto object = parse_object(node);
  if (!object) return "";
  const auto sub_code = text_field(*object, "sub_code", kCodeBytesMax);
  return sub_code ? fmt::format(" (sub_code {})", *sub_code) : "";
}

}  // namespace

Result<AnswerParts> split_answer(std::string_view method, std::string_view body) {
  const std::string own = '"' + node_name(method) + '"';
  Walker walker(body);
  AnswerParts parts;
  std::string_view node;
  std::string_view error_node;
  const std::pair<std::string_view, std::string_view*> members[] = {{own, &node},
                                                                    {"\"error_response\"", &error_node},
                                                                    {"\"sign\"", &parts.sign},
                                                                    {"\"alipay_cert_sn\"", &parts.alipay_cert_sn}};
  if (!walker.take('{')) return fail("it is not a JSON object");
  do {
    const std::string_view name = walker.take_string();
    if (name.empty() || !walker.take(':')) return fail("it is not a JSON object");
    const std::string_view value = walker.take_value();
    if (value.empty()) return fail("it is not a JSON object");
    for (const auto& [member, part] : members) {
      if (name != member) continue;
      if (!part->empty()) return fail("it has two members with the same name");
      *part = value;
    }
  } while (walker.take(','));
  if (!walker.take('}') || !walker.is_at_end()) return fail("it is not a JSON object");
  if (!node.empty() && !error_node.empty()) return fail("it has both a response and an error_response");
  parts.is_error = node.empty();
  parts.node = parts.is_error ? error_node : node;
  if (parts.node.empty()) return fail("its response node is missing");
  return parts;
}

std::expected<AlipayReply, Rejection> read_answer(const AlipayKeys& keys, std::string_view method,
                                                  const UpstreamResponse& response) {
  if (!response.http) return std::unexpected(Rejection{"timeout", response.failure});
  const int status = response.http->status;
  if (status != 200)
    return std::unexpected(
        Rejection{fmt::format("http_{}", status), fmt::format("the channel returned HTTP {}", status)});
  const auto parts = split_answer(method, response.http->body);
  if (!parts) return std::unexpected(malformed(parts.error().message));
  if (auto rejection = check(keys, *parts)) {
    rejection->message += hint(parts->node);
    return std::unexpected(std::move(*rejection));
  }
  auto node = parse_object(parts->node);
  if (!node) return std::unexpected(malformed("its response node is not a JSON object"));
  const auto code = text_field(*node, "code", kCodeBytesMax);
  if (!code || (parts->is_error && code == "10000")) return std::unexpected(malformed("its code is missing"));
  AlipayReply answer{.code = std::string(*code)};
  answer.sub_code = text_field(*node, "sub_code", kCodeBytesMax).value_or("");
  const auto message = text_field(*node, "sub_msg", kMessageBytesMax);
  answer.message = message ? *message : text_field(*node, "msg", kMessageBytesMax).value_or("");
  answer.node = std::move(*node);
  return answer;
}

}  // namespace finality::alipay
