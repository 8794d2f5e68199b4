import CLivery
import Livery

// A value as one of the types of C, by the one table of coercions.

extension Value {
  func asBool() throws(StoreError) -> Bool {
    if case .bool(let content) = self { return content }
    guard case .bool(let content)? = coerced(to: .bool) else { throw mismatch(.bool) }
    return content
  }

  func asInt() throws(StoreError) -> Int64 {
    if case .int(let content) = self { return content }
    guard case .int(let content)? = coerced(to: .int) else { throw mismatch(.int) }
    return content
  }

  func asDouble() throws(StoreError) -> Double {
    if case .double(let content) = self { return content }
    guard case .double(let content)? = coerced(to: .double) else { throw mismatch(.double) }
    return content
  }

  func asText() throws(StoreError) -> String {
    if case .string(let content) = self { return content }
    guard case .string(let content)? = coerced(to: .string) else { throw mismatch(.string) }
    return content
  }

  func asURL() throws(StoreError) -> String {
    if case .url(let content) = self { return content }
    guard case .url(let content)? = coerced(to: .url) else { throw mismatch(.url) }
    return content
  }

  func asData() throws(StoreError) -> [UInt8] {
    if case .data(let content) = self { return content }
    guard case .data(let content)? = coerced(to: .data) else { throw mismatch(.data) }
    return content
  }

  func asColor() throws(StoreError) -> Color {
    if case .color(let content) = self { return content }
    guard case .color(let content)? = coerced(to: .color) else { throw mismatch(.color) }
    return content
  }

  func asDate() throws(StoreError) -> Timestamp {
    if case .date(let content) = self { return content }
    guard case .date(let content)? = coerced(to: .date) else { throw mismatch(.date) }
    return content
  }

  private func mismatch(_ wanted: ValueType) -> StoreError {
    StoreError(.typeMismatch, "a value of type \(type) does not convert to \(wanted) without loss")
  }
}

extension livery_color {
  init(_ color: Color) {
    self.init(red: color.red, green: color.green, blue: color.blue, alpha: color.alpha)
  }
}

extension Color {
  init(_ color: livery_color) {
    self.init(red: color.red, green: color.green, blue: color.blue, alpha: color.alpha)
  }
}
