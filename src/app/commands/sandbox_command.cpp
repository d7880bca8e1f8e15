// Command `finality sandbox`: runs the simulated channels and payers as a separate process.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>

#include "app/clock_file.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/config/config.h"
#include "app/config/secret_file.h"
#include "base/net/io_pool.h"
#include "sandbox/sandbox.h"

namespace finality::app {
namespace {

struct Options {
  std::uint16_t port = 8090;
  std::string data = "demo-data";
  std::string keys;  // directory; empty: same directory as `data`
  double time_scale = 1.0;
  std::string clock_file;  // empty: the system clock
};

int run(const Options& options) {
  ignore_write_signals();
  std::error_code ignored;
  std::filesystem::create_directories(options.data, ignored);
  const auto secret = read_or_make_secret(options.data + "/sandbox.secret");
  if (!secret) return report(secret.error());
  auto clock = open_clock(options.clock_file);
  if (!clock) return report(clock.error());
  net::IoPool io(1);
  auto sandbox = sandbox::Sandbox::start(io, {.port = options.port,
                                              .data_directory = options.data,
                                              .time_scale = options.time_scale,
                                              .secret = *secret,
                                              .public_url = {},
                                              .keys_directory = options.keys,
                                              .clock = std::move(*clock)});
  if (!sandbox) return report(sandbox.error());
  std::fputs(fmt::format("The sandbox listens on http://127.0.0.1:{0}. Ledger: http://127.0.0.1:{0}/ledger\n",
                         (*sandbox)->port())
                 .c_str(),
             stdout);
  std::fflush(stdout);

  std::promise<void> stopped;
  std::atomic<bool> once{false};
  io.on_stop_signal([&] {
    if (once.exchange(true)) return;
    (*sandbox)->drain(std::chrono::seconds(5), [&] { stopped.set_value(); });
  });
  stopped.get_future().wait();
  sandbox->reset();
  return 0;
}

}  // namespace

void add_sandbox(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* sandbox = add_command(app, "sandbox", "Run simulated payment channels and payers");
  sandbox->add_option("--port", options->port, "Port to listen on; 0 selects a free port")->capture_default_str();
  sandbox->add_option("--data", options->data, "Data directory DIR: sandbox.db and sandbox.secret")
      ->capture_default_str();
  sandbox->add_option("--keys", options->keys,
                      "Directory of the gateways' keys and certificates, created if missing; default: DIR");
  sandbox
      ->add_option("--time-scale", options->time_scale,
                   "Speed up notification schedules and settlements by this factor")
      ->check(CLI::Range(kTimeScaleMin, kTimeScaleMax))
      ->capture_default_str();
  add_clock_option(*sandbox, options->clock_file);
  sandbox->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace finality::app
