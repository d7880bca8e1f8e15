#include "store/memory/disk.h"

#include <utility>

namespace finality::memory {

void Disk::keep(Write write) {
  const std::lock_guard lock(tables_->mutex);
  unflushed_.push_back(std::move(write));
}

void Disk::flush() {
  const std::lock_guard lock(tables_->mutex);
  for (const Write& write : std::exchange(unflushed_, {})) write(*tables_);
}

void Disk::lose_power(Tables& memory) {
  const std::lock_guard in_memory(memory.mutex);  // locked before the disk's mutex, in the same order as in commits
  const std::lock_guard on_disk(tables_->mutex);
  unflushed_.clear();
  auto nodes = std::move(memory.nodes);
  static_cast<Contents&>(memory) = *tables_;
  for (auto& [number, node] : nodes) node.ids_until = memory.nodes[number].ids_until;
  memory.nodes = std::move(nodes);
}

}  // namespace finality::memory
