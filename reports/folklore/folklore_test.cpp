// Folklore: each claim is decided by the input that stands beside it, whatever the seed.
#include "reports/folklore/folklore.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "corpus/case_file.h"
#include "impl/table.h"

namespace normcheck {
namespace {

TEST(Folklore, EachClaimIsDecidedByItsInputWhateverTheSeed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CaseShelf shelf;
    const auto claims = folklore_json(seed, OracleChoice::automatic, shelf);
    ASSERT_EQ(claims.size(), 5U);
    const auto cases = shelf.json();
    for (const auto& claim : claims) {
      const std::string text = claim["claim"], holds = claim["holds"];
      EXPECT_NE(holds, "yes") << text << ", seed " << seed << ": " << claim["because"];
      EXPECT_NE(find_row(claim["impl"].get<std::string>()), nullptr) << text;
      EXPECT_NE(claim["command"].get<std::string>().find(shelf.input(claim["file"].get<std::string>())),
                std::string::npos)
          << text;
      bool kept = false;
      for (const auto& c : cases) kept = kept || c["file"] == claim["file"];
      EXPECT_TRUE(kept) << text << ": no input on the shelf";
      // The verdict that the claim rests on.
      if (holds == "no" && text != "Welford is the accurate one")
        EXPECT_NE(claim["because"].get<std::string>().find("FAIL"), std::string::npos) << text;
    }
    CaseShelf again;
    EXPECT_EQ(folklore_json(seed, OracleChoice::automatic, again).dump(), claims.dump());
  }
}

}  // namespace
}  // namespace normcheck
