#include "base/log.h"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include "base/limits.h"

namespace finality::log {
namespace {

TEST(LogLine, IsLogfmtWithQuotesWhereTheyAreNeeded) {
  EXPECT_EQ(
      line_of(Format::logfmt, "delivery failed", {{"delivery", "msg_1"}, {"attempt", 2}, {"error", "status 500"}}),
      R"(msg="delivery failed" delivery=msg_1 attempt=2 error="status 500")");
  EXPECT_EQ(line_of(Format::logfmt, "x", {{"a", ""}, {"b", "1=2"}, {"c", "say \"hi\"\n"}, {"d", "茶"}, {"e", "7"}}),
            "msg=x a=\"\" b=\"1=2\" c=\"say \\\"hi\\\"\\n\" d=茶 e=7");
}

TEST(LogLine, IsJsonMembers) {
  const std::string line = line_of(Format::json, "delivery failed", {{"attempt", 2}, {"text", "2"}, {"c", "a\"\n"}});
  EXPECT_EQ(line, R"("msg":"delivery failed","attempt":2,"text":"2","c":"a\"\n")");
}

TEST(LogLine, StaysOneValidLineWhateverTheValueIs) {
  for (const std::string& value : {std::string("\0\x01", 2), std::string("\xff\xfe"), std::string(100'000, 'x'),
                                   std::string(limits::kLogValueMax - 1, 'x') + "茶"}) {
    const std::string line = line_of(Format::json, "m", {{"value", value}});
    EXPECT_FALSE(line.contains('\n'));
    EXPECT_LE(line.size(), 7 * limits::kLogValueMax);
    boost::system::error_code invalid;
    boost::json::parse("{" + line + "}", invalid);
    EXPECT_FALSE(invalid) << line.substr(0, 200);
    EXPECT_FALSE(line_of(Format::logfmt, "m", {{"value", value}}).contains('\n'));
  }
}

TEST(LogLine, HasNoCharacterThatATerminalExecutes) {
  EXPECT_EQ(line_of(Format::logfmt, "m", {{"path", "/v1/\xc2\x9b"}}), R"(msg=m path="/v1/\u009b")");
  EXPECT_EQ(line_of(Format::json, "m", {{"path", "\xe2\x80\xae"}}), R"("msg":"m","path":"\u202e")");
}

TEST(LogLine, NamesTheRequestOfItsThread) {
  const RequestScope outer("req_1");
  EXPECT_EQ(line_of(Format::logfmt, "m", {}), "msg=m request_id=req_1");
  {
    const RequestScope inner("req_2");
    EXPECT_EQ(line_of(Format::logfmt, "m", {{"k", 1}}), "msg=m k=1 request_id=req_2");
  }
  EXPECT_EQ(line_of(Format::json, "m", {}), R"("msg":"m","request_id":"req_1")");
  EXPECT_EQ(line_of(Format::logfmt, "m", {{"request_id", "req_1"}}), "msg=m request_id=req_1") << "not twice";
}

}  // namespace
}  // namespace finality::log
