extension Value {
  /// The value on one line, for messages and people: text in quotes, data as "12 bytes", lists and objects as JSON, all
  /// cut at 80 characters.
  public var brief: String {
    switch self {
    case .data(let bytes): return bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
    case .color(let color): return color.hex
    case .date(let date): return date.rfc3339
    default:
      var writer = JSONWriter(pretty: false, limit: 400)
      // A text of a megabyte need not be escaped to the end to be cut.
      if case .string(let text) = self {
        writer.write(truncated(text, to: 81))
      } else {
        writer.write(self)
      }
      return truncated(String(decoding: writer.out, as: UTF8.self), to: 80)
    }
  }
}
