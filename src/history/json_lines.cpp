#include "history/json_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>

namespace finality::history {
namespace {

namespace json = boost::json;

constexpr std::string_view kFields[] = {"call", "return", "client",   "merchant", "method", "path",
                                        "key",  "body",   "replayed", "status",   "answer"};

// Reads the fields of a line and stores the first error.
class Line {
 public:
  explicit Line(const json::object& fields) : fields_(fields) {
    for (const auto& [name, value] : fields)
      if (std::ranges::find(kFields, std::string_view(name)) == std::ranges::end(kFields))
        wrong_ = fmt::format("unknown field \"{}\"; allowed: {}", std::string_view(name), fmt::join(kFields, ", "));
  }
  bool has(std::string_view name) const { return fields_.contains(name); }
  void take(std::string_view name, std::int64_t& out) {
    const json::value* value = fields_.if_contains(name);
    if (value != nullptr && value->is_int64())
      out = value->get_int64();
    else if (value != nullptr)
      expect(name, "an integer");
  }
  void take(std::string_view name, int& out) {
    std::int64_t value = out;
    take(name, value);
    out = static_cast<int>(value);
  }
  void take(std::string_view name, bool& out) {
    const json::value* value = fields_.if_contains(name);
    if (value != nullptr && value->is_bool())
      out = value->get_bool();
    else if (value != nullptr)
      expect(name, "true or false");
  }
  void take(std::string_view name, std::string& out) {
    const json::value* value = fields_.if_contains(name);
    if (value != nullptr && value->is_string())
      out = value->get_string();
    else if (value != nullptr)
      expect(name, "a string");
  }
  void take(std::string_view name, json::object& out) {
    const json::value* value = fields_.if_contains(name);
    if (value != nullptr && value->is_object())
      out = value->get_object();
    else if (value != nullptr)
      expect(name, "an object");
  }
  void require(bool holds, std::string why) {
    if (!holds && !wrong_) wrong_ = std::move(why);
  }
  const std::optional<std::string>& wrong() const { return wrong_; }

 private:
  void expect(std::string_view name, std::string_view what) {
    require(false, fmt::format("\"{}\" must be {}", name, what));
  }

  const json::object& fields_;
  std::optional<std::string> wrong_;
};

}  // namespace

Result<Operation> parse_operation(std::string_view text) {
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error);
  if (error) return fail("invalid JSON: " + error.message());
  if (!parsed.is_object()) return fail("a line must be a JSON object");
  Operation operation;
  Line line(parsed.get_object());
  line.take("call", operation.call);
  line.take("return", operation.returned);
  line.take("client", operation.client);
  line.take("merchant", operation.merchant);
  line.take("method", operation.method);
  line.take("path", operation.path);
  line.take("key", operation.key);
  line.take("body", operation.body);
  line.take("replayed", operation.replayed);
  line.take("status", operation.status);
  line.take("answer", operation.answer);
  line.require(line.has("call") && line.has("method") && line.has("path"), "call, method and path are required");
  line.require(line.has("return") == line.has("status"), "return and status must be both present or both absent");
  line.require(operation.returned > operation.call, "return must be later than call");
  if (line.wrong()) return fail(*line.wrong());
  return operation;
}

json::object to_json(const Operation& operation) {
  json::object out{{"call", operation.call}};
  if (operation.status != 0) out["return"] = operation.returned;
  if (!operation.client.empty()) out["client"] = operation.client;
  if (!operation.merchant.empty()) out["merchant"] = operation.merchant;
  out["method"] = operation.method;
  out["path"] = operation.path;
  if (!operation.key.empty()) out["key"] = operation.key;
  if (!operation.body.empty()) out["body"] = operation.body;
  if (operation.replayed) out["replayed"] = true;
  if (operation.status != 0) {
    out["status"] = operation.status;
    out["answer"] = operation.answer;
  }
  return out;
}

std::string to_line(const Operation& operation) { return json::serialize(to_json(operation)); }

}  // namespace finality::history
