/// Values as CBOR (RFC 8949) in the core deterministic encoding of its §4.2.1: one value has one encoding.
///
/// Integers and doubles keep apart as integers and floats. Dates are tag 0 (text of RFC 3339), URLs tag 32 (text), colors
/// tag 19523 (an array of red, green, blue and alpha), images tag 19529 (text).
public enum CBOR {
  /// The deepest nesting of arrays and maps that is read.
  public static let maximumDepth = 64
}
