#include "app/problem_text.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "base/printable.h"

namespace finality::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kShownBytesMax = 300;  // of a body that is no problem

// Returns the text for a terminal, in one line.
std::string one_line(std::string_view text) {
  std::string line = printable(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::string text_in(const json::object& problem, std::string_view name) {
  const json::value* value = problem.if_contains(name);
  return value != nullptr && value->is_string() ? one_line(value->get_string()) : std::string();
}

}  // namespace

std::string problem_text(std::string_view body) {
  boost::system::error_code error;
  const json::value parsed = json::parse(body, error);
  const json::object* problem = error ? nullptr : parsed.if_object();
  const std::string title = problem == nullptr ? std::string() : text_in(*problem, "title");
  if (title.empty()) return one_line(body.substr(0, kShownBytesMax));
  std::string text = title;
  if (const std::string detail = text_in(*problem, "detail"); !detail.empty()) text += ": " + detail;
  std::string origin;
  if (const std::string field = text_in(*problem, "param"); !field.empty()) origin = "field " + field;
  if (const std::string request = text_in(*problem, "request_id"); !request.empty())
    origin += (origin.empty() ? "request " : ", request ") + request;
  return origin.empty() ? text : text + " (" + origin + ")";
}

}  // namespace finality::app
