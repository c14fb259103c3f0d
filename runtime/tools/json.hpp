// Writes one JSON document, piece by piece.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace ffc::tools {

/// Inside an object every value follows a call of key(). The caller sees to it that what is opened is closed.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);  ///< null where it is not finite
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  template <std::integral Integer>
  JsonWriter& value(Integer number) {
    return raw(std::to_string(number));
  }

  template <typename T>
  JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& raw(std::string_view token);
  void append_quoted(std::string_view text);
  void separate();

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;       ///< nothing stands yet in the innermost open bracket
  bool after_key_ = false;  ///< the next value belongs to a key
};

}  // namespace ffc::tools
