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
  bool keeps_scheme;  // true: the functions expect the URL; false: the URL without its scheme, a path
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
  return fail(fmt::format("invalid store URL: use {}", kStoreUrls));
}

}  // namespace

Result<void> back_up(const std::string& url, const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return fail(file + " already exists. Name a new file.");
  return on_kind_of(url, file, &Kind::back_up);
}

Result<void> restore(const std::string& url, const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(file + " does not exist.");
  return on_kind_of(url, file, &Kind::restore);
}

}  // namespace finality
