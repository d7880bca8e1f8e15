// One line of a history: a client's request and the server's answer.
//
// A history is a JSON Lines file with one object per request, in any order:
//
//   {"call": 1200, "return": 5400, "client": "till-3", "merchant": "a", "method": "POST", "path": "/v1/transfers",
//    "key": "k-17", "body": {…}, "status": 201, "replayed": true, "answer": {…}}
//
//   call      time at which the request was sent; return: time at which its answer arrived. In nanoseconds of one
//             monotonic clock, shared by all clients of the file
//   return, status, answer    all absent if no answer arrived: the request may or may not have been executed
//   client    name of the client, for messages
//   merchant  name of the merchant whose API key was used: the scope of the merchant's identifiers and
//             Idempotency-Keys. Never the API key
//   path      path as sent, with the query
//   key       the Idempotency-Key, without quotes; absent if the request had none
//   body      the request's JSON; absent if the request had none
//   replayed  whether the answer had the header Idempotent-Replayed: true
//   answer    the response's JSON
//
// A history must be complete: it contains every request that may have moved the merchants' money. Each retry is a
// separate line.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace finality::history {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Operation {
  std::int64_t call = 0;
  std::int64_t returned = kNever;
  std::string client;
  std::string merchant;
  std::string method;
  std::string path;
  std::string key;
  bool replayed = false;
  int status = 0;  // 0: no answer arrived
  boost::json::object body;
  boost::json::object answer;
};

}  // namespace finality::history
