#include "store/sqlite/flusher.h"

namespace finality::sqlite {
namespace {

class SqliteFlusher final : public Flusher {
 public:
  SqliteFlusher(Database database, std::shared_ptr<Flushed> flushed, std::shared_ptr<const Checkpointer> checkpointer)
      : database_(std::move(database)), flushed_(std::move(flushed)), checkpointer_(std::move(checkpointer)) {}

  Result<void> flush() override {
    if (auto failed = checkpointer_->failed()) return std::unexpected(*failed);
    const std::uint64_t ended = flushed_->ended();
    if (ended == reached_) return {};
    if (auto synced = database_.sync_log(); !synced) return synced;
    reached_ = ended;
    flushed_->advance(ended);
    return {};
  }

 private:
  Database database_;
  std::shared_ptr<Flushed> flushed_;
  std::shared_ptr<const Checkpointer> checkpointer_;
  std::uint64_t reached_ = 0;
};

}  // namespace

Result<std::unique_ptr<Flusher>> make_flusher(const std::string& path, std::shared_ptr<Flushed> flushed,
                                              std::shared_ptr<const Checkpointer> checkpointer,
                                              std::shared_ptr<Damage> damage) {
  auto database = Database::open(path, Database::Mode::write, std::move(damage));
  if (!database) return std::unexpected(database.error());
  // SQLite opens the log at the first read. The flusher needs the open log for its syncs.
  if (auto read = database->execute("SELECT 1 FROM nodes"); !read) return std::unexpected(read.error());
  return std::make_unique<SqliteFlusher>(std::move(*database), std::move(flushed), std::move(checkpointer));
}

}  // namespace finality::sqlite
