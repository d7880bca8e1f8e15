// Test fixture: a BatchRunner without a queue and a thread, so that a test determines the commands of each batch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/batch_runner.h"
#include "engine/test_engine.h"

namespace finality::test {

class Batches {
 public:
  explicit Batches(std::unique_ptr<Session> session)
      : runner_(
            std::move(session), options_, counts, [](PostCommitWork work) { perform_work(std::move(work), nullptr); },
            [](int) {}) {}

  /// Runs the commands as one batch. Returns their replies, in the order of the commands. Stores in `replied` the
  /// indexes of the commands in the order of their replies, and in `first` what BatchRunner::run() returns.
  std::vector<Reply> run(std::vector<Request> requests) {
    std::vector<std::optional<Reply>> replies(requests.size());
    replied.clear();
    for (std::size_t i = 0; i < requests.size(); ++i)
      requests[i].reply = [this, &replies, i](Reply reply) {
        replies[i] = std::move(reply);
        replied.push_back(i);
      };
    first = runner_.run(std::move(requests));
    std::vector<Reply> all;
    for (std::optional<Reply>& reply : replies) {
      if (!reply) throw std::runtime_error("a command has no reply");
      all.push_back(std::move(*reply));
    }
    return all;
  }
  /// Runs one batch with an order of each merchant. Returns the status of each reply.
  std::vector<int> create_orders(const std::vector<MerchantId>& merchants) {
    std::vector<Request> requests;
    for (const MerchantId merchant : merchants) requests.push_back(order_of(merchant));
    std::vector<int> statuses;
    for (const Reply& reply : run(std::move(requests))) statuses.push_back(reply.status);
    return statuses;
  }
  /// A command that creates an order, with an Idempotency-Key.
  Request order_of(MerchantId merchant) {
    CreateOrder command = requests_.order_request();
    command.merchant_id = merchant;
    Request request{.command = command, .merchant_id = merchant};
    request.idempotency = Idempotency{sha256_16(command.merchant_order_no), command.fingerprint};
    return request;
  }
  void expire_some() { runner_.expire_some(); }

  TestClock clock{kNow};
  EngineCounts counts;
  std::vector<std::size_t> replied;
  std::vector<Request> first;

 private:
  Policy policy_;
  EngineOptions options_{.policy = &policy_, .clock = &clock, .renderer = &wire::json_renderer()};
  World requests_;
  BatchRunner runner_;
};

}  // namespace finality::test
