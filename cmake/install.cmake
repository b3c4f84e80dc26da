# `cmake --install build/release --prefix <prefix>`: libraries with their headers, the program, the SoC files, and the
# package that find_package(tilesim) reads.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilesim)
install(TARGETS tilesim_formats tilesim_sim tilesim_tiling tilesim_ops tilesim_kernel_main
  EXPORT tilesimTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilesim)
# the headers that those of the set above include
foreach(floor formats sim tiling ops)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${floor} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilesim
    FILES_MATCHING PATTERN "*.h" PATTERN "*-inl.h" EXCLUDE)
endforeach()
install(EXPORT tilesimTargets NAMESPACE tilesim:: DESTINATION ${package_dir})
if(TARGET tilesim)
  install(TARGETS tilesim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/cli/python/tilesim.py DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/tilesim/configs FILES_MATCHING PATTERN "*.cfg" PATTERN "*.csv" PATTERN "*.json")
install(FILES ${PROJECT_SOURCE_DIR}/sim/ascendc/gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tilesim)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tilesimConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tilesimConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_DATADIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilesimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilesimConfig.cmake ${PROJECT_BINARY_DIR}/tilesimConfigVersion.cmake
  DESTINATION ${package_dir})
