# Folders of a library's sources, which use each other in one direction.

# ffc_rooms(LIBRARY PREFIX LINKED...)   the rooms behind this line are LIBRARY's, targets whose names begin with PREFIX,
# and all are compiled against LINKED. PREFIX_internals has the headers of all rooms: tests of internals include them.
macro(ffc_rooms library prefix)
  set(ffc_rooms_library ${library})
  set(ffc_rooms_prefix ${prefix})
  set(ffc_rooms_linked ${ARGN})
  add_library(${prefix}_internals INTERFACE)
endmacro()

# ffc_room(NAME USED_ROOM...)   the sources of src/NAME, which see the headers of the rooms that they use, and of what
# these use, and no others. A room names rooms above it alone: one that is further down is no target yet. A room may
# have headers alone.
function(ffc_room name)
  string(MAKE_C_IDENTIFIER ${ffc_rooms_prefix}_${name} room)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  target_include_directories(${ffc_rooms_prefix}_internals INTERFACE ${folder})
  if(NOT sources)
    add_library(${room} INTERFACE)
    target_include_directories(${room} INTERFACE ${folder})
    return()
  endif()
  add_library(${room} OBJECT ${sources})
  target_include_directories(${room} PUBLIC ${folder} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(${room} PRIVATE ${ffc_rooms_linked})
  foreach(used IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER ${ffc_rooms_prefix}_${used} used_room)
    if(NOT TARGET ${used_room})
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/src/${name} uses ${used}, which is no room above it")
    endif()
    target_link_libraries(${room} PUBLIC ${used_room})
  endforeach()
  target_sources(${ffc_rooms_library} PRIVATE $<TARGET_OBJECTS:${room}>)
endfunction()
