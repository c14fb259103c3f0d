# Builds and runs the project beside this file in WORK, against an installation of BUILD or against the sources.
# Run as: cmake -DMODE=package|sources -DFFC_SOURCE=... -DBUILD=... -DWORK=... "-DOPTIONS=..." -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(MODE STREQUAL package)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  list(APPEND OPTIONS -DCMAKE_PREFIX_PATH=${WORK}/prefix)
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -DMODE=${MODE} -DFFC_SOURCE=${FFC_SOURCE} ${OPTIONS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
find_program(consumer consumer PATHS ${WORK}/build ${WORK}/build/Debug NO_DEFAULT_PATH REQUIRED)
run(${consumer})
