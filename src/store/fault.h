// Reasons for which a store accepts no writes, although it can be read.
#pragma once

#include <string_view>
#include <utility>

#include "base/described.h"

namespace finality {

enum class StoreFault : std::uint8_t {
  disk_full,   // no space, or the disk quota or the limit of file sizes is reached
  disk_error,  // the disk returns an error
  read_only,   // the file, its directory, the file system or the database cannot be written
  damaged,     // a page of the file is damaged; the store refuses writes until an operator restores a backup
};
BOOST_DESCRIBE_ENUM(StoreFault, disk_full, disk_error, read_only, damaged)

/// The reason as the end of a sentence, for clients and operators.
constexpr std::string_view text_of(StoreFault fault) {
  constexpr std::pair<StoreFault, std::string_view> kTexts[] = {
      {StoreFault::disk_full, "the disk is full"},
      {StoreFault::disk_error, "the disk returns errors"},
      {StoreFault::read_only, "the store is read-only"},
      {StoreFault::damaged, "the store is damaged and must be restored from a backup"},
  };
  static_assert(std::size(kTexts) == kCount<StoreFault>);
  return kTexts[static_cast<std::size_t>(fault)].second;
}

}  // namespace finality
