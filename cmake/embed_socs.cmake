# Writes a C++ source that holds the files of the parts, by name:
#   cmake -DFROM=<folder> -DTO=<file.cpp> -P cmake/embed_socs.cmake
cmake_minimum_required(VERSION 3.25)

file(GLOB files "${FROM}/*.cfg")
list(SORT files)
string(CONCAT source "// made by cmake/embed_socs.cmake\n#include <array>\n\n#include \"sim/soc/soc_files.h\"\n\n"
  "namespace tilesim {\n\nstd::span<const SocText> BuiltInSocs() {\n")
list(LENGTH files count)
string(APPEND source "  static constexpr std::array<SocText, ${count}> kTexts = {{\n")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WLE)
  file(READ "${file}" text)
  string(APPEND source "{\"${name}\", R\"tilesim_soc(${text})tilesim_soc\"},\n")
endforeach()
file(WRITE "${TO}" "${source}  }};\n  return kTexts;\n}\n\n}  // namespace tilesim\n")
