// An attack is repeated as the table has it; its records are hashed as text.
#include "fuzz/attack/repeats.h"

#include <fmt/format.h>

#include <utility>

#include "corpus/case_file.h"
#include "corpus/generate.h"
#include "corpus/tab_table.h"
#include "fuzz/attack/attack.h"
#include "oracles/contract.h"
#include "props/gen.h"

namespace normcheck {
namespace {

constexpr std::string_view head = "impl\tdtype\tn\tobjective\tseed\tevaluations\tinstruction_set\tsha256";

}  // namespace

std::vector<RepeatedAttack> read_repeats(const std::filesystem::path& folder) {
  std::vector<RepeatedAttack> out;
  read_tab_table(folder / "repeats.tsv", head, [&](Columns& fields) {
    RepeatedAttack r;
    r.impl = fields.some("an implementation");
    r.dtype = fields.named(parse_dtype(fields.text()), "a dtype");
    r.n = fields.number<std::int64_t>("a length");
    r.objective = fields.named(objective_named(fields.text()), "an objective");
    r.seed = fields.number<std::uint64_t>("a seed");
    r.evaluations = fields.number<std::int64_t>("a number of evaluations");
    r.instruction_set = fields.some("an instruction set");
    r.digest = fields.some("a digest");
    out.push_back(std::move(r));
  });
  return out;
}

std::string repeat_line(const RepeatedAttack& r) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", r.impl, dtype_name(r.dtype), r.n,
                     objective_name(r.objective), r.seed, r.evaluations, r.instruction_set, r.digest);
}

std::string attack_again(const RepeatedAttack& repeat, const Row& row) {
  AttackPlan plan;
  plan.dtype = repeat.dtype;
  plan.n = repeat.n;
  plan.objective = repeat.objective;
  plan.budget = repeat.evaluations;
  plan.seed = repeat.seed;
  plan.freedom.eps = repeat.objective == Objective::share;
  const AttackResult result = attack(row, parse_contract("own", &row), plan);
  std::string text;
  for (const AttackRecord& r : result.records)
    text += fmt::format("{} {} {}\n{}", r.evaluations, r.method, r.value, format_case(r.problem));
  return sha256_hex(text);
}

}  // namespace normcheck
