#include "store/backup.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "store/file_digest.h"
#include "store/postgres/backup.h"
#include "store/sqlite/backup.h"
#include "store/sqlite/files.h"
#include "store/store.h"

namespace finality {
namespace {

struct Kind {
  std::string_view scheme;
  bool keeps_scheme;  // true: the functions expect the URL; false: the URL without its scheme, a path
  Result<void> (*back_up)(const std::string& place, const std::string& file, const BackupProgress& progress);
  Result<void> (*restore)(const std::string& place, const std::string& file, const std::string& sha256,
                          const BackupProgress& progress);
};

constexpr std::array<Kind, 3> kKinds = {{
    {"sqlite:", false, sqlite::back_up, sqlite::restore},
    {"postgres://", true, postgres::back_up, postgres::restore},
    {"postgresql://", true, postgres::back_up, postgres::restore},
}};

Result<const Kind*> kind_of(const std::string& url) {
  for (const Kind& kind : kKinds)
    if (url.starts_with(kind.scheme) && url.size() > kind.scheme.size()) return &kind;
  return fail(fmt::format("invalid store URL: use {}", kStoreUrls));
}

std::string place_of(const Kind& kind, const std::string& url) {
  return kind.keeps_scheme ? url : url.substr(kind.scheme.size());
}

// Called before each step; a caller need not pass a function.
BackupProgress or_silent(const BackupProgress& progress) {
  return progress ? progress : [](std::string_view) {};
}

// The digest gets its name before the copy, so that a copy always has its digest.
Result<void> finish(const std::string& unfinished, const std::string& file) {
  const auto digest = store::sha256_of(unfinished);
  if (!digest) return std::unexpected(digest.error());
  if (auto written = store::write_digest(file, *digest); !written) return written;
  return sqlite::put_in_place(unfinished, file);
}

}  // namespace

Result<void> back_up(const std::string& url, const std::string& file, const BackupProgress& progress) {
  std::error_code ignored;
  for (const std::string& name : {file, store::digest_file_of(file)})
    if (std::filesystem::exists(name, ignored)) return fail(name + " already exists. Name a new file.");
  const auto kind = kind_of(url);
  if (!kind) return std::unexpected(kind.error());
  const BackupProgress report = or_silent(progress);
  const std::string unfinished = file + ".unfinished";
  std::filesystem::remove(unfinished, ignored);
  Result<void> done = (*kind)->back_up(place_of(**kind, url), unfinished, report);
  if (done) {
    report("computing the SHA-256 of the copy");
    done = finish(unfinished, file);
  }
  if (!done)
    for (const std::string& name : {unfinished, file, store::digest_file_of(file)})
      std::filesystem::remove(name, ignored);
  return done;
}

Result<void> restore(const RestoreRequest& request, const BackupProgress& progress) {
  std::error_code ignored;
  if (!std::filesystem::exists(request.file, ignored)) return fail(request.file + " does not exist.");
  const auto kind = kind_of(request.url);
  if (!kind) return std::unexpected(kind.error());
  std::string sha256;
  if (!request.without_digest) {
    auto expected = store::read_digest(request.file);
    if (!expected) return std::unexpected(expected.error());
    sha256 = std::move(*expected);
  }
  return (*kind)->restore(place_of(**kind, request.url), request.file, sha256, or_silent(progress));
}

}  // namespace finality
