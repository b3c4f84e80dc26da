// Knowledge bases: what is read is written as a line that is read again.
#include "ops/knowledge/knowledge_base.h"

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  fuzz::Reads([&] {
    const KnowledgeBase base = KnowledgeBase::Read(fuzz::FileOf(fuzz::TextOf(data, size), "kb.jsonl"));
    std::string lines;
    for (const KnowledgeRecord& record : base.records()) {
      lines += LineOf(record);
    }
    const KnowledgeBase again = KnowledgeBase::Read(fuzz::FileOf(lines, "again.jsonl"));
    if (again.records().size() != base.records().size()) {
      std::abort();
    }
  });
  return 0;
}
