// Claims as words: what each key is read as, and what is refused, by name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "corpus/error.h"
#include "impl/table.h"
#include "oracles/contract.h"

namespace normcheck {
namespace {

TEST(Claims, ThatCannotBeReadAreRefusedByName) {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"algorithm=sortilege", "normcheck list"},
      {"algorithm=naive;order=pairwise", "expected own, in which naive has a bound"},
      {"algorithm=chan;order=pairwise", "expected own or any, in which chan has a bound"},
      {"algorithm=two_pass;order=lanes3", "lanes<L> or block<B>, in which two_pass has a bound"},
      {"algorithm=two_pass;order=lanes4096", "order"},
      {"order=any", "an algorithm=NAME beside it"},
      {"accumulate=f128", "f16, bf16, f32, f64 or f80"},
      {"finish=inside_out", "direct, folded or half_folded"},
      {"rsqrt_ulp=-1", "a number of ulp"},
      {"rsqrt_ulp=nan", "a number of ulp"},
      {"rsqrt_ulp=", "a number of ulp"},
      {"eps=f16", "acc, f32 or f64"},
      {"xhat_rounding=often", "none or storage"},
      {"colour=red", "expected one of algorithm, order"},
      {"acumulate=f32", "accumulate may be meant"},
      {"max_ulps=1", "max_ulp may be meant"},
      {"in_place=yes", "inplace may be meant"},
      {"own;colour=red", "unknown key"},
      {"stable;own", "key=value"},
      {"own;algorithm=two_pass", "own says already how the row computes"},
      {"own;eps=f64", "own says already how the row computes"},
      {"algorithm=two_pass;order=", "pairwise"},
      {"algorithm=", "normcheck list"},
      {"subnormals=keep", "expected flush"},
      {"constant=nearly", "expected exact"},
      {"range=wide", "safe or full"},
      {"max_ulp=few", "a number of ulp"},
      {"max_ulp=-1", "a number of ulp"},
      {"rounding=up", "correct or faithful"},
      {"gamma=f16", "x, f32 or any"},
      {"deterministic=no", "expected yes"},
      {"batch_invariant=1", "expected yes"},
      {"inplace=no", "expected yes"},
      {"strides=some", "any, rows or none"},
      {"stats=f64", "f32, x or none"},
      {"integers=round", "refuse or convert"},
      {"refuses=nothing", "all, or some of eps,shape,int"},
      {"refuses=eps,", "nothing"},
      {"refuses=eps,all", "all, or some of eps,shape,int"},
      {"memory=own", "expected copy"},
      {"finish=direct;finish=folded", "given twice"},
      {"=", "key=value"},
      {"finish=direct;", "nothing"},
      {"finish=direct;;eps=acc", "key=value"},
      {"stable=", "unknown key"}};
  std::size_t refused = 0, taken = 0;
  for (const auto& [claims, expected] : pairs) {
    try {
      parse_contract(claims, &table().front());
      EXPECT_STREQ(expected, "nothing") << claims;
      ++taken;
    } catch (const InputError& e) {
      ++refused;
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << claims << ": " << e.what();
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_EQ(refused + taken, pairs.size());
  EXPECT_EQ(taken, 2U);
  fmt::print("{} of {} refused, one line each; a semicolon or a comma at the end is none too many\n", refused,
             pairs.size());
}

TEST(Claims, OfAHostAreReadAndNeitherMoreNorLess) {
  const HostClaims none = parse_claims("").host;
  EXPECT_FALSE(none.gamma || none.strides || none.stats || none.integers);
  EXPECT_FALSE(none.deterministic || none.batch_invariant || none.in_place || none.memory_copy);
  EXPECT_FALSE(none.refuses_eps || none.refuses_shape || none.refuses_int);

  const HostClaims all =
      parse_claims(
          "gamma=f32; deterministic=yes; batch_invariant=yes; inplace=yes; strides=rows; stats=x; "
          "integers=convert; refuses=all; memory=copy")
          .host;
  EXPECT_EQ(all.gamma, HostClaims::Parameters::f32);
  EXPECT_EQ(all.strides, HostClaims::Strides::rows);
  EXPECT_EQ(all.stats, HostClaims::Statistics::as_x);
  EXPECT_EQ(all.integers, HostClaims::Integers::convert);
  EXPECT_TRUE(all.deterministic && all.batch_invariant && all.in_place && all.memory_copy);
  EXPECT_TRUE(all.refuses_eps && all.refuses_shape && all.refuses_int);

  const HostClaims others =
      parse_claims("gamma=any;strides=none;stats=none;integers=refuse;refuses=eps,int").host;
  EXPECT_EQ(others.gamma, HostClaims::Parameters::any);
  EXPECT_EQ(others.strides, HostClaims::Strides::none);
  EXPECT_EQ(others.stats, HostClaims::Statistics::none);
  EXPECT_EQ(others.integers, HostClaims::Integers::refuse);
  EXPECT_TRUE(others.refuses_eps && others.refuses_int && !others.refuses_shape);
  EXPECT_EQ(parse_claims("gamma=x;strides=any;stats=f32").host.gamma, HostClaims::Parameters::as_x);
  fmt::print("9 keys for a host: unsaid, and each word of each\n");
}

// What a plug-in says of itself may be newer than the reader: an unknown key is a note there.
TEST(Claims, WithAnUnknownKeyAreNotedWhereTheyAreAPluginsOwn) {
  std::vector<std::string> notes;
  const Claims claims = parse_claims("finish=direct;colour=red;roundin=correct;max_ulp=2", &notes);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("colour: unknown key"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("roundin: unknown key; rounding may be meant"), std::string::npos) << notes[1];
  EXPECT_TRUE(claims.direct && !claims.folded);
  EXPECT_EQ(claims.max_ulp, 2.0);
  EXPECT_EQ(claims.rounding, Claims::Rounding::any);
  EXPECT_THROW(parse_claims("finish=inside_out", &notes), InputError) << "a bad value of a known key is none";
  EXPECT_TRUE(parse_claims("", &notes).text.empty());
  EXPECT_EQ(notes.size(), 2U);
  fmt::print("2 unknown keys noted, the others read; none in empty claims\n");
}

TEST(Claims, OfAPluginAreItsContractUnlessAnotherIsAskedFor) {
  const Claims none = parse_claims(""), bare = parse_claims("max_ulp=2"),
               named = parse_claims("algorithm=two_pass;order=pairwise");
  EXPECT_EQ(parse_contract("stable", none).kind, ContractKind::stable);
  EXPECT_EQ(parse_contract("stable", bare).claims->max_ulp, 2.0);
  EXPECT_EQ(parse_contract("own", named).claims->algorithm, "two_pass");
  EXPECT_TRUE(parse_contract("own;range=full", named).claims->full_range);
  EXPECT_EQ(parse_contract("own;range=full", named).claims->algorithm, "two_pass");
  EXPECT_FALSE(parse_contract("rounding=correct", bare).claims->max_ulp);
  EXPECT_THROW(parse_contract("own", none), InputError);
  EXPECT_THROW(parse_contract("own", bare), InputError) << "no algorithm, so no bound of its own";
  EXPECT_THROW(parse_contract("own", nullptr), InputError) << "arrays have none either";
  EXPECT_THROW(parse_contract("stable;max_ulp=3", bare), InputError) << "claimed already";
  fmt::print("stable, own and claims, for a plug-in that claims nothing, no algorithm, and one\n");
}

TEST(Claims, BehindStableAndOwnAreReadToo) {
  const Row& row = table().front();
  EXPECT_EQ(parse_contract("stable;range=full", &row).kind, ContractKind::claims);
  EXPECT_EQ(contract_name(parse_contract("stable;range=full", &row)), "stable;range=full");
  const Contract own = parse_contract("own;rounding=faithful", &row);
  EXPECT_EQ(own.kind, ContractKind::own);
  EXPECT_EQ(own.row, &row);
  EXPECT_EQ(own.claims->rounding, Claims::Rounding::faithful);
  EXPECT_EQ(contract_name(own), "own;rounding=faithful");
  EXPECT_EQ(contract_name(parse_contract("stable;", &row)), "stable");
  fmt::print("stable;key=value, own;key=value: read and named as they were given\n");
}

TEST(Claims, AreListedWithEveryKeyOnce) {
  std::string text;
  for (const ClaimKey& key : claim_keys()) {
    EXPECT_FALSE(key.values.empty() || key.meaning.empty()) << key.name;
    EXPECT_EQ(text.find(fmt::format(" {} ", key.name)), std::string::npos) << key.name;
    text += fmt::format(" {} ", key.name);
    const std::string example = key.name == "order" ? "any;algorithm=two_pass"
                                : key.values == "K" ? "1"
                                : key.values == "NAME"
                                    ? "two_pass"
                                    : std::string(key.values.substr(0, key.values.find('|')));
    EXPECT_NO_THROW(parse_claims(fmt::format("{}={}", key.name, example))) << key.name;
  }
  EXPECT_EQ(claim_keys().size(), 21U);
  fmt::print("{} keys, each read with the first of its values\n", claim_keys().size());
}

}  // namespace
}  // namespace normcheck
