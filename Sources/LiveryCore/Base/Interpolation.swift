// Interpolation with its parts out of line. The standard library's are inlined at every use, some 400 bytes a part, which
// made a third of the library's code; within the package these stand in their place.
extension DefaultStringInterpolation {
  @inline(never)
  package mutating func appendLiteral(_ literal: String) {
    write(literal)
  }

  @inline(never)
  package mutating func appendInterpolation(_ text: String) {
    write(text)
  }

  @inline(never)
  package mutating func appendInterpolation<T: CustomStringConvertible>(_ value: T) {
    write(value.description)
  }
}

/// A noun with "a" or "an" before it.
public func withArticle(_ noun: String) -> String {
  guard let first = noun.utf8.first, "aeioAEIO".utf8.contains(first) else { return "a " + noun }
  return "an " + noun
}
