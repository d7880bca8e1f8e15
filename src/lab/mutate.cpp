#include "lab/mutate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <map>
#include <thread>

#include "base/check.h"
#include "sim/mutation/equivalent.h"
#include "sim/mutation/machine_of.h"
#include "sim/mutation/mutation.h"
#include "sim/mutation/unreached.h"

namespace finality::lab {
namespace {

constexpr unsigned kSecondsMax = 600;  // time limit of one mutant, because a mutant can loop endlessly
constexpr std::uint64_t kFewSeeds = 200;
constexpr int kFewPayments = 80;
constexpr std::uint64_t kManySeeds = 2'000;
constexpr int kManyPayments = 200;

/// A child process that runs one mutant.
struct Trial {
  std::size_t number = 0;
  int output = -1;
};

[[noreturn]] void run_child(const sim::Mutant& mutant, const sim::Baseline& baseline, int output) {
  ::alarm(kSecondsMax);
  for (const int stopping : {SIGABRT, SIGSEGV}) std::signal(stopping, SIG_DFL);
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
            WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "timeout" : "a check stopped the program"};
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
    FINALITY_CHECK(::pipe(ends.data()) == 0, "cannot create a pipe");
    std::fflush(nullptr);
    const pid_t child = ::fork();
    FINALITY_CHECK(child >= 0, "cannot fork");
    if (child == 0) run_child(mutants_[number], baseline_, ends[1]);
    ::close(ends[1]);
    running_[child] = {number, ends[0]};
  }
  // Waits for one child. Its verdict fits into the buffer of the pipe, so the child can exit before this process reads.
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

/// Counts of the mutants of one machine by result, and a message for each failure.
struct Tally {
  int found = 0;
  int the_same = 0;
  int argued = 0;
  std::vector<std::string> complaints;
};

void judge(const sim::Mutant& mutant, const sim::Verdict& verdict, Tally& tally) {
  const bool harmless = !sim::why_harmless(mutant).empty() || !sim::unreachable_reason(mutant.cell).empty();
  const bool seldom = verdict.fate == sim::Fate::unasked && !sim::rare_reason(mutant.cell).empty();
  const auto complain = [&](const std::string& text) {
    tally.complaints.push_back(fmt::format("{}: {}", to_text(mutant), text));
  };
  if (verdict.fate == sim::Fate::killed && harmless)
    complain(fmt::format("detected, although documented as harmless ({})", verdict.how));
  else if (verdict.fate == sim::Fate::killed)
    tally.found += 1;
  else if (verdict.fate == sim::Fate::the_same)
    tally.the_same += 1;
  else if (harmless || seldom)
    tally.argued += 1;
  else if (verdict.fate == sim::Fate::unasked)
    complain("no world reached the cell");
  else
    complain(fmt::format("survived: seed {} runs differently, but no invariant is broken", verdict.seed));
}

/// Runs the simulated worlds without mutation when they are first used.
class Worlds {
 public:
  Worlds(std::uint64_t seeds, int payments) : seeds_(seeds), payments_(payments) {}

  const sim::Baseline& get() {
    if (!baseline_) baseline_.emplace(seeds_, payments_, static_cast<int>(std::thread::hardware_concurrency()));
    return *baseline_;
  }

 private:
  std::uint64_t seeds_;
  int payments_;
  std::optional<sim::Baseline> baseline_;
};

// Runs all mutants in the `few` simulated worlds. Then repeats the mutants whose cell was not reached in the `many`.
std::vector<sim::Verdict> try_all(const std::vector<sim::Mutant>& mutants, Worlds& few, Worlds& many) {
  std::vector<sim::Verdict> verdicts = Trials(mutants, few.get()).run();
  std::vector<sim::Mutant> unasked;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    if (verdicts[i].fate != sim::Fate::unasked || !sim::unreachable_reason(mutants[i].cell).empty()) continue;
    unasked.push_back(mutants[i]);
    places.push_back(i);
  }
  if (unasked.empty()) return verdicts;
  std::vector<sim::Verdict> again = Trials(unasked, many.get()).run();
  for (std::size_t i = 0; i < again.size(); ++i) verdicts[places[i]] = std::move(again[i]);
  return verdicts;
}

}  // namespace

int mutate(const std::optional<std::string>& machine) {
  Worlds few(kFewSeeds, kFewPayments);
  Worlds many(kManySeeds, kManyPayments);
  std::size_t complaints = 0;
  for (std::size_t m = 0; m < all_machines().size(); ++m) {
    if (machine && all_machines()[m].name != *machine) continue;
    const std::vector<sim::Mutant> mutants = sim::mutants_of(m);
    const std::vector<sim::Verdict> verdicts = try_all(mutants, few, many);
    Tally tally;
    for (std::size_t i = 0; i < mutants.size(); ++i) judge(mutants[i], verdicts[i], tally);
    for (const std::string& complaint : tally.complaints) fmt::print("{}\n", complaint);
    fmt::print("{:<10}{:>5} mutants: {:>4} detected, {:>3} without effect, {:>3} explained, {:>3} failures\n",
               all_machines()[m].name, mutants.size(), tally.found, tally.the_same, tally.argued,
               tally.complaints.size());
    complaints += tally.complaints.size();
  }
  fmt::print("{}\n", complaints == 0 ? "All mutants are detected, explained or without effect."
                                     : fmt::format("{} failures.", complaints));
  return complaints == 0 ? 0 : 1;
}

}  // namespace finality::lab
