# How a floor, a program and a test are built: one function each.

# Warnings of our own sources; never reaches consumers.
add_library(tilesim_dev INTERFACE)
if(TILESIM_DEVELOPER_MODE)
  target_compile_options(tilesim_dev INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion
    -Wno-sign-conversion
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 misfires on std::string (gcc bug 105651)
endif()

set(TILESIM_UNITY_SIZE 8 CACHE STRING "How many sources are compiled together: most of a source's cost are its headers; 1: each alone")

# Compiles the sources of a target together, a few at a time, in the order of the list, but those with JSON first: its
# templates cost each group some three seconds. A group ends where it is full, and where a folder ends and it is half full.
# Sources with Highway's foreach_target, which include themselves, and those with definitions or options of their own
# stay alone.
#   tilesim_unity(<target> <how many> <sources>)
function(tilesim_unity target most)
  if(TILESIM_UNITY_SIZE LESS 2)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(with_json "")
  set(others "")
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} json REGEX "nlohmann/json\\.hpp" LIMIT_COUNT 1)
    if(json)
      list(APPEND with_json ${source})
    else()
      list(APPEND others ${source})
    endif()
  endforeach()
  set(batch 0)
  set(size 0)
  set(last_folder "")
  foreach(source IN LISTS with_json others)
    file(STRINGS ${source} alone REGEX "foreach_target\\.h" LIMIT_COUNT 1)
    if(alone)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    math(EXPR twice "2 * ${size}")
    if(size EQUAL most OR (NOT folder STREQUAL last_folder AND twice GREATER_EQUAL most))
      math(EXPR batch "${batch} + 1")
      set(size 0)
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${batch})
    math(EXPR size "${size} + 1")
    set(last_folder "${folder}")
  endforeach()
endfunction()

# Highway's headers; what they need of its library is formats/highway_targets.cpp, which says why.
add_library(tilesim_highway INTERFACE)
target_include_directories(tilesim_highway SYSTEM INTERFACE $<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>)

# Highway compiles each of its sources once for each kind of vectors. SSSE3 and SSE4 are left out: x86 machines without AVX2
# run what has no vectors, as every compiler builds it (clang would emulate vectors of 128 bits instead).
#   tilesim_vectors(<target> [<Highway's names of more kinds to leave out>])
function(tilesim_vectors target)
  set(kinds HWY_SSSE3 HWY_SSE4 ${ARGN})
  list(JOIN kinds "|" kinds)
  target_compile_definitions(${target} PRIVATE "HWY_DISABLED_TARGETS=(${kinds})" HWY_BROKEN_EMU128=1)
endfunction()

# One static library a floor. A floor links the floors below it, and only those. HEADERS are those that a user's kernel or
# program includes by name: each of them compiles alone, which the preset `ci` checks. What they include needs no list.
#   tilesim_floor(<name> SOURCES ... HEADERS ... [BELOW <targets>] [PRIVATE <targets>])
function(tilesim_floor name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;BELOW;PRIVATE" ${ARGN})
  add_library(tilesim_${name} STATIC)
  add_library(tilesim::${name} ALIAS tilesim_${name})
  target_compile_features(tilesim_${name} PUBLIC cxx_std_20)
  target_sources(tilesim_${name}
    PRIVATE ${arg_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_link_libraries(tilesim_${name}
    PUBLIC ${arg_BELOW}
    PRIVATE $<BUILD_INTERFACE:tilesim_dev> ${arg_PRIVATE})
  # Users' shared libraries are linked from these archives too.
  set_target_properties(tilesim_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_options(tilesim_${name} PRIVATE -fno-semantic-interposition)
  tilesim_unity(tilesim_${name} ${TILESIM_UNITY_SIZE} ${arg_SOURCES})
endfunction()

option(TILESIM_TESTS_OF_MEMORY "Only the tests of what touches memory by index or pointer: for sanitizers" OFF)

# What sources of tests are compiled with: less optimised than the libraries, for compiling them takes longer than
# running them (sanitizers make each step of the optimiser dearer), and with the headers that nearly all of a floor's
# include compiled once.
set(tilesim_test_compile_options $<$<NOT:$<CONFIG:Debug>>:$<IF:$<BOOL:${TILESIM_TESTS_OF_MEMORY}>,-O0,-Og>>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-free-nonheap-object>)  # g++ 12 misfires on a std::variant that is moved
function(tilesim_test_options name floor)
  target_compile_options(${name} PRIVATE ${tilesim_test_compile_options})
  if(TARGET tilesim_test_headers_${floor})
    target_precompile_headers(${name} REUSE_FROM tilesim_test_headers_${floor})
  else()
    target_precompile_headers(${name} REUSE_FROM tilesim_test_headers)
  endif()
endfunction()

# Sources of tests that are compiled alone: other sources have their names or macros, or they are long themselves.
function(tilesim_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# One test program.
#   tilesim_test(<name> SOURCES ... LINK <targets> LABELS <floor> [WITHOUT_MEMORY] [TOGETHER] [COMPILES])
# The program runs in the source folder of the project, so tests name data as "tests/data/...". WITHOUT_MEMORY: nothing
# that it tests, and others do not, touches memory by index or pointer; TILESIM_TESTS_OF_MEMORY leaves it out. TOGETHER:
# its tests share what takes long to make and are run by one process, which starts early. Of others each test has a
# process of its own, but with TILESIM_TESTS_OF_MEMORY. COMPILES: its tests compile kernel files, so `_compiles` follows
# their label. Sources are compiled four at a time, so anonymous names are unique in a program, but for those of sources
# that tilesim_alone() names.
# Seconds of the longest tests of a machine that has timed none yet, roughly: CTest starts those that cost most first, so
# that none of them runs alone at the end. Others cost nothing there.
set(TILESIM_LONG_TEST_COST 20)
function(tilesim_test name)
  cmake_parse_arguments(arg "WITHOUT_MEMORY;TOGETHER;COMPILES" "" "SOURCES;LINK;LABELS" ${ARGN})
  if(arg_WITHOUT_MEMORY AND TILESIM_TESTS_OF_MEMORY)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} tilesim_dev GTest::gtest_main)
  tilesim_test_options(${name} "${arg_LABELS}")
  tilesim_unity(${name} 4 ${arg_SOURCES})
  if("tilesim_highway" IN_LIST arg_LINK)
    tilesim_vectors(${name})  # it goes through the kinds that the libraries have
  endif()
  set(labels ${arg_LABELS})
  if(arg_COMPILES)
    set(labels ${arg_LABELS}_compiles)
  endif()
  set(processes 0)  # one a test
  set(cost)
  if(arg_TOGETHER)
    set(processes 1)
    set(cost COST ${TILESIM_LONG_TEST_COST})
  elseif(TILESIM_TESTS_OF_MEMORY)
    set(processes 4)  # sanitizers take a tenth of a second to start a process, longer than most tests run
  endif()
  if(processes GREATER 0)
    foreach(index RANGE 1 ${processes})
      math(EXPR shard "${index} - 1")
      add_test(NAME ${name}.${index} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(${name}.${index} PROPERTIES LABELS "${labels}" ${cost}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${processes};GTEST_SHARD_INDEX=${shard}")
    endforeach()
    return()
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${labels}")
endfunction()
