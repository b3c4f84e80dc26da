// Case files: each row is read or refused with readable words, the others stay.
#include "ops/cases/case_file.h"

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  fuzz::Reads([&] {
    const CaseFile file = ReadCaseFile(fuzz::FileOf(fuzz::TextOf(data, size), "cases.csv"));
    for (const CaseError& error : file.errors) {
      fuzz::RequireReadable(Sentence(error));
      fuzz::RequireReadable(error.id);
    }
    for (const Case& problem : file.cases) {
      fuzz::RequireReadable(problem.id);
    }
  });
  return 0;
}
