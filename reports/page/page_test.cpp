// The page, without a browser: what it says of results that lack something, lie, or are too many.
#include "reports/page/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/page/scatter.h"

namespace normcheck {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_page = 1'500'000;  ///< bytes

Json sample() {
  std::ifstream in(NORMCHECK_SAMPLE_RESULTS);
  return Json::parse(in);
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t i = text.find(what); i != text.npos; i = text.find(what, i + what.size())) ++found;
  return found;
}

/// The page up to its own script.
std::string body_of(const std::string& page) {
  const std::size_t start = page.find("<body>");
  return page.substr(start, page.find("<script type=\"application/json\"") - start);
}

/// Elements of the body that the page never writes.
std::size_t foreign_elements(const std::string& body) {
  std::size_t found = 0;
  for (const std::string_view element : {"<script", "<img", "<iframe", "<object", "<link", "<base", "<form"})
    found += count_of(body, element);
  return found + count_of(body, "javascript:") + count_of(body, " onerror=\"");
}

/// Cells with nothing between their tags, pictures apart.
std::size_t blank_cells(const std::string& page) {
  std::size_t blank = 0;
  for (std::size_t i = page.find("<td"); i != page.npos; i = page.find("<td", i + 1)) {
    const std::size_t end = page.find_first_of('\n', i);
    std::string cell = page.substr(i, std::min(end, page.find("<td", i + 1)) - i);
    if (cell.find("<svg") != cell.npos) continue;
    bool text = false, tag = false;
    for (const char c : cell) {
      tag = c == '<' || (tag && c != '>');
      text = text || (!tag && c != '>' && c != ' ');
    }
    blank += text ? 0 : 1;
  }
  return blank;
}

constexpr std::array<std::string_view, 11> parts = {"use",       "verdicts",  "panels", "heat",
                                                    "champions", "semantics", "cost",   "detection",
                                                    "peers",     "folklore",  "method"};

TEST(Page, IsTheSameForTheSameResults) {
  const std::string page = index_html(sample());
  EXPECT_EQ(page, index_html(sample()));
  EXPECT_EQ(page, index_html(Json::parse(sample().dump(3)))) << "written otherwise, the results are the same";
  fmt::print("covered: {} bytes, twice\n", page.size());
}

TEST(Page, HasItsPartsInOrderWhateverIsMissing) {
  std::size_t pages = 0;
  const auto check = [&](const Json& results, const std::string& what) {
    const std::string page = index_html(results);
    ++pages;
    std::size_t at = 0;
    for (const std::string_view part : parts) {
      const std::size_t found = page.find(fmt::format("<section id={}>", part));
      ASSERT_NE(found, page.npos) << what << ": no " << part;
      EXPECT_GT(found, at) << what << ": " << part << " stands elsewhere";
      at = found;
    }
  };
  for (const char* text : {"null", "{}", "[]", "3", "\"x\""}) {
    check(Json::parse(text), text);
    EXPECT_GE(count_of(index_html(Json::parse(text)), "ot run"), parts.size()) << text;
  }
  const Json whole = sample();
  for (const auto& [name, value] : whole.items()) {
    Json less = whole;
    less.erase(name);
    check(less, name);
    for (const char* text : {"null", "{}", "[]", "[null, 1, []]", "-1", "\"\""}) {
      less[name] = Json::parse(text);
      check(less, name + " = " + text);
    }
  }
  fmt::print("covered: {} pages\n", pages);
}

/// Every place of the results, those of a list's second element and later left out.
void places(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& out) {
  out.push_back(at);
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) places(inner, at / name, out);
  } else if (value.is_array() && !value.empty()) {
    places(value[0], at / 0, out);
  }
}

TEST(Page, IsMadeOfAnyTypesAndSaysSo) {
  const Json whole = sample();
  std::vector<Json::json_pointer> all;
  places(whole, Json::json_pointer(), all);
  std::size_t pages = 0;
  constexpr std::array<const char*, 5> others = {"null", "-1.5", "\"inf\"", "[[]]", "{\"0\": true}"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& place = all[i];
    for (const char* text : {others[i % 5], others[(i + 2) % 5]}) {
      Json other = whole;
      other[place] = Json::parse(text);
      const std::string page = index_html(other);
      ++pages;
      EXPECT_EQ(count_of(page, "<section "), 12U - (page.find("<section id=findings>") == page.npos ? 1 : 0))
          << place << " = " << text;
      EXPECT_EQ(blank_cells(page), 0U) << place << " = " << text;
    }
  }
  EXPECT_GT(pages, 400U);
  std::string spoilt = index_html(whole);
  const std::size_t cell = spoilt.find("<td>", spoilt.find("<section id=champions>")) + 4;
  spoilt.erase(cell, spoilt.find('<', cell) - cell);
  EXPECT_EQ(blank_cells(spoilt), 1U) << "a blank cell, planted";
  fmt::print("covered: {} pages of {} places\n", pages, all.size());
}

TEST(Page, LetsNoTextIntoItsMarkup) {
  constexpr std::string_view hostile = "</script><script>alert(1)</script><img src=x onerror=\"a\">'&\x01";
  const Json whole = sample();
  std::vector<Json::json_pointer> all;
  places(whole, Json::json_pointer(), all);
  Json everywhere = whole;
  std::size_t spoilt = 0;
  for (const auto& place : all) {
    if (!whole[place].is_string()) continue;
    everywhere[place] = hostile;
    ++spoilt;
  }
  EXPECT_GT(spoilt, 100U);
  const std::string page = index_html(everywhere);
  EXPECT_EQ(foreign_elements(body_of(page)), 0U);
  EXPECT_EQ(count_of(page, "<script"), 2U) << "the sample and the script of the page itself";
  EXPECT_EQ(count_of(page, "\x01"), 0U);
  EXPECT_EQ(foreign_elements(body_of(index_html(whole))), 0U);
  // The same text, had it not been escaped.
  EXPECT_GT(foreign_elements(std::string(hostile)), 0U);
  fmt::print("covered: {} strings\n", spoilt);
}

TEST(Page, LinksOnlyToItselfAndToFilesBesideIt) {
  const std::string page = index_html(sample());
  std::size_t links = 0;
  for (std::size_t i = page.find("href=\""); i != page.npos; i = page.find("href=\"", i + 1)) {
    const std::string target = page.substr(i + 6, page.find('"', i + 6) - i - 6);
    ++links;
    EXPECT_TRUE(target.starts_with("#") || target.starts_with("cases/") || target == "data:,") << target;
  }
  EXPECT_EQ(count_of(page, "url("), 0U);
  EXPECT_EQ(count_of(page, "@import"), 0U);
  EXPECT_EQ(count_of(body_of(page), " src="), count_of(page, "&lt;img src=")) << "only as text";
  EXPECT_NE(page.find("default-src 'none'"), page.npos);
  EXPECT_GT(links, 12U);
  fmt::print("covered: {} links\n", links);
}

TEST(Page, NamesEveryHeadWithItsUnitOrAsWords) {
  const std::string page = index_html(sample());
  std::size_t heads = 0;
  for (std::size_t i = page.find("<th scope=col"); i != page.npos; i = page.find("<th scope=col", i + 1)) {
    const std::string head = page.substr(i, page.find_first_of('\n', i) - i);
    const std::string one = head.substr(0, head.find("<th", 3));
    ++heads;
    if (one.find("largest known") == one.npos && one.find("bound there") == one.npos) continue;
    EXPECT_NE(one.find("<small>"), one.npos) << one;
  }
  EXPECT_GT(heads, 60U);
  fmt::print("covered: {} heads\n", heads);
}

/// Labels that lie on another, on a dot that is not theirs, or outside.
std::size_t misplaced(const std::vector<page::Label>& labels, const std::vector<page::Dot>& dots,
                      const page::Rect& area) {
  std::size_t bad = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const page::Rect& r = labels[i].place;
    bool good = r.x >= area.x && r.y >= area.y && r.x + r.width <= area.x + area.width &&
                r.y + r.height <= area.y + area.height;
    for (std::size_t k = i + 1; k < labels.size(); ++k) good = good && !page::overlap(r, labels[k].place);
    for (const page::Dot& d : dots) good = good && !page::overlap(r, {d.x - 3, d.y - 3, 6, 6});
    bad += good ? 0 : 1;
  }
  return bad;
}

TEST(Scatter, NoLabelLiesOnAnotherOrOnADot) {
  const page::Rect area{0, 0, 500, 400};
  std::size_t wanted = 0, placed = 0;
  for (int crowd = 1; crowd <= 60; ++crowd) {
    std::vector<page::Dot> dots;
    for (int i = 0; i < crowd; ++i)
      dots.push_back({static_cast<double>(i * i * 37 % 490), static_cast<double>(i * 61 % (crowd * 6)),
                      i % 4 == 3 ? "" : fmt::format("algorithm_{}", i)});
    auto labels = page::placed_labels(dots, area);
    EXPECT_EQ(misplaced(labels, dots, area), 0U) << crowd;
    EXPECT_FALSE(labels.empty());
    wanted += dots.size();
    placed += labels.size();
    labels.push_back(labels.front());  // planted
    EXPECT_GT(misplaced(labels, dots, area), 0U);
  }
  fmt::print("covered: {} of {} dots labelled\n", placed, wanted);
}

TEST(Scatter, APointWithoutATimeIsCountedAndOneWithoutABoundIsHollow) {
  Json results = sample();
  const auto plot = page::cost_plot(results, "f32", "k");
  ASSERT_TRUE(plot);
  EXPECT_GT(plot->points, 3U);
  EXPECT_GT(plot->labelled, 3U);
  EXPECT_NE(plot->body.find("no bound there</title><path class=\"l\""), std::string::npos) << plot->body;
  results["implementations"][1]["time_ratio_on_f32"] = nullptr;
  const auto less = page::cost_plot(results, "f32", "k");
  ASSERT_TRUE(less);
  EXPECT_EQ(less->points + 1, plot->points);
  EXPECT_EQ(less->no_time, plot->no_time + 1);
  EXPECT_FALSE(page::cost_plot(Json::object(), "f32", "k"));
  fmt::print("covered: {} points, {} labelled\n", plot->points, plot->labelled);
}

/// As many rows, of as many regimes; of each row one fails, which is not among the first.
Json with_many(std::size_t rows, std::size_t regimes) {
  Json many = sample();
  const Json entry = many["entries"][0], regime = entry["regimes"][0];
  many["entries"] = Json::array();
  for (std::size_t e = 0; e < rows; ++e) {
    Json next = entry;
    next["impl"] = fmt::format("lanes{}/f32/by_reciprocal", e);
    next["expect"] = e % 5 == 0 ? "off by one" : "pass";
    next["regimes"] = Json::array();
    for (std::size_t r = 0; r < regimes; ++r) {
      next["regimes"].push_back(regime);
      next["regimes"].back()["regime"] = fmt::format("a_regime_{}", r);
      next["regimes"].back()["verdict"] = r == 30 ? "FAIL" : "PASS";
    }
    many["entries"].push_back(next);
  }
  return many;
}

TEST(Page, StaysUnderItsSizeAndSaysWhatIsLeftOut) {
  for (const auto& [rows, regimes] : {std::pair(320, 36), {800, 40}, {1500, 60}}) {
    const auto expected = static_cast<std::size_t>(rows);
    const std::string page = index_html(with_many(expected, static_cast<std::size_t>(regimes)));
    EXPECT_LT(page.size(), largest_page);
    const std::size_t whole = count_of(page, fmt::format("a_regime_{}<", regimes - 1));
    EXPECT_EQ(whole + count_of(page, " more<td class=x"), expected) << "left out without a word";
    EXPECT_EQ(count_of(page, "a_regime_30<"), expected) << "what fails is shown";
    fmt::print("covered: {} rows of {} regimes, {} bytes, {} rows whole\n", rows, regimes, page.size(),
               whole);
  }
}

}  // namespace
}  // namespace normcheck
