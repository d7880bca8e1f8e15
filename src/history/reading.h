// A history as the checks read it: what each request was, what came of it, and which objects its answer tells of.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>

#include "history/check.h"

namespace finality::history {

/// An answer is true at one moment at least within it.
struct Window {
  std::int64_t from = 0;
  std::int64_t until = kNever;
};

enum class OperationOutcome : std::uint8_t {
  done,     // 2xx
  refused,  // 4xx: it has done nothing
  unknown,  // no answer, or 5xx: it may have been carried out, may still be, or never; unless its key tells more
};

struct Asked {
  std::size_t place = 0;  // in the history
  const Operation* operation = nullptr;
  OperationOutcome outcome = OperationOutcome::unknown;
  Window window;  // of a replayed answer it begins with the first request under its key
  bool is_post = false;
  std::vector<std::string_view> path;  // its parts after /v1
  std::map<std::string_view, std::string_view> query;
  std::string_view code;  // of a problem

  const boost::json::object& body() const { return operation->body; }
  const boost::json::object& answer() const { return operation->answer; }
  /// Whether it is POST of that path, where "*" stands for any part.
  bool posts(std::initializer_list<std::string_view> parts) const { return is_post && matches(parts); }
  bool matches(std::initializer_list<std::string_view> parts) const;
  /// Whether it may have done what it asks for: it was carried out, or nobody knows. Not, where another request under
  /// its key was refused for good.
  bool may_have_acted() const { return outcome != OperationOutcome::refused; }
};

/// An object in an answer.
struct Observation {
  const Asked* asked = nullptr;
  const boost::json::object* fields = nullptr;
  std::int64_t version = 0;

  Window window() const { return asked->window; }
  std::string_view state() const;
};

struct Object {
  std::string_view kind;                  // its `object`
  std::vector<Observation> observations;  // by version
};

struct Reading {
  std::vector<Asked> asked;
  std::map<std::string_view, Object> objects;  // by id
};

/// REQUIRES: `history` outlives it.
Reading read(std::span<const Operation> history);

/// A field as text or number; empty or nothing where it is absent or something else.
std::string_view text(const boost::json::object& fields, std::string_view name);
std::optional<std::int64_t> number(const boost::json::object& fields, std::string_view name);

/// Whether the answer is kept under its key, as the contract says.
bool is_kept(const Asked& asked);

/// Whether nothing can become of the object any more.
bool is_final(std::string_view kind, std::string_view state);

/// Collects what is impossible.
class Findings {
 public:
  explicit Findings(Report& report) : report_(report) {}

  template <class... Parts>
  void add(std::string_view object, std::string_view rule, std::vector<std::size_t> operations,
           fmt::format_string<Parts...> text, Parts&&... parts) {
    if (is_new(object, rule))
      report_.impossible.push_back({std::string(object), std::string(rule),
                                    fmt::format(text, std::forward<Parts>(parts)...), std::move(operations)});
  }
  Report& report() { return report_; }

 private:
  bool is_new(std::string_view object, std::string_view rule) const;

  Report& report_;
};

void check_keys(const Reading& reading, Findings& findings);
void check_objects(const Reading& reading, Findings& findings);
void check_numbers(const Reading& reading, Findings& findings);
void check_orders(const Reading& reading, Findings& findings);
void check_guards(const Reading& reading, Findings& findings);
void check_accounts(const Reading& reading, Findings& findings);

}  // namespace finality::history
