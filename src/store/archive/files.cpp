#include "store/archive/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace finality::store {
namespace {

std::unexpected<Error> failed(std::string_view what, const std::filesystem::path& path) {
  return fail(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

}  // namespace

std::filesystem::path unfinished(const std::filesystem::path& path) { return path.string() + ".unfinished"; }

LineWriter::LineWriter(std::filesystem::path path, std::FILE* file)
    : path_(std::move(path)), file_(file), digest_(std::make_unique<Sha256>()) {}

Result<LineWriter> LineWriter::open(std::filesystem::path path) {
  const int descriptor = ::open(unfinished(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::FILE* file = descriptor < 0 ? nullptr : ::fdopen(descriptor, "w");
  if (file == nullptr) return failed("write", unfinished(path));
  return LineWriter(std::move(path), file);
}

Result<void> LineWriter::add(const std::string& line) {
  const std::string text = line + '\n';
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) return failed("write", unfinished(path_));
  digest_->add(text);
  return {};
}

Result<std::string> LineWriter::finish() {
  if (std::fflush(file_.get()) != 0 || ::fsync(::fileno(file_.get())) != 0) return failed("sync", unfinished(path_));
  if (std::rename(unfinished(path_).c_str(), path_.c_str()) != 0) return failed("create", path_);
  if (auto synced = sync_directory(path_.parent_path()); !synced) return std::unexpected(synced.error());
  return digest_->finish();
}

Result<std::string> read_lines(const std::filesystem::path& path,
                               const std::function<Result<void>(const std::string&)>& take) {
  std::FILE* opened = std::fopen(path.c_str(), "re");
  if (opened == nullptr) return failed("read", path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(opened, std::fclose);
  Sha256 digest;
  char* line = nullptr;
  std::size_t room = 0;
  Result<void> taken;
  for (ssize_t length = 0; taken && (length = ::getline(&line, &room, opened)) >= 0;) {
    std::string text(line, static_cast<std::size_t>(length));
    digest.add(text);
    if (text.ends_with('\n')) text.pop_back();
    taken = take(text);
  }
  std::free(line);
  if (!taken) return std::unexpected(taken.error());
  if (std::ferror(opened) != 0) return failed("read", path);
  return digest.finish();
}

Result<void> sync_directory(const std::filesystem::path& path) {
  const std::filesystem::path place = path.empty() ? "." : path;
  const int descriptor = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failed("open", place);
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return synced ? Result<void>{} : failed("sync", place);
}

}  // namespace finality::store
