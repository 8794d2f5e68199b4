// What puts texts together is called, and not inlined: see LiveryHTTP's.

extension DefaultStringInterpolation {
  @inline(never)
  mutating func appendInterpolation(_ number: Int64) { write(number.description) }
}
