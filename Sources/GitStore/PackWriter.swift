import CLibgit2

/// Writes objects as one pack: deflated one by one, without deltas, which is several times faster
/// than loose objects or libgit2's own pack builder.
enum PackWriter {
  /// Writes a pack and its index into a folder.
  ///
  /// - Parameter objects: none twice; an empty list writes nothing.
  /// - Complexity: one pass over the bytes; never more than 1 MiB of pack in memory.
  static func write(
    _ objects: [PendingObjects.Object], to folder: String, of database: borrowing GitHandle
  ) throws(GitError) {
    guard !objects.isEmpty else { return }
    guard let count = UInt32(exactly: objects.count) else {
      throw .failed(operation: "write a pack", code: -1, message: "it has too many objects")
    }
    var options = unsafe git_indexer_options()
    try check(
      unsafe git_indexer_options_init(&options, UInt32(GIT_INDEXER_OPTIONS_VERSION)),
      "write a pack")
    let base = unsafe database.pointer
    let indexer = try GitHandle.make(
      "write a pack", free: { unsafe git_indexer_free($0) },
      { unsafe git_indexer_new(&$0, folder, 0o444, base, &options) })
    var progress = git_indexer_progress()
    var checksum = SHA1()
    var chunk: [UInt8] = Array("PACK".utf8) + [0, 0, 0, 2]
    for shift in stride(from: UInt32(24), through: 0, by: -8) {
      chunk.append(UInt8(truncatingIfNeeded: count >> shift))
    }
    func send(_ bytes: [UInt8]) throws(GitError) {
      try check(
        unsafe bytes.withUnsafeBytes {
          unsafe git_indexer_append(indexer.pointer, $0.baseAddress, $0.count, &progress)
        }, "write a pack")
    }
    var deflater = try Deflater()
    for object in objects {
      appendHeader(object.type, object.bytes.count, to: &chunk)
      try deflater.append(object.bytes, to: &chunk)
      if chunk.count >= 1 << 20 {
        checksum.update(chunk)
        try send(chunk)
        chunk.removeAll(keepingCapacity: true)
      }
    }
    checksum.update(chunk)
    try send(chunk + checksum.finish())
    try check(unsafe git_indexer_commit(indexer.pointer, &progress), "write a pack")
  }

  /// The kind and the length: four bits, then seven at a time, low ones first.
  private static func appendHeader(_ type: git_object_t, _ count: Int, to chunk: inout [UInt8]) {
    var rest = UInt64(count)
    var byte = UInt8(truncatingIfNeeded: type.rawValue) << 4 | UInt8(rest & 15)
    rest >>= 4
    while rest > 0 {
      chunk.append(byte | 0x80)
      byte = UInt8(rest & 0x7F)
      rest >>= 7
    }
    chunk.append(byte)
  }
}

/// One zlib stream, used again and again.
@safe private struct Deflater: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws(GitError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe almanac_deflate_start(stream, 3) == Z_OK else {
      unsafe stream.deallocate()
      throw .failed(operation: "compress", code: -1, message: "out of memory")
    }
    unsafe self.stream = stream
  }

  deinit {
    _ = unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  mutating func append(_ bytes: [UInt8], to chunk: inout [UInt8]) throws(GitError) {
    guard let count = UInt32(exactly: bytes.count) else {
      throw .failed(operation: "compress", code: -1, message: "the object is over 4 GiB")
    }
    let start = chunk.count
    let room = unsafe Int(deflateBound(stream, UInt(count)))
    chunk.append(contentsOf: repeatElement(0, count: room))
    let status = unsafe bytes.withUnsafeBufferPointer { input in
      unsafe chunk.withUnsafeMutableBufferPointer { output in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = count
        unsafe stream.pointee.next_out = output.baseAddress.map { unsafe $0 + start }
        unsafe stream.pointee.avail_out = UInt32(truncatingIfNeeded: room)
        return unsafe deflate(stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END else {
      throw .failed(operation: "compress", code: status, message: "zlib failed")
    }
    let left = unsafe Int(stream.pointee.avail_out)
    chunk.removeLast(left)
    _ = unsafe deflateReset(stream)
  }
}
