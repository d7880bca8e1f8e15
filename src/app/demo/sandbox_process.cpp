#include "app/demo/sandbox_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <thread>

#include "app/config/secret_file.h"
#include "base/net/http_client.h"
#include "base/net/http_server.h"

namespace finality::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartPatience = 30s;  // long, because the first start generates keys
constexpr auto kStopPatience = 10s;
constexpr auto kPollEvery = 10ms;

bool answers(std::uint16_t port) {
  net::IoPool io(1);
  const auto client = net::HttpClient::create(io);
  std::promise<bool> answered;
  client->call(
      {.url = fmt::format("http://127.0.0.1:{}/healthz", port), .timeout = Duration(500)},
      [&](const net::CallResult& outcome) { answered.set_value(outcome.answered && outcome.response.status == 200); });
  return answered.get_future().get();
}

// Whether the process runs this program. A stored process id can belong to another program by now.
bool is_finality(int process) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), error);
  return !error && program.filename().string().starts_with("finality");
}

// Runs this program as `finality sandbox` in a separate session, so that Ctrl-C stops only the server. Returns the
// process id.
Result<int> spawn(const std::string& data, const std::string& keys, std::uint16_t port, double time_scale,
                  const std::string& clock_file) {
  const std::string log = data + "/sandbox.log";
  const std::string port_text = fmt::format("{}", port);
  const std::string scale_text = fmt::format("{}", time_scale);
  const int process = ::fork();
  if (process < 0) return fail("cannot start the sandbox: fork failed");
  if (process > 0) return process;

  ::setsid();
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int in = ::open("/dev/null", O_RDONLY);
  if (in >= 0) ::dup2(in, STDIN_FILENO);
  if (out >= 0) {
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
  }
  ::execl("/proc/self/exe", "finality", "sandbox", "--port", port_text.c_str(), "--data", data.c_str(), "--keys",
          keys.c_str(), "--time-scale", scale_text.c_str(), "--clock", clock_file.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

}  // namespace

Result<void> check_port(std::uint16_t port, std::string_view user, std::string_view option) {
  net::IoPool io(1);
  const auto probe =
      net::HttpServer::listen(io, {.port = port}, [](const net::HttpRequest&, const net::Respond& respond) {
        respond({.status = 503, .headers = {}, .body = {}});
      });
  if (probe) return {};
  return fail(
      fmt::format("port {} for the {} is in use. Select another port with {}, or stop the program that uses it "
                  "(`ss -ltnp | grep :{}` shows it)",
                  port, user, option, port));
}

Result<SandboxProcess> SandboxProcess::start_or_adopt(const std::string& data, const std::string& keys,
                                                      std::uint16_t port, double time_scale,
                                                      const std::string& clock_file) {
  SandboxProcess sandbox;
  sandbox.note_ = data + "/sandbox.pid";
  int process = 0;
  unsigned known_port = 0;
  const std::string note = read_file(sandbox.note_);
  if (std::sscanf(note.c_str(), "%d %u", &process, &known_port) == 2 && process > 1 && is_finality(process) &&
      answers(static_cast<std::uint16_t>(known_port))) {
    sandbox.process_ = process;
    sandbox.port_ = static_cast<std::uint16_t>(known_port);
    sandbox.adopted_ = true;
    return sandbox;
  }

  // Reported here: the sandbox's error message would only be in its log file.
  if (auto free = check_port(port, "sandbox", "--sandbox-port"); !free) return std::unexpected(free.error());
  auto spawned = spawn(data, keys, port, time_scale, clock_file);
  if (!spawned) return std::unexpected(spawned.error());
  sandbox.process_ = *spawned;
  sandbox.port_ = port;
  const auto give_up = std::chrono::steady_clock::now() + kStartPatience;
  for (bool ready = false; !ready;) {
    ready = answers(port);
    // Checked after the response: if the child has exited, the response came from another process on that port.
    const bool ended = ::waitpid(sandbox.process_, nullptr, WNOHANG) != 0;
    if (ended || std::chrono::steady_clock::now() > give_up) {
      if (!ended) sandbox.stop();
      return fail(fmt::format("the sandbox did not start on port {}; see {}/sandbox.log", port, data));
    }
    if (!ready) std::this_thread::sleep_for(kPollEvery);
  }
  if (auto written = write_private_file(sandbox.note_, fmt::format("{} {}\n", sandbox.process_, port)); !written)
    return std::unexpected(written.error());
  return sandbox;
}

void SandboxProcess::stop() {
  if (process_ == 0) return;
  if (adopted_ && !is_finality(process_)) {  // it has exited, and its process id may be reused
    std::remove(note_.c_str());
    process_ = 0;
    return;
  }
  ::kill(process_, SIGTERM);
  const auto give_up = std::chrono::steady_clock::now() + kStopPatience;
  // waitpid() does not work for an adopted sandbox, which is not a child of this process: poll its process id.
  while (::waitpid(process_, nullptr, WNOHANG) == 0 || ::kill(process_, 0) == 0) {
    if (std::chrono::steady_clock::now() > give_up) ::kill(process_, SIGKILL);
    std::this_thread::sleep_for(kPollEvery);
  }
  std::remove(note_.c_str());
  process_ = 0;
}

}  // namespace finality::app
