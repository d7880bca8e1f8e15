#include "app/key_watch.h"
#include "base/log.h"

#include <sys/stat.h>

namespace finality::app {

std::vector<KeyWatch::Stamp> KeyWatch::stamps_of(const std::vector<std::string>& files) {
  std::vector<Stamp> stamps;
  for (const std::string& file : files) {
    struct stat found{};
    Stamp& stamp = stamps.emplace_back();
    if (::stat(file.c_str(), &found) != 0) continue;
    stamp = {static_cast<std::int64_t>(found.st_ino), found.st_size,
             found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
  }
  return stamps;
}

bool KeyWatch::load(const Keys& keys) {
  const Result<void> loaded = keys.load();
  if (loaded)
    log::info("channel keys reloaded", {{"channel", keys.channel}});
  else
    log::error("channel keys not reloaded; the previous keys stay in use",
               {{"channel", keys.channel}, {"error", loaded.error().message}});
  return loaded.has_value();
}

std::size_t KeyWatch::look() {
  const std::scoped_lock lock(mutex_);
  std::size_t loaded = 0;
  for (Keys& keys : all_) {
    // Stamped before the files are read, so that the next look() detects changes during the load.
    auto stamps = stamps_of(keys.files);
    if (stamps == keys.seen) continue;
    keys.seen = std::move(stamps);
    loaded += load(keys);
  }
  return loaded;
}

std::size_t KeyWatch::load_all() {
  const std::scoped_lock lock(mutex_);
  std::size_t loaded = 0;
  for (Keys& keys : all_) {
    keys.seen = stamps_of(keys.files);
    loaded += load(keys);
  }
  return loaded;
}

}  // namespace finality::app
