// The sandbox as a child process that outlives a crash of the server: a restarted demo adopts it, a stopped one stops
// it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace finality::app {

class SandboxProcess {
 public:
  /// Adopts the sandbox that runs on `data`, or starts one there, with its gateways' keys in `keys` and the time of
  /// `clock_file`, and waits until it answers.
  static Result<SandboxProcess> start_or_adopt(const std::string& data, const std::string& keys, std::uint16_t port,
                                               double time_scale, const std::string& clock_file);

  std::uint16_t port() const { return port_; }
  bool adopted() const { return adopted_; }
  /// Asks it to stop and waits until it is gone.
  void stop();

 private:
  int process_ = 0;
  std::uint16_t port_ = 0;
  bool adopted_ = false;
  std::string note_;  // DIR/sandbox.pid: who runs on this directory
};

}  // namespace finality::app
