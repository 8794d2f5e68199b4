// Serves the console's pages on a fleet in memory, for tests and pictures.
//
//     console-sample SCHEMA DEVICES [--secure] [HOST…]
//
// It prints its address and serves until its input ends. Devices are told of by tests: /sample/devices/ID gives what a device
// holds, and POST /sample/devices/ID/VERDICT has it report.
import Glibc
import LiveryClient
import LiveryHTTP

@testable import LiveryConsole

final class Sample: Site {
  let fleet: Fleet
  let pages: ConsolePages
  /// Ends streams, once there is a server.
  nonisolated(unsafe) static var hangUp: (any Visitor) -> Void = { _ in }

  init(_ fleet: Fleet) {
    self.fleet = fleet
    pages = ConsolePages(fleet) { guest in Sample.hangUp(guest) }
  }

  private func isOwn(_ path: String) -> Bool { path.utf8.starts(with: "/sample/".utf8) }

  func admit(_ head: Head, _ target: Target, cookies: [ArraySlice<UInt8>]) -> Admission {
    guard isOwn(target.path) else { return pages.admit(head, target, cookies: cookies) }
    var admission = Admission(longestBody: 1024)
    admission.isForm = false
    return admission
  }

  func answer(_ request: Request) -> Response {
    guard isOwn(request.path) else { return pages.answer(request) }
    let parts = request.path.split(separator: "/").map { String($0) }
    guard parts.count >= 3 else { return Response(status: 404) }
    if request.method == .post, parts.count == 4 {
      do throws(Refusal) { try fleet.report(parts[2], isApplied: parts[3] == "applied") } catch {
        return Response(status: 404)
      }
      return Response(status: 204)
    }
    var held: [Value.Member] = []
    fleet.lock.withLock {
      guard let place = fleet.devices.firstIndex(where: { $0.id == parts[2] }) else { return }
      for (setting, _) in fleet.wanted(place) {
        if let value = setting.value {
          held.append(.init(setting.name, .object([.init("verb", .string(setting.verb)), .init("value", value)])))
        }
      }
    }
    let json = (try? Value.object(held).jsonText()) ?? "{}"
    return Response(type: "application/json", body: Array(json.utf8))
  }

  func refuse(_ status: Int, _ head: Head) -> Response { pages.refuse(status, head) }
}

func readFile(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part.prefix(count) }
  return bytes
}

let arguments = CommandLine.arguments
guard arguments.count >= 3, let count = Int(arguments[2]), let schema = readFile(arguments[1]) else {
  print("console-sample SCHEMA DEVICES [--secure] [HOST…]")
  exit(2)
}
let fleet = Fleet(devices: count, schema: schema)
let site = Sample(fleet)
var options = Server.Options()
options.hosts = arguments.dropFirst(3).filter { $0 != "--secure" }
options.isSecure = arguments.contains("--secure")
let server = try Server.start(options, site: site)
Sample.hangUp = { guest in server.hangUp { $0 === guest } }
fleet.changed = {
  // Not under the lock of what has changed.
  let news = Array("event: all\nid: \(fleet.generationNow)\ndata:\n\n".utf8)
  server.send(news)
}
print(server.address)
fflush(nil)
while readLine() != nil {}
server.stop()
