// Test fixture of the store contract suites: a SQLite store in a temporary directory.
#pragma once

#include <memory>

#include "base/testing/temporary_directory.h"
#include "store/contract/store_contract.h"

namespace finality::store_contract {

class SqlitePlace final : public Place {
 public:
  std::unique_ptr<Store> open() override { return must(open_store({.url = "sqlite:" + directory_.file("store.db")})); }
  std::unique_ptr<Session> take_over(Store& store, const Session&) override { return must(store.open_session()); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace finality::store_contract
