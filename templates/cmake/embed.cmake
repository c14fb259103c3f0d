# Writes OUTPUT, a C++ file that holds the text of FILES as raw string literals, sorted by file name.
# Run as: cmake -DOUTPUT=embedded.cpp -DFILES="a.cuh;b.cu.in" -P embed.cmake

# C++ compilers need not take a literal longer than 65,536 characters after concatenation, and some stop at 16 KiB for
# each piece. A template near the first limit holds more than one idea anyway.
set(longest_file 60000)
set(longest_piece 8000)

# Appends to OUT the text as adjacent literals, broken at line ends.
function(append_literals out text)
  set(code)
  string(LENGTH "${text}" left)
  while(left GREATER longest_piece)
    string(SUBSTRING "${text}" 0 ${longest_piece} head)
    string(FIND "${head}" "\n" line_end REVERSE)
    math(EXPR cut "${line_end} + 1")
    string(SUBSTRING "${text}" 0 ${cut} head)
    string(SUBSTRING "${text}" ${cut} -1 text)
    string(LENGTH "${text}" left)
    string(APPEND code "R\"ffc(${head})ffc\"\n")
  endwhile()
  set(${out} "${code}R\"ffc(${text})ffc\"" PARENT_SCOPE)
endfunction()

set(entries "")
set(count 0)
set(names)
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  # Headers are known by what they are included as.
  if("${file}" MATCHES "/templates/include/(.*)$")
    set(name "${CMAKE_MATCH_1}")
  endif()
  list(APPEND names "${name}|${file}")
endforeach()
list(SORT names)

foreach(pair IN LISTS names)
  string(REGEX REPLACE "^([^|]*)\\|(.*)$" "\\1;\\2" pair "${pair}")
  list(GET pair 0 name)
  list(GET pair 1 file)
  file(READ "${file}" text)
  string(LENGTH "${text}" length)
  if(length GREATER longest_file)
    message(FATAL_ERROR "${file} has ${length} characters; a template may have ${longest_file}. Split it.")
  endif()
  if(text MATCHES "\\)ffc\"")
    message(FATAL_ERROR "${file} holds )ffc\", which ends the literal that it is embedded in")
  endif()
  if(text MATCHES "[^\t\n -~]")
    message(FATAL_ERROR "${file} holds a character other than printable ASCII, tab and newline")
  endif()
  append_literals(literals "${text}")
  if("${file}" MATCHES "/templates/(include/.*)$" OR "${file}" MATCHES "/([^/]+/[^/]+)$")
    set(path "${CMAKE_MATCH_1}")
  endif()
  string(APPEND entries "    {\"${name}\", \"${path}\",\n${literals}},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE "${OUTPUT}" "// Made by templates/cmake/embed.cmake from the files beside it. Do not edit.
#include \"embedded.hpp\"

#include <array>

namespace ffc {

std::span<const EmbeddedTemplate> embedded_templates() {
  static constexpr std::array<EmbeddedTemplate, ${count}> all{{
${entries}  }};
  return all;
}

}  // namespace ffc
")
