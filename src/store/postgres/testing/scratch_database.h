// Temporary database for simulations, dropped by the destructor.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace finality::postgres {

class ScratchDatabase {
 public:
  /// Creates the database `name` on the server at `server_url`. The role of the URL must be allowed to create
  /// databases. First drops an existing database of that name, which a killed process may have left.
  static Result<std::unique_ptr<ScratchDatabase>> make(const std::string& server_url, const std::string& name);
  /// Drops the database, and terminates its remaining connections.
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
