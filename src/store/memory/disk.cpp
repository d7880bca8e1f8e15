#include "store/memory/disk.h"

#include <utility>

namespace finality::memory {

void Disk::keep(Write write) {
  const std::lock_guard lock(mutex_);
  unflushed_.push_back(std::move(write));
}

void Disk::flush() {
  const std::lock_guard lock(mutex_);
  const Exclusive writing(tables_->mutex);
  for (const Write& write : std::exchange(unflushed_, {})) write(*tables_);
}

void Disk::lose_power(Tables& memory) {
  const std::lock_guard lock(mutex_);
  unflushed_.clear();
  const std::shared_lock reading(tables_->mutex);
  const Exclusive writing(memory.mutex);
  auto nodes = std::move(memory.nodes);
  static_cast<Contents&>(memory) = *tables_;
  for (auto& [number, node] : nodes) node.ids_until = memory.nodes[number].ids_until;
  memory.nodes = std::move(nodes);
}

}  // namespace finality::memory
