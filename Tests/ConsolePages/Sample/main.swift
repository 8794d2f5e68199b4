// Serves the console's pages, for tests and pictures.
//
//     console-sample SCHEMA DEVICES [--console FOLDER] [--secure] [HOST…]
//
// With a folder it is a real console with a database there and devices that sign what they report; without, a fleet in memory.
// It prints its address and serves until its input ends. What devices do is told by tests: GET /sample/NUMBER gives the id of a
// device and what it holds, and POST /sample/NUMBER/VERDICT has it report.
import Glibc
import LiveryClient
import LiveryFleet
import LiveryHTTP

@testable import LiveryConsole

final class Sample: Site {
  let devices: any Devices
  let pages: ConsolePages
  /// Ends streams, once there is a server.
  nonisolated(unsafe) static var hangUp: (any Visitor) -> Void = { _ in }
  nonisolated(unsafe) static var changed: () -> Void = {}

  init(_ model: any ConsoleModel, _ devices: any Devices) {
    self.devices = devices
    pages = ConsolePages(model) { guest in Sample.hangUp(guest) }
  }

  private func isOwn(_ path: String) -> Bool { path.utf8.starts(with: "/sample/".utf8) }

  func admit(_ head: Head, _ target: Target, cookies: [ArraySlice<UInt8>]) -> Admission {
    guard isOwn(target.path) else { return pages.admit(head, target, cookies: cookies) }
    var admission = Admission(longestBody: 1024)
    admission.isForm = false
    return admission
  }

  func answer(_ request: Request) -> Response {
    guard isOwn(request.path) else {
      var response = pages.answer(request)
      if request.method == .post, response.then == nil { response.then = { Sample.changed() } }
      return response
    }
    let parts = request.path.split(separator: "/").map { String($0) }
    guard parts.count >= 2, let number = Int(parts[1]), number >= 0, number < devices.count else {
      return Response(status: 404)
    }
    if request.method == .post, parts.count == 3 {
      let verdicts: [String: Report.Verdict] = ["applied": .applied, "scheduled": .scheduled]
      devices.report(number, verdicts[parts[2]] ?? .refused)
      var response = Response(status: 204)
      response.then = { Sample.changed() }
      return response
    }
    var held: [Value.Member] = []
    for setting in devices.held(number) {
      guard let value = setting.value else { continue }
      held.append(.init(setting.name, .object([.init("verb", .string(setting.verb)), .init("value", value)])))
    }
    let told = Value.object([.init("id", .string(devices.id(number))), .init("held", .object(held))])
    return Response(type: "application/json", body: Array(((try? told.jsonText()) ?? "{}").utf8))
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

/// A real console, with people, groups and a schema.
func makeConsole(_ folder: String, _ schema: [UInt8]) throws -> Console {
  var place = Console.Place()
  place.folder = folder + "/console"
  place.url = "https://fleet.example"
  try Console.initialize(place, fleet: "signage", rootKey: folder + "/root.key", by: Console.itself)
  let console = try Console(place)
  for admin in Fleet.admins { try console.put(admin.name, admin.role, password: admin.password, by: Console.itself) }
  try console.addSchema(schema, by: Console.itself)
  for group in ["lobby", "shops"] { try console.addGroup(group, by: Console.itself) }
  return console
}

var words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2, let count = Int(words[1]), let schema = readFile(words[0]) else {
  print("console-sample SCHEMA DEVICES [--console FOLDER] [--secure] [HOST…]")
  exit(2)
}
words.removeFirst(2)
var options = Server.Options()
let site: Sample
if words.first == "--console", words.count >= 2 {
  let console = try makeConsole(words[1], schema)
  site = Sample(console, try RealDevices(console, count))
  words.removeFirst(2)
} else {
  let fleet = Fleet(devices: count, schema: schema)
  site = Sample(fleet, fleet)
}
options.hosts = words.filter { $0 != "--secure" }
options.isSecure = words.contains("--secure")
let server = try Server.start(options, site: site)
Sample.hangUp = { guest in server.hangUp { $0 === guest } }
Sample.changed = { server.send(site.pages.news) }
print(server.address)
fflush(nil)
while readLine() != nil {}
server.stop()
