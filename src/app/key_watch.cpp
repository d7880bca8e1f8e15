#include "app/key_watch.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <utility>

namespace finality::app {

KeyWatch::KeyWatch(std::vector<Keys> all) {
  for (Keys& keys : all) {
    auto stamps = stamps_of(keys.files);
    all_.push_back({std::move(keys), std::move(stamps)});
  }
}

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

bool KeyWatch::load(Watched& watched) {
  const std::string& channel = watched.keys.channel;
  const Result<void> loaded = watched.keys.load();
  if (loaded)
    spdlog::info("the keys of the channel {} were read again", channel);
  else
    spdlog::error("the channel {} goes on with the keys it has: {}", channel, loaded.error().message);
  return loaded.has_value();
}

std::size_t KeyWatch::look() {
  const std::scoped_lock lock(mutex_);
  std::size_t loaded = 0;
  for (Watched& watched : all_) {
    // Taken before the files are read: what is written meanwhile is seen at the next look.
    auto stamps = stamps_of(watched.keys.files);
    if (stamps == watched.seen) continue;
    watched.seen = std::move(stamps);
    loaded += load(watched);
  }
  return loaded;
}

std::size_t KeyWatch::load_all() {
  const std::scoped_lock lock(mutex_);
  std::size_t loaded = 0;
  for (Watched& watched : all_) {
    watched.seen = stamps_of(watched.keys.files);
    loaded += load(watched);
  }
  return loaded;
}

}  // namespace finality::app
