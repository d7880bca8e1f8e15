#include "store/file_digest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/crypto/digest.h"
#include "store/archive/files.h"

namespace finality::store {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;
constexpr std::size_t kDigestDigits = 64;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::unexpected<Error> failed(std::string_view what, const std::string& file) {
  return fail(fmt::format("cannot {} {}: {}", what, file, std::strerror(errno)));
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Reads the whole file and calls take(bytes) with each part. Returns its SHA-256.
template <class Take>
Result<std::string> read_all(const std::string& file, Take take) {
  const Descriptor from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (from.number() < 0) return failed("open", file);
  Sha256 digest;
  std::vector<char> chunk(kChunkBytes);
  for (;;) {
    const ssize_t count = ::read(from.number(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("read", file);
    if (count == 0) return digest.finish();
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(count));
    digest.add(bytes);
    if (auto taken = take(bytes); !taken) return std::unexpected(taken.error());
  }
}

}  // namespace

Result<std::string> sha256_of(const std::string& file) {
  return read_all(file, [](std::string_view) { return Result<void>{}; });
}

Result<std::string> copy_file(const std::string& from, const std::string& to) {
  const Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (target.number() < 0) return failed("create", to);
  return read_all(from, [&](std::string_view bytes) -> Result<void> {
    return write_all(target.number(), bytes) ? Result<void>{} : Result<void>(failed("write", to));
  });
}

Result<void> write_digest(const std::string& file, const std::string& sha256) {
  auto writer = LineWriter::open(digest_file_of(file));
  if (!writer) return std::unexpected(writer.error());
  const std::string name = std::filesystem::path(file).filename();
  if (auto added = writer->add(fmt::format("{}  {}", sha256, name)); !added) return added;
  const auto written = writer->finish();
  return written ? Result<void>{} : std::unexpected(written.error());
}

Result<std::string> read_digest(const std::string& file) {
  const std::string place = digest_file_of(file);
  std::error_code ignored;
  if (!std::filesystem::exists(place, ignored))
    return fail(fmt::format(
        "{0} does not exist, so a damaged backup could not be recognized. Copy the digest, which `finality "
        "backup` wrote beside the backup, to {0}. If no digest exists, because an earlier version wrote the "
        "backup or the digest was lost, repeat the command with --without-digest: then only the structure "
        "of the backup is checked, and a changed value in a row is not found",
        place));
  std::vector<std::string> lines;
  const auto read = read_lines(place, [&](const std::string& line) -> Result<void> {
    if (lines.size() > 1) return fail(place + " has more than one line");
    lines.push_back(line);
    return {};
  });
  if (!read) return std::unexpected(read.error());
  const std::string digits = lines.size() == 1 ? lines.front().substr(0, kDigestDigits) : std::string();
  const bool is_digest = digits.size() == kDigestDigits &&
                         digits.find_first_not_of("0123456789abcdef") == std::string::npos &&
                         (lines.front().size() == kDigestDigits || lines.front()[kDigestDigits] == ' ');
  if (!is_digest)
    return fail(fmt::format("{} is not the SHA-256 of a file: expected one line as `sha256sum` prints it", place));
  return digits;
}

Result<void> compare_digests(const std::string& file, const std::string& found, const std::string& expected) {
  if (found == expected) return {};
  return fail(
      fmt::format("{} is not the file that {} describes: it was changed or damaged, or the digest is of another file "
                  "(SHA-256 {}, expected {}). Nothing was restored. Use another copy or another backup",
                  file, digest_file_of(file), found, expected));
}

}  // namespace finality::store
