#include "cli/cc/program_file.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNoteOwner = "tilesim";

// The contents of the parts of that type of a program or a library; none for other files.
std::vector<std::string> PartsOf(const fs::path& file, uint32_t type) {
  constexpr uint64_t kMostOfPart = 1 << 20;
  std::vector<std::string> parts;
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr head{};
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      (head.e_type != ET_EXEC && head.e_type != ET_DYN)) {
    return parts;
  }
  for (int i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    in.seekg(static_cast<std::streamoff>(head.e_phoff) + i * static_cast<std::streamoff>(head.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&part), sizeof part)) {
      return parts;
    }
    if (part.p_type != type || part.p_filesz > kMostOfPart) {
      continue;
    }
    std::string text(part.p_filesz, '\0');
    in.seekg(static_cast<std::streamoff>(part.p_offset));
    if (in.read(text.data(), static_cast<std::streamsize>(text.size()))) {
      parts.push_back(std::move(text));
    }
  }
  return parts;
}

// What the linker writes of a program that needs no loader (-static-pie).
bool IsProgramWithoutLoader(std::string_view entries) {
  for (; entries.size() >= sizeof(Elf64_Dyn); entries.remove_prefix(sizeof(Elf64_Dyn))) {
    Elf64_Dyn entry{};
    std::memcpy(&entry, entries.data(), sizeof entry);
    if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string ProgramNote() {
  constexpr size_t kOwnerBytes = kNoteOwner.size() + 1;
  return Say(
      "__asm__(\".pushsection .note.tilesim,\\\"a\\\",%note\\n.balign 4\\n.long ", kOwnerBytes,
      "\\n.long 4\\n.long 1\\n.asciz \\\"", kNoteOwner,
      "\\\"\\n.balign 4\\n.weak tilesim_made_by_cc\\ntilesim_made_by_cc:\\n.long 1\\n.popsection\");\n");
}

bool IsProgramOfCc(const fs::path& file) {
  const std::vector<std::string> notes = PartsOf(file, PT_NOTE);
  return std::ranges::any_of(notes, [](const std::string& note) {
    return note.find(std::string(kNoteOwner) + '\0') != std::string::npos;
  });
}

bool IsLibrary(const fs::path& file) {
  const std::vector<std::string> linked = PartsOf(file, PT_DYNAMIC);
  return !linked.empty() && PartsOf(file, PT_INTERP).empty() && !IsProgramWithoutLoader(linked.front());
}

}  // namespace tilesim
