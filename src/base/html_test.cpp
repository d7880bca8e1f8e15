#include "base/html.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

TEST(Html, EscapesEverythingThatEndsATextOrAnAttribute) {
  EXPECT_EQ(escape_html(R"(<b title="a" id='b'>Tea & 茶</b>)"),
            "&lt;b title=&quot;a&quot; id=&#39;b&#39;&gt;Tea &amp; 茶&lt;/b&gt;");
  EXPECT_EQ(escape_html("&amp;"), "&amp;amp;");
  EXPECT_EQ(escape_html(""), "");
}

}  // namespace
}  // namespace finality
