// Advice rests on bounds that hold: the closed forms cover the oracle's bounds, and an error above its bound
// is seen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

#include "corpus/safetensors.h"
#include "props/command_run.h"
#include "reports/advice/candidates.h"
#include "reports/advice/rows.h"
#include "reports/kappa_sweep.h"

namespace normcheck {
namespace {

/// How many rows have a bound of the moments above `scale` times the closed form, and how many were asked.
std::pair<int, int> above_closed_form(double scale) {
  int above = 0, asked = 0;
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    for (const std::int64_t n : {2, 7, 64, 1000, 4096}) {
      for (const double kappa : {1.0, 3.0, 50.0, 1e3}) {
        if (!kappa_reachable(dtype, n, kappa)) continue;
        for (const Case& c : few_rows({dtype, n, kappa, 1e-5})) {
          RowInput input(c);
          RowTruth truth;
          if (!truth.load(input, 0, true)) continue;
          const double sd = std::sqrt(truth.variance());
          for (const Candidate& candidate : candidates(dtype)) {
            const auto form = closed_form(*candidate.subject.row, n, truth.kappa());
            if (!form) continue;
            const RowAllowance allowance(candidate.subject.contract, dtype, truth.facts(), c.eps);
            // First order: the second is below a percent of it as long as it is small itself.
            if (form->mean > 1e-2 || form->variance > 1e-2) continue;
            ++asked;
            above += allowance.mean_step() / sd > scale * form->mean * 1.02 ||
                     allowance.variance_step() / truth.variance() > scale * form->variance * 1.02;
          }
        }
      }
    }
  }
  return {above, asked};
}

TEST(Advice, ClosedFormsCoverTheProvenBoundsAndHalfOfThemWouldNot) {
  const auto [above, asked] = above_closed_form(1);
  EXPECT_EQ(above, 0);
  EXPECT_GT(asked, 500);
  const auto [above_half, _] = above_closed_form(0.5);
  EXPECT_GT(above_half, asked / 20) << "a form that is too small by half must show";
  fmt::print("{} rows and candidates; of forms halved {} show\n", asked, above_half);
}

TEST(Advice, AnErrorAboveTheBoundThatIsClaimedIsSeen) {
  const Setting setting{DType::f32, 256, 100, 1e-5};
  const Row *naive = find_row("naive/f32"), *neumaier = find_row("neumaier/f32");
  const std::vector<Subject> subjects = {{neumaier, {ContractKind::own, neumaier, nullptr}},
                                         {naive, {ContractKind::own, neumaier, nullptr}}};
  std::vector<Evaluated> out(2);
  for (const Case& c : advice_rows(setting)) evaluate(c, subjects, out);
  EXPECT_EQ(out[0].exceeded, 0);
  EXPECT_GT(out[1].exceeded, 0);
  fmt::print("{} rows, of which naive exceeds neumaier's bound on {}\n", out[1].rows, out[1].exceeded);
}

struct Line {
  std::string name, proven;
  double known = 0;
};
/// The lines of the table that begin with a row's name.
std::vector<Line> table_of(const std::string& text) {
  std::vector<Line> out;
  std::istringstream lines(text);
  const std::regex form(
      "([a-z0-9_]+/f[0-9/a-z_]+) +\\d+ +[0-9.e]+ +(void: \\d+ of \\d+|not run|[0-9.e]+) +"
      "([0-9.e]+|NaN/inf|not run)  .*");
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (std::regex_match(line, m, form))
      out.push_back({m[1], m[2], m[3].str()[0] == 'N' ? INFINITY : std::atof(m[3].str().c_str())});
  }
  return out;
}
std::string proven_of(const std::string& text, const std::string& name) {
  for (const Line& line : table_of(text)) {
    if (line.name == name) return line.proven;
  }
  return "no line";
}
/// The last paragraph, in one line.
std::string sentence_of(const std::string& text) {
  const auto at = text.rfind("\n\n");
  std::string last = at == std::string::npos ? "" : text.substr(at + 2);
  std::replace(last.begin(), last.end(), '\n', ' ');
  return last;
}

TEST(Advise, SaysWhatToUseForAHalfWithALargeMeanAndThatNaiveIsNotProven) {
  const Told r = run("advise --dtype f16 --n 4096 --kappa 50");
  EXPECT_EQ(r.code, 0) << r.err;
  const std::string said = sentence_of(r.out);
  EXPECT_EQ(said.rfind("Use pairwise/f32:", 0), 0u) << said;
  EXPECT_NE(said.find("proven"), std::string::npos) << said;
  EXPECT_NE(said.find("largest known"), std::string::npos) << said;
  EXPECT_NE(said.find("naive/f32 (E[x^2]-E[x]^2) is not proven: its bound is void"), std::string::npos)
      << said;
  EXPECT_EQ(proven_of(r.out, "naive/f32").rfind("void", 0), 0u) << r.out;
  EXPECT_NE(r.out.find("(3n+2) u kappa^2 = 12290 * 6e-8 * 50^2 = 1.83"), std::string::npos) << r.out;
  EXPECT_EQ(r.out, run("advise --dtype f16 --n 4096 --kappa 50").out) << "the same every time";
  fmt::print("{}\n", said);
}

TEST(Advise, NoErrorIsAboveWhatIsProvenAndCheapestComesFirst) {
  int lines = 0, voided = 0;
  for (const std::string setting :
       {"--dtype f16 --n 64 --kappa 1", "--dtype bf16 --n 1000 --kappa 30", "--dtype f32 --n 256 --kappa 1e4",
        "--dtype f64 --n 33 --kappa 1e7", "--dtype f32 --n 2 --kappa 1e3 --eps 0"}) {
    const Told r = run("advise " + setting);
    ASSERT_EQ(r.code, 0) << setting << r.err << r.out;
    for (const Line& line : table_of(r.out)) {
      ++lines;
      if (line.proven[0] == 'v') {
        ++voided;
      } else {
        EXPECT_LE(line.known, std::atof(line.proven.c_str()) * 1.01) << setting << line.name;
      }
    }
    std::istringstream text(r.out);
    for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 100u) << line;
  }
  EXPECT_GT(lines, 60);
  EXPECT_GT(voided, 0);
  fmt::print("{} lines, {} void\n", lines, voided);
}

TEST(Advise, KeepsToPassesAndTolerance) {
  const auto use = [](const std::string& arguments) {
    const Told r = run("advise --dtype f32 --n 512 --kappa 1e3 " + arguments);
    EXPECT_EQ(r.code, 0) << r.err;
    const std::string said = sentence_of(r.out);
    return said.substr(0, said.find(':'));
  };
  EXPECT_EQ(use("--tolerance 1e-9").substr(0, 14), "Nothing here i");
  EXPECT_EQ(use("--tolerance 0.5 --passes 1"), "Use naive/f64");
  EXPECT_EQ(use("--tolerance 0.5 --passes 2"), "Use two_pass/f32");
  EXPECT_EQ(use("--tolerance 2ulp --passes 1"), "Use naive/f64");
}

TEST(Advise, MeasuresADumpLayerByLayer) {
  const auto folder = fresh_folder("advise");
  NamedTensors all;
  const double means[] = {0, 300, 20};
  for (int layer = 0; layer < 3; ++layer) {
    Case c = drawn_case(DType::f32, 5, 96, means[layer]);
    if (layer == 2) {
      for (std::int64_t i = 0; i < 96; ++i) c.x.set_value(96 + i, 7);
      c.x.set_value(3 * 96 + 1, NAN);
    }
    all.push_back({fmt::format("h.{}.in", layer), c.x});
  }
  const auto file = folder / "a.safetensors";
  write_file_atomically(file, format_safetensors(all));
  const Told r = run(fmt::format("advise --data {} --map 'x=h.*.in'", file.string()));
  EXPECT_EQ(r.code, 0) << r.err;
  const std::regex lines("0 +1[. ].*\n1 +3[01]\\d .*\n2 +2\\d.* 1 constant; 1 with NaN or inf\n");
  EXPECT_TRUE(std::regex_search(r.out, lines)) << r.out;
  EXPECT_NE(r.out.find("asked    f32, n 96, kappa 3"), std::string::npos) << r.out;
  EXPECT_NE(sentence_of(r.out).find("On your data: error"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("not given"), std::string::npos);
  // Another file, another answer.
  write_file_atomically(file, format_safetensors({all[0]}));
  const Told small = run(fmt::format("advise --data {}:h.0.in", file.string()));
  const Told one = run(fmt::format("advise --data {} --map x=h.0.in", file.string()));
  EXPECT_EQ(small.code, 2) << "a name behind a file is --x's";
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out.find("asked    f32, n 96, kappa 1."), std::string::npos) << one.out;
}

TEST(Advise, BadInputIsOneLineAndExit2) {
  const auto folder = fresh_folder("advise-bad");
  const auto constant = folder / "constant.safetensors", half = folder / "half.safetensors";
  write_file_atomically(constant, format_safetensors({{"x", Tensor(DType::f32, {4, 8})}}));
  write_file_atomically(half, "not a dump");
  const std::string lines[] = {"",
                               "--dtype f16",
                               "--dtype f16 --n 4096",
                               "--dtype f18 --n 4096 --kappa 2",
                               "--dtype i32 --n 4096 --kappa 2",
                               "--dtype f16,f32 --n 64 --kappa 2",
                               "--dtype f16 --n 1 --kappa 2",
                               "--dtype f16 --n 99999 --kappa 2",
                               "--dtype f16 --n 2..4 --kappa 2",
                               "--dtype f16 --n 64 --kappa 0.5",
                               "--dtype f16 --n 64 --kappa nan",
                               "--dtype f16 --n 64 --kappa 1e9",
                               "--dtype f16 --n 64 --kappa 2 --eps -1",
                               "--dtype f16 --n 64 --kappa 2 --passes 3",
                               "--dtype f16 --n 64 --kappa 2 --tolerance 0",
                               "--dtype f16 --n 64 --kappa 2 --tolerance ulp",
                               "--dtype f16 --n 64 --kappa 2 --map x=y",
                               "--data /nowhere/x.npy",
                               "--data " + half.string(),
                               "--data " + constant.string(),
                               "--unknown"};
  for (const std::string& line : lines) {
    const Told r = run("advise " + line);
    EXPECT_EQ(r.code, 2) << line << r.out;
    EXPECT_TRUE(is_one_line(r.err)) << line << "\n" << r.err;
    EXPECT_TRUE(r.out.empty() || r.out.rfind("taken ", 0) == 0) << line << r.out;
  }
  fmt::print("{} lines\n", std::size(lines));
}

}  // namespace
}  // namespace normcheck
