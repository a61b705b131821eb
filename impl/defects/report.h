// How a mistake becomes a row of the list: its report, and what of a layer norm it replaces.
#pragma once

#include <string_view>

#include "impl/defects/steps.h"

namespace normcheck::defect {

/// The layer norm of the steps S.
template <class S>
int by_steps(const nc_call* c) {
  return with_dense(c, S::dtypes, all_rows<S>);
}
/// The layer norm of W::work, which sees the whole of a dense call.
template <class W>
int by_call(const nc_call* c) {
  return with_dense(c, W::dtypes, W::work);
}

struct Report {
  std::string_view id, kind, url, does;
  const char* right = nullptr;
  bool own_process = false;
};
template <class S>
consteval Defect stepped(const Report& r) {
  return {r.id, r.kind, r.url, r.does, r.right, S::dtypes, r.own_process, by_steps<S>};
}
template <class W>
consteval Defect whole(const Report& r) {
  return {r.id, r.kind, r.url, r.does, r.right, W::dtypes, r.own_process, by_call<W>};
}
/// One whose W::run sees the call as it came.
template <class W>
consteval Defect bare(const Report& r) {
  return {r.id, r.kind, r.url, r.does, r.right, W::dtypes, r.own_process, W::run};
}

}  // namespace normcheck::defect
