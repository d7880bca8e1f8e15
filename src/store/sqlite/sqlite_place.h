// For the contract suites: a store on SQLite in a directory of its own.
#pragma once

#include <memory>

#include "base/temporary_directory.h"
#include "store/everything.h"

namespace finality::store_contract {

class SqlitePlace {
 public:
  std::unique_ptr<Store> open() { return must(open_store({.url = "sqlite:" + directory_.file("store.db")})); }
  std::unique_ptr<Session> take_over(Store& store, const Session&) { return must(store.open_session()); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace finality::store_contract
