#include "store/backup.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "store/postgres/backup.h"
#include "store/sqlite/backup.h"
#include "store/store.h"

namespace finality {
namespace {

struct Kind {
  std::string_view scheme;
  bool keeps_scheme;  // in what the functions are given
  Result<void> (*back_up)(const std::string& place, const std::string& file);
  Result<void> (*restore)(const std::string& place, const std::string& file);
};

constexpr std::array<Kind, 3> kKinds = {{
    {"sqlite:", false, sqlite::back_up, sqlite::restore},
    {"postgres://", true, postgres::back_up, postgres::restore},
    {"postgresql://", true, postgres::back_up, postgres::restore},
}};

template <class Function>
Result<void> on_kind_of(const std::string& url, const std::string& file, Function Kind::* function) {
  for (const Kind& kind : kKinds)
    if (url.starts_with(kind.scheme) && url.size() > kind.scheme.size())
      return (kind.*function)(kind.keeps_scheme ? url : url.substr(kind.scheme.size()), file);
  return fail(fmt::format("that names no store: use {}", kStoreUrls));
}

}  // namespace

Result<void> back_up(const std::string& url, const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return fail(file + " is there already. Name a new file.");
  return on_kind_of(url, file, &Kind::back_up);
}

Result<void> restore(const std::string& url, const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(file + " is not there.");
  return on_kind_of(url, file, &Kind::restore);
}

}  // namespace finality
