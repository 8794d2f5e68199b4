// In the package build only: the device build's reads are those of C.
#if !hasFeature(Embedded)
  import CReadCache
  import CSystem

  // Reads by name that the cache answers. They go by a number, as those of C do: nothing is held, and the name's bytes are
  // looked at where they lie.

  /// What stands for a store in reads by name.
  struct NamingHandle: Sendable {
    let number: UInt64

    init(_ cache: SettingCache) {
      // Without memory for one it is 0: all is looked up the ordinary way.
      number = lvs_handle_make(UInt8(LVS_NAMING_STORE), nil, cache.pointer, nil)
    }

    func close() {
      var none: UnsafeMutableRawPointer?
      if lvs_handle_pin(number, UInt8(LVS_NAMING_STORE), true, &none) == LVS_PINNED { _ = lvs_handle_unpin(number) }
    }
  }

  extension Store {
    /// A setting's effective value, as a type that the cache may have as 8 bytes; nil if the ordinary way has to tell.
    ///
    /// - Parameter wasMissed: set if the cache has nothing that counts.
    @inlinable
    @inline(__always)
    func warmScalar<T: SettingValue>(_ name: String, _ wasMissed: inout Bool) -> T? {
      var bits: UInt64 = 0
      let answer = name.utf8.withContiguousStorageIfAvailable {
        lvs_read_bytes_scalar(readNumber, $0.baseAddress, $0.count, T._scalarType, &bits)
      }
      if answer == LVS_READ { return T(_scalar: bits) }
      wasMissed = answer == LVS_STALE
      return nil
    }

    @usableFromInline var readNumber: UInt64 { naming.number }

    /// The same as text; nil also if it is long.
    @usableFromInline
    func warmText(_ name: String, _ wasMissed: inout Bool) -> String? {
      let text = name.utf8.withContiguousStorageIfAvailable { name -> String? in
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer -> String? in
          var length = 0
          let answer = lvs_read_bytes_content(
            naming.number, name.baseAddress, name.count, Self.texts, buffer.baseAddress, buffer.count, &length)
          // What may be secret is not left on the stack; a read that failed may have copied, too.
          defer { lvs_wipe(buffer.baseAddress, answer == LVS_READ ? length : buffer.count) }
          wasMissed = answer == LVS_STALE
          guard answer == LVS_READ else { return nil }
          return String(decoding: UnsafeBufferPointer(rebasing: buffer[0..<length]), as: UTF8.self)
        }
      }
      return text ?? nil
    }

    /// A setting's effective value.
    ///
    /// - Parameter wasMissed: whether the cache was asked already, and has nothing that counts.
    @usableFromInline
    func value(_ name: String, wasMissed: Bool) throws(StoreError) -> Value {
      var wasMissed = wasMissed
      if !wasMissed, let known = warmValue(name, &wasMissed) { return known }
      return try whileOpen { () throws(StoreError) in
        try name.withSpan { (name) throws(StoreError) in try shared.value(name, wasMissed: wasMissed) }
      }
    }

    /// A setting's effective value, if the cache has it and it is small.
    private func warmValue(_ name: String, _ wasMissed: inout Bool) -> Value? {
      let value = name.utf8.withContiguousStorageIfAvailable { name -> Value? in
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer -> Value? in
          var found = lvs_found()
          let answer = lvs_read_bytes_any(
            naming.number, name.baseAddress, name.count, Self.texts, Self.bit(.data), ValueType.color.rawValue,
            buffer.baseAddress, buffer.count, &found)
          let length = min(found.length, buffer.count)
          defer { lvs_wipe(buffer.baseAddress, answer == LVS_READ ? length : buffer.count) }
          wasMissed = answer == LVS_STALE
          guard answer == LVS_READ else { return nil }
          return Value(found, UnsafeBufferPointer(rebasing: buffer[0..<length]))
        }
      }
      return value ?? nil
    }

    private static var texts: UInt32 { bit(.string) | bit(.url) | bit(.image) }
    private static func bit(_ type: ValueType) -> UInt32 { 1 << UInt32(type.rawValue) }
  }

  extension Value {
    /// nil for a list or an object: of them the type alone is found.
    fileprivate init?(_ found: lvs_found, _ content: UnsafeBufferPointer<UInt8>) {
      switch ValueType(rawValue: found.type) {
      case .bool: self = .bool(found.scalar != 0)
      case .int: self = .int(Int64(bitPattern: found.scalar))
      case .double: self = .double(Double(bitPattern: found.scalar))
      case .date: self = .date(Timestamp(microseconds: Int64(bitPattern: found.scalar)))
      case .string: self = .string(String(decoding: content, as: UTF8.self))
      case .url: self = .url(String(decoding: content, as: UTF8.self))
      case .image: self = .image(String(decoding: content, as: UTF8.self))
      case .data: self = .data(Array(content))
      case .color:
        let (red, green, blue, alpha) = found.color
        self = .color(
          Color(
            red: Float(bitPattern: red), green: Float(bitPattern: green), blue: Float(bitPattern: blue),
            alpha: Float(bitPattern: alpha)))
      default: return nil
      }
    }
  }
#endif
