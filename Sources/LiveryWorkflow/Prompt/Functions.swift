import CLivery
import CLiveryWorkflow
import LiveryClient

// The C functions of prompt.h: take what came in, call, hand out.

@_cdecl("livery_prompt_kinds") @implementation
public func livery_prompt_kinds(_ kinds: UnsafeMutablePointer<OpaquePointer?>?) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let place = try required(kinds, "kinds")
    place.pointee = try Value.list(PromptKind.all.map { $0.value }).makeHandle()
  }
}
