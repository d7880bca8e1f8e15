#include "http/input/json_document.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "base/crypto/encoding.h"
#include "base/limits.h"

namespace finality::http {
namespace {

namespace json = boost::json;
using json::error_code;
using json::string_view;

// Handler of json::basic_parser that builds the value, and rejects objects with repeated names. The standard parser of
// Boost.JSON accepts repeated names.
class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) {
    names_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t count, error_code& error) {
    const std::optional<std::string> repeated = repeated_name(names_.back());
    names_.pop_back();
    if (repeated) {
      repeated_ = path_of(*repeated);
      error = json::error::extra_data;
      return false;
    }
    stack_.push_object(count);
    return true;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t count, error_code&) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(string_view part, std::size_t, error_code&) {
    name_ += std::string_view(part);
    stack_.push_chars(part);
    return true;
  }
  bool on_key(string_view part, std::size_t, error_code&) {
    name_ += std::string_view(part);
    names_.back().push_back(std::move(name_));
    name_.clear();
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(string_view part, std::size_t, error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(string_view part, std::size_t, error_code&) {
    stack_.push_string(part);
    return true;
  }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t value, string_view, error_code&) {
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, string_view, error_code&) {
    stack_.push_uint64(value);
    return true;
  }
  bool on_double(double value, string_view, error_code&) {
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, error_code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

  void begin() { stack_.reset(); }
  json::value release() { return stack_.release(); }
  const std::optional<std::string>& repeated() const { return repeated_; }

 private:
  static std::optional<std::string> repeated_name(std::vector<std::string> names) {
    std::ranges::sort(names);
    const auto at = std::ranges::adjacent_find(names);
    return at == names.end() ? std::nullopt : std::optional(*at);
  }
  std::string path_of(std::string_view name) const {
    std::string path;
    for (const std::vector<std::string>& outer : names_)
      if (!outer.empty()) path += shortened(outer.back()) + '.';
    return path + shortened(name);
  }

  json::value_stack stack_;
  std::string name_;                             // the part of the current name that is parsed so far
  std::vector<std::vector<std::string>> names_;  // names in each open object, outermost object first
  std::optional<std::string> repeated_;
};

// Returns the line and column of the byte at `offset`. Both start at 1, and columns count bytes.
std::string position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 in the first line: npos + 1
  return "line " + std::to_string(line) + ", column " + std::to_string(offset - line_start + 1);
}

// Converts a parser error to a refusal. `offset`: position of the byte at which the parser stopped.
Refusal refusal_of(const error_code& error, std::string_view text, std::size_t offset) {
  std::string detail;
  if (error == json::error::too_deep) {
    detail = "The body is nested more than " + std::to_string(limits::kJsonDepthMax) + " levels deep.";
  } else if (error == json::error::incomplete) {
    detail = "The body is not valid JSON: unexpected end at " + position_of(text, offset) + ".";
  } else {
    detail = "The body is not valid JSON at " + position_of(text, offset) + ": " + error.message() + ".";
  }
  return {RefusalCode::invalid_request, std::move(detail), {}, {}};
}

}  // namespace

std::string shortened(std::string_view name) {
  constexpr std::size_t kBytesMax = 64;
  std::string text(name.substr(0, kBytesMax));
  while (!is_utf8(text)) text.pop_back();
  return text;
}

std::expected<json::value, Refusal> parse_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = limits::kJsonDepthMax;
  json::basic_parser<Builder> parser(options);
  parser.handler().begin();
  error_code error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (const std::optional<std::string>& path = parser.handler().repeated())
    return std::unexpected(
        Refusal{RefusalCode::invalid_request, *path + " occurs more than once in the body.", *path, {}});
  if (!error && used < text.size()) error = json::error::extra_data;
  if (error) return std::unexpected(refusal_of(error, text, used));
  return parser.handler().release();
}

}  // namespace finality::http
