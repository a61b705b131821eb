# Stands in for fmt's own package where no shared library but the C and C++ ones may be linked (fuzz/build.sh): as
# headers alone, since a service's standard library is another than the one Debian built fmt with; or, where they are
# the same and NORMCHECK_FMT_ARCHIVE says so, as Debian's archive, which compiles in a third of the time.
if(TARGET fmt::fmt)
  return()
endif()
if(NORMCHECK_FMT_ARCHIVE)
  find_library(NORMCHECK_LIBFMT libfmt.a)
endif()
if(NORMCHECK_LIBFMT)
  add_library(fmt::fmt STATIC IMPORTED)
  set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION ${NORMCHECK_LIBFMT})
else()
  add_library(fmt::fmt INTERFACE IMPORTED)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
endif()
