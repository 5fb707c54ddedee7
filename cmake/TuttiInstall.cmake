# Rules for `cmake --install`: the program with its manual page and completion, the platforms, and
# the library with its headers, for find_package(tutti).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET tutti)
  set(tutti_texts ${PROJECT_BINARY_DIR}/texts)
  # These commands are part of the target tutti rather than of a separate target, so that building
  # only tutti suffices to install it.
  add_custom_command(TARGET tutti POST_BUILD
    BYPRODUCTS ${tutti_texts}/tutti.1 ${tutti_texts}/tutti.bash ${tutti_texts}/_tutti
      ${tutti_texts}/tutti.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${tutti_texts}
    COMMAND tutti man > ${tutti_texts}/tutti.1
    COMMAND tutti completion bash > ${tutti_texts}/tutti.bash
    COMMAND tutti completion zsh > ${tutti_texts}/_tutti
    COMMAND tutti completion fish > ${tutti_texts}/tutti.fish
    VERBATIM)
  if(TARGET tutti_simgrid_module)
    set(module_folder ${CMAKE_INSTALL_LIBDIR}/tutti)
    file(RELATIVE_PATH from_program
      ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/tutti)
    set_property(TARGET tutti PROPERTY INSTALL_RPATH "$ORIGIN/${from_program}")
    install(TARGETS tutti_simgrid_module LIBRARY DESTINATION ${module_folder})
  endif()
  install(TARGETS tutti)
  install(FILES ${tutti_texts}/tutti.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${tutti_texts}/tutti.bash RENAME tutti
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${tutti_texts}/_tutti DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${tutti_texts}/tutti.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(DIRECTORY platforms DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti
  FILES_MATCHING PATTERN "*.xml")

# OPTIONAL, because scripts/tutti builds only the program.
install(TARGETS ${public_libraries} EXPORT tutti_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
install(DIRECTORY include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
install(EXPORT tutti_targets NAMESPACE tutti:: FILE tuttiTargets.cmake
  DESTINATION ${package_folder})
configure_package_config_file(cmake/tuttiConfig.cmake.in tuttiConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tuttiConfig.cmake
  ${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake DESTINATION ${package_folder})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# `cpack -G DEB` makes a Debian package of what has been built. dpkg-shlibdeps (package dpkg-dev)
# finds the packages on which the Debian package depends.
set(CPACK_PACKAGE_VENDOR "the tutti authors")
set(CPACK_PACKAGE_CONTACT "the tutti authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# `tutti plot -o FILE.png` needs these packages.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "librsvg2-2, fonts-dejavu-core")
include(CPack)
