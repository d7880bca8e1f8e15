// Sandbox process of a demo. It survives a crash of the server: a restarted demo adopts the running sandbox. A demo
// that stops normally stops the sandbox.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace finality::app {

/// Fails when `port` of 127.0.0.1 is in use. The message names its `user` ("sandbox") and the command line `option`
/// that selects another port. Port 0 is always free.
Result<void> check_port(std::uint16_t port, std::string_view user, std::string_view option);

class SandboxProcess {
 public:
  /// Adopts the sandbox that runs on `data`, or starts one there with the gateways' keys in `keys` and the clock in
  /// `clock_file`. Waits until the sandbox responds. Fails if `port` is in use or the sandbox does not respond in time.
  static Result<SandboxProcess> start_or_adopt(const std::string& data, const std::string& keys, std::uint16_t port,
                                               double time_scale, const std::string& clock_file);

  std::uint16_t port() const { return port_; }
  /// True if the sandbox was already running and has been adopted.
  bool adopted() const { return adopted_; }
  /// Stops the sandbox and waits until it has exited.
  void stop();

 private:
  int process_ = 0;
  std::uint16_t port_ = 0;
  bool adopted_ = false;
  std::string note_;  // DIR/sandbox.pid: process id and port of the sandbox
};

}  // namespace finality::app
