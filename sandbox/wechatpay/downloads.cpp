#include "sandbox/wechatpay/downloads.h"

#include <algorithm>
#include <utility>

#include "base/crypto/random.h"

namespace finality::sandbox {
namespace {

constexpr Duration kOfferLife = std::chrono::minutes(5);
constexpr std::size_t kOffersMax = 64;
constexpr std::size_t kTokenBytes = 24;

}  // namespace

std::string WechatpayDownloads::offer(std::string_view owner, std::string content, Time now) {
  Offer offer{.owner = std::string(owner),
              .token = random_hex(kTokenBytes),
              .ends_at = now + kOfferLife,
              .content = std::make_shared<const std::string>(std::move(content))};
  std::string token = offer.token;
  const std::lock_guard lock(mutex_);
  offers_.push_back(std::move(offer));
  while (offers_.size() > kOffersMax || offers_.front().ends_at <= now) offers_.pop_front();
  return token;
}

std::shared_ptr<const std::string> WechatpayDownloads::find(std::string_view owner, std::string_view token, Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(offers_, token, &Offer::token);
  const bool is_there = found != offers_.end() && found->owner == owner && found->ends_at > now;
  return is_there ? found->content : nullptr;
}

}  // namespace finality::sandbox
