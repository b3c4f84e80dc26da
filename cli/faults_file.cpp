#include "cli/faults_file.h"

#include <string>
#include <system_error>

#include "cli/output_files.h"

namespace tilesim {

void WriteFaults(const std::filesystem::path& path, const CaseResult& result) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (result.launch && !result.launch->faults.empty()) {
    std::string text;
    for (const Fault& fault : result.launch->faults) {
      text += fault.Text() + "\n";
    }
    WriteWholeText(path, text);
  }
}

}  // namespace tilesim
