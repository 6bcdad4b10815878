/// A pointer that libgit2 gave away, freed at the end of its scope.
@safe struct GitHandle: ~Copyable {
  /// The object; valid as long as the handle.
  let pointer: OpaquePointer
  private let free: (OpaquePointer?) -> Void

  private init(pointer: OpaquePointer, free: @escaping (OpaquePointer?) -> Void) {
    unsafe self.pointer = pointer
    unsafe self.free = free
  }

  deinit {
    unsafe free(pointer)
  }

  /// Calls a function of libgit2 that makes an object.
  ///
  /// - Throws: what the function's status says, with the name of the operation.
  @safe static func make(
    _ operation: String, free: @escaping (OpaquePointer?) -> Void,
    _ body: (inout OpaquePointer?) -> Int32
  ) throws(GitError) -> GitHandle {
    var made: OpaquePointer?
    try check(unsafe body(&made), operation)
    guard let made = unsafe made else {
      throw .failed(operation: operation, code: -1, message: "it is missing")
    }
    return unsafe GitHandle(pointer: made, free: free)
  }
}
