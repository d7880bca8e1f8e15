#include "app/mutate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <map>
#include <thread>

#include "base/check.h"
#include "sim/equivalent.h"
#include "sim/machine_of.h"
#include "sim/mutation.h"
#include "sim/unreached.h"

namespace finality::app {
namespace {

constexpr unsigned kSecondsMax = 600;  // of one mutant: it may go round for ever

/// A mutant under way in a process of its own.
struct Trial {
  std::size_t number = 0;
  int output = -1;
};

[[noreturn]] void run_child(const sim::Mutant& mutant, const sim::Baseline& baseline, int output) {
  ::alarm(kSecondsMax);
  std::signal(SIGABRT, SIG_DFL);
  ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
  const sim::Verdict verdict = sim::try_mutant(mutant, baseline);
  const std::string text = fmt::format("{} {} {}", name_of(verdict.fate), verdict.seed, verdict.how);
  const auto written = ::write(output, text.data(), text.size());
  ::_exit(written < 0 ? 1 : 0);
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t count; (count = ::read(from, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(count));
  ::close(from);
  return text;
}

sim::Verdict verdict_of(int status, const std::string& text) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.empty())
    return {sim::Fate::killed, 0,
            WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "it never ended" : "a check stopped the program"};
  const std::size_t first = text.find(' ');
  const std::size_t second = text.find(' ', first + 1);
  return {*parse_enum<sim::Fate>(text.substr(0, first)), std::stoull(text.substr(first + 1, second - first - 1)),
          text.substr(second + 1)};
}

class Trials {
 public:
  Trials(const std::vector<sim::Mutant>& mutants, const sim::Baseline& baseline)
      : mutants_(mutants), baseline_(baseline), verdicts_(mutants.size()) {}

  std::vector<sim::Verdict> run() {
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t next = 0; next < mutants_.size() || !running_.empty();) {
      if (next < mutants_.size() && running_.size() < most)
        start(next++);
      else
        finish_one();
    }
    return std::move(verdicts_);
  }

 private:
  void start(std::size_t number) {
    std::array<int, 2> ends;
    FINALITY_CHECK(::pipe(ends.data()) == 0, "no pipe");
    std::fflush(nullptr);
    const pid_t child = ::fork();
    FINALITY_CHECK(child >= 0, "no process");
    if (child == 0) run_child(mutants_[number], baseline_, ends[1]);
    ::close(ends[1]);
    running_[child] = {number, ends[0]};
  }
  // What a child has to say fits into its pipe: it ends without being read.
  void finish_one() {
    int status = 0;
    const auto at = running_.find(::wait(&status));
    if (at == running_.end()) return;
    verdicts_[at->second.number] = verdict_of(status, read_all(at->second.output));
    running_.erase(at);
  }

  const std::vector<sim::Mutant>& mutants_;
  const sim::Baseline& baseline_;
  std::vector<sim::Verdict> verdicts_;
  std::map<pid_t, Trial> running_;
};

// What people read of a verdict; empty when it is as it should be.
std::string complaint(const sim::Mutant& mutant, const sim::Verdict& verdict) {
  const bool argued = !sim::why_harmless(mutant).empty() || !sim::why_never(mutant.cell).empty();
  if (verdict.fate == sim::Fate::killed)
    return argued ? fmt::format("found, and said to be harmless ({})", verdict.how) : "";
  if (argued || verdict.fate == sim::Fate::the_same) return {};
  return verdict.fate == sim::Fate::unasked
             ? "no world asked for it"
             : fmt::format("survived; seed {} goes otherwise, and nobody minds", verdict.seed);
}

}  // namespace

int mutate(const std::optional<std::string>& machine, std::uint64_t seeds, int payments) {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const sim::Baseline baseline(seeds, payments, threads);
  int complaints = 0;
  for (std::size_t m = 0; m < all_machines().size(); ++m) {
    if (machine && all_machines()[m].name != *machine) continue;
    const std::vector<sim::Mutant> mutants = sim::mutants_of(m);
    const std::vector<sim::Verdict> verdicts = Trials(mutants, baseline).run();
    std::array<int, kCount<sim::Fate>> counts{};
    int argued = 0;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
      counts[static_cast<std::size_t>(verdicts[i].fate)] += 1;
      argued += verdicts[i].fate != sim::Fate::killed && verdicts[i].fate != sim::Fate::the_same &&
                complaint(mutants[i], verdicts[i]).empty();
      if (const std::string text = complaint(mutants[i], verdicts[i]); !text.empty()) {
        fmt::print("{}: {}\n", to_text(mutants[i]), text);
        ++complaints;
      }
    }
    fmt::print("{:<10}{:>5} mutants: {:>4} found, {:>3} change nothing, {:>3} argued\n", all_machines()[m].name,
               mutants.size(), counts[0], counts[static_cast<std::size_t>(sim::Fate::the_same)], argued);
  }
  fmt::print("{}\n", complaints == 0 ? "Every mutant is found or argued."
                                     : fmt::format("{} mutants nobody minds.", complaints));
  return complaints == 0 ? 0 : 1;
}

}  // namespace finality::app
