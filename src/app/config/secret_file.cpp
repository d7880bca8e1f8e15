#include "app/config/secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/crypto/random.h"
#include "base/log.h"

namespace finality::app {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::string text(bytes_max + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  if (text.size() > bytes_max) return fail(fmt::format("{} is longer than {} bytes", path, bytes_max));
  return text;
}

Result<void> write_private_file(const std::string& path, const std::string& text) {
  const std::string next = path + ".new";
  const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return fail(fmt::format("cannot write {}: {}", next, std::strerror(errno)));
  const bool written =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  ::close(file);
  if (!written || std::rename(next.c_str(), path.c_str()) != 0)
    return fail(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return {};
}

std::optional<std::string> wide_mode_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IRWXO) == 0) return std::nullopt;
  return fmt::format("{:04o}", status.st_mode & 07777);
}

void warn_of_wide_mode(const std::string& path) {
  if (const auto mode = wide_mode_of(path))
    log::warn("other users can access a file with a secret",
              {{"file", path}, {"mode", *mode}, {"run", "chmod o= " + path}});
}

Result<Secret> secret_of(std::string text, const std::string& name) {
  text.erase(text.find_last_not_of("\r\n") + 1);
  if (text.empty()) return fail(fmt::format("{} is empty", name));
  if (text.size() > kSecretBytesMax) return fail(fmt::format("{} is longer than {} bytes", name, kSecretBytesMax));
  return Secret(std::move(text));
}

Result<Secret> read_secret(const std::string& path) {
  auto text = read_whole_file(path, kSecretBytesMax);
  if (!text) return std::unexpected(text.error());
  return secret_of(std::move(*text), path);
}

Result<Secret> read_or_make_secret(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) || unknown) return read_secret(path);
  const std::string text = random_hex(32);
  if (auto written = write_private_file(path, text + "\n"); !written) return std::unexpected(written.error());
  return Secret(text);
}

}  // namespace finality::app
