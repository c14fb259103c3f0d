# Installation and the package that find_package(ffc) finds. Headers keep their place below include/ffc/.
include(CMakePackageConfigHelpers)

set(ffc_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ffc)
install(TARGETS ffc ffc_generator ffc_cache ffc_templates EXPORT ffc-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET ffc-gen)
  install(TARGETS ffc-gen RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(room templates generator cache runtime)
  install(DIRECTORY ${room}/include/ffc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
endforeach()

install(EXPORT ffc-targets NAMESPACE ffc:: DESTINATION ${ffc_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ffc-config.cmake.in ${PROJECT_BINARY_DIR}/ffc-config.cmake
                              INSTALL_DESTINATION ${ffc_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ffc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ffc-config.cmake ${PROJECT_BINARY_DIR}/ffc-config-version.cmake
        DESTINATION ${ffc_package_dir})
