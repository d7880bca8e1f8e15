#include "engine/engine.h"

#include <utility>

#include "base/limits.h"
#include "engine/lane.h"

namespace finality {
namespace {

class LanedEngine final : public Engine {
 public:
  explicit LanedEngine(EngineOptions options) : options_(std::move(options)) {}
  ~LanedEngine() override { drain(); }

  Result<void> open(Store& store) {
    for (std::size_t i = 0; i < store.lanes(); ++i) {
      auto session = store.open_session();
      if (!session) return std::unexpected(session.error());
      auto flusher = (*session)->flush_apart();
      if (!flusher) return std::unexpected(flusher.error());
      lanes_.push_back(std::make_unique<Lane>(std::move(*session), std::move(*flusher), options_, counts_));
    }
    return {};
  }

  void submit(Request request) override {
    if (lane_of(request.merchant_id).submit(request)) return;
    counts_.busy += 1;
    if (!request.reply) return;
    Reply reply;
    reply.refusal =
        Refusal{RefusalCode::busy, "Too many requests are queued. Nothing was changed. Retry the request.", {}, {}};
    reply.status = info_of(RefusalCode::busy).status;
    reply.body = options_.renderer->problem(*reply.refusal, request.request_id);
    const std::function<void(Reply)> answer = std::exchange(request.reply, nullptr);
    reply.request = std::make_shared<Request>(std::move(request));
    answer(std::move(reply));
  }

  void release_unsent(MerchantId merchant, UnsentCall unsent) override { lane_of(merchant).release_unsent(unsent); }

  std::size_t queued() const override {
    std::size_t sum = 0;
    for (const auto& lane : lanes_) sum += lane->queued();
    return sum;
  }
  std::optional<StoreFault> store_fault() const override {
    for (const auto& lane : lanes_)
      if (const auto fault = lane->fault()) return fault;
    return {};
  }
  const EngineCounts& counts() const override { return counts_; }
  void drain() override {
    for (const auto& lane : lanes_) lane->drain();
  }

 private:
  Lane& lane_of(MerchantId merchant) { return *lanes_[(std::hash<MerchantId>{}(merchant) >> 32) % lanes_.size()]; }

  EngineOptions options_;
  EngineCounts counts_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace

Result<std::unique_ptr<Engine>> Engine::start(Store& store, EngineOptions options) {
  auto engine = std::make_unique<LanedEngine>(std::move(options));
  if (auto opened = engine->open(store); !opened) return std::unexpected(opened.error());
  return engine;
}

}  // namespace finality
