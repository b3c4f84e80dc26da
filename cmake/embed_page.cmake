# Writes a C++ source that holds the page of `report`:
#   cmake -DFROM=<folder> -DTO=<file.cpp> -DSCRIPTS=<a.js,b.js> -P cmake/embed_page.cmake
cmake_minimum_required(VERSION 3.25)

# A raw string of any length; g++ and clang take it whole.
function(add_text function_name text)
  string(APPEND source "std::string_view ${function_name}() {\n"
    "  return R\"tilesim_page(${text})tilesim_page\";\n}\n")
  set(source "${source}" PARENT_SCOPE)
endfunction()

set(source "// made by cmake/embed_page.cmake\n#include \"cli/report/html_page.h\"\n\nnamespace tilesim {\n")
file(READ "${FROM}/page.html" html)
add_text(PageTemplate "${html}")
file(READ "${FROM}/page.css" css)
add_text(PageStyle "${css}")
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
set(script "")
foreach(name IN LISTS SCRIPTS)
  file(READ "${FROM}/${name}" part)
  string(APPEND script "${part}\n")
endforeach()
add_text(PageScript "${script}")
file(WRITE "${TO}" "${source}}  // namespace tilesim\n")
