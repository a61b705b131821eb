// A finding: one case that an implementation failed, with what a person needs to see it again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "impl/table.h"
#include "oracles/diagnose.h"
#include "oracles/evidence.h"
#include "oracles/judge.h"

namespace normcheck {

struct Finding {
  std::string impl;              ///< a row's name; for tensors from outside, the file's
  std::string regime;            ///< a regime, or "corpus/public", "corpus/cases"; empty in replay and judge
  std::string contract;          ///< "stable", "own"
  std::string asked = "stable";  ///< what --contract is to say to get it: a plug-in's own claims go without
  std::string replay;            ///< arguments of the command that shows it again; empty where there is none
  std::filesystem::path kept;    ///< the file of its case, once it has one
  Case problem;
  Judgement judgement;
  std::optional<StageReport> stage;
  std::vector<Explanation> explanations;  ///< the mistakes that explain it, best first
  std::optional<Evidence> evidence;       ///< of a SUSPECT
  std::string again;                      ///< of a SUSPECT: arguments that weigh its evidence again
  std::string cause;                      ///< likewise, in words; empty: none does, or nobody asked (explain)
  const Row* row = nullptr;               ///< what was run; null where nothing was
  Contract held;                          ///< the contract itself
  std::optional<Tensor> output;  ///< y as it came from a kernel from outside, which need not give it again
  std::string probe;             ///< the probe that found it; empty for a plain case
  std::string probe_words;       ///< what of the probe it was
  std::string not_repeated;      ///< in place of a replay line: it did not come again (confirm.h)
  bool strict = false;           ///< found because --strict was given
  std::optional<Case>
      base;               ///< where a probe varied its case: that case, which is kept in place of `problem`
  bool expected = false;  ///< by the row's `expect` or by the case's `violates`
};

/// Runs `row` on the case with every output asked for, and judges it. This is what `replay` does, so what
/// a finding shows is what its replay line shows.
Judgement run_and_judge(const Row& row, const Case& c, const Contract& contract, OracleChoice oracle);

/// The finding of a judgement that is one: with the first wrong stage, where the row can be traced.
Finding make_finding(const Row& row, const Case& c, Judgement judgement, const Contract& contract);

/// Finds the cause, by oracles/diagnose: of numbers that are wrong, on valid calls.
void explain(Finding& finding);

/// The name as a file's: what is not a letter, a digit or one of . _ + - becomes a dash. Of a path the end.
std::string file_stem(std::string_view impl);

/// Writes the case, with `row` added to what it violates, to FOLDER/<impl-with-dashes>-<8 hex>.case and
/// fills in `replay` and `kept`. Explains it first. The hex is of the written bytes, so one case has one
/// name.
void keep_finding(Finding& finding, const std::filesystem::path& folder);

/// What is added to the arguments of replay to have its probe run; empty where there is none.
std::string probe_arguments(const Finding& finding);

}  // namespace normcheck
