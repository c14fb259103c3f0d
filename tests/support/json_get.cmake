# Prints one member of a JSON file; fails where the file is no JSON or lacks the member.
# Run as: cmake -DFILE=out.json "-DMEMBER=kernels;0;status" -P json_get.cmake
file(READ "${FILE}" text)
string(JSON value GET "${text}" ${MEMBER})
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${value}")
