import CLivery
import Livery

// A value as one of the types of C, by the one table of coercions.

extension Value {
  func asBool() throws(StoreError) -> Bool {
    guard case .bool(let content) = try coerced(.bool) else { throw mismatch(.bool) }
    return content
  }

  func asInt() throws(StoreError) -> Int64 {
    guard case .int(let content) = try coerced(.int) else { throw mismatch(.int) }
    return content
  }

  func asDouble() throws(StoreError) -> Double {
    guard case .double(let content) = try coerced(.double) else { throw mismatch(.double) }
    return content
  }

  func asText() throws(StoreError) -> String {
    guard case .string(let content) = try coerced(.string) else { throw mismatch(.string) }
    return content
  }

  func asURL() throws(StoreError) -> String {
    guard case .url(let content) = try coerced(.url) else { throw mismatch(.url) }
    return content
  }

  func asData() throws(StoreError) -> [UInt8] {
    guard case .data(let content) = try coerced(.data) else { throw mismatch(.data) }
    return content
  }

  func asColor() throws(StoreError) -> Color {
    guard case .color(let content) = try coerced(.color) else { throw mismatch(.color) }
    return content
  }

  func asDate() throws(StoreError) -> Timestamp {
    guard case .date(let content) = try coerced(.date) else { throw mismatch(.date) }
    return content
  }

  @inline(__always)
  private func coerced(_ wanted: ValueType) throws(StoreError) -> Value {
    if type == wanted { return self }
    guard let value = coerced(to: wanted) else { throw mismatch(wanted) }
    return value
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
