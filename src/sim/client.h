// A merchant's HTTP client, as patient as the guide wants it: it asks again under the same numbers until it has a
// definite answer, whichever engine it reaches.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/auditor.h"
#include "sim/performer.h"

namespace finality::sim {

struct Question {
  Command command;
  MerchantId merchant_id;
  std::string key = {};  // Idempotency-Key; empty: none
  std::string body = "body";
  bool await_answer = false;
};

class Client {
 public:
  using Done = std::function<void(const Reply&)>;

  Client(Stage& stage, Engines& engines, Auditor& auditor) : stage_(stage), engines_(engines), auditor_(auditor) {}

  /// `done` is called once, with the first definite answer; never, when none comes in many tries.
  void ask(Question question, Done done);
  /// The next engine that a request happens to reach.
  SimEngine& any_engine();
  /// A number that no other has.
  std::string number(std::string_view prefix);

 private:
  struct Asking {
    Request request;
    std::string key;
    Done done;
    int tries = 0;
    bool answered = false;
  };

  void attempt(const std::shared_ptr<Asking>& asking);
  void send(const std::shared_ptr<Asking>& asking);
  void hear(const std::shared_ptr<Asking>& asking, const Reply& reply);

  Stage& stage_;
  Engines& engines_;
  Auditor& auditor_;
  std::int64_t last_number_ = 0;
};

}  // namespace finality::sim
