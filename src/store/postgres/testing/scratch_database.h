// A database that lasts as long as this object: for simulated worlds.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace finality::postgres {

class ScratchDatabase {
 public:
  /// Makes the database `name` on the server of `server_url`, whose role must be allowed to. An older one of that name,
  /// left behind by a process that was killed, is dropped.
  static Result<std::unique_ptr<ScratchDatabase>> make(const std::string& server_url, const std::string& name);
  /// REQUIRES: whoever used it has closed its connections; what is still open is cut.
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
