import CQRCode
import LiveryClient

/// A text as a picture that cameras read.
enum QRCode {
  /// An image in SVG; nil where libqrencode is not there, or the text too long.
  static func svg(_ text: String) -> [UInt8]? {
    let code = UnsafeMutablePointer<lvq_code>.allocate(capacity: 1)
    defer { code.deallocate() }
    guard text.withCString({ lvq_make($0, LVQ_MEDIUM, code) }) == 0 else { return nil }
    var drawing = [CChar](repeating: 0, count: 4096)
    var count = lvq_draw_svg(code, &drawing, drawing.count)
    if count >= drawing.count {
      drawing = [CChar](repeating: 0, count: count + 1)
      count = lvq_draw_svg(code, &drawing, drawing.count)
    }
    return drawing.prefix(count).map { UInt8(bitPattern: $0) }
  }
}
