// Simulated client of a merchant. As the integration guide requires, the client repeats a request with the same
// Idempotency-Key and identifiers until an engine returns a definite reply, which needs no retry.
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
  std::string key = {};  // Idempotency-Key; empty: the request has no key
  std::string body = "body";
  bool await_answer = false;
};

class Client {
 public:
  using Done = std::function<void(const Reply&)>;

  /// `bug` may be null. REQUIRES: all arguments outlive this object.
  Client(SimScheduler& scheduler, Engines& engines, Auditor& auditor, const Bug* bug)
      : scheduler_(scheduler), engines_(engines), auditor_(auditor), bug_(bug) {}

  /// Sends a request. Calls `done` once, with the first definite reply. Does not call `done` if the maximum number of
  /// tries yields no definite reply.
  void call(ClientRequest requested, Done done);
  /// Returns a random engine.
  SimEngine& any_engine();
  /// Returns a unique text that begins with `prefix`, for identifiers and Idempotency-Keys.
  std::string number(std::string_view prefix);
  /// Returns the recorder of all requests and replies.
  HistoryRecorder& recorder() { return recorder_; }

 private:
  struct PendingCall {
    Request request;
    std::string key;
    std::optional<history::Operation> recorded;  // empty if the history does not record the request
    Done done;
    Time first_sent_at;  // time of the first try
    int tries = 0;
    bool is_complete = false;
  };

  void attempt(const std::shared_ptr<PendingCall>& pending);
  void send(const std::shared_ptr<PendingCall>& pending, Duration way);
  void receive(const std::shared_ptr<PendingCall>& pending, std::size_t sent, const Reply& reply);

  SimScheduler& scheduler_;
  Engines& engines_;
  Auditor& auditor_;
  const Bug* bug_;
  HistoryRecorder recorder_;
  std::int64_t last_number_ = 0;
};

}  // namespace finality::sim
