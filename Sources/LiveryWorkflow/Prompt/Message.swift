import LiveryClient

/// What the two ends of a prompt tell each other: that of the requester and that of the provider. Each prompt has a
/// connection of its own.
enum Message: Sendable {
  /// To the provider: show this. An object with what `livery_prompt_provider_functions.present` is given.
  case ask(Value)
  /// To the provider: its answer was taken, or why it was not, and whether the person may answer again.
  case verdict(StoreError?, retry: Bool)
  /// To the provider: take it away, for a reason or because it was completed.
  case end(StoreError?)
  /// From the provider.
  case took
  case declined
  case failed(StoreError)
  case answer(Value)
  case dismissed

  /// The longest one, in bytes.
  static let limit = 64 << 10
  /// What the first byte of each says; a form that is another one gets another number.
  private static let version: UInt8 = 1
  /// The longest text of an error.
  private static let textLimit = 4096

  private enum Kind: UInt8 {
    case ask = 1
    case taken, refused, retry, completed, end, took, declined, failed, answer, dismissed
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = [Self.version]
    func begin(_ kind: Kind, _ error: StoreError? = nil) {
      bytes.append(kind.rawValue)
      guard let error else { return }
      ValueCode.write(.int(Int64(error.code.rawValue)), to: &bytes)
      ValueCode.write(.string(Self.shortened(error.message)), to: &bytes)
    }
    switch self {
    case .ask(let request):
      begin(.ask)
      ValueCode.write(request, to: &bytes)
    case .verdict(nil, _): begin(.taken)
    case .verdict(let error?, let retry): begin(retry ? .retry : .refused, error)
    case .end(nil): begin(.completed)
    case .end(let error?): begin(.end, error)
    case .took: begin(.took)
    case .declined: begin(.declined)
    case .failed(let error): begin(.failed, error)
    case .answer(let value):
      begin(.answer)
      ValueCode.write(value, to: &bytes)
    case .dismissed: begin(.dismissed)
    }
    return bytes
  }

  /// The beginning of a text, as far as it may go, up to the end of a letter.
  private static func shortened(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count > textLimit else { return text }
    var count = textLimit
    while count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// nil for what is no message of this version.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 2, bytes.count <= Self.limit, bytes[bytes.startIndex] == Self.version,
      let kind = Kind(rawValue: bytes[bytes.startIndex + 1])
    else { return nil }
    var place = bytes.startIndex + 2
    switch kind {
    case .ask:
      guard let request = ValueCode.read(bytes, &place), case .object = request else { return nil }
      self = .ask(request)
    case .answer:
      guard let answer = ValueCode.read(bytes, &place) else { return nil }
      self = .answer(answer)
    case .taken: self = .verdict(nil, retry: false)
    case .completed: self = .end(nil)
    case .took: self = .took
    case .declined: self = .declined
    case .dismissed: self = .dismissed
    case .refused, .retry, .end, .failed:
      guard case .int(let status)? = ValueCode.read(bytes, &place), status < 0, let code = Int32(exactly: status),
        case .string(let text)? = ValueCode.read(bytes, &place)
      else { return nil }
      let error = StoreError(.init(rawValue: code), text)
      switch kind {
      case .end: self = .end(error)
      case .failed: self = .failed(error)
      default: self = .verdict(error, retry: kind == .retry)
      }
    }
    guard place == bytes.endIndex else { return nil }
  }
}
