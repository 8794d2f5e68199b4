import CLivery
import CPage
import LiveryClient

/// A store's settings, being served.
final class Page: @unchecked Sendable {
  static let handles = Handles<Page>(kind: 0x50, noun: "page")

  private let store: Store
  private let pin: String?
  private let isDispatched: Bool
  private let finished: livery_page_finished_fn?
  private let userData: UserData
  private let lock = Lock()
  // Guarded by `lock`.
  private var server: Server?
  private var observation: Observation?
  private var handle: OpaquePointer?

  init(_ store: Store, pin: String?, _ isDispatched: Bool, _ finished: livery_page_finished_fn?, _ userData: UserData) {
    self.store = store
    self.pin = pin
    self.isDispatched = isDispatched
    self.finished = finished
    self.userData = userData
  }

  func start(_ options: Server.Options) throws(StoreError) -> OpaquePointer {
    let handle = try Page.handles.insert(self)
    lock.withLock { self.handle = handle }
    do throws(StoreError) {
      let gate = pin == nil ? Gate() : Gate(pinHash: { self.pinHash })
      var options = options
      options.open = ["/style.css"]
      let server = try Server.start(
        options, gate: gate, answer: { self.answer($0) }, ended: { session, reason in self.end(session, reason) })
      lock.withLock { self.server = server }
      let observation = try store.observe(onEnd: { self.end() }) { events in
        guard let event = events.last else { return }
        server.send(Array("event: changed\ndata: \(event.revision)\n\n".utf8))
      }
      lock.withLock { self.observation = observation }
      return handle
    } catch {
      end()
      throw error
    }
  }

  private var pinHash: String? {
    do throws(StoreError) { return try store.string(pin ?? "") } catch { return nil }
  }

  func link() -> String { lock.withLock { server }?.makeLink() ?? "" }

  func stop() {
    lock.withLock { observation }?.cancel()
    end()
  }

  private func end() {
    let (server, handle) = lock.withLock { () -> (Server?, OpaquePointer?) in
      defer { self.server = nil }
      return (self.server, self.handle)
    }
    server?.stop()
    Page.handles.remove(handle)
  }

  private func end(_ session: Session, _ reason: SessionEnd) {
    let userData = userData
    let finished = finished
    let tell: @Sendable () -> Void = {
      var content = livery_page_finished()
      content.reason = reason.rawValue
      finished?(&content, userData.pointer)
    }
    let done = Completion<Int>(on: store, dispatched: isDispatched) { _ in tell() }
    done.begin()
    done.finish(.success(0))
  }

  private func answer(_ request: Request) -> Response {
    let path = Array(request.path.utf8)
    if path.elementsEqual("/".utf8), request.method == .get {
      return Response(
        body: Array(
          """
          <!DOCTYPE html><html lang="en"><title>Settings</title><form method="post" action="/set">
          <input type="hidden" name="csrf" value="\(request.session?.csrf ?? "")"><input name="name"><input name="value">
          <button>Save</button></form>
          """.utf8))
    }
    if path.elementsEqual("/events".utf8), request.method == .get {
      return Response(type: "text/event-stream", body: Array("event: hello\ndata:\n\n".utf8), isStream: true)
    }
    if path.elementsEqual("/done".utf8), request.method == .post {
      var response = Response(body: Array("done".utf8))
      response.endsSession = true
      return response
    }
    if path.elementsEqual("/set".utf8), request.method == .post {
      do throws(StoreError) {
        try store.edit(.user) { (change) throws(StoreError) in
          try change.set(request.fields["name"] ?? "", to: .string(request.fields["value"] ?? ""))
        }
      } catch { return Response(status: 422, type: "text/plain; charset=utf-8", body: Array(error.message.utf8)) }
      return .redirect(to: "/")
    }
    if path.elementsEqual("/style.css".utf8), request.method == .get {
      return Response(type: "text/css; charset=utf-8", body: [UInt8](repeating: 0x20, count: 100_000), tag: "\"style\"")
    }
    return Response(status: 404, body: Notice.fails(404).plain)
  }
}
