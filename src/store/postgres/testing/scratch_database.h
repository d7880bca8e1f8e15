// Temporary database for simulations, dropped by the destructor.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace finality::postgres {

class ScratchDatabase {
 public:
  /// Creates the database `name` on the server of `server_url`, whose role must be allowed to create databases. First
  /// drops an older database of that name, which a killed process may have left.
  static Result<std::unique_ptr<ScratchDatabase>> make(const std::string& server_url, const std::string& name);
  /// Drops the database. REQUIRES: its users have closed their connections; the server terminates those still open.
  ~ScratchDatabase();
  ScratchDatabase(const ScratchDatabase&) = delete;
  ScratchDatabase& operator=(const ScratchDatabase&) = delete;

  const std::string& url() const { return url_; }

 private:
  ScratchDatabase(std::string server_url, std::string name, std::string url);

  std::string server_url_;
  std::string name_;
  std::string url_;
};

}  // namespace finality::postgres
