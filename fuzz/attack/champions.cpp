// The table is text with a tab between its columns, so that a new record is a line of a diff.
#include "fuzz/attack/champions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/tab_table.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view head =
    "impl\tdtype\tn_class\tobjective\tkappa_most\tcontract\tseed\tevaluations\tshare_of_bound\tulp\t"
    "normwise_u\tkappa\tversion\tcase\tcurve\truns\tsampled\tlargest_sampled\tnonfinite";
constexpr std::size_t longest_curve = 12;

Champion parse_line(Columns& fields) {
  Champion c;
  c.key.impl = fields.some("an implementation");
  c.key.dtype = fields.named(parse_dtype(fields.text()), "a dtype");
  c.key.length = fields.number<std::int64_t>("the class of n");
  if (c.key.length < 1 || c.key.length != length_class(c.key.length)) fields.fail("a power of two");
  c.key.objective = fields.named(objective_named(fields.text()), "an objective");
  const std::string most = fields.text();
  c.key.kappa_most = most == "any" ? 0 : fields.number_in<double>(most, "a condition number, or any");
  c.key.contract = fields.some("a contract");
  c.seed = fields.number<std::uint64_t>("a seed");
  c.evaluations = fields.number<std::int64_t>("a number of evaluations");
  for (double* v : {&c.share, &c.ulp, &c.normwise_u, &c.kappa}) *v = fields.number<double>("a number");
  c.version = fields.text();
  if (c.version == "-") c.version.clear();
  c.file = fields.some("a file");
  const std::string curve = fields.text();
  for (const std::string& point : split(curve, ' ')) {
    if (curve.empty()) break;
    const auto parts = split(point, ':');
    if (parts.size() != 2) fields.fail("evaluations:value", point);
    c.curve.emplace_back(fields.number_in<std::int64_t>(parts[0], "evaluations"),
                         fields.number_in<double>(parts[1], "a value"));
  }
  c.runs = fields.text();
  c.sampled = fields.number<std::int64_t>("a number of rows");
  c.largest_sampled = fields.number<double>("a value");
  c.nonfinite = fields.number<std::int64_t>("a number of rows");
  return c;
}

std::string line_of(const Champion& c) {
  std::string curve;
  for (const auto& [at, value] : c.curve)
    curve += fmt::format("{}{}:{:.4g}", curve.empty() ? "" : " ", at, value);
  const std::string most = c.key.kappa_most > 0 ? fmt::format("{}", c.key.kappa_most) : "any";
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                     c.key.impl, dtype_name(c.key.dtype), c.key.length, objective_name(c.key.objective), most,
                     c.key.contract, c.seed, c.evaluations, c.share, c.ulp, c.normwise_u, c.kappa,
                     c.version.empty() ? "-" : c.version, c.file, curve, c.runs, c.sampled, c.largest_sampled,
                     c.nonfinite);
}

/// The last point of each part of it stays.
void thin(std::vector<std::pair<std::int64_t, double>>& curve) {
  while (curve.size() > longest_curve) {
    std::size_t least = 1;
    for (std::size_t k = 1; k + 1 < curve.size(); ++k) {
      const auto gain = [&](std::size_t i) { return curve[i].second / curve[i - 1].second; };
      if (gain(k) < gain(least)) least = k;
    }
    curve.erase(curve.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

double value_of(Objective objective, double share, double ulp, double normwise_u) {
  return objective == Objective::share ? share : objective == Objective::ulp ? ulp : normwise_u;
}

}  // namespace

std::int64_t length_class(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

std::string run_name(const AttackPlan& plan) {
  return fmt::format("{}:{}:{}", plan.n, plan.seed, plan.budget);
}

bool was_run(const Champion& c, const AttackPlan& plan) {
  const std::vector<std::string> runs = split(c.runs, ' ');
  return std::find(runs.begin(), runs.end(), run_name(plan)) != runs.end();
}

double value_of(const Champion& c) { return value_of(c.key.objective, c.share, c.ulp, c.normwise_u); }

std::string champion_stem(const ChampionKey& key) {
  std::string impl = key.impl;
  std::replace_if(
      impl.begin(), impl.end(), [](char c) { return c == '/' || c == ':' || c == '+'; }, '-');
  std::string out =
      fmt::format("{}.{}.n{}.{}", impl, dtype_name(key.dtype), key.length, objective_name(key.objective));
  if (std::isfinite(key.kappa_most) && key.kappa_most > 0) out += fmt::format("-kappa{}", key.kappa_most);
  if (key.kappa_most == 0) out += "-any";
  return out;
}

std::vector<Champion> read_champions(const fs::path& folder) {
  std::vector<Champion> out;
  read_tab_table(folder / "records.tsv", head, [&](Columns& fields) {
    Champion c = parse_line(fields);
    if (std::any_of(out.begin(), out.end(), [&](const Champion& o) { return o.key == c.key; }))
      throw InputError(fmt::format("{}: a second line for {}", fields.where(), champion_stem(c.key)));
    out.push_back(std::move(c));
  });
  return out;
}

void write_champions(const fs::path& folder, std::vector<Champion> champions) {
  const auto order = [](const Champion& c) {
    return std::tuple(c.key.impl, dtype_name(c.key.dtype), c.key.length, c.key.objective, c.key.kappa_most,
                      c.key.contract);
  };
  std::sort(champions.begin(), champions.end(),
            [&](const Champion& a, const Champion& b) { return order(a) < order(b); });
  std::string text = std::string(head) + "\n";
  for (const Champion& c : champions) text += line_of(c);
  write_file_atomically(folder / "records.tsv", text);
}

std::vector<Case> champion_cases(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".case") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> out;
  for (const fs::path& file : files) out.push_back(read_case(file));
  return out;
}

bool keep_record(const fs::path& folder, const ChampionKey& key, const AttackResult& result,
                 const AttackPlan& plan, const std::string& version) {
  const std::string run = run_name(plan);
  if (result.records.empty()) return false;
  std::vector<Champion> all = read_champions(folder);
  auto known = std::find_if(all.begin(), all.end(), [&](const Champion& c) { return c.key == key; });
  const bool first = known == all.end();
  if (first) {
    Champion fresh;
    fresh.key = key;
    known = all.insert(all.end(), std::move(fresh));
  }
  // Of another version the old record, and how it was sought, say nothing.
  if (!first && known->version != version) {
    *known = Champion();
    known->key = key;
  }
  const double before = known->file.empty() ? -1 : value_of(*known);
  const AttackRecord& worst = result.records.back();
  const std::int64_t earlier = known->evaluations;
  known->evaluations += result.evaluations;
  known->sampled += result.sampled;
  known->largest_sampled = std::max(known->largest_sampled, result.largest_sampled);
  known->nonfinite += result.nonfinite;
  known->runs += (known->runs.empty() ? "" : " ") + run;
  const bool fresh = worst.value > before * (1 + worth);
  if (fresh) {
    known->seed = plan.seed;
    known->share = worst.share;
    known->ulp = worst.ulp;
    known->normwise_u = worst.normwise_u;
    known->kappa = worst.kappa;
    known->version = version;
    known->file = champion_stem(key) + ".case";
    for (const AttackRecord& r : result.records) {
      const std::int64_t at = earlier + r.evaluations;
      if (known->curve.empty() || r.value > known->curve.back().second)
        known->curve.emplace_back(at, r.value);
    }
    thin(known->curve);
    Case c = worst.problem;
    c.id = champion_stem(key);
    c.violates.clear();
    c.origin.clear();
    c.notes = {fmt::format("the largest {} that is known of {}{}{}", objective_name(key.objective), key.impl,
                           version.empty() ? "" : " ", version)};
    fs::create_directories(folder);
    write_case(folder / known->file, c);
  }
  write_champions(folder, std::move(all));
  return fresh;
}

std::string champion_complaint(const fs::path& folder, const Champion& champion, const Row& row) {
  const Case c = read_case(folder / champion.file);
  const std::string name = champion_stem(champion.key);
  if (c.x.dtype != champion.key.dtype || row_count(c) != 1 ||
      length_class(row_length(c)) != champion.key.length || c.id != name)
    return fmt::format("{}: is no case of {}; expected the row that its line of records.tsv tells of",
                       champion.file, name);
  const Contract contract = parse_contract(champion.key.contract, &row);
  const Judgement j = judge(c, run_case(row, c), contract, OracleChoice::exact);
  if (is_right(row) && is_finding(j.verdict))
    return fmt::format("{}: {} by {}: {} of what {} allows", name, verdict_name(j.verdict), row.name,
                       j.errors.max_share_of_bound, champion.key.contract);
  if (is_right(row) && !(j.errors.max_ulp <= champion.ulp))
    return fmt::format("{}: {} got worse on the input of its record: {} ulp, it was {}", name, row.name,
                       j.errors.max_ulp, champion.ulp);
  return "";
}

}  // namespace normcheck
