/// multipart/form-data as browsers send it (RFC 7578).
package struct Multipart {
  /// The longest head of a part.
  package static let longestHead = 4096

  package private(set) var fields = Fields()
  package private(set) var files: [Upload] = []

  /// What separates the parts; nil if the type is another, or its boundary is none.
  package static func boundary(of contentType: ArraySlice<UInt8>) -> [UInt8]? {
    guard let type = Parameters(contentType), type.value.isSame("multipart/form-data"), let text = type["boundary"],
      (1...70).contains(text.count)
    else { return nil }
    for byte in text where byte.isControl || byte >= 0x7F { return nil }
    return [.carriageReturn, .lineFeed, .hyphen, .hyphen] + text
  }

  /// nil if it is malformed, or too much.
  ///
  /// - Parameter boundary: as `boundary(of:)` gives it.
  package init?(_ body: [UInt8], boundary: [UInt8]) {
    // The first boundary has no line before it.
    guard body.starts(with: boundary.dropFirst(2)) else { return nil }
    var place = boundary.count - 2
    while true {
      let behind = body[place...].prefix(2)
      if behind.elementsEqual([.hyphen, .hyphen]) { return }
      guard behind.elementsEqual([.carriageReturn, .lineFeed]) else { return nil }
      // The head may be empty, and ends with an empty line.
      guard let blank = Multipart.find([13, 10, 13, 10], in: body, from: place, most: Multipart.longestHead),
        let end = Multipart.find(boundary, in: body, from: blank + 2, most: body.count)
      else { return nil }
      let start = blank + 4
      guard fields.all.count + files.count < Fields.most,
        take(head: body[min(place + 2, blank)..<blank], content: start <= end ? body[start..<end] : [])
      else { return nil }
      place = end + boundary.count
    }
  }

  /// Whether it is a part of a form.
  private mutating func take(head: ArraySlice<UInt8>, content: ArraySlice<UInt8>) -> Bool {
    guard let disposition = Multipart.header("content-disposition", in: head), let facts = Parameters(disposition),
      facts.value.isSame("form-data"), let name = facts["name"].flatMap(Multipart.unescape)
    else { return false }
    guard let fileName = facts["filename"] else {
      guard let value = content.text else { return false }
      fields.all.append((name: name, value: value))
      return true
    }
    // No file was chosen.
    if fileName.isEmpty, content.isEmpty { return true }
    guard let fileName = Multipart.unescape(fileName) else { return false }
    files.append(Upload(name: name, fileName: fileName, bytes: Array(content)))
    return true
  }

  /// A header among lines; nil if there is none, or one that is continued.
  private static func header(_ name: StaticString, in head: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for line in head.split(separator: .lineFeed) {
      let (key, value) = line.cut(at: .colon)
      guard key.isSame(name), let value else { continue }
      return (value.last == .carriageReturn ? value.dropLast() : value).trimmed
    }
    return nil
  }

  /// Browsers write quotes and ends of lines in names as `%22`, `%0D` and `%0A`, and nothing else so.
  private static func unescape(_ bytes: ArraySlice<UInt8>) -> String? {
    var plain: [UInt8] = []
    var place = bytes.startIndex
    while place < bytes.endIndex {
      let code = bytes[place...].prefix(3)
      if code.isSame("%22") {
        plain.append(.quote)
      } else if code.isSame("%0D") {
        plain.append(.carriageReturn)
      } else if code.isSame("%0A") {
        plain.append(.lineFeed)
      } else {
        guard bytes[place] != 0 else { return nil }
        plain.append(bytes[place])
        place += 1
        continue
      }
      place += 3
    }
    return plain[...].text
  }

  /// Where bytes begin, looking at so many places.
  private static func find(_ bytes: [UInt8], in body: [UInt8], from start: Int, most: Int) -> Int? {
    let last = min(body.count - bytes.count, start + most)
    guard start <= last else { return nil }
    return body.withUnsafeBufferPointer { (body) in
      bytes.withUnsafeBufferPointer { (bytes) -> Int? in
        var place = start
        while place <= last {
          // Nearly every place differs in the first byte already.
          if body[place] == bytes[0], body[place..<place + bytes.count].elementsEqual(bytes) { return place }
          place += 1
        }
        return nil
      }
    }
  }
}
