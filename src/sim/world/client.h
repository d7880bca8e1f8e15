// A merchant's HTTP client, as patient as the guide wants it: it asks again under the same numbers until it has a
// definite answer, whichever engine it reaches.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/auditors/auditor.h"
#include "sim/auditors/history_recorder.h"
#include "sim/upstream/performer.h"

namespace finality::sim {

struct ClientRequest {
  Command command;
  MerchantId merchant_id;
  std::string key = {};  // Idempotency-Key; empty: none
  std::string body = "body";
  bool await_answer = false;
};

class Client {
 public:
  using Done = std::function<void(const Reply&)>;

  /// `bug` may be null. REQUIRES: the others outlive this object.
  Client(SimScheduler& scheduler, Engines& engines, Auditor& auditor, const Bug* bug)
      : scheduler_(scheduler), engines_(engines), auditor_(auditor), bug_(bug) {}

  /// `done` is called once, with the first definite answer; never, when none comes in many tries.
  void ask(ClientRequest wanted, Done done);
  /// The next engine that a request happens to reach.
  SimEngine& any_engine();
  /// A number that no other has.
  std::string number(std::string_view prefix);
  /// What was asked, and what was answered.
  HistoryRecorder& recorder() { return recorder_; }

 private:
  struct Asking {
    Request request;
    std::string key;
    std::optional<history::Operation> told;  // how it is written down
    Done done;
    Time asked;  // first
    int tries = 0;
    bool answered = false;
  };

  void attempt(const std::shared_ptr<Asking>& asking);
  void send(const std::shared_ptr<Asking>& asking, Duration way);
  void hear(const std::shared_ptr<Asking>& asking, std::size_t sent, const Reply& reply);

  SimScheduler& scheduler_;
  Engines& engines_;
  Auditor& auditor_;
  const Bug* bug_;
  HistoryRecorder recorder_;
  std::int64_t last_number_ = 0;
};

}  // namespace finality::sim
