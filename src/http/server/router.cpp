#include "http/server/router.h"

#include <algorithm>
#include <optional>

#include "base/check.h"

namespace finality::http {
namespace {

constexpr std::size_t kSegmentsMax = 8;

struct Segments {
  std::array<std::string_view, kSegmentsMax> parts;
  std::size_t count = 0;
};

// Splits a path into segments: "/v1/orders" has two. Returns empty if the path does not start with '/', or has too many
// segments.
std::optional<Segments> split(std::string_view path) {
  Segments segments;
  while (!path.empty()) {
    if (path.front() != '/' || segments.count == kSegmentsMax) return std::nullopt;
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.parts[segments.count++] = path.substr(0, end);
    path.remove_prefix(end);
  }
  return segments;
}

bool fits(const std::vector<std::string>& pattern, const Segments& path,
          std::array<std::string_view, kPathParametersMax>& parameters) {
  if (pattern.size() != path.count) return false;
  std::size_t found = 0;
  for (std::size_t i = 0; i < path.count; ++i) {
    if (!pattern[i].empty()) {
      if (pattern[i] != path.parts[i]) return false;
    } else {
      if (path.parts[i].empty()) return false;
      parameters[found++] = path.parts[i];
    }
  }
  return true;
}

bool is_spelled_out(const std::vector<std::string>& pattern) { return std::ranges::count(pattern, "") == 0; }

void add_allowed(std::string& allow, std::string_view method) {
  if (!allow.empty()) allow += ", ";
  allow += method;
  if (method == "GET") allow += ", HEAD";
}

}  // namespace

void Router::add(HttpRoute route) {
  const std::optional<Segments> segments = split(route.pattern);
  FINALITY_CHECK(segments.has_value(), "the pattern of a route is not a path");
  Entry entry;
  for (std::size_t i = 0; i < segments->count; ++i) {
    const std::string_view part = segments->parts[i];
    entry.segments.emplace_back(part.starts_with('{') ? std::string_view{} : part);
  }
  FINALITY_CHECK(std::ranges::count(entry.segments, "") <= std::ptrdiff_t{kPathParametersMax},
                 "a route with too many placeholders");
  entry.route = std::make_unique<HttpRoute>(std::move(route));
  entries_.push_back(std::move(entry));
}

Match Router::match(std::string_view method, std::string_view path) const {
  Match match;
  const std::optional<Segments> segments = split(path);
  if (!segments) return match;
  const std::string_view route_method = method == "HEAD" ? std::string_view("GET") : method;
  for (const bool spelled_out : {true, false}) {
    for (const Entry& entry : entries_) {
      if (is_spelled_out(entry.segments) != spelled_out || !fits(entry.segments, *segments, match.parameters)) continue;
      if (entry.route->method == route_method) {
        match.route = entry.route.get();
        match.allow.clear();
        return match;
      }
      add_allowed(match.allow, entry.route->method);
    }
    if (!match.allow.empty()) return match;
  }
  return match;
}

std::vector<const HttpRoute*> Router::routes() const {
  std::vector<const HttpRoute*> all;
  for (const Entry& entry : entries_) all.push_back(entry.route.get());
  return all;
}

}  // namespace finality::http
