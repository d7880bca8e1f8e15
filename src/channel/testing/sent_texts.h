// Finds all texts in the requests of an adapter, under the names of channel/text_limits.h.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crypto/encoding.h"
#include "channel/testing/channel_calls.h"

namespace finality::channel_contract {

/// A character of 1, 2, 3 and 4 bytes in UTF-8.
inline constexpr const char* kCharacters[] = {"a", "é", "茶", "🎁"};

inline std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

/// A text that a request contains, and its field: a JSON pointer, or `?` and the name of a parameter.
struct SentText {
  std::string field;
  std::string text;
};
using SentTexts = std::vector<SentText>;

inline void add_texts(SentTexts& texts, const std::string& field, const boost::json::value& value) {
  if (const auto* object = value.if_object())
    for (const auto& member : *object) add_texts(texts, field + '/' + std::string(member.key()), member.value());
  if (const auto* array = value.if_array())
    for (const auto& item : *array) add_texts(texts, field, item);
  if (const auto* text = value.if_string()) texts.push_back({field, std::string(std::string_view(*text))});
}

/// Adds the parameters of a query or form. A parameter whose value is a JSON object is a body.
inline void add_parameters(SentTexts& texts, std::string_view line) {
  while (!line.empty()) {
    const std::string_view pair = line.substr(0, line.find('&'));
    line.remove_prefix(std::min(line.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const std::string value = percent_decode(pair.substr(equals + 1)).value_or("");
    if (value.starts_with('{'))
      add_texts(texts, "", boost::json::parse(value));
    else
      texts.push_back({'?' + percent_decode(pair.substr(0, equals)).value_or(""), value});
  }
}

inline SentTexts texts_of(const UpstreamRequest& request) {
  SentTexts texts;
  const std::size_t query = request.url.find('?');
  if (query != std::string::npos) add_parameters(texts, std::string_view(request.url).substr(query + 1));
  if (request.http.body.starts_with('{'))
    add_texts(texts, "", boost::json::parse(request.http.body));
  else
    add_parameters(texts, request.http.body);
  return texts;
}

/// The texts of a request that the payer's browser or app sends: the parameters of `action_url` or `action_code`.
template <class Reported>
SentTexts texts_of_action(const Reported& reported) {
  SentTexts texts;
  const std::size_t query = reported.action_url.find('?');
  if (query != std::string::npos) add_parameters(texts, std::string_view(reported.action_url).substr(query + 1));
  add_parameters(texts, reported.action_code);
  return texts;
}

/// Returns the texts of every request that the adapter can build, one element per request. The order's subject and the
/// refund's reason are `text`, the payer's return link is `url`.
inline std::vector<SentTexts> all_sent_texts(const Channel& channel, const std::string& text,
                                             const std::string& url = "https://pay.example/return/t") {
  std::vector<SentTexts> all;
  const auto add = [&](auto call, const auto& adapter) {
    call.order.subject = text;
    if constexpr (requires { call.return_url; }) call.return_url = url;
    if constexpr (requires { call.payment; })
      if (channel.capabilities().takes_scenario) call.payment.scenario = "pays";
    if constexpr (requires {
                    call.return_url;
                    call.authorization;
                  })
      if (channel.capabilities().takes_scenario) call.authorization.scenario = "pays";
    if constexpr (requires { adapter.answer_without_asking(call, kNow); })
      if (const auto prepared = adapter.answer_without_asking(call, kNow)) {
        all.push_back(texts_of_action(*prepared));
        return;
      }
    all.push_back(texts_of(adapter.request_of(call, kNow)));
  };
  for (const ChannelCallKind kind : {ChannelCallKind::query_payment, ChannelCallKind::close_payment})
    add(call_of(kind, channel), channel);
  for (const std::string& method : channel.capabilities().methods)
    add(call_of(ChannelCallKind::send_payment, channel, method), channel);
  for (RefundCall call : all_refund_calls(channel)) {
    call.reason = text;
    all.push_back(texts_of(channel.refunds()->request_of(call, kNow)));
  }
  for (const StatementCall& call : all_statement_calls(channel))
    all.push_back(texts_of(*channel.statements()->request_of(call, kNow)));
  if (channel.authorizations() == nullptr) return all;
  using enum AuthorizationCallKind;
  const Authorizations& authorizations = *channel.authorizations();
  for (const AuthorizationCallKind kind : {query_authorization, close_authorization, release_authorization})
    add(authorization_call_of(kind, channel), authorizations);
  for (const std::string& method : channel.capabilities().authorization->methods)
    add(authorization_call_of(send_authorization, channel, method), authorizations);
  AuthorizationCall credit = authorization_call_of(release_authorization, channel);
  credit.authorization.unfunded = true;
  credit.authorization.release_attempts = 2;  // no cancel
  add(credit, authorizations);
  for (const std::string_view payer : {"2088102534368455", "open-id_of-the-payer"}) {
    CaptureCall capture = capture_call_of(CaptureCallKind::send_capture, channel);
    capture.authorization.channel_payer = payer;
    add(capture, authorizations);
  }
  add(capture_call_of(CaptureCallKind::query_capture, channel), authorizations);
  return all;
}

}  // namespace finality::channel_contract
