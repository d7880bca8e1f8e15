#include "app/secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/random.h"

namespace finality::app {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
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

Result<Secret> read_or_make_secret(const std::string& path) {
  std::string text = read_file(path);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) return Secret(text);
  text = random_hex(32);
  if (auto written = write_private_file(path, text + "\n"); !written) return std::unexpected(written.error());
  return Secret(text);
}

}  // namespace finality::app
