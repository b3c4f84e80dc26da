# Who may include whom. `cmake -DROOT=. -P cmake/check_floors.cmake`; also the CTest `floors`.
#
# A file includes its own floor and lower ones only. Beyond that:
#   ops/**/*_kernel.h       runs on the device: names the kernel API, lib/..., tiling data and its own tasks
#   ops/**/*_reference.cpp  is the independent answer: never sees the simulator
# Headers that are named without a floor are those of a user's kernels and host programs; they are found on the
# include path of the floor that owns them.
cmake_minimum_required(VERSION 3.25)

if(NOT DEFINED ROOT)
  set(ROOT .)
endif()
get_filename_component(ROOT "${ROOT}" ABSOLUTE)
set(floors formats sim/soc sim/core sim/explain sim/isa sim/ascendc tiling ops cli)  # lowest first
set(device_header "^(kernel_operator\\.h|kernel_tiling/[a-z0-9_]+\\.h|lib/[a-z0-9_/]+\\.h)$")
set(tiling_header "^tiling/[a-z0-9_]+/[a-z0-9_]+_(tiling|split|tasks|tiling_data|ub)\\.h$")
set(kernel_part "^ops/[a-z0-9_]+/[a-z0-9_]+_(kernel|tasks)\\.h$")
set(host_header "^(register|platform)/[a-z0-9_]+\\.h$")

# The position of a path's floor, from 0; -1 where it is on none.
function(floor_of path out)
  set(${out} -1 PARENT_SCOPE)
  set(index 0)
  foreach(floor IN LISTS floors)
    if(path MATCHES "^${floor}/")
      set(${out} ${index} PARENT_SCOPE)
    endif()
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()

# The floor that owns a header named without one; -1 where nobody does.
function(floor_of_short_name name out)
  set(owner -1)
  if(name MATCHES "^lib/" AND EXISTS "${ROOT}/ops/${name}")
    floor_of("ops/" owner)
  elseif(EXISTS "${ROOT}/sim/ascendc/${name}")
    floor_of("sim/ascendc/" owner)
  elseif(name MATCHES "${host_header}" AND EXISTS "${ROOT}/tiling/${name}")
    floor_of("tiling/" owner)
  endif()
  set(${out} ${owner} PARENT_SCOPE)
endfunction()

set(offences "")
set(num_files 0)
foreach(top formats sim tiling ops cli)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${top}/*.h" "${ROOT}/${top}/*.cpp")
  foreach(file IN LISTS files)
    math(EXPR num_files "${num_files} + 1")
    floor_of("${file}" own)
    if(own EQUAL -1)
      list(APPEND offences "${file}: lies on no floor. The floors are ${floors}")
      continue()
    endif()
    file(STRINGS "${ROOT}/${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*$" "\\1" name "${line}")
      floor_of("${name}" theirs)
      if(theirs EQUAL -1)
        floor_of_short_name("${name}" theirs)
      endif()
      if(theirs EQUAL -1)
        list(APPEND offences "${file}: includes ${name}, which is on no floor. Write the path from the root")
      elseif(theirs GREATER own)
        list(GET floors ${theirs} above)
        list(APPEND offences "${file}: includes ${name} of ${above}, a floor above it")
      endif()
      if(file MATCHES "^ops/.*_kernel\\.h$"
         AND NOT name MATCHES "${device_header}" AND NOT name MATCHES "${tiling_header}"
         AND NOT name MATCHES "${kernel_part}")
        list(APPEND offences "${file}: a kernel includes ${name}. It may name kernel_operator.h, kernel_tiling/, lib/, \
tiling/<family>/*_{tiling,split,tasks,tiling_data,ub}.h and ops/<operator>/*_{kernel,tasks}.h")
      endif()
      if(file MATCHES "^ops/.*_reference\\.(cpp|h)$" AND (name MATCHES "^(sim|tiling)/" OR name MATCHES "${device_header}"))
        list(APPEND offences "${file}: a reference includes ${name}. It may not see the simulator, the tiling or the kernel")
      endif()
    endforeach()
  endforeach()
endforeach()

if(num_files EQUAL 0)
  message(FATAL_ERROR "floors: no sources under ${ROOT}; -DROOT= is to name the project's folder")
endif()
if(offences)
  list(JOIN offences "\n" text)
  message(NOTICE "${text}")
  message(FATAL_ERROR "floors: the includes above break the order")
endif()
string(REPLACE ";" " < " order "${floors}")
message(STATUS "floors: ${num_files} files keep the order ${order}")
